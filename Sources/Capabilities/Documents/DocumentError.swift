package import Auth
package import RPCServer

/// Why a link is not answered with a document.
package enum DocumentError: Error {
    case link(DocumentLinkError)
    case call(CallError)

    init(link error: DocumentLinkError) {
        self =
            if case .undecided(let error) = error { .call(.execution(.init(auth: error))) } else { .link(error) }
    }

    package init(execution error: ExecutionError) { self = .call(.execution(error)) }
}
