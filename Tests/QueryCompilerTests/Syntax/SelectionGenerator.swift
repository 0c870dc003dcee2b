import JSON
import TestSupport

/// Generates texts that are selections and texts that are almost selections.
struct SelectionGenerator {
    private var random: SeededGenerator
    private var fragments: [String] = []

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private static let names = [
        "id", "module", "client", "formateur", "_", "__typename", "on", "fragment", "query", "true", "null", "a1", "É",
    ]

    mutating func text() -> String {
        fragments = []
        var text = (random.chance(0.05) ? "\u{FEFF}" : "") + gap() + set(depth: 0)
        for name in fragments {
            text += gap() + "fragment" + space() + name + space() + "on" + space() + self.name() + gap() + set(depth: 3)
        }
        text += gap()
        return random.chance(0.45) ? mutated(text) : text
    }

    // MARK: The grammar

    private mutating func set(depth: Int) -> String {
        let count = random.chance(0.01) ? 0 : random.number(1...3)
        var text = "{"
        for _ in 0..<count { text += gap() + selection(depth: depth) + space() }
        return text + gap() + "}"
    }

    private mutating func selection(depth: Int) -> String {
        if random.chance(0.08) {
            let name = random.pick(["A", "B", "Carte", random.chance(0.2) ? "on" : "C"])
            if !fragments.contains(name), random.chance(0.9) { fragments.append(name) }
            return "..." + gap() + name + directive()
        }
        if random.chance(0.01) { return "... on " + name() + set(depth: depth + 1) }
        var text = name()
        if random.chance(0.2) { text += gap() + ":" + gap() + name() }
        if random.chance(0.4) {
            text += gap() + "("
            let count = random.chance(0.03) ? 0 : random.number(1...3)
            for _ in 0..<count { text += gap() + name() + gap() + ":" + gap() + value(depth: 0) + space() }
            text += ")"
        }
        text += directive()
        if depth < 4, random.chance(0.3) { text += gap() + set(depth: depth + 1) }
        return text
    }

    private mutating func directive() -> String { random.chance(0.005) ? " @skip(if: true)" : "" }

    private mutating func name() -> String {
        random.chance(0.003) ? Self.names[Self.names.count - 1] : random.pick(Self.names.dropLast())
    }

    private mutating func value(depth: Int) -> String {
        switch random.number(0...(depth < 3 ? 9 : 6)) {
        case 0: return "$" + gap() + name()
        case 1, 2: return number()
        case 3: return random.pick(["true", "false", "null", "ASC", "on", "_"])
        case 4, 5: return string()
        case 6: return blockString()
        case 7:
            var text = "["
            for _ in 0..<random.number(0...3) { text += gap() + value(depth: depth + 1) + space() }
            return text + gap() + "]"
        default:
            var text = "{"
            for _ in 0..<random.number(0...3) {
                text += gap() + name() + gap() + ":" + gap() + value(depth: depth + 1) + space()
            }
            return text + gap() + "}"
        }
    }

    private mutating func number() -> String {
        let pieces = [
            ["", "", "-", "--", "+"], ["0", "7", "12", "00", "01", "", "9007199254740993"],
            ["", "", ".5", ".", ".00", "..1"], ["", "", "", "e1", "E-2", "e+", "e", "x", "_", "é"],
        ]
        return pieces.map { random.chance(0.97) ? $0[0...1].randomElement(using: &random) ?? "" : random.pick($0) }
            .joined()
    }

    private mutating func string() -> String {
        let pieces = [
            "a", "é", "🎓", " ", "\t", "#", ",", "{", "\\n", "\\\"", "\\\\", "\\/", "\\b", "\\u00e9", "\\u00E9",
            "\\u{e9}",
            "\\u{1F600}", "\\uD83D\\uDE00", "\\u0000", "\u{1}", "\u{7F}", "\u{FEFF}", "\u{2028}",
        ]
        let doubtful = [
            "\\u{110000}", "\\u{00000041}", "\\u{000000041}", "\\u{}", "\\u{D800}", "\\uD83D", "\\uDE00\\uD83D",
            "\\uD83D\\u0041",
            "\\u12", "\\u{12", "\\x", "\\", "\n", "\r", "\"", "\\uD83D\\u{DE00}", "\\U0041", "\u{0}",
        ]
        var text = "\""
        for _ in 0..<random.number(0...6) { text += random.chance(0.03) ? random.pick(doubtful) : random.pick(pieces) }
        return text + "\""
    }

    private mutating func blockString() -> String {
        let pieces = [
            "a", "é", "🎓", " ", "  ", "\t", "\n", "\n", "\r", "\r\n", "\n  ", "\n \t", "\\\"\"\"", "\\n", "\\", "\" ",
            "\"\" ", "#",
            "\u{1}", "\u{2028}", "\u{85}",
        ]
        var text = "\"\"\""
        for _ in 0..<random.number(0...10) { text += random.pick(pieces) }
        return text + (random.chance(0.97) ? "\"\"\"" : random.pick(["\"\"\"\"", "\"\"", "\\\"\"\""]))
    }

    // MARK: What is between

    private mutating func gap() -> String {
        random.chance(0.6)
            ? "" : random.pick([" ", "\n", "\t", ",", ", ,", "\r\n", "\r", "# { é \"\n", "#\r", "\u{FEFF}", "  "])
    }

    private mutating func space() -> String { random.chance(0.03) ? gap() : " " + gap() }

    // MARK: Mistakes

    private mutating func mutated(_ text: String) -> String {
        var scalars = Array(text.unicodeScalars)
        let noise: [String] = [
            "{", "}", "(", ")", "[", "]", ":", "$", "@", "!", "|", "&", "=", ".", "...", "\"", "\"\"\"", "\\", "#",
            "\n", "1", "-",
            "e", "a", "é", " ", ",", "\u{0}", "\u{A0}", "\u{FEFF}", "'", "query", "fragment", "on",
        ]
        for _ in 0..<random.number(1...3) where !scalars.isEmpty {
            let place = random.number(0...scalars.count - 1)
            switch random.number(0...3) {
            case 0: scalars.remove(at: place)
            case 1: scalars.insert(contentsOf: random.pick(noise).unicodeScalars, at: place)
            case 2: scalars.replaceSubrange(place...place, with: random.pick(noise).unicodeScalars)
            default: scalars.removeSubrange(place...)
            }
        }
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars)
        return text
    }
}
