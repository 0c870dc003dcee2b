import DomainKit
import JSON
import TestMail
import TestPostgres
import TestSupport
import Testing

/// learntrack-next.md, Prospects: "Job: each morning one mail to each responsable with what is due".
@Suite struct MorningMailTests {
    private static let monday = "2026-01-12"
    private static let tuesday = "2026-01-13"

    /// A server of its own, in which it is a certain day.
    private static func start(_ sink: SMTPSink?, day: String = monday) async throws -> TestServer {
        let server = try await TestServer.start(environment: environment(sink))
        try await set(day, server.database)
        return server
    }

    private static func environment(_ sink: SMTPSink?) -> [String: String] {
        sink.map { ["SMTP_URL": "smtp://127.0.0.1:\($0.port)"] } ?? [:]
    }

    private static func set(_ day: String, _ database: TestDatabase) async throws {
        _ = try await database.psql(
            """
            CREATE OR REPLACE FUNCTION public.heure_locale() RETURNS timestamp LANGUAGE sql STABLE PARALLEL SAFE
            RETURN timestamp '\(day) 07:00'
            """)
    }

    /// Prospects of the two accounts of the server, and of one that is not active.
    private static func insert(_ database: TestDatabase) async throws {
        _ = try await database.psql(
            """
            INSERT INTO users (email) VALUES ('libre@test.example');
            INSERT INTO users (email, is_active) VALUES ('parti@test.example', false);
            INSERT INTO prospects
                (raison_sociale, nom_contact, email, telephone, ville, prochaine_relance, responsable_id)
            SELECT p.nom, p.contact, p.email, p.telephone, p.ville, p.jour,
                (SELECT id FROM users AS u WHERE u.email = p.responsable)
            FROM (VALUES
                ('Menuiserie <Kervella> & fils', 'Soizic', 's@kervella.example', '02 61 91 33 01', 'Vannes',
                    date '2026-01-12', '\(TestServer.user)'),
                ('Pharmacie', NULL, NULL, NULL, NULL, NULL, '\(TestServer.user)'),
                ('Plus tard', NULL, NULL, NULL, NULL, '2026-01-14', '\(TestServer.user)'),
                ('Chantiers', NULL, NULL, NULL, NULL, '2026-01-02', '\(TestServer.admin)'),
                ('Libre', NULL, NULL, NULL, NULL, '2026-01-14', 'libre@test.example'),
                ('Parti', NULL, NULL, NULL, NULL, '2026-01-12', 'parti@test.example')
            ) AS p (nom, contact, email, telephone, ville, jour, responsable);
            INSERT INTO relances (prospect_id, date, canal, note)
            SELECT id, '2026-01-11', 'telephone', 'Demander la date' FROM prospects WHERE raison_sociale = 'Pharmacie'
            """)
    }

    /// Makes the job due, and waits for the end of the run.
    private static func run(_ database: TestDatabase) async throws {
        let name = "name = 'prospects.relances_du_matin'"
        try await eventually("the job is entered") {
            try await database.psql("SELECT count(*) FROM kernel.jobs WHERE \(name)") == "1"
        }
        let before = try await database.psql(
            "UPDATE kernel.jobs SET next_at = now() WHERE \(name) RETURNING coalesce(last_ended_at::text, '')")
        try await eventually("the job has run") {
            try await database.psql("SELECT coalesce(last_ended_at::text, '') FROM kernel.jobs WHERE \(name)")
                != before
        }
        #expect(try await database.psql("SELECT last_error IS NULL FROM kernel.jobs WHERE \(name)") == "t")
    }

    private static func wait(for database: TestDatabase) async throws {
        try await eventually("all mails have ended") {
            try await database.psql(
                "SELECT count(*) FROM kernel.outbox WHERE sent_at IS NULL AND gave_up_at IS NULL") == "0"
        }
    }

