/// A role that an account holds, and the record that the account stands for in it.
package struct HeldRole: Sendable, Hashable {
    package let role: String
    /// The identifier of the record; nil for a role without a subject.
    package let subject: Int64?

    package init(role: String, subject: Int64?) {
        self.role = role
        self.subject = subject
    }
}
