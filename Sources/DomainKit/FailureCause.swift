/// What the last failure to send a message concerns, as `kernel.outbox` has it.
///
/// Only ``message`` and ``record`` are about the message alone. The others concern every message of its kind, so that a person
/// has to do something about them.
public enum FailureCause: String, Sendable, CaseIterable {
    /// The receiver's machine is not reached, or does not answer.
    case connection
    /// There is no encryption, or the certificate is not accepted.
    case encryption
    /// The receiver's machine takes nothing at present, or nothing from here.
    case server
    /// The mail server does not accept the login.
    case login
    /// The mail server does not accept the sender.
    case sender
    /// The settings of this server, or the address of a webhook, do not allow it.
    case settings
    /// The receiver does not take this message.
    case message
    /// What the message is about cannot be read.
    case record
    /// The attempt was aborted from here.
    case interruption

    /// What people read in the place of the word: French.
    public var label: String {
        switch self {
        case .connection: "Pas de réponse"
        case .encryption: "Connexion non sûre"
        case .server: "Serveur indisponible"
        case .login: "Identifiant refusé"
        case .sender: "Expéditeur refusé"
        case .settings: "Interdit par les réglages"
        case .message: "Destinataire ou contenu refusé"
        case .record: "Fiche illisible"
        case .interruption: "Envoi interrompu"
        }
    }

    /// Whether the failure concerns more than one message.
    public var isCommon: Bool { ![.message, .record, .interruption].contains(self) }
}
