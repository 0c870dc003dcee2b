/// The company in which a call acts: it reaches the records of this one alone.
///
/// An installation has one until `learntrack companies enable`, which every account acts in.
package struct Company: Sendable, Hashable {
    package let id: Int64

    package init(id: Int64) { self.id = id }

    /// The company of an installation that has one, and the first of those of one that has several.
    package static let only = Company(id: 1)
}
