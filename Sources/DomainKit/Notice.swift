public import JSON

/// A kind of message that follows from a write: a mail, or a request to a webhook.
///
/// A function of a command, or a trigger, enters it in the outbox with `kernel.send(name, record_id)`. When its transaction is
/// committed, the server loads what ``loads`` names, in the domain's first role, phrases the messages and sends them. If that
/// fails it repeats all three until it succeeds, for three days.
///
/// ```swift
/// Notice(
///     name: "loans.reminder", entity: "loans", loads: [.record("{ reader { email } book { title } }")],
///     sent: "bookshop.reminder_sent"
/// ) { loaded in
///     [.mail(to: loaded[0]["reader"]?["email"]?.text ?? "", subject: "…", text: "…", html: "…")]
/// }
/// ```
public struct Notice: Sendable {
    /// The name that `kernel.send` gives, unique over all domains: `loans.reminder`.
    public let name: String
    /// The entity of the record that it is about.
    public let entity: String
    /// What is loaded, in this order. The parameters of ``Load/rows(of:_:atMost:params:)`` are `id`, the record's, and `key`, the
    /// text that `kernel.send` was given, which is empty if it was given none.
    public let loads: [Load]
    /// Functions `(record_id bigint) RETURNS text`, for what no role may read, such as the address of a webhook that is a secret.
    /// Each runs in a transaction of its own at every attempt, before the messages are phrased, and may write: what it has
    /// written stays when the attempt fails. `kernel.may_repeat()` says there whether an earlier attempt, whose answer was lost,
    /// may have sent the next message already. The migrations call `kernel.worker_keep` for each.
    public let functions: [String]
    /// A function `(record_id bigint, answers jsonb)`, called when all messages have left, in the same transaction that marks them
    /// as sent. `answers` has an element for each message, with what its receiver answered. For a request it is
    /// `{"status": …, "body": …, "sent": …}`: `body` is that of the answer if it is JSON, and `sent` is that of the request. The
    /// function must be one for which the migrations have called `kernel.worker_keep`.
    public let sent: String?
    /// A function `(record_id bigint, failure jsonb)`, called if the messages have not left within a day, and when they will not
    /// leave: `{"error": …, "gave_up": …, "may_have_left": …}`. `gave_up` tells both cases apart; `may_have_left` says that an
    /// attempt without an answer may have sent the next message all the same.
    public let failed: String?
    /// From what ``loads`` names, in its order, and then what ``functions`` return, texts or null, to the messages; none if
    /// there is nothing to say any more.
    ///
    /// A pure function. They are sent in their order. An attempt after a failure phrases them again and begins with the
    /// first one that has not left, so that the place of a message in the array must not change with the record.
    public let phrase: @Sendable (_ loaded: [JSONValue]) -> [Message]

    /// Creates a kind of message.
    public init(
        name: String, entity: String, loads: [Load], functions: [String] = [], sent: String? = nil,
        failed: String? = nil,
        phrase: @escaping @Sendable (_ loaded: [JSONValue]) -> [Message]
    ) {
        self.name = name
        self.entity = entity
        self.loads = loads
        self.functions = functions
        self.sent = sent
        self.failed = failed
        self.phrase = phrase
    }
}
