import DomainKit
import JSON
import TestPostgres
import Testing

/// security.md, Rights: "the server's own check switched off (in a test): Postgres still refuses: grants and row-level
/// security per database role". Tries every operation of each database role on every column.
@Suite struct TableRightsTests {
    private static let databaseRoles = ["learntrack_user", "learntrack_admin", "learntrack_auth"]
    /// Tables that only the database itself writes.
    private static let bookkeeping: Set = ["company_id", "id", "created_at", "updated_at", "version", "search_text"]

    /// Columns that only commands write.
    private static let commanded: Set = ["prospects.etape", "prospects.motif", "prospects.client_id"]

    /// The privileges of each database role on tables that the specification of rights does not name.
    private static let others: [String: [String: Set<String>]] = [
        // "the business role's connection asked for a password hash: permission denied: secrets belong to another
        // database role"
        "credentials": ["learntrack_auth": ["SELECT", "INSERT", "UPDATE", "DELETE"]],
        "sign_ins": ["learntrack_auth": ["SELECT", "INSERT", "UPDATE", "DELETE"]],
        "access_keys": ["learntrack_auth": ["SELECT", "INSERT", "UPDATE", "DELETE"]],
        // Triggers of users write them.
        "accounts": ["learntrack_auth": ["SELECT"]],
        "companies": ["learntrack_auth": ["SELECT"]],
        // Created by a function.
        "subscriptions": ["learntrack_auth": ["SELECT", "UPDATE", "DELETE"]],
        "passkeys": ["learntrack_auth": ["SELECT", "UPDATE", "DELETE"]],
        "passkey_challenges": ["learntrack_auth": ["SELECT", "INSERT", "DELETE"]],
        "attempts": ["learntrack_auth": ["SELECT", "INSERT", "UPDATE", "DELETE"]],
        "known_places": ["learntrack_auth": ["SELECT", "INSERT", "UPDATE", "DELETE"]],
        "password_resets": ["learntrack_auth": ["SELECT", "INSERT", "DELETE"]],
        "supabase_imports": [:],
        // What an absorbed id answers. The functions of the commands write it.
        "clients_fusionnes": ["learntrack_user": ["SELECT"], "learntrack_admin": ["SELECT"]],
        "formateurs_fusionnes": ["learntrack_user": ["SELECT"], "learntrack_admin": ["SELECT"]],
        "ecoles_fusionnes": ["learntrack_user": ["SELECT"], "learntrack_admin": ["SELECT"]],
        "references_contrat": [:],
        // What the workers remember about messages that they have sent.
        "annonces": [:], "annonces_alertes": [:], "annonces_orphelines": [:], "relances_courriels": [:],
        // They tell the ids of records that a role may not read.
        "changes": ["learntrack_auth": ["SELECT"]],
        "changes_removed": ["learntrack_auth": ["SELECT"]],
        "migrations": [
            "learntrack_user": ["SELECT"], "learntrack_admin": ["SELECT"], "learntrack_auth": ["SELECT"],
        ],
        "v_sessions_complete": ["learntrack_user": ["SELECT"], "learntrack_admin": ["SELECT"]],
        // Every role reads histories; a policy selects the entries.
        "journal": ["learntrack_user": ["SELECT"], "learntrack_admin": ["SELECT"]],
        "idempotency": [:],
        // What a file is, to who reads a record that names it; policies select the rows.
        "files": ["learntrack_user": ["SELECT"], "learntrack_admin": ["SELECT"], "learntrack_auth": ["SELECT"]],
        "listed_files": [
            "learntrack_user": ["SELECT"], "learntrack_admin": ["SELECT"], "learntrack_auth": ["SELECT"],
        ],
        "file_bytes": ["learntrack_auth": ["SELECT"]],
        "file_pictures": ["learntrack_auth": ["SELECT"]],
        "roles": [:],
        // What companies have used, for operators, who call functions.
        "usage": [:],
        // Commands enter messages by kernel.send, and workers take them by functions.
        "outbox": ["learntrack_admin": ["SELECT"]],
        "jobs": ["learntrack_admin": ["SELECT"]],
        "slow_calls": [:],
        "installation": ["learntrack_auth": ["SELECT"]],
        // What `doctor` compares with, for the owner.
        "schema_facts": [:],
        // Functions write them. Documents, links and drawings are for the role that keeps secrets.
        "signatures": [
            "learntrack_user": ["SELECT"], "learntrack_admin": ["SELECT"], "learntrack_auth": ["SELECT"],
        ],
        "signatories": [
            "learntrack_user": ["SELECT"], "learntrack_admin": ["SELECT"], "learntrack_auth": ["SELECT"],
        ],
        "invitations": [:], "invitation_tokens": ["learntrack_auth": ["SELECT", "INSERT", "DELETE"]],
        "signature_documents": ["learntrack_auth": ["SELECT"]],
        "signature_links": ["learntrack_auth": ["SELECT"]],
    ]

