/// Room that a page has for what an appendix adds, in points from its upper left corner.
struct PDFPlace {
    let name: String
    /// From 0.
    let page: Int
    let x: Double
    let y: Double
    let width: Double
    let height: Double

    /// An entry of our own in the catalog of the file, which readers ignore.
    private static let key = "/AppendixPlaces"

    static func entry(of places: [PDFPlace]) -> String {
        let elements = places.map { place in
            let numbers = [place.x, place.y, place.width, place.height].map { String(($0 * 100).rounded() / 100) }
            return "/\(place.name) \(place.page) \(numbers.joined(separator: " "))"
        }
        return "\(key) [ \(elements.joined(separator: " ")) ]"
    }

    /// Those that the catalog of a file has.
    static func places(in catalog: PDFDictionary) -> [PDFPlace] {
        let words = (catalog.array(after: key) ?? "").split(whereSeparator: \.isWhitespace)
        return stride(from: 0, to: words.count - 5, by: 6).compactMap { index in
            let numbers = words[index + 2..<index + 6].compactMap { Double($0) }
            guard let page = Int(words[index + 1]), numbers.count == 4 else { return nil }
            return PDFPlace(
                name: String(words[index].dropFirst()), page: page, x: numbers[0], y: numbers[1], width: numbers[2],
                height: numbers[3])
        }
    }
}