    @Test func `each active account gets one mail with what is due of the prospects that it follows`() async throws {
        let sink = try await SMTPSink()
        let server = try await Self.start(sink)
        try await Self.insert(server.database)
        try await Self.run(server.database)
        try await Self.wait(for: server.database)
        let mails = try sink.mails()
        #expect(mails.map(\.recipients).sorted { $0[0] < $1[0] } == [[TestServer.admin], [TestServer.user]])
        let mail = try #require(mails.first { $0.recipients == [TestServer.user] })
        let seen = try await SMTPSink.read(mail)
        #expect(seen["defects"] == "")
        #expect(seen["subject"] == "Vos relances du lundi 12 janvier 2026\u{202F}: 2")
        let text = seen["text/plain"] ?? ""
        #expect(
            text == """
                Bonjour user,

                Vous avez 2 relances à faire aujourd’hui, lundi 12 janvier 2026\u{202F}:

                – Pharmacie · par téléphone · en retard d’un jour
                  Demander la date

                – Menuiserie <Kervella> & fils · Vannes · par téléphone
                  Soizic · 02 61 91 33 01 · s@kervella.example

                LearnTrack

                """)
        let html = seen["text/html"] ?? ""
        #expect(html.contains("<strong>Menuiserie &lt;Kervella&gt; &amp; fils</strong> · Vannes"))
        #expect(html.contains("Demander la date") && !html.contains("Plus tard"))
        #expect(!text.contains("Parti"))
        // What is due of an account that is not active any more is for the administrators.
        let admins = try #require(mails.first { $0.recipients == [TestServer.admin] })
        let theirs = try await SMTPSink.read(admins)
        #expect(theirs["subject"] == "Vos relances du lundi 12 janvier 2026\u{202F}: 2")
        #expect(
            theirs["text/plain"]?.hasSuffix(
                """
                – Chantiers · par téléphone · en retard de 10 jours

                Dont celles de comptes désactivés\u{202F}: donnez-leur un autre responsable.

                – Parti · par téléphone · suivi par parti@test.example

                LearnTrack

                """) == true, "\(theirs)")
        let page = theirs["text/html"] ?? ""
        #expect(page.contains("<strong>Parti</strong> · par téléphone · suivi par parti@test.example"))
        #expect(try await server.stop() == 0)
    }

    @Test func `an account gets one mail a day also if the job runs again, and none on a weekend`() async throws {
        let sink = try await SMTPSink()
        let server = try await Self.start(sink, day: "2026-01-10")
        try await Self.insert(server.database)
        try await Self.run(server.database)
        try await Self.set("2026-01-11", server.database)
        try await Self.run(server.database)
        #expect(try await server.database.psql("SELECT count(*) FROM kernel.outbox") == "0")
        try await Self.set(Self.monday, server.database)
        for _ in 1...2 {
            try await Self.run(server.database)
            try await Self.wait(for: server.database)
        }
        #expect(try sink.mails().count == 2)
        try await Self.set(Self.tuesday, server.database)
        try await Self.run(server.database)
        try await Self.wait(for: server.database)
        #expect(try sink.mails().count == 4)
        #expect(try await server.stop() == 0)
    }

    @Test func `it runs at seven in the morning in the time zone of the service`() async throws {
        let server = try await TestServer.running()
        try await eventually("the job is entered") {
            try await server.database.psql(
                """
                SELECT schedule || ' ' || to_char(next_at AT TIME ZONE 'Europe/Paris', 'HH24:MI') FROM kernel.jobs
                WHERE name = 'prospects.relances_du_matin'
                """) == "daily 7:00 07:00"
        }
    }

    @Test func `two servers send each mail once`() async throws {
        let sink = try await SMTPSink()
        let server = try await Self.start(sink)
        let second = try await TestServer.start(environment: Self.environment(sink), database: server.database)
        try await Self.insert(server.database)
        try await Self.run(server.database)
        try await Self.wait(for: server.database)
        #expect(try sink.mails().count == 2)
        #expect(try await second.stop() == 0)
        #expect(try await server.stop() == 0)
    }

    @Test func `a mail whose server is killed while it sends is the same mail when it is sent again`() async throws {
        // The mail server answers three seconds after the mail.
        let slow = try await SMTPSink(.slow)
        let server = try await Self.start(slow)
        try await Self.insert(server.database)
        _ = try await server.database.psql("DELETE FROM prospects WHERE raison_sociale IN ('Chantiers', 'Parti')")
        try await Self.run(server.database)
        try await eventually("a worker has it") {
            try await server.database.psql("SELECT claimed_until IS NOT NULL FROM kernel.outbox") == "t"
        }
        try server.process.signal(9)
        try await server.process.waitForExit()
        let next = try await TestServer.start(environment: Self.environment(slow), database: server.database)
        try await Self.run(server.database)
        _ = try await server.database.psql(
            "UPDATE kernel.outbox SET not_before = now() WHERE attempts > 0; NOTIFY outbox")
        try await Self.wait(for: server.database)
        let ids = try await slow.messageIDs()
        #expect((1...2).contains(ids.count))
        #expect(Set(ids).count == 1, "\(ids)")
        #expect(try await server.database.psql("SELECT count(*) FROM kernel.outbox") == "1")
        #expect(try await next.stop() == 0)
    }

    @Test func `a mail that could not leave on its day is dropped, as is one of which all is done`() async throws {
        let server = try await Self.start(nil)
        try await Self.insert(server.database)
        try await Self.run(server.database)
        try await eventually("both have failed") {
            try await server.database.psql("SELECT count(*) FROM kernel.outbox WHERE failures > 0") == "2"
        }
        try await Self.set(Self.tuesday, server.database)
        try await Self.run(server.database)
        #expect(try await server.database.psql("SELECT count(*) FROM kernel.outbox") == "4")
        _ = try await server.database.psql("DELETE FROM prospects WHERE raison_sociale = 'Parti'")
        let client = try await server.client()
        let chantiers = try await client.call(
            "prospects.list", ["where": ["raison_sociale": ["eq": "Chantiers"]], "select": "{ id }"])
        _ = try await client.call(
            "prospects.update",
            ["id": chantiers.at("/items/0/id"), "values": ["prochaine_relance": .null]])
        #expect(try await server.stop() == 0)
        let sink = try await SMTPSink()
        // Before the next server starts, because the lease of an attempt that it has begun would end, too.
        _ = try await server.database.psql("UPDATE kernel.outbox SET not_before = now() WHERE attempts > 0")
        let next = try await TestServer.start(environment: Self.environment(sink), database: server.database)
        try await Self.wait(for: server.database)
        let mails = try sink.mails()
        #expect(mails.map(\.recipients) == [[TestServer.user]])
        let mail = try #require(mails.first)
        #expect(try await SMTPSink.read(mail)["subject"] == "Vos relances du mardi 13 janvier 2026\u{202F}: 2")
        #expect(try await next.stop() == 0)
    }
}
