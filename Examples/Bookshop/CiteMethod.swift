import DomainKit
import JSON

extension Bookshop {
    /// `books.cite`: a reference to a book, as a footnote has it.
    static let cite = LoadedMethod(
        name: "cite",
        entity: "books",
        summary: "Une référence bibliographique.",
        parameters: [
            Column(
                "style", .choice(["short": "Sans l’année", "long": "Avec l’année"]), nullable: false, default: "short",
                label: "Style", summary: "Sans ou avec l’année.")
        ],
        members: [LoadedMethod.Member("text", summary: "La référence.")],
        selection: "{ title published author { name } }"
    ) { book, parameters in
        let author = book["author"]?["name"]?.text ?? ""
        let title = book["title"]?.text ?? ""
        let year = book["published"]?.text.flatMap { CalendarDate($0) }.map { ", \($0.year)" } ?? ""
        return ["text": .string("\(author), \(title)\(parameters["style"] == "long" ? year : "")")]
    }
}
