import DomainKit
import Testing

/// What a declaration has for people to read, and what it lacks.
@Suite struct LabelTests {
    private static func unlabelled(_ columns: [Column], commands: [Command] = []) -> [String] {
        let books = Entity(
            name: "books", noun: Noun("livre", plural: "livres", feminine: false), columns: columns, search: nil,
            defaultOrder: [], access: Access(read: [.user], create: [], update: [], delete: []))
        return Domain(name: "bookshop", label: "Librairie", entities: [books], commands: commands).unlabelled
    }

    @Test func `a column without a label is named with its table`() {
        #expect(
            Self.unlabelled([.id, Column("title", .text(maxLength: 10), label: "Titre"), Column("isbn", .uuid)])
                == ["books.isbn"])
    }

    @Test func `each word of a choice needs a label, also within JSON`() {
        #expect(Self.unlabelled([Column("kind", .choice(["novel": "Roman", "essay": "Essai"]), label: "Genre")]) == [])
        let words = FieldType.choice(["novel", "essay"])
        let missing = ["books.kind: the word novel", "books.kind: the word essay"]
        #expect(Self.unlabelled([Column("kind", words, label: "Genre")]) == missing)
        #expect(Self.unlabelled([Column("kind", .json(.list(of: words, count: 0...3)), label: "Genres")]) == missing)
        let object = FieldType.json(.object([Column("weight", .integer)]))
        #expect(Self.unlabelled([Column("parcel", object, label: "Colis")]) == ["books.parcel.weight"])
    }

    @Test func `a command needs a label, and so do its parameters and the members of its answer`() {
        let lend = Command(
            name: "books.lend", summary: "Prête un livre.", parameters: [Column("reader", .text(maxLength: 10))],
            function: "bookshop.lend", answers: .value(.object([Column("due", .date)])), roles: [.user])
        #expect(Self.unlabelled([.id], commands: [lend]) == ["books.lend", "books.lend.reader", "books.lend.due"])
    }

    @Test func `without a summary, the label says it all`() {
        #expect(Column("title", .text(maxLength: 10), label: "Titre").summary == "Titre.")
        #expect(
            Column("title", .text(maxLength: 10), label: "Titre", summary: "Sans sous-titre.").summary
                == "Sans sous-titre.")
    }

    @Test func `words keep their order`() {
        let choices: Choices = ["small": "Petit", "large": "Grand", "huge": "Immense"]
        #expect(choices.words == ["small", "large", "huge"])
        #expect(choices.label(of: "large") == "Grand")
        #expect(choices.label(of: "tiny") == nil)
        #expect(choices.limited(to: ["huge", "small"]).words == ["small", "huge"])
    }
}
