import Foundation
import TestPostgres
import TestSupport

/// A database with two companies, "Port" and "Digue", which both have members, records, a signed document, files and keys.
struct CompanyInstallation {
    let database: TestDatabase
    /// What the command line gets.
    let environment: [String: String]

    /// - Parameters:
    ///   - tag: begins the addresses and secrets that no other installation has.
    ///   - login: a login without the rights of a superuser, which owns the database; nil: the one of the tests.
    init(_ tag: String, login: String? = nil) async throws {
        let address: String
        if let login {
            database = try await TestDatabase.create(migrated: false)
            try await database.psql(
                """
                DO $$ BEGIN CREATE ROLE \(login) LOGIN CREATEROLE;
                EXCEPTION WHEN duplicate_object THEN NULL; END $$;
                ALTER DATABASE \(database.name) OWNER TO \(login);
                ALTER SCHEMA public OWNER TO \(login);
                """)
            let roles = try await database.psql(
                "SELECT string_agg(rolname, ', ') FROM pg_roles WHERE rolname LIKE 'learntrack\\_%'")
            if !roles.isEmpty { try await database.psql("GRANT \(roles) TO \(login) WITH ADMIN OPTION") }
            address = database.connectionString + " user=\(login)"
            let migrated = try await LearnTrackProcess.run(["migrate", "up"], environment: ["DATABASE_URL": address])
            guard migrated.status == 0 else { throw TestEnvironmentError(migrated.errors) }
        } else {
            database = try await TestDatabase.create(migrated: true)
            address = database.connectionString
        }
        environment = ["DATABASE_URL": address]
        try await database.psql(
            """
            SELECT kernel.companies_enable(); SELECT kernel.companies_close();
            UPDATE kernel.companies SET name = 'Port'; INSERT INTO kernel.companies (name) VALUES ('Digue');
            """)
        for company in 1...2 { try await database.psql(Self.fill(company, "\(tag)\(company)")) }
    }

    /// Runs `learntrack companies`.
    func run(_ arguments: [String]) async throws -> (status: Int32, output: String, errors: String) {
        try await LearnTrackProcess.run(["companies"] + arguments, environment: environment)
    }

