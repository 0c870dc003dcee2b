import Documents

/// What one element of a picture refers to.
struct SVGReference {
    /// The id of the element that it refers to.
    let target: String
    /// The attribute, or the property of the style: `fill`, `mask`, `href`.
    let property: String

    /// Whether the id is written in the way in which an element has it, without what a browser would decode or leave out of it.
    var isExact: Bool { target.utf8.allSatisfy { $0 > 0x20 && !"%()'\"".utf8.contains($0) } }

    /// The properties that elements do not inherit from the one around them.
    private static let own: Set = ["href", "mask", "clip-path", "filter"]

    /// How often the element is drawn.
    ///
    /// - Parameters:
    ///   - size: how many elements there are, with those that inherit the property.
    ///   - points: how many points their outlines have.
    func repetitions(_ size: Int, _ points: Int) -> Int {
        if Self.own.contains(property) { return 1 }
        return property.hasPrefix("marker") ? points : size
    }

    /// The references of a value: those of `url(#id)`. One that is not exact stands for what cannot be counted.
    static func references(of property: String, in value: String) -> [SVGReference] {
        if own.contains(property), value.lowercased().contains("inherit") {
            return [SVGReference(target: "(", property: property)]
        }
        guard value.utf8.contains(UInt8(ascii: "#")) else { return [] }
        return value.unicodeScalars.split(separator: "(").dropFirst().compactMap { part in
            let text = part.drop(while: \.isXMLSpace)
            let quote = text.first.flatMap { $0 == "'" || $0 == "\"" ? $0 : nil }
            let reference = quote == nil ? text : text.dropFirst().drop(while: \.isXMLSpace)
            guard reference.first == "#" else { return nil }
            let end = reference.firstIndex { quote == nil ? $0 == ")" || $0.isXMLSpace : $0 == quote }
            guard let end else { return SVGReference(target: "(", property: property) }
            return SVGReference(target: String(reference[..<end].dropFirst()), property: property)
        }
    }

    /// The references of declarations: `fill: url(#a); mask: url(#b)`.
    static func references(ofDeclarations text: String) -> [SVGReference] {
        text.unicodeScalars.split(separator: ";").flatMap { declaration -> [SVGReference] in
            let parts = declaration.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { return [] }
            let name = String(parts[0].drop(while: \.isXMLSpace).prefix { !$0.isXMLSpace }).lowercased()
            return references(of: name, in: String(parts[1]))
        }
    }
}

/// A rule of a style sheet, with one of its selectors.
struct SVGStyleRule {
    /// Selects all elements that the selector of the rule does, and perhaps others.
    enum Selector: Hashable {
        case every
        case element(String)
        case id(String)
        case name(String)
    }

    let selector: Selector
    let references: [SVGReference]

    /// The rules of a style sheet that refer to elements.
    static func rules(of sheet: String) -> [SVGStyleRule] {
        guard sheet.utf8.contains(UInt8(ascii: "#")) || sheet.lowercased().contains("inherit") else { return [] }
        return withoutTexts(sheet).split(separator: "}").flatMap { rule -> [SVGStyleRule] in
            let parts = rule.split(separator: "{", omittingEmptySubsequences: false)
            let references = parts.dropFirst().flatMap { SVGReference.references(ofDeclarations: String($0)) }
            guard !references.isEmpty else { return [] }
            guard parts.count == 2 else { return [SVGStyleRule(selector: .every, references: references)] }
            return parts[0].split(separator: ",").map {
                SVGStyleRule(selector: selector(of: $0), references: references)
            }
        }
    }

    /// What the last part of a selector says of the element: `a > .b` selects elements of the class `b`.
    private static func selector(of text: Substring.UnicodeScalarView) -> Selector {
        let isPlain = text.allSatisfy { scalar in
            scalar.isXMLSpace
                || scalar.isASCII
                    && (scalar.properties.isAlphabetic || ".#-_>+~*0123456789".unicodeScalars.contains(scalar))
        }
        let parts = text.split { $0.isXMLSpace || $0 == ">" || $0 == "+" || $0 == "~" }
        guard isPlain, let last = parts.last else { return .every }
        guard let mark = last.lastIndex(where: { $0 == "." || $0 == "#" }) else {
            return last.elementsEqual("*".unicodeScalars) ? .every : .element(String(last))
        }
        let name = String(last[last.index(after: mark)...])
        return last[mark] == "." ? .name(name) : .id(name)
    }

    /// The style sheet without its comments, and without texts other than ids, which may contain a brace.
    private static func withoutTexts(_ sheet: String) -> Substring.UnicodeScalarView {
        var text = String.UnicodeScalarView()
        var rest = sheet.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if scalar == "/", rest.first == "*" {
                rest.removeFirst()
                while let next = rest.popFirst(), next != "*" || rest.first != "/" {}
                rest = rest.dropFirst()
            } else if scalar == "'" || scalar == "\"" {
                let content = rest.prefix { $0 != scalar }
                rest = rest.dropFirst(content.count + 1)
                if content.drop(while: \.isXMLSpace).first == "#" {
                    text.append(scalar)
                    text.append(contentsOf: content)
                    text.append(scalar)
                }
            } else {
                text.append(scalar)
            }
        }
        return text[...]
    }
}

extension Unicode.Scalar {
    /// White space between the words of an attribute or a style.
    var isXMLSpace: Bool { self == " " || self == "\t" || self == "\n" || self == "\r" }
}
