/// One business domain: what it stores, who may do what with it, and what it computes beyond storing.
///
/// A domain is a value. It knows neither HTTP nor SQL nor JSON text; the server derives its methods, its
/// validation, its SQL and its documentation from it.
public struct Domain: Sendable {
    /// A short name for logs, such as `crm`.
    public let name: String
    public let entities: [Entity]
    /// Methods that load one record and compute an answer from it, such as `books.cite`.
    public let methods: [LoadedMethod]

    public init(name: String, entities: [Entity], methods: [LoadedMethod] = []) {
        self.name = name
        self.entities = entities
        self.methods = methods
    }

    public func entity(named name: String) -> Entity? {
        entities.first { $0.name == name }
    }
}
