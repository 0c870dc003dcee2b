import DomainKit
import Testing

@testable import Files

/// How much a picture may draw by references: with patterns, masks, filters and markers, in attributes and in styles.
@Suite struct SVGReferenceTests {
    private static func svg(_ content: String) -> String {
        "<svg xmlns=\"http://www.w3.org/2000/svg\">\(content)</svg>"
    }

    private static func circles(_ count: Int) -> String { String(repeating: "<circle r='1'/>", count: count) }

    /// Elements of which each has shapes that are painted or masked by the next one.
    private static func layers(_ name: String, _ property: String, _ depth: Int, shapes: Int) -> String {
        layers(name, depth, shapes: shapes) { "\(property)='url(#\($0))'" }
    }

    private static func layers(
        _ name: String, _ depth: Int, shapes: Int, _ attribute: (_ id: String) -> String
    ) -> String {
        let layers = (0..<depth).map { level in
            let shape = "<rect \(attribute("p\(level + 1)"))/>"
            return "<\(name) id='p\(level)'>" + String(repeating: shape, count: shapes) + "</\(name)>"
        }
        return svg(layers.joined() + "<\(name) id='p\(depth)'>\(circles(1))</\(name)><rect \(attribute("p0"))/>")
    }

    /// Patterns of which each has two shapes of a class, whose style paints them with the next one.
    private static func styled(_ depth: Int, _ selector: (_ name: String) -> String) -> String {
        let rules = (0..<depth).map { "\(selector("k\($0)")){fill:url(#p\($0 + 1))}" }
        let patterns = (0...depth).map { level in
            "<pattern id='p\(level)'><rect class='k\(level) x'/><rect class='x k\(level)'/></pattern>"
        }
        return svg("<style>\(rules.joined())</style>\(patterns.joined())<rect fill='url(#p0)'/>")
    }

    /// A path with a marker of some shapes at each of its points.
    private static func marked(shapes: Int, points: Int) -> String {
        let path = String(repeating: "1 2 ", count: points)
        return svg("<marker id='m'>\(circles(shapes))</marker><path marker-mid='url(#m)' d='M\(path)'/>")
    }

    private static func filtered(by filter: String, count: Int) -> String {
        svg("<filter id='f'><\(filter)/></filter>" + String(repeating: "<g filter='url(#f)'/>", count: count))
    }

    /// As drawing programs write: a class with a gradient, another one with a path to clip by, and names of fonts.
    private static let exported: String = {
        let style = ".a{font-family:'Arial };';fill:url(#g)} .b,.c{clip-path:url(#c);}"
        let gradient = "<linearGradient id='g'><stop/><stop/></linearGradient>"
        let paths = String(repeating: "<path class='a d'/>", count: 3_000)
        return svg(
            "<defs><style>\(style)</style>\(gradient)<clipPath id='c'><rect class='d'/></clipPath></defs>"
                + "<g class='b'>\(paths)</g>")
    }()

    private static let cheap: [String] = [
        layers("pattern", "fill", 6, shapes: 3), layers("mask", "mask", 4, shapes: 3), styled(5) { ".\($0)" },
        svg("<clipPath id='a'><rect/></clipPath><g clip-path='url(#a)'>\(circles(3_000))</g>"),
        svg("<g fill='url(#none)' mask=\"url( '#none' )\">\(circles(3_000))</g>"),
        svg("<mask id='a'><rect/></mask><g mask='url(#a)'/><style>rect { fill: red; stroke: #123 }</style>"),
        exported, marked(shapes: 3, points: 600), filtered(by: "feGaussianBlur", count: 60),
    ]

    @Test(arguments: cheap)
    func `a picture whose references draw little is accepted`(text: String) {
        #expect(FileContent.kind(of: Array(text.utf8)) == .svg)
    }

    private static let nested: [String] = [
        layers("pattern", "fill", 7, shapes: 5), layers("mask", "mask", 7, shapes: 5),
        layers("mask", "mask", 6, shapes: 4), layers("clipPath", "clip-path", 7, shapes: 5),
        layers("filter", "filter", 20, shapes: 1),
        layers("pattern", 7, shapes: 5) { "style='x:y;stroke : url(#\($0))'" },
        layers("pattern", 7, shapes: 5) { "style='FILL:url( \"#\($0)\" )'" },
        layers("mask", 7, shapes: 5) { "style='mask/**/:url(#\($0))'" },
        svg("<pattern id='a'>\(circles(100))</pattern><g fill='url(#a)'>\(circles(300))</g>"),
        marked(shapes: 30, points: 1_000), filtered(by: "feMorphology", count: 30),
        filtered(by: "feGaussianBlur", count: 300),
    ]

    private static let selected: [String] = [
        styled(12) { ".\($0)" }, styled(12) { "g > rect.\($0), a" }, styled(12) { ".y, .\($0):not(.y)" },
        styled(12) { "*.\($0)" }, styled(12) { "@media all{.\($0){x:y}.\($0)" }, styled(12) { "/* { */.\($0)" },
        styled(12) { "[a='}'].\($0)" }, styled(12) { ".a{\u{301}b:c}.\($0)" },
        svg("<pattern id='a'><rect id='b'/></pattern><style>#b{fill:url(#a)}</style>"),
        svg("<pattern id='a'><rect/></pattern><style>rect{fill:url(#a)}</style>"),
    ]

    private static let endless: [String] = [
        svg("<pattern id='a'><rect fill='url(#a)'/></pattern>"), svg("<mask id='a' mask='url(#a)'/>"),
        svg("<pattern id='a' href='#b'/><pattern id='b' href='#a'/>"),
        svg("<pattern id='\u{301}a'><rect fill='url(#\u{301}a)'/></pattern>"),
        // What cannot be counted.
        svg("<pattern id='a)'><rect fill=\"url('#a)')\"/></pattern>"), svg("<g fill='url(#a'/>"),
        svg("<mask id='a'/><g mask='url(#a)'><g mask='inherit'/></g>"),
        svg("<mask id='a'/><style>g{mask: INHERIT}</style>"),
    ]

    @Test(arguments: nested + selected + endless)
    func `a picture whose references draw much, or without end, is refused`(text: String) {
        #expect(FileContent.kind(of: Array(text.utf8)) == nil)
    }

    @Test(arguments: ["feTurbulence numOctaves='1000000'", "feConvolveMatrix order='21'"])
    func `a filter that can take minutes or end the program is refused`(filter: String) {
        #expect(FileContent.kind(of: Array(Self.filtered(by: filter, count: 1).utf8)) == nil)
    }
}
