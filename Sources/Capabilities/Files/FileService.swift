import Auth
import Crypto
package import Documents
import DomainKit
import HTTPServer
import JSON
import NIOCore
import NIOHTTP1
import PostgresDriver
package import RPCServer

/// Files: `PUT /files` keeps one, `GET /files/<id>` gives it to the account that it belongs to, and to every caller who may
/// read a record that names it.
package struct FileService: Sendable {
    /// The largest file. An SVG may have less, and a column may allow less.
    package static let maxBytes = 2 * 1_024 * 1_024

    private let authenticator: any Authenticating
    private let access: FileAccess
    /// The roles that may name a file in a record.
    private let givers: [ServedRole]

    /// The method whose links open files.
    package let linkedMethod: LinkedMethod

    package init(_ kernel: Kernel, _ documents: Documents) {
        access = FileAccess(executor: kernel.executor, roles: kernel.roles)
        givers = kernel.roles.filter { kernel.domains.letNameFiles($0.role) }
        authenticator = kernel.authenticator
        linkedMethod = FileMethods(access: access, links: documents.links).link
    }

    package var capability: Capability {
        Capability(
            methods: [linkedMethod.method], operations: [Self.keeping, Self.giving], endpoints: endpoints)
    }

    private var endpoints: [Endpoint] {
        [
            Endpoint(Self.keeping.path, methods: [.PUT], bodyBytes: Self.maxBytes) { await answer($0, keep) },
            Endpoint(Self.path) { await answer($0, give) },
        ]
    }

    private static let path = "/files/"

    private static let keeping = HTTPOperation(
        path: "/files", methods: ["PUT"],
        summary: "Garde un fichier\u{202F}; une valeur de colonne peut alors le nommer.",
        needsToken: true, mediaType: "application/json",
        body: "Les octets d’un PNG, JPEG ou PDF, 2\u{A0}Mio et 16\u{A0}millions de pixels au plus, ou d’un SVG, "
            + "512\u{A0}Kio au plus.",
        answer: [
            "type": "object", "required": ["id", "media_type", "size", "sha256"],
            "properties": [
                "id": ["type": "integer"], "media_type": ["type": "string"], "size": ["type": "integer"],
                "sha256": ["type": "string", "pattern": "^[0-9a-f]{64}$"],
            ],
        ])

    private static let giving = HTTPOperation(
        path: path + "{id}", summary: "Donne un fichier à qui peut lire un enregistrement qui le nomme.",
        needsToken: true,
        parameters: [
            .init(name: "id", place: .path, schema: ["type": "integer"], summary: "L’identifiant du fichier.")
        ])

    /// Removes files that no record refers to, every hour. Of several instances one at a time does it.
    package func prune() async {
        while !Task.isCancelled {
            var removed = 0
            do throws(PostgresError) {
                removed = try await access.store.prune(atMost: 200)
            } catch {
                // The driver has logged the error. The next call removes what this one has not.
            }
            do { try await Task.sleep(for: removed < 200 ? .seconds(3_600) : .seconds(1)) } catch { return }
        }
    }

    private func answer(
        _ request: EndpointRequest,
        _ respond: (EndpointRequest, Caller) async throws(CallError) -> HTTPResponse
    ) async -> HTTPResponse {
        do throws(CallError) {
            let caller = try await mapError(
                async: await authenticator.servedCaller(
                    request.context.authorization, deadline: request.context.deadline),
                CallError.authentication)
            return try await respond(request, caller)
        } catch {
            return .refusal(RPCErrorObject(error), to: request)
        }
    }

    private static func buffer(of value: JSONValue) -> ByteBuffer {
        var bytes: [UInt8] = []
        bytes.appendJSON(value)
        return ByteBuffer(bytes: bytes)
    }

    // MARK: Keeping

    private func keep(_ request: EndpointRequest, _ caller: Caller) async throws(CallError) -> HTTPResponse {
        // A key has the rights of its role alone. A device that names no file has no use for one.
        guard caller.user.accessKeyID == nil || caller.actingRole(among: givers) != nil else {
            throw .authorisation(AuthorisationError())
        }
        let bytes = Array(request.body.readableBytesView)
        guard !SVGContent.isTooLarge(bytes) else {
            return .refusal(413, name: "limit_exceeded", Messages.largeSVG, requestID: request.context.requestID)
        }
        let found: (kind: FileKind, pixels: Int)?
        if let offLoop = request.context.offLoop, bytes.count > 32 * 1_024 {
            found = await withTaskExecutorPreference(offLoop) { Self.kind(of: bytes) }
        } else {
            found = Self.kind(of: bytes)
        }
        guard let (kind, pixels) = found else {
            return .refusal(
                415, name: "unsupported_media_type", Messages.unknownKind, requestID: request.context.requestID)
        }
        guard pixels <= FileKind.maxPixels else {
            return .refusal(413, name: "limit_exceeded", Messages.manyPixels, requestID: request.context.requestID)
        }
        let drawn = try await picture(bytes, kind, of: caller, request)
        switch drawn {
        case .unreadable:
            return .refusal(
                415, name: "unsupported_media_type", Messages.damagedPicture, requestID: request.context.requestID)
        case .tooCostly:
            return .refusal(
                413, name: "limit_exceeded", kind == .svg ? Messages.costlyDrawing : Messages.costlyPicture,
                requestID: request.context.requestID)
        case .png, nil: break
        }
        let keeping = try await mapError(
            async: await access.store.put(
                bytes, kind, of: caller, deadline: request.context.deadline)
        ) { (error: PostgresError) in CallError.execution(.init(postgres: error)) }
        let file: FileStore.StoredFile
        switch keeping {
        case .kept(let kept): file = kept
        case .tooMany: throw .execution(.rateLimited(retryAfter: 3_600))
        case .busy: throw .execution(.overloaded(retryAfter: 1))
        }
        if let drawn {
            try await mapError(
                async: await access.store.keep(
                    drawn, of: String(file.id), in: caller.company, share: caller.share,
                    deadline: request.context.deadline)
            ) { (error: PostgresError) in CallError.execution(.init(postgres: error)) }
        }
        let value: JSONValue = [
            "id": .number(String(file.id)), "media_type": .string(file.mediaType), "size": .number(String(file.size)),
            "sha256": .string(file.digest),
        ]
        return HTTPResponse(
            contentType: "application/json", body: Self.buffer(of: value),
            headers: [(name: "Cache-Control", value: "no-store")])
    }

    /// What documents show of a picture; nil for what is none, and while nothing can be drawn: documents then draw it.
    private func picture(
        _ bytes: [UInt8], _ kind: FileKind, of caller: Caller, _ request: EndpointRequest
    ) async throws(CallError) -> DrawnPicture? {
        guard kind == .png || kind == .svg else { return nil }
        do throws(ExecutionError) {
            return try await access.executor.pictures.draw(
                bytes, of: caller.user.accountID, in: caller.company, by: request.context.deadline)
        } catch {
            guard case .unavailable = error else { throw .execution(error) }
            return nil
        }
    }

    private static func kind(of bytes: [UInt8]) -> (kind: FileKind, pixels: Int)? {
        FileContent.kind(of: bytes).map { ($0, FileContent.pixels(of: bytes, $0)) }
    }

    // MARK: Giving

    private func give(_ request: EndpointRequest, _ caller: Caller) async throws(CallError) -> HTTPResponse {
        let missing = CallError.execution(FileAccess.notFound)
        guard let id = Int64(request.subpath), id > 0, String(id) == request.subpath else { throw missing }
        let context = CallContext(request.context, record: CallRecord())
        let (file, _) = try await mapError(
            async: await access.file(id, for: caller, context), CallError.execution)
        let tag = "\"\(file.digest)\""
        let headers = [
            (name: "ETag", value: tag), (name: "Cache-Control", value: "private, no-cache"),
            HTTPResponse.isolation,
        ]
        guard !request.headers.hasMatch(for: tag) else { return HTTPResponse(status: .notModified, headers: headers) }
        let bytes = try await mapError(
            async: await access.bytes(of: file, for: caller, context), CallError.execution)
        return HTTPResponse(contentType: file.mediaType, body: ByteBuffer(bytes: bytes), headers: headers)
    }
}

extension [Domain] {
    /// Whether the role may name a file in a record, or as a parameter of a command.
    fileprivate func letNameFiles(_ role: Role) -> Bool {
        let writes: [(WriteKind, Operation)] = [(.create, .create), (.update, .update)]
        return contains { domain in
            domain.entities.contains { entity in
                writes.contains { kind, operation in
                    entity.access.reach(of: role, for: operation) != nil
                        && entity.writableColumns(for: kind).contains(where: \.namesFiles)
                }
            } || domain.commands.contains { $0.roles[role] != nil && $0.parameters.contains(where: \.namesFiles) }
        }
    }
}
