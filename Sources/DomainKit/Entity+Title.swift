extension Sequence where Element == Domain {
    /// The paths of what people know a record by, such as `title`, or `reader.name` and `book.title` of a wish. Never empty.
    ///
    /// - Parameter readable: the entities that the reader may read: no path leads through others.
    public func titlePaths(of entity: Entity, readable: Set<String>) -> [String] {
        titlePaths(of: entity, readable: readable, steps: 2)
    }

    /// - Parameter steps: how many relations a path may have.
    private func titlePaths(of entity: Entity, readable: Set<String>, steps: Int) -> [String] {
        if let own = entity.ownTitle { return [own] }
        let related = entity.relations.flatMap { relation -> [String] in
            guard steps > 0, case .toOne(let name) = relation.kind, entity.column(named: name)?.isNullable == false,
                readable.contains(relation.target),
                let target = lazy.compactMap({ $0.entity(named: relation.target) }).first, target.name != entity.name
            else { return [] }
            return titlePaths(of: target, readable: readable, steps: steps - 1).map { "\(relation.name).\($0)" }
        }
        return related.isEmpty ? [Column.id.name] : related
    }
}

extension Entity {
    /// The field of the entity itself that people know its records by; nil if it has none.
    fileprivate var ownTitle: String? {
        if let title { return title }
        let texts = readableColumns.filter { if case .text = $0.type { true } else { false } }
        return texts.first { search?.columns.contains($0.name) == true }?.name
            ?? texts.first { !$0.isNullable }?.name
    }
}