    /// The roles that may execute each function that runs with its owner's rights; empty for triggers.
    private static let definers: [String: String] = [
        "announce_account": "", "keep_account": "", "change_address": "", "end_account": "", "end_accounts": "",
        "serves_several": "learntrack_admin", "keep_member": "", "company_gate": "",
        "join_company": "learntrack_auth", "company_rename": "learntrack_auth", "note_document": "learntrack_auth",
        // Each checks again that the account is an operator.
        "operator_companies": "learntrack_auth", "operator_create": "learntrack_auth",
        "operator_suspend": "learntrack_auth", "operator_usage": "learntrack_auth",
        "end_sign_ins": "", "journal_note": "", "keep_last_admin": "",
        "recherche_de_session": "", "recherche_renomme": "", "admins_in_turn": "",
        "end_subject": "", "check_account_role": "", "announce_account_role": "", "end_account_roles": "",
        "revoke_access_keys": "",
        "create_access_key": "learntrack_auth", "add_passkey": "learntrack_auth",
        "create_subscription": "learntrack_auth",
        "file_put": "learntrack_auth", "file_picture_keep": "learntrack_auth", "files_prune": "learntrack_auth",
        "check_file": "", "note_listed_files": "",
        // Every role that a migration lets use the schema of the kernel, those of further domains too.
        "once": "learntrack_admin learntrack_auth learntrack_user",
        "keep_answers": "learntrack_admin learntrack_auth learntrack_user",
        "note_feed": "", "note_feed_with_owners": "", "feed_prune": "learntrack_auth",
        // The outbox: owners of commands may execute the first, the role of the workers the others.
        "send": "", "outbox_claim": "", "outbox_take": "", "outbox_note": "", "outbox_prune": "", "outbox_waiting": "",
        "outbox_trace": "", "outbox_cause": "", "outbox_summary": "", "note_slow_call": "",
        "job_keep": "", "jobs_due": "", "job_begin": "", "job_end": "", "job_companies": "",
        // Signatures: asked for and cancelled by accounts, signed through the page; the workers execute the last ones.
        "signature_guard": "", "signature_stage": "learntrack_admin learntrack_user",
        "signature_request": "learntrack_admin learntrack_user", "signature_cancel": "learntrack_admin learntrack_user",
        "signature_open": "learntrack_auth", "signature_sign": "learntrack_auth",
        "signature_complete": "learntrack_auth",
        "signature_link": "", "signature_asker": "", "signature_sender": "", "signature_mailed": "",
        "signature_unmailed": "", "signature_deadline": "",
        "signature_remind": "learntrack_admin learntrack_user",
        // Commands.
        "outbox_retry": "learntrack_admin", "job_run": "learntrack_admin", "outbox_retry_all": "learntrack_admin",
        "clients_fusionner": "learntrack_admin", "formateurs_fusionner": "learntrack_admin",
        "ecoles_fusionner": "learntrack_admin", "sessions_decaler": "learntrack_admin learntrack_user",
        "sessions_repeter": "learntrack_admin learntrack_user",
        "sessions_attribuer_reference": "learntrack_admin learntrack_user",
        "prospects_avancer": "learntrack_admin learntrack_user",
        "prospects_convertir": "learntrack_admin learntrack_user",
        "organisme_ouvrir": "learntrack_admin learntrack_user",
        "programmes_rattacher": "learntrack_admin", "sessions_programme": "",
        "sessions_annoncer": "learntrack_admin learntrack_user", "sessions_annonce": "",
        // Functions of notices and jobs: the role of the workers may execute them.
        "annonces_etat": "", "annonces_envoyee": "", "annonces_bloquee": "", "annonces_alerte": "",
        "annonces_orpheline": "", "annonces_orphelines": "", "organisme_webhook": "",
        "relances_du_matin": "", "relances_suivre_prospect": "", "relances_pour": "", "relances_courriel_parti": "",
        "invite": "learntrack_admin", "invite_again": "learntrack_admin",
        "invitation": "learntrack_admin learntrack_auth", "invitation_sent": "", "invitation_failed": "",
        "invitation_sender": "",
        "first_secret": "learntrack_admin", "first_admin": "learntrack_auth",
    ]

    /// kernel.md: "account_roles.create/list/delete" by administrators. Served only where a domain has roles of its own, so
    /// that it is not among the entities of the specification of rights.
    private static let accountRoles: [String: Set<String>] = [
        "learntrack_admin": ["SELECT", "INSERT", "DELETE"], "learntrack_auth": ["SELECT"],
    ]

