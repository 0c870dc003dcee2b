import Foundation
import JSON
import TestMail
import TestPDF
import TestPostgres
import TestSupport
import Testing

/// Signatures that come at the same time as something else, or whose database goes away.
@Suite struct SigningRaceTests {
    private static let marie = (name: "Marie Curie", email: "marie@exemple.fr")
    private static let paul = (name: "Paul Langevin", email: "paul@exemple.fr")
    /// Longer than the tests hold the row.
    private static let patient = ["--lock-timeout", "8"]

    @Test func `a trainer's contract is signed as a client's is`() async throws {
        let signing = try await SigningServer()
        let asked = try await signing.client.call(
            "signatures.demander", signing.request([Self.paul], of: "sessions.contrat_formateur"))
        #expect(asked["method"] == "sessions.contrat_formateur")
        let link = try await signing.link(to: Self.paul.email)
        let shown = try await signing.get(link + "/document")
        let text = try await ReadPDF(shown.body).text.replacing("\u{A0}", with: " ").replacing("\u{202F}", with: " ")
        #expect(text.contains("450,00 €") && !text.contains("1 250,00"), "\(text)")
        let answer = try await signing.sign(link, "Paul Langevin", draws: true)
        #expect(answer.status == 200 && answer.text.contains("Tout le monde a signé"))
        let signed = try await signing.get(link + "/document")
        let pdf = try await ReadPDF(signed.body)
        #expect(signed.body.starts(with: shown.body))
        #expect(pdf.text(ofPage: pdf.pages.count - 1).contains("Certificat de signature électronique"))
        _ = try await signing.mail(to: Self.paul.email, "signé")
    }

    @Test(arguments: [true, false])
    func `of a cancellation and the last signature at once, one is done and the other refused`(signsFirst: Bool)
        async throws
    {
        let signing = try await SigningServer(Self.patient)
        let asked = try await signing.ask(Self.marie)
        let link = try await signing.link(to: Self.marie.email)
        try await eventually("the mail is noted") {
            try await signing.row("mailed_at IS NOT NULL", from: "signatories") == "t"
        }
        let form = try await signing.form(of: link, "Marie Curie")
        // Status 200, or the refusal.
        let sign: @Sendable () async throws -> String = {
            let answer = try await signing.post(link, form)
            return answer.status == 200 ? "done" : "\(answer.status)"
        }
        let cancel: @Sendable () async throws -> String = {
            let answer = try await signing.client.response("signatures.annuler", ["id": asked["id"] ?? .null])
            return answer["result"] != nil ? "done" : answer.at("/error/data/reason").text ?? answer.json
        }
        let outcomes = try await signing.atOnce(signsFirst ? [sign, cancel] : [cancel, sign])
        let (signed, cancelled) = signsFirst ? (outcomes[0], outcomes[1]) : (outcomes[1], outcomes[0])
        let kept = try await signing.server.database.psql(
            """
            SELECT d.status, d.completed_at IS NOT NULL, d.cancelled_at IS NOT NULL, s.signed_at IS NOT NULL
            FROM kernel.signatures d JOIN kernel.signatories s ON s.signature_id = d.id
            """)
        switch (signed, cancelled) {
        case ("done", "ended"): #expect(kept == "signed|t|f|t")
        case ("410", "done"): #expect(kept == "cancelled|f|t|f")
        default: Issue.record("signed: \(signed), cancelled: \(cancelled), kept: \(kept)")
        }
    }

