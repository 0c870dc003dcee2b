/// The company in which a call acts: it reaches the records of this one alone.
///
/// An installation has one so far, which every account acts in.
package struct Company: Sendable, Hashable {
    package let id: Int64

    package init(id: Int64) { self.id = id }

    /// The company of an installation that has one.
    package static let only = Company(id: 1)
}