    private func specified(_ table: String, _ role: String) throws -> Set<String> {
        if let known = Self.others[table] { return known[role] ?? [] }
        if table == "account_roles" { return Self.accountRoles[role] ?? [] }
        try #require(
            SpecifiedRights.table.contains { $0.entity == table }, "nobody has said who may do what to \(table)")
        // The role that checks passwords reads accounts.
        if role == "learntrack_auth" { return table == "users" ? ["SELECT"] : [] }
        let caller: Role = role == "learntrack_admin" ? .admin : .user
        let words: [(Operation, String)] = [
            (.read, "SELECT"), (.create, "INSERT"), (.update, "UPDATE"), (.delete, "DELETE"),
        ]
        return Set(words.filter { SpecifiedRights.roles(for: $0.0, on: table).contains(caller) }.map(\.1))
    }

    /// Returns `table`, `column`, operation and whether it is allowed. EXPLAIN checks the rights without running anything.
    private static let attempts = """
        CREATE FUNCTION pg_temp.may(sql text) RETURNS boolean LANGUAGE plpgsql AS $$
        BEGIN
            EXECUTE 'EXPLAIN ' || sql;
            RETURN true;
        EXCEPTION WHEN insufficient_privilege THEN
            RETURN false;
        END $$;
        SELECT relname, attname, word, pg_temp.may(format(sql, relnamespace::regnamespace || '.' || quote_ident(relname), attname))
        FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
        CROSS JOIN (VALUES
            ('SELECT', 'SELECT %2$I FROM %1$s'), ('INSERT', 'INSERT INTO %1$s (%2$I) VALUES (DEFAULT)'),
            ('UPDATE', 'UPDATE %1$s SET %2$I = DEFAULT'), ('DELETE', 'DELETE FROM %1$s')
        ) AS tried (word, sql)
        WHERE relnamespace IN ('public'::regnamespace, 'kernel'::regnamespace)
            AND (relkind IN ('r', 'p', 'f') OR relkind IN ('v', 'm') AND word = 'SELECT')
        ORDER BY 1, attnum, 3
        """

    @Test(arguments: databaseRoles)
    func `each role has exactly the privileges of the table, for every column and operation`(role: String) async throws
    {
        let database = try await TestServer.running().database
        let lines = try await database.psql("SET ROLE \(role); " + Self.attempts).split(separator: "\n")
            .map { $0.split(separator: "|", omittingEmptySubsequences: false).map(String.init) }.filter {
                $0.count == 4
            }
        #expect(Set(lines.map { $0[0] }).isSuperset(of: SpecifiedRights.table.map(\.entity) + Self.others.keys))
        for line in lines {
            let (table, column, operation) = (line[0], line[1], line[2])
            var isAllowed = try specified(table, role).contains(operation)
            let isWrite = operation == "INSERT" || operation == "UPDATE"
            if Self.others[table] == nil, isWrite,
                Self.bookkeeping.contains(column) || Self.commanded.contains("\(table).\(column)")
                    || table == "users" && ["account_id", "joined_at", "is_member", "deactivations"].contains(column)
            {
                isAllowed = false
            }
            // learntrack-next.md: "`organisme.discord_webhook` (write-only …)".
            if operation == "SELECT", column == "discord_webhook" { isAllowed = false }
            // A sign-in notes that a passkey was used. No role changes its key or its account.
            if table == "passkeys", operation == "UPDATE",
                !["sign_count", "last_used_at", "may_be_backed_up"].contains(column)
            {
                isAllowed = false
            }
            if table == "files", !["company_id", "id", "account_id", "media_type", "size"].contains(column),
                role != "learntrack_auth"
            {
                isAllowed = false
            }
            // The evidence of a signature is for the role that makes its page.
            if table == "signatories", ["address", "device"].contains(column), role != "learntrack_auth" {
                isAllowed = false
            }
            #expect((line[3] == "t") == isAllowed, "\(role) \(operation) \(table).\(column)")
        }
    }

    @Test func `a role that a command no longer names may not execute its function any more`() async throws {
        let database = try await TestDatabase.create(migrated: true)
        func callers(_ roles: String) async throws -> String {
            try await database.psql(
                """
                CREATE OR REPLACE FUNCTION public.essai() RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = ''
                BEGIN ATOMIC SELECT; END;
                SELECT kernel.command_keep('crm', 'public.essai()', \(roles));
                """)
            return try await database.psql(
                """
                SELECT string_agg(role, ' ') FROM unnest(ARRAY['learntrack_user', 'learntrack_admin']) AS role
                WHERE has_function_privilege(role, 'public.essai()', 'EXECUTE')
                """)
        }
        let both = try await callers("'learntrack_user', 'learntrack_admin'")
        #expect(both == "learntrack_user learntrack_admin")
        let one = try await callers("'learntrack_admin'")
        #expect(one == "learntrack_admin")
    }

    @Test func `no role may truncate a table, reference it, or create a trigger on it`() async throws {
        let found = try await TestServer.running().database.psql(
            """
            SELECT rolname, relname, privilege
            FROM pg_roles CROSS JOIN pg_class CROSS JOIN unnest(ARRAY['TRUNCATE', 'REFERENCES', 'TRIGGER']) AS privilege
            WHERE rolname LIKE 'learntrack\\_%' AND rolname IN ('learntrack_user', 'learntrack_admin', 'learntrack_auth')
                AND relnamespace IN ('public'::regnamespace, 'kernel'::regnamespace) AND relkind IN ('r', 'p', 'v', 'm', 'f')
                AND (has_table_privilege(rolname, pg_class.oid, privilege)
                    OR privilege = 'REFERENCES' AND has_any_column_privilege(rolname, pg_class.oid, privilege))
            UNION ALL
            SELECT rolname, nspname, 'CREATE' FROM pg_roles CROSS JOIN pg_namespace
            WHERE rolname IN ('learntrack_user', 'learntrack_admin', 'learntrack_auth')
                AND nspname IN ('public', 'kernel') AND has_schema_privilege(rolname, nspname, 'CREATE')
            UNION ALL
            SELECT rolname, relname, 'sequence'
            FROM pg_roles JOIN pg_class ON relkind = 'S' AND relnamespace IN ('public'::regnamespace, 'kernel'::regnamespace)
            WHERE rolname IN ('learntrack_user', 'learntrack_admin', 'learntrack_auth')
                AND has_sequence_privilege(rolname, pg_class.oid, 'UPDATE')
            """)
        #expect(found.isEmpty, "\(found)")
    }

    @Test func `no role bypasses row-level security, can log in, or is a member of another role`() async throws {
        let found = try await TestServer.running().database.psql(
            """
            SELECT r.rolname, o.rolname FROM pg_roles AS r LEFT JOIN pg_roles AS o
                ON o.rolname <> r.rolname AND pg_has_role(r.oid, o.oid, 'MEMBER')
            WHERE r.rolname IN ('learntrack_user', 'learntrack_admin', 'learntrack_auth')
                AND (o.oid IS NOT NULL OR r.rolsuper OR r.rolbypassrls OR r.rolcanlogin OR r.rolcreaterole)
            """)
        #expect(found.isEmpty, "\(found)")
    }

    @Test func `row-level security is enabled on every table, and every grant has a policy`() async throws {
        let database = try await TestServer.running().database
        let without = try await database.psql(
            "SELECT relname FROM pg_class WHERE relnamespace IN ('public'::regnamespace, 'kernel'::regnamespace) AND relkind IN ('r', 'p') AND NOT relrowsecurity"
        )
        #expect(without.isEmpty, "\(without)")
        let conditional = try await database.psql(
            "SELECT policyname FROM pg_policies WHERE schemaname IN ('public', 'kernel') AND (qual <> 'true' OR with_check IS NOT NULL) ORDER BY 1"
        )
        #expect(
            conditional.split(separator: "\n") == [
                "files_readers", "jobs_admin", "journal_readers", "listed_files_readers",
            ])
        for (table, _) in SpecifiedRights.table {
            for role in Self.databaseRoles {
                for operation in try specified(table, role) {
                    let policies = try await database.psql(
                        "SELECT count(*) FROM pg_policies WHERE tablename = '\(table)' AND cmd IN ('ALL', '\(operation)') AND roles && ARRAY['\(role)', 'public']::name[]"
                    )
                    #expect(!policies.hasPrefix("0"), "\(role) \(operation) \(table)")
                }
            }
        }
        let definers = try await database.psql(
            "SELECT relname FROM pg_class WHERE relnamespace IN ('public'::regnamespace, 'kernel'::regnamespace) AND relkind = 'v' AND NOT coalesce('security_invoker=true' = ANY (reloptions), false)"
        )
        #expect(definers.isEmpty, "views that show what their reader may not see: \(definers)")
    }

    @Test func `functions that run with the rights of their owner are executable only by the roles that need them`()
        async throws
    {
        let found = try await TestServer.running().database.psql(
            """
            SELECT proname, coalesce(string_agg(rolname, ' ' ORDER BY rolname), '')
            FROM pg_proc LEFT JOIN pg_roles ON rolname IN ('learntrack_user', 'learntrack_admin', 'learntrack_auth')
                AND has_function_privilege(pg_roles.oid, pg_proc.oid, 'EXECUTE')
            WHERE prosecdef AND pronamespace IN ('public'::regnamespace, 'kernel'::regnamespace) GROUP BY pg_proc.oid, proname ORDER BY 1
            """)
        for line in found.split(separator: "\n") {
            let words = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
            #expect(Self.definers[words[0]] == words[1], "\(line)")
        }
        #expect(found.split(separator: "\n").count >= Self.definers.count)
    }
}
