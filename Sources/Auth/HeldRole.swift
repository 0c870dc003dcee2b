import PostgresDriver

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

extension [HeldRole] {
    /// An SQL expression for the roles that a member holds beside its base role, as one text or null. They are in an
    /// order that depends only on the roles, so that two lists of the same roles are equal.
    static func sql(of member: String) -> String {
        """
        (SELECT string_agg(r.role || ':' || coalesce(r.subject::text, ''), ',' ORDER BY r.role COLLATE "C",
            r.subject NULLS FIRST) FROM public.account_roles r
            WHERE r.company_id = \(member).company_id AND r.account_id = \(member).id)
        """
    }

    /// Reads the result of that expression. Names of roles contain neither commas nor colons.
    init(in rows: Rows, row: Int, column: Int) {
        self = (rows.text(row, column) ?? "").split(separator: ",").map { entry in
            let parts = entry.split(separator: ":", omittingEmptySubsequences: false)
            return HeldRole(role: String(parts[0]), subject: parts.count > 1 ? Int64(parts[1]) : nil)
        }
    }
}
