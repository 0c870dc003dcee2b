extension Sequence where Element == Domain {
    /// The first entity that two of the domains declare, with the names of both; nil if names are unique.
    ///
    /// The names of methods begin with those of entities, and the journal names a table without its schema.
    public var duplicateEntity: (entity: String, domains: [String])? {
        var owners: [String: String] = [:]
        for domain in self {
            for entity in domain.entities {
                if let owner = owners.updateValue(domain.name, forKey: entity.name) {
                    return (entity.name, [owner, domain.name])
                }
            }
        }
        return nil
    }
}
