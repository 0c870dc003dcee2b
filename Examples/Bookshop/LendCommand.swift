import DomainKit

extension Bookshop {
    /// `books.lend`: a reader takes a book home.
    static let lend = Command(
        name: "books.lend", label: "Prêter",
        summary: "Prête un livre.",
        parameters: [
            Column("id", .bigint, nullable: false, of: "books", label: "Livre"),
            Column("reader", .text(maxLength: 100), nullable: false, label: "Lecteur", summary: "À qui."),
        ],
        function: "bookshop.lend_book",
        answers: .record(of: "books"),
        roles: [.user, .admin],
        rules: [
            Rule(
                constraint: "books_lent", columns: ["id"], message: "Ce livre est déjà prêté.",
                effect: .conflict(
                    reason: "lent",
                    facts: [Column("reader", .text(maxLength: 100), nullable: false, summary: "À qui.")]),
                holds: nil)
        ])
}
