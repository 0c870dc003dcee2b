public import DomainKit

/// A bookshop: its authors, and the books they wrote.
public enum Bookshop {
    public static let domain = Domain(
        name: "bookshop", entities: [authors, books, publications], commands: [lend], methods: [cite])

    /// Everyone reads; administrators write.
    static let access = Access(read: [.user, .admin], create: [.admin], update: [.admin], delete: [.admin])
}
