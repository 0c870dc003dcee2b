import DomainKit
import Foundation
import JSON
import TestSupport
import Testing

/// learntrack-next.md, Calendar: RFC 5545, read back by libical.
@Suite struct CalendarTests {
    /// What libical reads in the calendar of one trainer.
    private static func read(_ document: HTTPConnection.Response) async throws -> JSONValue {
        let folder = try TemporaryFolder()
        let file = folder.path + "/calendar.ics"
        try Data(document.body).write(to: URL(fileURLWithPath: file))
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("read_calendar.py").path
        let outcome = try await ExternalProgram.run("/usr/bin/python3", [script, file])
        try #require(outcome.status == 0, "\(outcome.errors)")
        return try JSONValue.parse(Array(outcome.output.utf8))
    }

    private static func calendar(of trainer: Int, _ client: RPCClient) async throws -> HTTPConnection.Response {
        let link = try await client.call("sessions.calendrier", ["formateur_id": JSONValue(trainer)])
        return try await TestServer.running().open(link)
    }

    private static let long = "Écologie; énergie, \\ « été » 🏫 " + String(repeating: "éà😀", count: 60)

    @Test func `libical reads what a session says, escaped and folded`() async throws {
        let rows = try await Fixtures()
        let trainer = try await rows.formateur()
        let session = try await rows.session([
            ("module", .string(Self.long)), ("formateur_id", JSONValue(trainer)), ("date", "2026-07-14"),
            ("debut", "09:30"), ("fin", "17:00"), ("lieu", "12, rue de l’Église\n75011 Paris; 3e étage"),
            ("ref_contrat", "CT-2026-014"), ("tarif_client", .number("1234.50")),
            ("tarif_sous_traitant", .number("987.25")),
            ("frais_rembourser", .number("61.75")),
        ])
        let document = try await Self.calendar(of: trainer, rows.client)
        for line in document.body.split(separator: 10, omittingEmptySubsequences: false).dropLast() {
            #expect(line.last == 13 && line.count <= 76, "\(String(decoding: line, as: UTF8.self))")
            #expect(String(validating: line, as: UTF8.self) != nil)
        }
        let read = try await Self.read(document)
        #expect(read["errors"] == 0)
        #expect(read["is_valid"] == true)
        let event = read.at("/events/0")
        #expect(event["summary"] == .string(Self.long))
        #expect(event["location"] == "12, rue de l’Église, 75011 Paris; 3e étage")
        #expect(event["start"] == "2026-07-14T07:30:00Z")
        #expect(event["end"] == "2026-07-14T15:00:00Z")
        #expect(event["status"] == "CONFIRMED")
        #expect(event["sequence"] == 1)
        let shared = try await rows.client.call(
            "sessions.share", ["id": JSONValue(session), "format": "text", "audience": "client"])
        let description = try #require(event["description"]?.text)
        let withoutPrice = try #require(shared["text"]?.text).split(separator: "\n").filter { !$0.contains("€") }
        #expect(description == withoutPrice.joined(separator: "\n"))
        // With their decimals, which neither the time nor the unique names of the fixtures can have in them.
        let prices = ["1234,50", "1234.50", "1 234,50", "1\u{202F}234,50", "987,25", "987.25", "61,75", "61.75", "€"]
        for price in prices { #expect(!document.text.contains(price), "\(price)") }
    }

    @Test func `winter and summer have their own offset`() async throws {
        let rows = try await Fixtures()
        let trainer = try await rows.formateur()
        for day in ["2026-01-12", "2026-03-28", "2026-03-30", "2026-10-24", "2026-10-26"] {
            _ = try await rows.session([("formateur_id", JSONValue(trainer)), ("date", .string(day))])
        }
        let read = try await Self.read(try await Self.calendar(of: trainer, rows.client))
        #expect(
            read.at("/events").array.compactMap { $0["start"]?.text } == [
                "2026-01-12T08:00:00Z", "2026-03-28T08:00:00Z", "2026-03-30T07:00:00Z", "2026-10-24T07:00:00Z",
                "2026-10-26T08:00:00Z",
            ])
    }

    /// mends.md, 20: "On La Réunion 09:00 becomes 08:00Z instead of 05:00Z".
    @Test func `a calendar is in the time zone of the service`() async throws {
        let server = try await TestServer.start(environment: ["LEARNTRACK_TIME_ZONE": "Indian/Reunion"])
        let client = try await server.client()
        let session = try await client.call(
            "sessions.create",
            [
                "values": [
                    "module": "Excel", "date": "2026-07-14", "debut": "09:00", "fin": "17:00", "modalite": "D",
                ]
            ])
        #expect(session["date"] == "2026-07-14")
        let read = try await Self.read(try await server.open(try await client.call("sessions.calendrier")))
        #expect(read["is_valid"] == true)
        #expect(read.at("/events/0/start") == "2026-07-14T05:00:00Z")
    }

