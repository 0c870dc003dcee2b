public import JSON

/// Documents that people without an account sign: a call keeps the document and mails a link to each signatory.
///
/// They give four methods to every role that may call the methods of all ``documents``: one that asks for the signatures of a
/// document, one that mails the link to a signatory again, one that cancels the request, and one that answers a link to the
/// document. The page of the link shows the document and takes a name, the consent and a drawn signature. When all have signed,
/// ``seal`` adds the evidence to the document.
///
/// ```swift
/// Signatures(
///     name: "signatures", ask: "ask", remind: "remind", cancel: "cancel", download: "download",
///     documents: ["loans.contract"], consent: "J’ai lu ce document et je le signe.", loads: [],
///     acceptsDrawing: { try isPicture($0) }
/// ) { shown, signed, _ in
///     try evidence(of: signed, behind: shown)
/// }
/// ```
public struct Signatures: Sendable {
    /// The names of the parameters of the method that asks.
    public struct Labels: Sendable {
        /// The document: an object with the members ``method`` and ``params``.
        public let document: String
        public let method: String
        public let params: String
        /// The list of the signatories: objects with the members ``name``, ``email`` and ``capacity``.
        public let signatories: String
        public let name: String
        public let email: String
        /// For whom the signatory signs: one of ``Signatures/capacities``.
        public let capacity: String
        /// One of them: the parameter of the method that mails the link again.
        public let signatory: String

        public init(
            document: String = "document", method: String = "method", params: String = "params",
            signatories: String = "signatories", name: String = "name", email: String = "email",
            capacity: String = "capacity", signatory: String = "signatory"
        ) {
            self.document = document
            self.method = method
            self.params = params
            self.signatories = signatories
            self.name = name
            self.email = email
            self.capacity = capacity
            self.signatory = signatory
        }
    }

    /// The head of the page on which documents are signed, and of what its mails say.
    public struct Letterhead: Sendable {
        /// Who has the documents signed; nil if it has no name yet.
        public let name: String?
        /// PNG; nil without a logo that can be drawn.
        public let logo: [UInt8]?

        public init(name: String? = nil, logo: [UInt8]? = nil) {
            self.name = name
            self.logo = logo
        }
    }

    /// A document as it is shown to signatories, from what its method has loaded. `capacities` says for whom each of them signs, in
    /// their order; nil: the call does not say it. A pure function, which may run on any thread.
    public typealias Render =
        @Sendable (_ document: String, _ capacities: [String?], _ loaded: [JSONValue]) throws -> DocumentContent

    /// What a document is about, in words that follow "to sign", with the article: nil if its name says enough. `document` is the
    /// name of its method, and `loaded` what that method has loaded. A pure function, which may run on any thread.
    public typealias Subject = @Sendable (_ document: String, _ loaded: [JSONValue]) -> String?

    /// From the bytes that were shown to the bytes that follow them in the signed document. `loaded` is what ``loads`` names,
    /// in its order. A pure function, which may run on any thread.
    public typealias Seal =
        @Sendable (_ shown: [UInt8], _ signed: SignedDocument, _ loaded: [JSONValue]) throws -> [UInt8]

    /// Why a document cannot be signed, though it can be opened; nil if it can be. `document` is the name of its method, and
    /// `loaded` what that method has loaded. A pure function, which may run on any thread.
    public typealias Refusal = @Sendable (_ document: String, _ loaded: [JSONValue]) -> Refused?

    /// Why a document cannot be signed.
    public struct Refused: Sendable {
        /// The constraint of one of ``Signatures/rules``.
        public let constraint: String
        /// The members of the error's data that the rule declares.
        public let facts: JSONObject

        public init(by constraint: String, facts: JSONObject = JSONObject()) {
            self.constraint = constraint
            self.facts = facts
        }
    }

    /// The first half of the names of the methods.
    public let name: String
    /// The second halves: of the method that asks for signatures, of the one that mails the link to a signatory again, of the one
    /// that cancels, and of the one that answers a link to the document.
    public let ask: String
    public let remind: String
    public let cancel: String
    public let download: String
    /// The names of methods of the same domain that make a PDF document. They have the same parameters.
    public let documents: [String]
    public let labels: Labels
    /// For whom signatories may sign; empty: the calls do not say it.
    public let capacities: [String]
    /// By the names of documents those for which the document is signed, if not all.
    public let capacitiesOfDocuments: [String: [String]]
    /// The sentence that each signatory agrees to.
    public let consent: String
    /// Rows that ``seal`` and ``letterhead`` need. They are loaded in the domain's first role, without parameters.
    public let loads: [Load]
    /// The rules by which ``refusal`` refuses documents. They concern ``Labels/document``, and their effect is a conflict.
    public let rules: [Rule]
    public let refusal: Refusal
    /// Nil: the documents are shown as their methods make them.
    public let render: Render?
    public let subject: Subject
    /// From what ``loads`` names. A pure function, which may run on any thread.
    public let letterhead: @Sendable (_ loaded: [JSONValue]) -> Letterhead
    /// Whether ``seal`` can print a drawing. The bytes are 45,000 at most and begin as a PNG does. It may run on any thread.
    public let acceptsDrawing: @Sendable (_ drawing: [UInt8]) throws -> Bool
    /// Makes the end of the signed document.
    public let seal: Seal

