import DomainKit
import HTTPServer
package import JSON
import NIOCore
import QueryCompiler
import Synchronization

/// The description of the service in OpenRPC 1.3.2. It is derived from the declarations that also dispatch and check
/// calls: methods, parameters and entities.
package final class OpenRPCDescription: Sendable {
    private struct Made {
        var value: JSONValue?
        var bytes: ByteBuffer?
    }

    private let make: @Sendable () -> JSONValue
    /// Made when it is first asked for, because most processes are never asked.
    private let made = Mutex(Made())

    /// The description as a JSON value: an OpenRPC document.
    package var value: JSONValue { made.withLock { value(in: &$0) } }

    /// The description as JSON text.
    var bytes: ByteBuffer {
        made.withLock { made in
            if let bytes = made.bytes { return bytes }
            let bytes = ByteBuffer(bytes: [UInt8](json: value(in: &made)))
            made.bytes = bytes
            return bytes
        }
    }

    /// The same; written, the first time, by another thread than that of the connections.
    func bytes(by executor: (any TaskExecutor)?) async -> ByteBuffer {
        if let bytes = made.withLock({ $0.bytes }) { return bytes }
        guard let executor else { return bytes }
        return await withTaskExecutorPreference(executor) { bytes }
    }

    private func value(in made: inout Made) -> JSONValue {
        if let value = made.value { return value }
        let value = make()
        made.value = value
        return value
    }

    /// - Parameters:
    ///   - title: the name of the service.
    ///   - version: the version of the service, such as `1.0.0`.
    ///   - methods: in the order of the description.
    ///   - operations: the paths beside `POST /rpc`.
    ///   - entities: every entity that methods and relations refer to.
    init(
        title: String, version: String, methods: [Method], operations: [HTTPOperation] = [], entities: [Entity],
        limits: CallLimits
    ) {
        make = {
            let info: JSONValue = [
                "title": .string(title), "version": .string(version),
                "description": .string(Self.description),
            ]
            let components: JSONValue = [
                "schemas": .object(JSONObject(Self.schemas(methods, entities, limits))),
                "errors": .object(JSONObject(ErrorKind.allCases.map { .init($0.rawValue, $0.errorObject) })),
            ]
            return [
                "openrpc": "1.3.2", "info": info,
                "methods": .array(methods.map { $0.description(limits) }), "components": components,
                "x-http": .array(operations.map(\.description)),
            ]
        }
    }

    /// The description of a service without methods.
    static let empty = OpenRPCDescription(title: "", version: "", methods: [], entities: [], limits: CallLimits())

    package var text: String { String(buffer: bytes) }

    static let operation = HTTPOperation(
        path: "/openrpc.json", summary: "Ce document, celui de rpc.discover.", mediaType: "application/json")

    private static let description = """
        JSON-RPC 2.0 sur POST /rpc, paramètres par nom. Les textes destinés aux personnes sont en français. \
        x-roles dit qui peut appeler une méthode\u{202F}: vide, tout le monde, sans jeton. x-http décrit les autres chemins, \
        leurs paramètres comme OpenAPI\u{202F}3. Le membre data d'une erreur \
        documentée ici est le schéma JSON (draft-07) du data que porte cette erreur.
        """

    private static func schemas(
        _ methods: [Method], _ entities: [Entity], _ limits: CallLimits
    ) -> [JSONObject.Member] {
        let byName = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var schemas: [JSONObject.Member] = []
        for entity in entities {
            schemas += [
                .init(entity.recordSchemaName, entity.recordSchema),
                .init(entity.filterSchemaName, entity.filterSchema(limits)),
                .init(
                    entity.orderSchemaName, entity.orderSchema(limits, entities: byName)),
            ]
        }
        for parameter in methods.lazy.flatMap(\.parameters) {
            guard let parameter = parameter as? QueryParameter else { continue }
            if case .groups(let entity) = parameter.kind {
                schemas += [
                    .init(entity.groupSchemaName, entity.groupSchema(limits, entities: byName)),
                    .init(entity.groupOrderSchemaName, entity.groupOrderSchema(limits, entities: byName)),
                ]
            }
            guard case .values(let entity, let kind) = parameter.kind else { continue }
            let further = parameter.furtherMembers.map { JSONObject.Member($0.name, $0.memberSchema(limits)) }
            schemas.append(
                .init(entity.valuesSchemaName(for: kind), entity.valuesSchema(for: kind, further: further)))
        }
        schemas += FieldType.sharedConditions.map { .init($0.name, $0.type.conditionSchema(limits)) }
        for component in methods.flatMap(\.result.components) {
            if !schemas.contains(where: { $0.name == component.name }) { schemas.append(component) }
        }
        let rules = methods.flatMap(\.rules)
        let successors = entities.compactMap(\.successor)
        schemas += ErrorKind.allCases.map { .init($0.dataSchemaName, $0.dataSchema(rules, successors: successors)) }
        return schemas
    }
}

extension ResultType {
    fileprivate static let serviceDescription = Self(
        "document OpenRPC", schema: ["type": "object", "required": ["openrpc", "info", "methods"]],
        example: [
            "openrpc": "1.3.2", "info": ["title": "…", "version": "1.0.0", "description": "…"], "methods": [],
            "x-http": [], "components": [:],
        ], errors: [])
}

extension Method {
    /// `rpc.discover`: returns the description of the service.
    static func discovery(of service: OpenRPCDescription) -> Method {
        Method(
            name: "rpc.discover", summary: "Le document OpenRPC qui décrit ce service.", rights: .anyone,
            parameters: [], result: .serviceDescription, errors: [.limitExceeded]
        ) { (_, _) throws(CallError) in
            .work(cost: .description) { call throws(ExecutionError) in
                .text(await service.bytes(by: call.context.offLoop))
            }
        }
    }
}

extension Endpoint {
    /// `GET /openrpc.json`: the description of the service, the same that `rpc.discover` returns.
    static func openRPC(_ service: OpenRPCDescription) -> Endpoint {
        let compressed = CachedGzip()
        return Endpoint(OpenRPCDescription.operation.path) { request in
            var response = HTTPResponse(
                contentType: "application/json", body: await service.bytes(by: request.context.offLoop),
                headers: [(name: "Cache-Control", value: "no-cache")])
            response.cachedGzip = compressed
            return response
        }
    }
}
