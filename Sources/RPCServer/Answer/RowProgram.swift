import QueryCompiler

/// A row layout made ready to be run: one piece of memory with all its literal bytes, and a flat list of steps, so that
/// writing a row touches no reference count.
final class RowProgram: Sendable {
    struct Step: Sendable {
        enum Kind: Sendable { case literal, bare, quoted, escaped, object }

        let kind: Kind
        /// The column; for a literal where its bytes start.
        let place: Int
        /// Of a literal how many bytes it has; of an object the step that follows it.
        var extent = 0
    }

    let literals: [UInt8]
    let steps: [Step]

    init(_ parts: [RowLayout.Part]) {
        var literals: [UInt8] = []
        var steps: [Step] = []
        Self.append(parts, &literals, &steps)
        self.literals = literals
        self.steps = steps
    }

    private static func append(_ parts: [RowLayout.Part], _ literals: inout [UInt8], _ steps: inout [Step]) {
        for part in parts {
            switch part {
            case .bytes(let bytes):
                steps.append(Step(kind: .literal, place: literals.count, extent: bytes.count))
                literals += bytes
            case .bare(let column): steps.append(Step(kind: .bare, place: column))
            case .quoted(let column): steps.append(Step(kind: .quoted, place: column))
            case .escaped(let column): steps.append(Step(kind: .escaped, place: column))
            case .object(let presence, let inner):
                let index = steps.count
                steps.append(Step(kind: .object, place: presence))
                append(inner, &literals, &steps)
                steps[index].extent = steps.count
            }
        }
    }
}
