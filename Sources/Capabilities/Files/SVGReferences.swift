import Documents
import RPCServer

/// How much of a picture is drawn because one of its elements refers to another one.
///
/// A `use` draws the element that it refers to once more, and so does a shape that is filled with a pattern, masked, clipped,
/// filtered, or marked at each of its points, with all references in that element. A few lines, each of which draws the one
/// before twice, would be a picture of millions of elements.
struct SVGReferences {
    private static let maxUses = 200
    /// A plain element costs one, which is about 15 microseconds.
    private static let maxCost = 20_000
    private static let maxDepth = 8
    /// References of a style belong to each element that it selects, so that there may be more of them than the file has bytes.
    private static let maxVisits = 400_000

    /// What the tag of an element says.
    struct Element {
        /// Its name without a prefix.
        var name = ""
        var ids: [String] = []
        var classes: [String] = []
        var references: [SVGReference] = []
        /// At most so many points of its outline get a marker.
        var points = 2
    }

    private struct Node {
        let element: Element
        var children: [Int] = []
        /// Of the element and those in it.
        var size = 1
        var points: Int
    }

    private var nodes: [Node] = []
    private var open: [Int] = []
    private var uses = 0
    private var areExact = true
    private var named: [String: [Int]] = [:]
    private var styles: [SVGStyleRule.Selector: [SVGReference]] = [:]

    /// Notes the start of an element.
    mutating func open(_ element: Element) {
        areExact = areExact && element.references.allSatisfy(\.isExact)
        let index = nodes.count
        nodes.append(Node(element: element, points: element.points))
        if let parent = open.last { nodes[parent].children.append(index) }
        for id in element.ids { named[id, default: []].append(index) }
        if element.name == "use" { uses += element.references.count { $0.property == "href" } }
        open.append(index)
    }

    /// Notes the end of the element that was opened last.
    mutating func close() {
        guard let index = open.popLast(), let parent = open.last else { return }
        nodes[parent].size += nodes[index].size
        nodes[parent].points += nodes[index].points
    }

    mutating func add(_ rule: SVGStyleRule) {
        areExact = areExact && rule.references.allSatisfy(\.isExact)
        styles[rule.selector, default: []] += rule.references
    }

    /// Whether little is drawn by references. A picture that contains itself never ends.
    var areCheap: Bool {
        guard uses <= Self.maxUses, areExact else { return false }
        var costs = Costs(of: self)
        guard let whole = costs.cost(of: 0, depth: 0) else { return false }
        return whole.referred <= Self.maxCost
    }

    /// What elements cost, each computed once.
    private struct Costs {
        struct Cost {
            /// Of the element, those in it, and what they refer to.
            var total: Int
            /// The part of it that references cause.
            var referred = 0
            /// Of references in what a reference refers to.
            var depth = 0
        }

        private enum State {
            case unknown, running
            case known(Cost)
        }

        private let picture: SVGReferences
        private var states: [State]
        private var visits = 0

        init(of picture: SVGReferences) {
            self.picture = picture
            states = Array(repeating: .unknown, count: picture.nodes.count)
        }

        /// Nil if it is more than the server draws.
        mutating func cost(of index: Int, depth: Int) -> Cost? {
            switch states[index] {
            case .known(let cost): return cost.depth + depth <= maxDepth ? cost : nil
            case .running: return nil
            case .unknown: break
            }
            states[index] = .running
            let node = picture.nodes[index]
            var cost = Cost(total: SVGReferences.weight(of: node.element.name))
            for child in node.children {
                guard let own = self.cost(of: child, depth: depth) else { return nil }
                cost.total += own.total
                cost.referred += own.referred
                cost.depth = max(cost.depth, own.depth)
            }
            for reference in node.element.references {
                guard add(reference, of: node, to: &cost, depth) else { return nil }
            }
            for selector in picture.selectors(of: node.element) {
                for reference in picture.styles[selector] ?? [] {
                    guard add(reference, of: node, to: &cost, depth) else { return nil }
                }
            }
            states[index] = .known(cost)
            return cost
        }

        private mutating func add(_ reference: SVGReference, of node: Node, to cost: inout Cost, _ depth: Int) -> Bool {
            visits += 1
            guard visits <= maxVisits, depth < maxDepth else { return false }
            var drawn = 1
            for target in picture.named[reference.target] ?? [] {
                visits += 1
                // Gradients draw no elements.
                if picture.nodes[target].element.name.hasSuffix("Gradient") { continue }
                guard let own = self.cost(of: target, depth: depth + 1) else { return false }
                drawn += own.total
                cost.depth = max(cost.depth, own.depth + 1)
            }
            if drawn == 1, reference.property != "href" { return true }
            let (all, isTooMuch) = drawn.multipliedReportingOverflow(by: reference.repetitions(node.size, node.points))
            guard !isTooMuch, all <= maxCost else { return false }
            cost.total += all
            cost.referred += all
            return cost.referred <= maxCost
        }
    }

    /// The selectors of styles that may select an element.
    private func selectors(of element: Element) -> [SVGStyleRule.Selector] {
        if styles.isEmpty { return [] }
        return [.every, .element(element.name)] + element.ids.map { .id($0) } + element.classes.map { .name($0) }
    }

    /// Filters and masks work on pixels.
    private static func weight(of element: String) -> Int {
        switch element {
        case "feMorphology": 1_000
        case let name where name.hasPrefix("fe"): 100
        case "mask": 15
        default: 1
        }
    }
}