    @Test func `two last signatories at once complete the document once, and the evidence has both`() async throws {
        let signing = try await SigningServer(Self.patient)
        _ = try await signing.ask(Self.marie, Self.paul)
        let marie = try await signing.link(to: Self.marie.email)
        let paul = try await signing.link(to: Self.paul.email)
        try await eventually("the mails are noted") {
            try await signing.row("count(mailed_at)", from: "signatories") == "2"
        }
        let forms = [
            (marie, try await signing.form(of: marie, "Marie Curie")),
            (paul, try await signing.form(of: paul, "Paul Langevin")),
        ]
        let answers = try await signing.atOnce(
            waiting: 1,
            forms.map { form in
                { @Sendable () async throws -> String in
                    let answer = try await signing.post(form.0, form.1)
                    #expect(answer.status == 200)
                    return answer.text
                }
            })
        #expect(answers.count { $0.contains("Tout le monde a signé") } == 1)
        #expect(answers.count { $0.contains("D’autres personnes doivent encore signer") } == 1)
        for address in [Self.marie.email, Self.paul.email, TestServer.admin] {
            _ = try await signing.mail(to: address, "signé")
        }
        let entered = try await signing.server.database.psql(
            """
            SELECT count(*) FILTER (WHERE kind = 'signatures.completion'), count(*) FILTER (WHERE kind = 'signatures.copy')
            FROM kernel.outbox
            """)
        #expect(entered == "1|2")
        let pdf = try await ReadPDF(try await signing.get(marie + "/document").body)
        let evidence = pdf.text(ofPage: pdf.pages.count - 1)
        #expect(evidence.contains("Marie Curie") && evidence.contains("Paul Langevin"), "\(evidence)")
        let completions = try await signing.server.database.psql(
            """
            SELECT count(*) FROM journal WHERE table_name = 'signatures'
                AND before ->> 'completed_at' IS NULL AND after ->> 'completed_at' IS NOT NULL
            """)
        #expect(completions == "1")
    }

    @Test func `a form whose connection to Postgres breaks gets no claim that nothing is signed`() async throws {
        let cluster = try await TestCluster.own()
        let database = try await TestDatabase.create(migrated: true, on: cluster)
        let proxy = try FaultProxy(to: cluster)
        let signing = try await SigningServer(
            Self.patient, database: database, connection: proxy.connectionString(to: database))
        _ = try await signing.ask(Self.marie)
        let link = try await signing.link(to: Self.marie.email)
        try await eventually("the mail is noted") {
            try await signing.row("mailed_at IS NOT NULL", from: "signatories") == "t"
        }
        let form = try await signing.form(of: link, "Marie Curie")
        let isCut = LockedValue(false)
        // The answer of Postgres is lost, with the connection.
        let cutting = Task {
            try await eventually("the form waits") {
                try await database.psql(
                    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
                )
                    == "1"
            }
            proxy.set(toServer: .normal, toClient: .blackHole)
            try await database.psql(
                "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'row holder'")
            try await eventually("nothing waits") {
                try await database.psql(
                    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
                )
                    == "0"
            }
            proxy.cut(.reset)
            isCut.withLock { $0 = true }
            proxy.set(.normal)
        }
        let holder = Task {
            try? await database.psql(
                """
                SET application_name = 'row holder'; BEGIN; SELECT FROM kernel.signatures FOR UPDATE;
                SELECT pg_sleep(60)
                """)
        }
        try await eventually("the row is held") {
            try await database.psql(
                "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'row holder' AND wait_event = 'PgSleep'"
            )
                == "1"
        }
        let answer = try await signing.post(link, form)
        try await cutting.value
        _ = await holder.value
        #expect(isCut.value)
        #expect(answer.status == 503, "\(answer.text)")
        #expect(!answer.text.localizedCaseInsensitiveContains("rien n’est signé"), "\(answer.text)")
        #expect(answer.text.contains("Rouvrez le lien"), "\(answer.text)")
        // The link says what has become of it.
        var page = try await signing.get(link)
        try await eventually("the server answers again") {
            page = try await signing.get(link)
            return page.status != 503
        }
        let isSigned = try await signing.row("signed_at IS NOT NULL", from: "signatories") == "t"
        #expect(page.status == (isSigned ? 409 : 200), "\(page.text)")
        if !isSigned {
            // Or the first transaction has ended since: its backend may outlive the connection for a moment.
            let repeated = try await signing.post(link, form)
            #expect(repeated.status == 200 || repeated.status == 409, "\(repeated.text)")
        }
        #expect(try await signing.row("signed_at IS NOT NULL", from: "signatories") == "t")
        #expect(try await signing.server.stop() == 0)
    }
}
