package import DomainKit

/// A parameter as a method declares it, once: what is checked against it and what is documented come from here.
package struct MethodParameter: Sendable {
    package let name: String
    package let kind: Kind
    package let isRequired: Bool
    /// What it is for, in French.
    package let summary: String
    /// Of `values`: what it takes besides columns.
    package private(set) var further: [MethodParameter] = []

    package enum Kind: Sendable {
        /// The primary key of a record of this entity.
        case identifier(Entity)
        /// A filter over this entity.
        case filter(Entity)
        /// Words to look for.
        case search
        /// A list of terms such as `-date`.
        case order(Entity)
        /// How many records at most.
        case first
        /// The `end_cursor` of the page before.
        case cursor
        case flag
        /// A selection of fields of this entity.
        case selection(Entity)
        /// A list of what records of this entity are grouped by.
        case groups(Entity)
        /// A selection of numbers over groups of records of this entity.
        case aggregates(Entity)
        /// A list of terms such as `-count`, over groups of records of this entity.
        case groupOrder(Entity)
        /// Values for the variables of the selection.
        case variables
        /// Values for columns of this entity.
        case values(Entity, WriteKind)
        /// The version the record must still have.
        case version
        case text
        /// What this column takes.
        case column(Column)
        /// A text that no log and no example shows.
        case secret
        /// A password that is to be.
        case newPassword
        /// One of a few words; the one used when it is left out.
        case choice([String], defaultChoice: String)
        /// The identifier of a sign-in.
        case uuid
    }

    init(_ name: String, _ kind: Kind, required: Bool = false, summary: String) {
        self.name = name
        self.kind = kind
        isRequired = required
        self.summary = summary
    }

    /// The same parameter, with one more member where it is an object of values.
    func taking(_ member: MethodParameter) -> MethodParameter {
        guard case .values = kind else { return self }
        var extended = self
        extended.further.append(member)
        return extended
    }
}
