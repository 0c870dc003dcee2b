import Documents

/// Recognises SVG that is safe to show: XML of the elements that draw, without scripts, links, animations, document types,
/// and references to anything outside the file.
///
/// What it does not know it refuses. Programs to draw add data of their own, in namespaces that are on a list; what is not on
/// it, XHTML for example, could run scripts.
enum SVGContent {
    /// To read half a mebibyte takes some hundredths of a second.
    static let maxBytes = 512 * 1_024

    /// Whether the bytes begin as an SVG does and are more than the server reads of one.
    static func isTooLarge(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > maxBytes else { return false }
        let start = String(decoding: bytes.prefix(4_096), as: UTF8.self)
        let text = start.unicodeScalars.drop { $0 == "\u{FEFF}" || $0.properties.isWhitespace }
        return text.first == "<" && (start.contains("<svg") || start.contains(":svg"))
    }

    static func isSafe(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= maxBytes, bytes.allSatisfy(\.isAllowed),
            let text = String(validating: bytes, as: UTF8.self)
        else { return false }
        var reader = SVGReader(text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text)
        do throws(UnsafeSVGError) {
            try reader.read()
            return true
        } catch {
            return false
        }
    }
}

/// The text is not XML, or contains what is not on the lists.
private struct UnsafeSVGError: Error {}

private struct SVGReader {
    private static let svg = "http://www.w3.org/2000/svg"
    private static let xlink = "http://www.w3.org/1999/xlink"
    /// Namespaces of data that browsers ignore.
    private static let ignored: Set = [
        "http://www.inkscape.org/namespaces/inkscape", "http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd",
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "http://creativecommons.org/ns#", "http://web.resource.org/cc/",
        "http://purl.org/dc/elements/1.1/", "http://www.bohemiancoding.com/sketch/ns", "http://www.serif.com/",
    ]
    /// Without two filters of which one element can take minutes (`feTurbulence`) or end the program (`feConvolveMatrix`, by a
    /// defect of librsvg 2.54).
    private static let elements: Set = [
        "svg", "g", "defs", "symbol", "use", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text",
        "tspan", "textPath", "title", "desc", "metadata", "linearGradient", "radialGradient", "stop", "clipPath",
        "mask",
        "pattern", "marker", "image", "style", "switch", "filter", "feBlend", "feColorMatrix", "feComponentTransfer",
        "feComposite", "feDiffuseLighting", "feDisplacementMap", "feDistantLight", "feDropShadow",
        "feFlood", "feFuncA", "feFuncB", "feFuncG", "feFuncR", "feGaussianBlur", "feMerge", "feMergeNode",
        "feMorphology",
        "feOffset", "fePointLight", "feSpecularLighting", "feSpotLight", "feTile",
    ]
    private static let maxDepth = 64
    private var rest: Substring.UTF8View
    private var namespaces: [String: String] = [:]
    private var references = SVGReferences()

    init(_ text: String) { rest = text[...].utf8 }

    mutating func read() throws(UnsafeSVGError) {
        var open: [Substring] = []
        var isComplete = false
        if take("<?xml") { try readDeclaration() }
        while !rest.isEmpty {
            if take("<!--") {
                try skip(past: "-->")
            } else if take("</") {
                let name = self.name()
                skipSpace()
                guard take(">"), open.popLast() == name else { throw UnsafeSVGError() }
                references.close()
                isComplete = open.isEmpty
            } else if take("<![CDATA[") {
                guard !open.isEmpty else { throw UnsafeSVGError() }
                try skip(past: "]]>")
            } else if rest.first == UInt8(ascii: "<") {
                rest.removeFirst()
                guard !isComplete, open.count < Self.maxDepth else { throw UnsafeSVGError() }
                let name = self.name()
                if try readTag(name, isRoot: open.isEmpty) {
                    open.append(name)
                    if Self.local(name) == "style" { try readStyle() }
                } else {
                    references.close()
                    isComplete = open.isEmpty
                }
            } else {
                let content = characters()
                guard !open.isEmpty || content.utf8.allSatisfy(\.isSpace) else { throw UnsafeSVGError() }
                _ = try Self.decoded(content)
            }
        }
        guard isComplete, references.areCheap else { throw UnsafeSVGError() }
    }