    /// Creates the signatures of documents.
    ///
    /// - Parameters:
    ///   - name: the first half of the names of the methods.
    ///   - ask: the second half of the name of the method that asks for signatures.
    ///   - remind: that of the method that mails the link to a signatory again.
    ///   - cancel: that of the method that cancels.
    ///   - download: that of the method that answers a link to the document.
    ///   - documents: the names of methods that make a PDF document.
    ///   - labels: the names of the parameters.
    ///   - capacities: for whom signatories may sign.
    ///   - capacitiesOfDocuments: those of a document that is not signed for all.
    ///   - consent: the sentence that each signatory agrees to.
    ///   - loads: rows that `seal` and `letterhead` need.
    ///   - rules: the rules by which `refusal` refuses documents.
    ///   - refusal: why a document cannot be signed.
    ///   - render: makes a document as signatories are shown it.
    ///   - subject: what a document is about.
    ///   - letterhead: the head of the page on which documents are signed.
    ///   - acceptsDrawing: whether `seal` can print a drawing.
    ///   - seal: makes the end of the signed document.
    public init(
        name: String, ask: String, remind: String, cancel: String, download: String, documents: [String],
        labels: Labels = Labels(), capacities: [String] = [], capacitiesOfDocuments: [String: [String]] = [:],
        consent: String, loads: [Load] = [], rules: [Rule] = [],
        refusal: @escaping Refusal = { _, _ in nil }, render: Render? = nil,
        subject: @escaping Subject = { _, _ in nil },
        letterhead: @escaping @Sendable (_ loaded: [JSONValue]) -> Letterhead = { _ in Letterhead() },
        acceptsDrawing: @escaping @Sendable (_ drawing: [UInt8]) throws -> Bool, seal: @escaping Seal
    ) {
        self.name = name
        self.ask = ask
        self.remind = remind
        self.cancel = cancel
        self.download = download
        self.documents = documents
        self.labels = labels
        self.capacities = capacities
        self.capacitiesOfDocuments = capacitiesOfDocuments
        self.consent = consent
        self.loads = loads
        self.rules = rules
        self.refusal = refusal
        self.render = render
        self.subject = subject
        self.letterhead = letterhead
        self.acceptsDrawing = acceptsDrawing
        self.seal = seal
    }
}

/// A document that all of its signatories have signed.
public struct SignedDocument: Sendable {
    /// A signatory, with what the server knows of the signature.
    public struct Signatory: Sendable {
        /// What the signatory gave as name.
        public let name: String
        /// The name under which the signatory was asked to sign.
        public let invitedName: String
        /// Where the link was mailed to.
        public let email: String
        /// For whom the signatory signs: one of ``Signatures/capacities``; nil if the call has not said it.
        public let capacity: String?
        /// In ISO 8601, with the offset of the service's time zone.
        public let signedAt: String
        /// The sentence that the signatory agreed to.
        public let consent: String
        /// The network address of the client, as the server sees it; nil if a proxy does not say it.
        public let address: String?
        /// What the browser says of itself.
        public let device: String?
        /// PNG; nil if the signatory has drawn nothing.
        public let drawing: [UInt8]?

        public init(
            name: String, invitedName: String, email: String, capacity: String?, signedAt: String, consent: String,
            address: String?, device: String?, drawing: [UInt8]?
        ) {
            self.name = name
            self.invitedName = invitedName
            self.email = email
            self.capacity = capacity
            self.signedAt = signedAt
            self.consent = consent
            self.address = address
            self.device = device
            self.drawing = drawing
        }
    }

    /// The name of the method that has made it.
    public let method: String
    /// The name of its file.
    public let name: String
    /// The SHA-256 of the bytes that were shown, in hexadecimal.
    public let sha256: String
    /// In the order in which they were named.
    public let signatories: [Signatory]

    public init(method: String, name: String, sha256: String, signatories: [Signatory]) {
        self.method = method
        self.name = name
        self.sha256 = sha256
        self.signatories = signatories
    }
}
