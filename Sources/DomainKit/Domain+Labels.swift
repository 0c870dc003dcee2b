extension Domain {
    /// What people would see without a label, as places in the declaration: `books.title`, `books.origin: the word given`.
    ///
    /// People read labels in forms, lists, the journal and the heads of tables, so that a name of the wire in their place would be a
    /// mistake. Columns that rules add to errors (``Rule/Effect/conflict(reason:facts:)``) need none: no one reads them.
    public var unlabelled: [String] {
        var places = label == nil ? ["the domain itself"] : []
        places += roles.filter { $0.label == nil }.map { "the role \($0.name)" }
        places += entities.flatMap(\.unlabelled) + commands.flatMap(\.unlabelled)
        for method in methods {
            places += method.parameters.flatMap { $0.unlabelled(in: method.qualifiedName) }
        }
        return places + jobs.filter { $0.label == nil }.map { "the job \($0.name)" }
    }
}

extension Entity {
    fileprivate var unlabelled: [String] {
        columns.flatMap { $0.unlabelled(in: name) } + parameters.flatMap { $0.unlabelled(in: name) }
            + derived.flatMap { field in
                let place = "\(name).\(field.name)"
                return (field.label == nil ? [place] : []) + field.type.unlabelled(at: place)
            }
            + relations.filter { $0.label == nil }.map { "\(name).\($0.name)" }
    }
}

extension Command {
    fileprivate var unlabelled: [String] {
        (label == nil ? [name] : []) + parameters.flatMap { $0.unlabelled(in: name) }
            + answers.unlabelled(of: name)
    }
}

extension Command.Answers {
    fileprivate func unlabelled(of command: String) -> [String] {
        if case .value(let shape) = self { shape.unlabelled(at: command) } else { [] }
    }
}

extension Column {
    /// - Parameter place: that of the entity, the method or the object that has it.
    fileprivate func unlabelled(in place: String) -> [String] {
        let own = "\(place).\(name)"
        return (label == nil ? [own] : []) + type.unlabelled(at: own)
    }
}

extension FieldType {
    fileprivate func unlabelled(at place: String) -> [String] {
        switch self {
        case .choice(let choices):
            choices.words.filter { choices.label(of: $0) == nil }.map { "\(place): the word \($0)" }
        case .json(let shape?): shape.unlabelled(at: place)
        default: []
        }
    }
}

extension Shape {
    fileprivate func unlabelled(at place: String) -> [String] {
        switch self {
        case .object(let members): members.flatMap { $0.unlabelled(in: place) }
        case .anyObject: []
        case .kinds(let kinds):
            (kinds.common + kinds.kinds.flatMap(\.members)).flatMap { $0.unlabelled(in: place) }
        case .list(let element, _, _): element.unlabelled(at: place)
        case .scalar(let column): column.type.unlabelled(at: place)
        }
    }
}
