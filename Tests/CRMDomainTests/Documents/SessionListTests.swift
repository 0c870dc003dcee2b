import CRMDomain
import DomainKit
import JSON
import TestPDF
import Testing

/// The plan of some days as PDF.
@Suite struct SessionListTests {
    static func read(
        _ count: Int, of all: Int? = nil, from first: String = "2026-08-01", to last: String = "2026-08-31"
    ) async throws -> ReadPDF {
        let rows = (0..<count).map { index in
            DocumentRecords.session.with([
                "module": .string("Formation\(index)"),
                "date": .string("2026-08-\(index / 2 % 31 + 1 < 10 ? "0" : "")\(index / 2 % 31 + 1)"),
                "formateur": index == 3 ? nil : ["nom_complet": "Élodie Dupont"],
            ])
        }
        let bytes = try CRM.listeDesSessions(
            [
                .array(rows), [DocumentRecords.organisme], .null,
                [
                    [
                        "count": .number(String(all ?? count)),
                        "sum": ["duree_minutes": .number(String((all ?? count) * 480))],
                    ]
                ], [["count": count > 3 ? 1 : 0]],
            ], ["du": .string(first), "au": .string(last)]
        ).bytes
        return try await ReadPDF(bytes)
    }

    @Test func `sixty sessions stand below a head on each page, in their order, without prices`() async throws {
        let pdf = try await Self.read(60)
        #expect(pdf.plainText.contains("Planning d’août 2026"))
        #expect(pdf.plainText.contains("60 sessions · 480 h · 1 sans formateur"))
        #expect(pdf.pages.count > 2)
        for page in pdf.pages { #expect(page.words.filter { $0.text == "Horaires" }.count == 1) }
        let words = pdf.pages.flatMap(\.words).map(\.text)
        let modules = words.filter { $0.hasPrefix("Formation") && $0.last?.isNumber == true }
        #expect(modules == (0..<60).map { "Formation\($0)" })
        #expect(!words.contains { $0.contains("€") && $0.contains("0,") } || !pdf.plainText.contains("1 250,00"))
        pdf.expectTidyLayout()
    }

    @Test func `the head counts all sessions, and says at once that some are left out`() async throws {
        let pdf = try await Self.read(8, of: 1_310)
        #expect(pdf.plainText.contains("1 310 sessions · 10 480 h"), "\(pdf.plainText)")
        #expect(pdf.plainText.contains("Seules les 8 premières"))
        let whole = try await Self.read(8)
        #expect(!whole.plainText.contains("Seules les"))
    }

    @Test func `days have their year in a plan of several years`() async throws {
        let within = try await Self.read(1, from: "2026-08-01", to: "2026-12-31")
        #expect(within.plainText.contains("1er août") && !within.plainText.contains("sam. 1er août 2026"))
        let across = try await Self.read(1, from: "2026-08-01", to: "2027-07-31")
        #expect(across.plainText.contains("sam. 1er août 2026"), "\(across.plainText)")
        across.expectTidyLayout()
    }

    @Test(arguments: [
        ("2026-04-01", "2026-04-30", "Planning d’avril 2026"), ("2026-05-01", "2026-05-31", "Planning de mai 2026"),
        ("2026-08-03", "2026-08-09", "Planning du 3 août 2026 au 9 août 2026"),
        ("2026-08-03", "2026-08-03", "Planning du lundi 3 août 2026"),
    ])
    func `the title names the month or the days`(first: String, last: String, title: String) async throws {
        let pdf = try await Self.read(0, from: first, to: last)
        #expect(pdf.plainText.contains(title))
        #expect(pdf.plainText.contains("Aucune session n’est prévue à ces dates."))
    }
}