    /// Members "Anne" and "Bruno" with addresses of their own, and "Commune" with one that all companies know.
    private static func fill(_ company: Int, _ tag: String) -> String {
        """
        BEGIN;
        SET LOCAL learntrack.company = '\(company)';
        CREATE TEMPORARY TABLE noms (nom text, id bigint) ON COMMIT DROP;
        INSERT INTO users (email, username, role) VALUES ('\(tag)-anne@exemple.fr', 'Anne', 'admin'),
            ('\(tag)-bruno@exemple.fr', 'Bruno', 'user'), ('commune@exemple.fr', 'Commune', 'user');
        INSERT INTO noms SELECT username, id FROM users WHERE company_id = \(company);
        INSERT INTO credentials (user_id, password_hash)
            SELECT account_id, crypt('le mot de passe de ' || username, gen_salt('bf', 4)) FROM users
            WHERE company_id = \(company) ON CONFLICT DO NOTHING;
        INSERT INTO ecoles (nom) SELECT '\(tag) ' || n FROM generate_series(1, 5) AS n;
        INSERT INTO clients (raison_sociale) VALUES ('Client \(tag)');
        INSERT INTO formateurs (prenom, nom) VALUES ('Élodie', E'\(tag) \\t\\n\\\\ "et"');
        INSERT INTO sessions (module, date, debut, fin, modalite, client_id, formateur_id)
            SELECT 'Module ' || n, date '2031-01-01' + n, '09:00', '17:00', 'P', c.id, f.id
            FROM generate_series(1, 30) AS n, clients AS c, formateurs AS f
            WHERE c.company_id = \(company) AND f.company_id = \(company);
        INSERT INTO kernel.files (account_id, sha256, media_type, size)
            SELECT id, sha256('x'), 'image/png', 2 FROM noms WHERE nom = 'Anne';
        INSERT INTO kernel.file_bytes (file_id, bytes)
            SELECT id, '\\x00ff' FROM kernel.files WHERE company_id = \(company);
        INSERT INTO organisme (logo) SELECT id FROM kernel.files WHERE company_id = \(company);
        INSERT INTO prospects (raison_sociale, responsable_id) SELECT 'Prospect', id FROM noms WHERE nom = 'Bruno';
        INSERT INTO access_keys (account_id, role, name, key_hash)
            SELECT id, 'user', 'Tablette', sha256('\(tag)') FROM noms WHERE nom = 'Anne';
        INSERT INTO kernel.signatures (kind, method, params, name, sha256, account_id)
            SELECT 'k', 'm', '{"id": 1}', 'Convention', repeat('a', 64), id FROM noms WHERE nom = 'Anne';
        INSERT INTO kernel.signature_documents (signature_id, shown)
            SELECT id, '\\x0102' FROM kernel.signatures WHERE company_id = \(company);
        INSERT INTO kernel.signatories (signature_id, name, email)
            SELECT id, 'Zoé', 'zoe@exemple.fr' FROM kernel.signatures WHERE company_id = \(company);
        INSERT INTO kernel.signature_links (signatory_id)
            SELECT id FROM kernel.signatories WHERE company_id = \(company);
        COMMIT;
        BEGIN;
        SET LOCAL learntrack.company = '\(company)';
        SELECT set_config('learntrack.account', min(id)::text, true) FROM users WHERE company_id = \(company);
        UPDATE kernel.signatories SET signed_at = clock_timestamp(), signed_name = 'Zoé', consent = 'oui'
            WHERE company_id = \(company);
        UPDATE clients SET ville = 'Brest' WHERE company_id = \(company);
        COMMIT;
        """
    }

    // MARK: Comparing

    /// What every table has of a company, a line each: the number of its rows, and a digest of all columns but those with ids that are
    /// unique over all companies.
    func rows(of company: Int) async throws -> [String] {
        let skipped =
            "'{company_id, account_id, responsable_id, logo, file_id, actor, row_id, before, after, joined_at, is_member, changed_at}'::text[]"
        return try await database.psql(
            """
            SET search_path = pg_catalog;
            SELECT h.home || ' ' || (xpath('/row/v/text()', query_to_xml(format(
                'SELECT count(*) || '' '' || md5(coalesce(string_agg((to_jsonb(t) - %1$L::text[])::text, '' '' '
                'ORDER BY (to_jsonb(t) - %1$L::text[])::text), '''')) AS v FROM %2$s AS t WHERE company_id = \(company)',
                \(skipped) || CASE WHEN h.home IN ('public.users'::regclass, 'kernel.files', 'public.access_keys')
                    THEN '{id}'::text[] ELSE '{}' END, h.home), true, true, '')))[1]
            FROM kernel.company_homes() AS h
            WHERE h.home <> ALL (ARRAY['kernel.changes', 'kernel.outbox', 'public.sign_ins']::regclass[]) ORDER BY 1
            """
        ).split(separator: "\n").map(String.init).filter { $0 != "SET" }
    }

    /// All rows of all companies and accounts: nothing was written when it stays.
    func everything() async throws -> String {
        let homes = try await database.psql(
            """
            SET search_path = pg_catalog; SELECT home::text FROM kernel.company_homes()
            UNION ALL VALUES ('kernel.accounts'), ('kernel.companies'), ('public.credentials')
            """
        ).split(separator: "\n").filter { $0 != "SET" }
        return try await database.psql(
            homes.map { "SELECT '\($0)', count(*), md5(string_agg(t::text, ' ' ORDER BY t::text)) FROM \($0) AS t" }
                .joined(separator: " UNION ALL ") + " ORDER BY 1")
    }
}
