import DomainKit
import JSON

/// The message on Discord by which the organisation looks for the trainer of a session: its text, and the request that posts or
/// edits it.
///
/// The text is that of `sessions.share` for trainers. What it is made from has no price that the client pays.
struct Announcement {
    /// What `annonces_etat` returns.
    struct State {
        /// The address of the webhook.
        let address: String
        /// Whether it is the one that the organisation has now.
        let isCurrent: Bool
        /// The id of the message; nil before it is posted.
        let message: String?
        /// The text of the message.
        let content: String?
        /// Whether an account has asked for it, so that the same text is sent too.
        let isWanted: Bool
        /// Whether the session was deleted.
        let isCancelled: Bool
    }

    /// Room for the line and the signs that are added to the text.
    private static let longestText = 1_900

    /// Discord's own hosts, that of its test versions too.
    static let hosts: Set = ["discord.com", "discordapp.com", "canary.discord.com", "ptb.discord.com"]

    let state: State
    /// The session, in the form of ``selection``; null when it was deleted.
    let session: JSONValue

    static let selection = """
        {
          module date debut fin duree_minutes modalite lieu tarif_sous_traitant frais_rembourser ref_contrat
          formateur_id
        }
        """

    /// The request that is to be sent; nil if the message says already what it should.
    var request: Message? {
        guard let text else { return nil }
        // The text may contain what looks like a mention: it pings neither people nor roles.
        let body: JSONValue = ["content": .string(text), "allowed_mentions": ["parse": []]]
        guard let message = state.message else {
            // Discord answers with the message if it is asked to wait for it.
            return .request(
                method: "POST", url: url("", ["wait=true"]), headers: [:], body: body, hosts: Self.hosts)
        }
        guard state.isWanted || text != state.content else { return nil }
        return .request(
            method: "PATCH", url: url("/messages/\(message)", []), headers: [:], body: body, accepts: goneAnswers,
            hosts: Self.hosts)
    }

    /// The address with a further path and query. It may name a thread in its own query.
    private func url(_ path: String, _ query: [String]) -> String {
        let parts = state.address.split(separator: "?", maxSplits: 1).map(String.init)
        let query = (parts.dropFirst() + query).joined(separator: "&")
        return (parts.first ?? "") + path + (query.isEmpty ? "" : "?" + query)
    }

    /// The answers that say that there is no message to edit. By a webhook that the organisation has no longer, each refusal
    /// of the address does; by its own one, only that of the message.
    private var goneAnswers: [Message.Answer] {
        let unknownMessage = Message.Answer(404, body: ["code": 10008])
        return state.isCurrent ? [unknownMessage] : [Message.Answer(404), Message.Answer(401)]
    }

    /// What the message should say; nil if it should not be posted.
    private var text: String? {
        if state.isCancelled { return state.content.map(Self.cancelled) }
        guard !session.isNull else { return nil }
        let text = SharedSession(session, for: .formateur).discord(atMost: Self.longestText).text
        let isFilled = session["formateur_id"].map { !$0.isNull } ?? false
        guard isFilled else { return text }
        return state.message == nil ? nil : Self.struck(text, under: CRM.Messages.filledAnnouncement)
    }

    /// The text that the message has, struck through.
    private static func cancelled(_ content: String) -> String {
        let heading = CRM.Messages.filledAnnouncement + "\n"
        guard content.hasPrefix(heading) else { return struck(content, under: CRM.Messages.cancelledAnnouncement) }
        return CRM.Messages.cancelledAnnouncement + "\n" + content.dropFirst(heading.count)
    }

    /// In Discord's Markdown, line by line: a sign that opens on one line and closes on another is not one in lists.
    private static func struck(_ text: String, under heading: String) -> String {
        ([heading] + text.split(separator: "\n").map { "~~\($0)~~" }).joined(separator: "\n")
    }
}

extension Announcement.State {
    init?(_ secret: JSONValue) {
        guard let text = secret.text else { return nil }
        let state: JSONValue
        do throws(JSONError) { state = try JSONReader.read(text).value } catch { return nil }
        guard let address = state["adresse"]?.text else { return nil }
        self.address = address
        isCurrent = state["actuelle"] == true
        message = state["message"]?.text
        content = state["contenu"]?.text
        isWanted = state["demandee"] == true
        isCancelled = state["annulee"] == true
    }
}
