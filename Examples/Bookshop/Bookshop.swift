public import DomainKit

/// A bookshop: its authors, and the books they wrote.
public enum Bookshop {
    public static let domain = Domain(
        name: "bookshop", label: "Librairie", roles: [.admin, .reader, .user],
        entities: [authors, books, publications, readers, wishes, settings], commands: [lend, openSettings],
        methods: [cite])

    /// Everyone reads; administrators write.
    static let access = Access(read: [.user, .admin, .reader], create: [.admin], update: [.admin], delete: [.admin])
}
