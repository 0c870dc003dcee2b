import DomainKit

/// What is wrong with the params of a reader of changes.
enum FeedProblem {
    /// A table that the caller may not read, or that is none. The names are those that the caller may give.
    case notInFeed(String, known: [String], suggestion: String?)
    case notACursor
    case cursorTooOld
    case malformedQuery

    /// - Parameter path: the JSON Pointer of the param.
    func problem(at path: String) -> Problem {
        switch self {
        case .notInFeed(_, _, let suggestion):
            Problem(path: path, code: .unknown, message: message, suggestion: suggestion)
        case .notACursor, .malformedQuery: Problem(path: path, code: .format, message: message)
        case .cursorTooOld: Problem(path: path, code: .outOfRange, message: message)
        }
    }

    /// French, with the typography of the kernel’s messages.
    private var message: String {
        switch self {
        case .notInFeed(let name, let known, _):
            "La table \(name.quotedInFrench) n’est pas de celles que vous pouvez suivre\u{202F}: "
                + (known.isEmpty ? "il n’y en a aucune." : "donnez \(known.joined(separator: ", ")).")
        case .notACursor: "Donnez une position telle que le serveur l’a donnée, ou n’en donnez pas."
        case .cursorTooOld:
            "Rechargez les données, puis repartez sans position\u{202F}: les changements depuis celle-ci ne sont plus tous"
                + " connus."
        case .malformedQuery: "Corrigez l’adresse\u{202F}: ses paramètres sont mal codés."
        }
    }
}
