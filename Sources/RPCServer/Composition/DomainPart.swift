import DomainKit

/// What a domain declares beside entities, commands and values: a capability serves it.
package enum DomainPart: String, Sendable, CaseIterable {
    case documents
    case signatures
    case notices
}

extension Domain {
    func declares(_ part: DomainPart) -> Bool {
        switch part {
        case .documents: !subscriptions.isEmpty || methods.contains(where: \.makesDocuments)
        case .signatures: !signatures.isEmpty
        case .notices: !notices.isEmpty
        }
    }
}
