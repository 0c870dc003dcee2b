/// How much the `use` elements of a picture draw.
///
/// A `use` draws the element that it refers to once more, with the `use` elements in it. A few lines, each of which draws the
/// one before twice, would be a picture of millions of elements.
struct SVGCopies {
    private static let maxUses = 200
    private static let maxElements = 20_000
    private static let maxDepth = 8

    private struct Part {
        /// Includes the element itself.
        var elements = 0
        var targets: [String] = []
    }

    /// The elements that have an id.
    private var parts: [String: Part] = [:]
    private var targets: [String] = []
    private var elements = 0
    /// The open elements: their ids, and how many elements were before each.
    private var open: [(ids: [String], elementsBefore: Int)] = []

    /// Notes the start of an element.
    /// - Parameter targets: the ids that it refers to, if it is a `use`.
    mutating func open(ids: [String], targets: [String]) {
        open.append((ids, elements))
        elements += 1
        guard self.targets.count <= Self.maxUses else { return }
        for target in targets {
            self.targets.append(target)
            for id in open.lazy.flatMap(\.ids) { parts[id, default: Part()].targets.append(target) }
        }
    }

    /// Notes the end of the element that was opened last.
    mutating func close() {
        guard let (ids, elementsBefore) = open.popLast() else { return }
        for id in ids { parts[id, default: Part()].elements += elements - elementsBefore }
    }

    /// Whether the picture draws few elements more than once. One that contains itself never ends.
    var areFew: Bool {
        var drawn = 0
        return targets.count <= Self.maxUses && targets.allSatisfy { draw($0, depth: 1, &drawn) }
    }

    private func draw(_ id: String, depth: Int, _ drawn: inout Int) -> Bool {
        drawn += 1
        guard let part = parts[id] else { return true }
        drawn += part.elements
        guard drawn <= Self.maxElements, depth <= Self.maxDepth else { return false }
        for target in part.targets where !draw(target, depth: depth + 1, &drawn) { return false }
        return true
    }
}