    @Test func `a change keeps the identity and raises the sequence, and a deleted session is cancelled`()
        async throws
    {
        let rows = try await Fixtures()
        let trainer = try await rows.formateur()
        let session = try await rows.session([("formateur_id", JSONValue(trainer))])
        let first = try await Self.read(try await Self.calendar(of: trainer, rows.client)).at("/events/0")
        _ = try await rows.client.call(
            "sessions.update", ["id": JSONValue(session), "values": ["fin": "18:00"]])
        let second = try await Self.read(try await Self.calendar(of: trainer, rows.client)).at("/events/0")
        #expect(second["uid"] == first["uid"])
        #expect(second["sequence"] == 2)
        #expect(second["end"] != first["end"])
        _ = try await rows.client.call("sessions.delete", ["id": JSONValue(session)])
        let events = try await Self.read(try await Self.calendar(of: trainer, rows.client)).at("/events").array
        #expect(events.count == 1)
        #expect(events.first?["uid"] == first["uid"])
        #expect(events.first?["sequence"] == 3)
        #expect(events.first?["status"] == "CANCELLED")
        #expect(events.first?["start"] == second["start"])
    }

    @Test(arguments: ["sessions.calendrier", "calendriers.abonner"])
    func `a calendar is that of a trainer, a client or a school that exists`(method: String) async throws {
        let rows = try await Fixtures()
        let kinds = [
            ("formateur", try await rows.formateur(), try await rows.formateur()),
            ("client", try await rows.client(), try await rows.client()),
            ("ecole", try await rows.ecole(), try await rows.ecole()),
        ]
        for (kind, kept, gone) in kinds {
            let parameter = "\(kind)_id"
            let unknown = try await rows.client.refusal(method, .merging([(parameter, JSONValue(987_654_321))]))
            #expect(unknown["code"] == 404, "\(unknown.json)")
            #expect(unknown.at("/data/path") == .string("/\(parameter)"), "\(unknown.json)")
            #expect(unknown["data"]?["fusionne_dans"] == nil)
            _ = try await rows.client.call(
                "\(kind)s.fusionner", ["garde": JSONValue(kept), "absorbe": JSONValue(gone)])
            let absorbed = try await rows.client.refusal(method, .merging([(parameter, JSONValue(gone))]))
            #expect(absorbed["code"] == 404, "\(absorbed.json)")
            #expect(absorbed.at("/data/path") == .string("/\(parameter)"))
            #expect(absorbed.at("/data/fusionne_dans") == JSONValue(kept), "\(absorbed.json)")
        }
        // A parameter may be null, as one that is missing.
        _ = try await rows.client.call(method, ["formateur_id": .null, "du": "2026-01-01"])
    }

    @Test func `the parameters select the sessions`() async throws {
        let rows = try await Fixtures()
        let server = try await TestServer.running()
        let (trainer, other) = (try await rows.formateur(), try await rows.formateur())
        let (client, school) = (try await rows.client(), try await rows.ecole())
        for (day, values) in [
            ("2026-05-04", [("formateur_id", JSONValue(trainer)), ("client_id", JSONValue(client))]),
            ("2026-05-05", [("formateur_id", JSONValue(trainer)), ("ecole_id", JSONValue(school))]),
            ("2026-05-06", [("formateur_id", JSONValue(other)), ("client_id", JSONValue(client))]),
        ] { _ = try await rows.session(values + [("date", .string(day))]) }
        let table: [(JSONValue, [Int])] = [
            (["formateur_id": JSONValue(trainer)], [4, 5]), (["client_id": JSONValue(client)], [4, 6]),
            (["ecole_id": JSONValue(school)], [5]),
            (["formateur_id": JSONValue(other), "client_id": JSONValue(client)], [6]),
            (["formateur_id": JSONValue(trainer), "du": "2026-05-05"], [5]),
            (["client_id": JSONValue(client), "au": "2026-05-05"], [4]),
            (["formateur_id": JSONValue(trainer), "du": "2026-05-04", "au": "2026-05-04"], [4]),
        ]
        for (params, days) in table {
            let link = try await rows.client.call("sessions.calendrier", params)
            let text = try await server.open(link).text
            let found = (4...6).filter { text.contains("DTSTART;TZID=Europe/Paris:2026050\($0)T090000") }
            #expect(found == days, "\(params.json)")
        }
    }
}
