package import DomainKit
import NIOCore
import QueryCompiler

/// The service described in OpenRPC 1.3.2, from the definitions that dispatch and validate: their names, their
/// parameters, their entities. Nothing is said here that is not said by them.
package struct OpenRPCDocument: Sendable {
    /// The whole document as a JSON value.
    package let value: Value
    /// The same as JSON text.
    let bytes: ByteBuffer

    /// - Parameters:
    ///   - title: what the service is called.
    ///   - version: its own, such as `1.0.0`.
    ///   - methods: in the order in which they are listed.
    ///   - entities: every entity that methods and relations speak of.
    init(title: String, version: String, methods: [Method], entities: [Entity], limits: Limits) {
        let info: Value = [
            "title": .string(title), "version": .string(version),
            "description": .string(Self.description),
        ]
        let components: Value = [
            "schemas": .object(Object(Self.schemas(methods, entities, limits))),
            "errors": .object(Object(ErrorKind.allCases.map { .init($0.rawValue, $0.errorObject) })),
        ]
        value = [
            "openrpc": "1.3.2", "info": info,
            "methods": .array(methods.map { $0.description(limits) }), "components": components,
        ]
        var bytes = ByteBuffer()
        bytes.writeJSON(value)
        self.bytes = bytes
    }

    /// Describes nothing.
    static let empty = OpenRPCDocument(title: "", version: "", methods: [], entities: [], limits: Limits())

    package var text: String { String(buffer: bytes) }

    private static let description = """
        JSON-RPC 2.0 sur POST /rpc, paramètres par nom. Les textes destinés aux personnes sont en français. \
        x-roles dit qui peut appeler une méthode\u{A0}: vide, tout le monde, sans jeton. Le membre data d'une erreur \
        documentée ici est le schéma JSON (draft-07) du data que porte cette erreur.
        """

    private static func schemas(
        _ methods: [Method], _ entities: [Entity], _ limits: Limits
    ) -> [Object.Member] {
        let byName = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var schemas: [Object.Member] = []
        for entity in entities {
            schemas += [
                .init(entity.recordSchemaName, entity.recordSchema),
                .init(entity.filterSchemaName, entity.filterSchema(limits)),
                .init(
                    entity.orderSchemaName, entity.orderSchema(limits, entities: byName)),
            ]
        }
        for parameter in methods.lazy.flatMap(\.parameters) {
            if case .groups(let entity) = parameter.kind {
                schemas += [
                    .init(entity.groupSchemaName, entity.groupSchema(limits, entities: byName)),
                    .init(entity.groupOrderSchemaName, entity.groupOrderSchema(limits, entities: byName)),
                ]
            }
            guard case .values(let entity, let kind) = parameter.kind else { continue }
            let further = parameter.further.map { Object.Member($0.name, $0.describedSchema(limits)) }
            schemas.append(
                .init(entity.valuesSchemaName(for: kind), entity.valuesSchema(for: kind, further: further)))
        }
        schemas += FieldType.sharedConditions.map { .init($0.name, $0.type.conditionSchema(limits)) }
        schemas += ErrorKind.allCases.map { .init($0.dataSchemaName, $0.dataSchema) }
        return schemas
    }
}
