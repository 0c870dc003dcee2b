import DomainKit

extension Entity {
    /// The type of the primary key.
    var identifierType: FieldType { column(named: "id")?.type ?? .bigint }

    /// The primary key in `params`, as the database writes it.
    func identifier(in params: Object) throws(CallFailure) -> String {
        var reader = ParameterReader(params)
        let identifier = reader.text("id", as: identifierType)
        try reader.finish()
        return identifier
    }
}