    /// A reader decodes the file as its declaration says, so that no encoding is accepted but the one of this check.
    private mutating func readDeclaration() throws(UnsafeSVGError) {
        while true {
            let hasSpace = skipSpace()
            if take("?>") { return }
            guard hasSpace else { throw UnsafeSVGError() }
            let (name, value) = try attribute()
            switch (name, value.lowercased()) {
            case ("version", "1.0"), ("encoding", "utf-8"), ("standalone", "yes"), ("standalone", "no"): break
            default: throw UnsafeSVGError()
            }
        }
    }

    // MARK: Tags

    /// - Returns: whether the element has an end tag.
    private mutating func readTag(_ name: Substring, isRoot: Bool) throws(UnsafeSVGError) -> Bool {
        var attributes: [(name: Substring, value: String)] = []
        var isOpen: Bool?
        while isOpen == nil {
            let hasSpace = skipSpace()
            if take("/>") {
                isOpen = false
            } else if take(">") {
                isOpen = true
            } else {
                guard hasSpace else { throw UnsafeSVGError() }
                attributes.append(try attribute())
            }
        }
        for (name, value) in attributes { try declare(name, value) }
        guard let namespace = namespace(of: name) else { throw UnsafeSVGError() }
        var element = SVGReferences.Element()
        if namespace == Self.svg {
            let local = String(Self.local(name))
            guard Self.elements.contains(local), isRoot == (local == "svg") || !isRoot else { throw UnsafeSVGError() }
            element.name = local
            for (name, value) in attributes {
                try check(name, value)
                Self.note(name, value, of: &element)
            }
        } else if isRoot || !Self.ignored.contains(namespace) {
            throw UnsafeSVGError()
        }
        references.open(element)
        return isOpen == true
    }

    /// Notes what an attribute says of the references to and of an element.
    private static func note(_ name: Substring, _ value: String, of element: inout SVGReferences.Element) {
        switch local(name) {
        case "id": element.ids.append(value)
        case "class": element.classes += value.unicodeScalars.split(whereSeparator: \.isXMLSpace).map { String($0) }
        case "style": element.references += SVGReference.references(ofDeclarations: value)
        case "href":
            if element.name == "use" || element.name == "pattern" {
                element.references.append(SVGReference(target: String(value.dropFirst()), property: "href"))
            }
        case "d", "points":
            // Each coordinate has digits.
            var isDigit = false
            for byte in value.utf8 {
                let wasDigit = isDigit
                isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                if isDigit, !wasDigit { element.points += 1 }
            }
        case let property: element.references += SVGReference.references(of: String(property), in: value)
        }
    }

    private mutating func attribute() throws(UnsafeSVGError) -> (name: Substring, value: String) {
        let name = self.name()
        skipSpace()
        guard !name.isEmpty, take("=") else { throw UnsafeSVGError() }
        skipSpace()
        guard let quote = rest.popFirst(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw UnsafeSVGError()
        }
        let value = try until(quote == UInt8(ascii: "'") ? "'" : "\"")
        return (name, try Self.decoded(value))
    }

    /// A prefix means the same in the whole file.
    private mutating func declare(_ name: Substring, _ value: String) throws(UnsafeSVGError) {
        guard name == "xmlns" || name.hasPrefix("xmlns:") else { return }
        let prefix = name == "xmlns" ? "" : String(name.dropFirst("xmlns:".count))
        let isKnown = value == Self.svg || !prefix.isEmpty && (value == Self.xlink || Self.ignored.contains(value))
        guard isKnown, prefix != "xml", namespaces[prefix] ?? value == value else { throw UnsafeSVGError() }
        namespaces[prefix] = value
    }

    private func namespace(of name: Substring) -> String? {
        namespaces[name.firstIndex(of: ":").map { String(name[..<$0]) } ?? ""]
    }

    private static func local(_ name: Substring) -> Substring {
        name.firstIndex(of: ":").map { name[name.index(after: $0)...] } ?? name
    }

    private func check(_ name: Substring, _ value: String) throws(UnsafeSVGError) {
        guard name != "xmlns", !name.hasPrefix("xmlns:"), !name.hasPrefix("xml:") || name == "xml:base" else { return }
        if name.contains(":") {
            guard let namespace = namespace(of: name) else { throw UnsafeSVGError() }
            if Self.ignored.contains(namespace) { return }
        }
        let local = Self.local(name).lowercased()
        guard !local.hasPrefix("on"), local != "base" else { throw UnsafeSVGError() }
        if local == "href" || local == "src" {
            guard value.hasPrefix("#") || Self.isPicture(value) else { throw UnsafeSVGError() }
        } else {
            try Self.checkStyle(value)
        }
    }

