import Auth
import Documents
import DomainKit
import JSON
import RPCServer

/// The methods of files. Clients give them to the server by `PUT /files`.
struct FileMethods {
    let access: FileAccess
    let links: DocumentLinks

    /// A link that opens a file without a token, such as in an `<img>`.
    var link: LinkedMethod {
        let identifier = MethodParameter("id", .identifier, summary: "L’identifiant du fichier.")
        let name = "files.lien"
        let method = Method(
            name: name, summary: "Un lien qui ouvre un fichier sans jeton, pendant quinze minutes.",
            rights: .signedIn, parameters: [identifier], result: .documentLink
        ) { [self] (params, _) throws(CallError) in
            let id = Int64(params[identifier]) ?? 0
            return .work { call throws(ExecutionError) in
                guard let caller = call.caller else { throw .unauthenticated(.missing) }
                let (file, role) = try await access.file(id, for: caller, call.context)
                let document = LinkedDocument(
                    method: name, params: ["id": .number(String(id))], user: caller.user,
                    acting: HeldRole(role: role.served.role.name, subject: role.subject))
                guard let link = links.link(ifShort: document) else {
                    throw .unexpected(cause: "the link to a file is too long")
                }
                return .value(link.value(name: file.name, file.documentKind))
            }
        }
        return LinkedMethod(method) { [access] (linked, context, clock) throws(DocumentError) in
            let document = try await mapError(
                async: await access.document(linked, context)
            ) { (error: ExecutionError) in DocumentError(execution: error) }
            clock.lap(.execute)
            return document
        }
    }
}

extension FileAccess {
    /// The file that a link opens, if the account of the link still may read it in its role.
    func document(
        _ linked: LinkedDocument, _ context: CallContext
    ) async throws(ExecutionError) -> Document {
        guard case .number(let digits)? = linked.params["id"], let id = Int64(digits) else { throw Self.notFound }
        let caller = Caller(user: linked.user)
        let (file, _) = try await file(id, for: caller, context)
        return Document(
            kind: file.documentKind, name: file.name,
            bytes: try await bytes(of: file, for: caller, context))
    }
}

extension FileStore.StoredFile {
    fileprivate var documentKind: DocumentKind { DocumentKind(mediaType: mediaType, isShown: true) }

    /// `fichier-12.png`.
    fileprivate var name: String {
        let ending =
            switch FileKind(rawValue: mediaType) {
            case .png: ".png"
            case .jpeg: ".jpg"
            case .svg: ".svg"
            case .pdf: ".pdf"
            case nil: ""
            }
        return "fichier-\(id)\(ending)"
    }
}
