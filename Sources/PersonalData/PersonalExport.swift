package import DomainKit
package import JSON
package import PostgresDriver

/// Gathers what is held about a person, in one snapshot.
package struct PersonalExport: Sendable {
    private let domains: [Domain]
    private let owner: PostgresClient

    /// - Parameters:
    ///   - domains: those that are served.
    ///   - owner: connections of the login that owns the schema.
    package init(domains: [Domain], owner: PostgresClient) {
        self.domains = domains
        self.owner = owner
    }

    /// What is held about the person with this e-mail: the account, the records that have it, and what was signed.
    package func run(email: String) async throws -> JSONValue {
        try await inSnapshot { connection in
            let account = try await connection.query(Erasure.account, [.text(email)]).firstID
            var members: [JSONObject.Member] = [.init("email", .string(email))]
            if let account { members.append(.init("account", try await self.account(account, on: connection))) }
            var records: [JSONValue] = []
            for domain in domains {
                for entity in domain.entities {
                    for (company, id) in try await ids(of: entity, of: domain, email: email, on: connection) {
                        if let company { _ = try await connection.query(Self.acting, [.text(company)]) }
                        records.append(try await describe(PersonalRecord(entity, of: domain, id), on: connection))
                    }
                }
            }
            members.append(.init("records", .array(records)))
            members.append(.init("signatures", try await value(Self.signatures, email, on: connection)))
            guard account != nil || !records.isEmpty || members.last?.value != .array([]) else {
                throw PersonalDataError("nothing is held about \(email)")
            }
            return .object(JSONObject(members))
        }
    }

    /// What is held about the person of a record: the record, those that refer to it, and the journal of both.
    package func run(_ record: PersonalRecord) async throws -> JSONValue {
        try await inSnapshot { connection in
            let described = try await describe(record, on: connection)
            guard described["record"]?.isNull == false || described["journal"] != .array([]) else {
                throw PersonalDataError("there is no record \(record.id) in \(record.entity.name)")
            }
            return described
        }
    }

    // MARK: Parts

    private func describe(_ record: PersonalRecord, on connection: PostgresConnection) async throws -> JSONValue {
        let id = String(record.id)
        var members: [JSONObject.Member] = [
            .init("table", .string(record.entity.name)), .init("id", .number(id)),
            .init("record", try await value(Self.row(of: record), id, on: connection)),
        ]
        for relation in record.entity.relations {
            guard case .toMany(let column) = relation.kind,
                let domain = domains.first(where: { $0.entity(named: relation.target) != nil }),
                let target = domain.entity(named: relation.target)
            else { continue }
            let rows = Statement(
                """
                SELECT coalesce(jsonb_agg(to_jsonb(t) - 'search_text' ORDER BY t.id), '[]')::text
                FROM \(SQL.table(target, of: domain)) AS t
                WHERE t.\(SQL.quoted(column)) = $1::bigint\(Self.ofCompany(target))
                """)
            members.append(.init(relation.name, try await value(rows, id, on: connection)))
        }
        let journal = try await connection.query(
            Self.journal, [.text(record.domain.schema), .text(record.entity.name), .text(id)])
        members.append(.init("journal", try Self.json(journal)))
        return .object(JSONObject(members))
    }

    private func account(_ id: Int64, on connection: PostgresConnection) async throws -> JSONValue {
        var members: [JSONObject.Member] = []
        for (name, statement) in Self.ofAccounts {
            members.append(.init(name, try await value(statement, String(id), on: connection)))
        }
        return .object(JSONObject(members))
    }

    /// The records whose personal columns have this e-mail, each with its company; nil where records belong to none.
    private func ids(
        of entity: Entity, of domain: Domain, email: String, on connection: PostgresConnection
    ) async throws -> [(company: String?, id: Int64)] {
        let columns = entity.columns.filter { entity.personal[$0.name] != nil && $0.format?.name == Format.email.name }
        guard !columns.isEmpty else { return [] }
        let condition = columns.map { "lower(\(SQL.quoted($0.name))) = lower($1::text)" }.joined(separator: " OR ")
        let company = entity.rows == .ofCompanies ? "t.company_id" : "NULL"
        let rows = try await connection.query(
            Statement(
                """
                SELECT t.id::text, \(company)::text FROM \(SQL.table(entity, of: domain)) AS t
                WHERE \(condition) ORDER BY \(company)::bigint, t.id
                """), [.text(email)])
        return (0..<rows.count).compactMap { row in
            rows.text(row, 0).flatMap { Int64($0) }.map { (company: rows.text(row, 1), id: $0) }
        }
    }

    // MARK: SQL

    private func inSnapshot(
        _ body: @Sendable (PostgresConnection) async throws -> JSONValue
    ) async throws -> JSONValue {
        try await owner.withConnection { connection in
            try await connection.inTransaction(
                "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL TIME ZONE 'UTC'"
            ) {
                try await body(connection)
            }
        }
    }

    private func value(
        _ statement: Statement, _ parameter: String, on connection: PostgresConnection
    ) async throws -> JSONValue {
        try Self.json(try await connection.query(statement, [.text(parameter)]))
    }

    private static func json(_ rows: Rows) throws -> JSONValue {
        guard rows.count > 0, let text = rows.text(0, 0) else { return .null }
        return try JSONReader.read(text, maxDepth: JSONReader.deepest).value
    }

    /// The condition that a row belongs to the company of the transaction; empty where rows belong to none.
    private static func ofCompany(_ entity: Entity) -> String {
        entity.rows == .ofCompanies ? " AND t.company_id = kernel.company()" : ""
    }

    private static func row(of record: PersonalRecord) -> Statement {
        Statement(
            """
            SELECT (to_jsonb(t) - '{search_text, company_id}'::text[])::text FROM \(record.table) AS t
            WHERE t.id = $1::bigint\(ofCompany(record.entity))
            """)
    }

    private static let acting = Statement("SELECT set_config('learntrack.company', $1::text, true)")

    private static func list(_ columns: String, _ table: String, _ condition: String) -> Statement {
        Statement(
            """
            SELECT coalesce(jsonb_agg(to_jsonb(r)), '[]')::text
            FROM (SELECT \(columns) FROM \(table) WHERE \(condition)) AS r
            """)
    }

    private static let journal = Statement(
        """
        SELECT coalesce(jsonb_agg(to_jsonb(r)), '[]')::text FROM (
            SELECT at, operation, actor, before, after FROM public.journal
            WHERE company_id = kernel.company() AND table_schema = $1 AND table_name = $2 AND row_id = $3::bigint
            ORDER BY id
        ) AS r
        """)
    /// What the people who have signed, or were asked to, have entered and what was recorded as evidence.
    private static let signatures = list(
        "s.kind, s.name AS document, s.status, s.sha256, p.name, p.email, p.mailed_at, p.opened_at, p.signed_at, "
            + "p.signed_name, p.consent, p.address, p.device",
        "kernel.signatories AS p JOIN kernel.signatures AS s ON s.company_id = p.company_id AND s.id = p.signature_id",
        "lower(p.email) = lower($1::text) ORDER BY p.id")
    /// A condition: the number is that of the account as a member of the row's company.
    private static func isMember(_ number: String) -> String {
        "(company_id, \(number)) IN (SELECT m.company_id, m.id FROM public.users AS m WHERE m.account_id = $1::bigint)"
    }
    private static let isOfMember = isMember("account_id")
    /// Without hashes of secrets, which say nothing about the person.
    private static let ofAccounts: [(String, Statement)] = [
        (
            "user",
            Statement(
                """
                SELECT (to_jsonb(t) - '{search_text, company_id, account_id}'::text[])::text FROM public.users AS t
                WHERE t.account_id = $1::bigint ORDER BY t.company_id LIMIT 1
                """)
        ),
        (
            "companies",
            list(
                "n.name AS company, u.username, u.role, u.is_active, u.created_at",
                "public.users AS u JOIN kernel.companies AS n ON n.id = u.company_id",
                "u.account_id = $1::bigint ORDER BY n.name, n.id")
        ),
        ("roles", list("role, subject, created_at", "public.account_roles", isOfMember + " ORDER BY id")),
        (
            "sign_ins",
            list(
                "created_at, last_used_at, ended_at, user_agent", "public.sign_ins", "user_id = $1::bigint ORDER BY id")
        ),
        ("places", list("network, last_used_at", "public.known_places", "user_id = $1::bigint ORDER BY 2")),
        (
            "access_keys",
            list(
                "name, role, created_at, expires_at, last_used_at, revoked_at", "public.access_keys",
                isOfMember + " ORDER BY id")
        ),
        (
            "passkeys",
            list("name, created_at, last_used_at", "kernel.passkeys", "account_id = $1::bigint ORDER BY id")
        ),
        (
            "subscriptions",
            list("name, kind, created_at, last_used_at", "kernel.subscriptions", isOfMember + " ORDER BY id")
        ),
        ("files", list("media_type, size, given_at", "kernel.files", isOfMember + " ORDER BY id")),
        (
            "journal",
            list(
                "at, operation, actor, before, after", "public.journal",
                "table_schema = 'public' AND table_name = 'users' AND " + isMember("row_id") + " ORDER BY id")
        ),
        (
            "actions",
            list(
                "at, table_name, row_id, operation", "public.journal",
                isMember("(actor ->> 'id')::bigint") + " ORDER BY id")
        ),
    ]
}
