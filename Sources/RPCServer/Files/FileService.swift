package import Auth
import Crypto
package import DomainKit
package import HTTPServer
import JSON
import NIOCore
import NIOHTTP1
package import PostgresDriver

/// Files: `PUT /files` keeps one, `GET /files/<id>` gives it to the account that it belongs to, and to every caller who may
/// read a record that names it.
package struct FileService: Sendable {
    /// The largest file. A column may allow less.
    package static let maxBytes = 2 * 1_024 * 1_024

    private let rpc: RPCService
    private let authenticator: TokenAuthenticator
    private let store: FileStore
    /// The columns that name files, with their entities.
    private let references: [(entity: String, column: String)]

    /// - Parameter database: connections of the role that keeps files.
    package init(_ rpc: RPCService, _ domains: [Domain], identity: AuthService, database: PostgresClient) {
        self.rpc = rpc
        authenticator = TokenAuthenticator(identity: identity)
        store = FileStore(database: database)
        references = domains.flatMap(\.entities).flatMap { entity in
            entity.readableColumns.filter { $0.file != nil }.map { (entity.name, $0.name) }
        }
    }

    package var endpoints: [Endpoint] {
        [
            Endpoint(Self.keeping.path, methods: [.PUT], bodyBytes: Self.maxBytes) { await answer($0, keep) },
            Endpoint(Self.path) { await answer($0, give) },
        ]
    }

    private static let path = "/files/"

    static let operations = [keeping, giving]

    private static let keeping = HTTPOperation(
        path: "/files", methods: ["PUT"],
        summary: "Garde un fichier\u{202F}; une valeur de colonne peut alors le nommer.",
        needsToken: true, mediaType: "application/json",
        body: "Les octets d’un PNG, JPEG, PDF ou SVG, 2\u{A0}Mio au plus.",
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
                removed = try await store.prune(atMost: 200)
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
                async: await authenticator.caller(request.context.authorization, deadline: request.context.deadline),
                CallError.authentication)
            return try await respond(request, caller)
        } catch {
            return .refusal(RPCErrorObject(error), requestID: request.context.requestID)
        }
    }

    private static func buffer(of value: JSONValue) -> ByteBuffer {
        var bytes: [UInt8] = []
        bytes.appendJSON(value)
        return ByteBuffer(bytes: bytes)
    }

    // MARK: Keeping

    private func keep(_ request: EndpointRequest, _ caller: Caller) async throws(CallError) -> HTTPResponse {
        let bytes = Array(request.body.readableBytesView)
        let kind: FileKind?
        if let offLoop = request.context.offLoop, bytes.count > 32 * 1_024 {
            kind = await withTaskExecutorPreference(offLoop) { FileContent.kind(of: bytes) }
        } else {
            kind = FileContent.kind(of: bytes)
        }
        guard let kind else {
            return .refusal(
                415, name: "unsupported_media_type", Messages.unknownKind, requestID: request.context.requestID)
        }
        let file = try await mapError(
            async: await store.put(bytes, kind, of: caller.user.userID, deadline: request.context.deadline)
        ) { (error: PostgresError) in CallError.execution(.init(postgres: error)) }
        guard let file else { throw .execution(.rateLimited(retryAfter: 3_600)) }
        let value: JSONValue = [
            "id": .number(String(file.id)), "media_type": .string(file.mediaType), "size": .number(String(file.size)),
            "sha256": .string(file.digest),
        ]
        return HTTPResponse(
            contentType: "application/json", body: Self.buffer(of: value),
            headers: [(name: "Cache-Control", value: "no-store")])
    }

    // MARK: Giving

    private func give(_ request: EndpointRequest, _ caller: Caller) async throws(CallError) -> HTTPResponse {
        let missing = CallError.execution(.notFound(Noun("fichier", plural: "fichiers", feminine: false)))
        guard let id = Int64(request.subpath), id > 0, String(id) == request.subpath else { throw missing }
        let deadline = request.context.deadline
        let found = try await mapError(async: await store.file(id, deadline: deadline)) { (error: PostgresError) in
            CallError.execution(.init(postgres: error))
        }
        guard let file = found else { throw missing }
        if file.account != caller.user.userID, !(await isNamed(id, in: request)) { throw missing }
        let tag = "\"\(file.digest)\""
        let headers = [
            (name: "ETag", value: tag), (name: "Cache-Control", value: "private, no-cache"),
            (name: "X-Content-Type-Options", value: "nosniff"),
            // What was checked when the file was given is forbidden again where it is shown.
            (
                name: "Content-Security-Policy",
                value: "default-src 'none'; img-src data:; style-src 'unsafe-inline'; sandbox"
            ),
        ]
        let given = request.headers[canonicalForm: "If-None-Match"]
        if given.contains(where: { $0 == "*" || $0 == tag || $0 == "W/\(tag)" }) {
            return HTTPResponse(status: .notModified, headers: headers)
        }
        let bytes = try await mapError(async: await store.bytes(of: id, deadline: deadline)) { (error: PostgresError) in
            CallError.execution(.init(postgres: error))
        }
        guard let bytes else { throw missing }
        return HTTPResponse(contentType: file.mediaType, body: ByteBuffer(bytes: bytes), headers: headers)
    }

    /// Whether the caller may read a record that names the file: as the methods `X.list` would answer.
    private func isNamed(_ id: Int64, in request: EndpointRequest) async -> Bool {
        for (entity, column) in references {
            let call: JSONValue = [
                "jsonrpc": "2.0", "id": 1, "method": .string("\(entity).list"),
                "params": [
                    "where": .object(JSONObject([.init(column, .number(String(id)))])), "first": 1, "select": "{ id }",
                ],
            ]
            let body = await rpc.answer(
                Self.buffer(of: call), CallContext(request.context, record: CallRecord()))
            guard case .json(let answer, _) = body else { continue }
            let document: JSONDocument
            do throws(JSONError) { document = try JSONReader.read(answer) } catch { continue }
            if case .array(let items)? = document.value["result"]?["items"], !items.isEmpty { return true }
        }
        return false
    }
}