    /// Whether an address contains a picture itself.
    private static func isPicture(_ value: String) -> Bool {
        ["data:image/png;base64,", "data:image/jpeg;base64,", "data:image/gif;base64,"].contains { value.hasPrefix($0) }
    }

    /// Reads a style up to its end tag. Browsers join its texts around comments and elements, so that it has one text only.
    private mutating func readStyle() throws(UnsafeSVGError) {
        let sheet = try Self.decoded(characters())
        try Self.checkStyle(sheet)
        for rule in SVGStyleRule.rules(of: sheet) { references.add(rule) }
        guard rest.starts(with: "</".utf8) else { throw UnsafeSVGError() }
    }

    /// A style, or an attribute, which may be one. An escaped character could hide what is looked for.
    private static func checkStyle(_ style: String) throws(UnsafeSVGError) {
        let style = style.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
        for start in style.indices {
            let rest = style[start...]
            for word in forbiddenWords where word[0] == style[start] && rest.starts(with: word) {
                throw UnsafeSVGError()
            }
            guard style[start] == urlStart[0], rest.starts(with: urlStart) else { continue }
            let target = rest.dropFirst(urlStart.count).drop { $0.isSpace || "\"'".utf8.contains($0) }
            guard target.first == UInt8(ascii: "#") else { throw UnsafeSVGError() }
        }
    }

    private static let forbiddenWords = [
        "\\", "//", "@import", "javascript:", "expression(", "image(", "image-set(", "src(", "-moz-binding",
    ].map { Array($0.utf8) }
    private static let urlStart = Array("url(".utf8)

    // MARK: Characters

    private mutating func take(_ text: StaticString) -> Bool {
        let text = text.description.utf8
        guard rest.starts(with: text) else { return false }
        rest = rest.dropFirst(text.count)
        return true
    }

    private mutating func skip(past end: String) throws(UnsafeSVGError) { _ = try until(end) }

    private mutating func until(_ end: String) throws(UnsafeSVGError) -> Substring {
        let first = end.utf8.first
        var text = rest
        while let index = text.firstIndex(where: { $0 == first }) {
            text = text[index...]
            if text.starts(with: end.utf8) {
                defer { rest = text.dropFirst(end.utf8.count) }
                return Substring(rest[..<index])
            }
            text.removeFirst()
        }
        throw UnsafeSVGError()
    }

    /// The text up to the next tag.
    private mutating func characters() -> Substring {
        let text = rest.prefix { $0 != UInt8(ascii: "<") }
        rest = rest[text.endIndex...]
        return Substring(text)
    }

    private mutating func name() -> Substring {
        let name = rest.prefix { $0.isNameCharacter }
        rest = rest.dropFirst(name.count)
        return Substring(name)
    }

    @discardableResult
    private mutating func skipSpace() -> Bool {
        let space = rest.prefix(while: \.isSpace)
        rest = rest.dropFirst(space.count)
        return !space.isEmpty
    }

    /// Text with its references to characters replaced. There are no others without a document type.
    private static func decoded(_ text: Substring) throws(UnsafeSVGError) -> String {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return String(text) }
        var decoded = ""
        let parts = text.split(separator: "&", omittingEmptySubsequences: false)
        decoded += parts[0]
        for part in parts.dropFirst() {
            guard let end = part.firstIndex(of: ";") else { throw UnsafeSVGError() }
            let name = part[..<end]
            switch name {
            case "amp": decoded += "&"
            case "lt": decoded += "<"
            case "gt": decoded += ">"
            case "quot": decoded += "\""
            case "apos": decoded += "'"
            default:
                guard name.hasPrefix("#") else { throw UnsafeSVGError() }
                let digits = name.dropFirst()
                let code = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
                guard let code, let scalar = Unicode.Scalar(code), UInt8(exactly: code)?.isAllowed ?? true else {
                    throw UnsafeSVGError()
                }
                decoded.unicodeScalars.append(scalar)
            }
            decoded += part[part.index(after: end)...]
        }
        return decoded
    }
}

extension UInt8 {
    fileprivate var isSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }

    /// XML has no control characters but tabs and ends of lines. Others switch between character sets.
    fileprivate var isAllowed: Bool { self >= 0x20 || isSpace }

    fileprivate var isNameCharacter: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: ":"):
            true
        default: false
        }
    }
}
