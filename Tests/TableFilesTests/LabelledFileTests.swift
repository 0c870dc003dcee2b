import DomainKit
import Testing

@testable import TableFiles

/// Labels in the place of names and words: what an export writes, and what an import takes back.
@Suite struct LabelledFileTests {
    private static let loans = Entity(
        name: "loans", noun: Noun("prêt", plural: "prêts", feminine: false),
        columns: [
            .id,
            Column("lender_id", .bigint, nullable: false, label: "Personne"),
            Column("borrower_id", .bigint, label: "personne"),
            Column("day", .date, label: "Jusqu’au"),
            Column("state", .choice(["out": "Prêté, dehors", "back": "Rendu"]), label: "État"),
            Column("kind", .choice(["short": "Autre", "long": "Autre", "Rare": "Rare", "odd": "short"]), label: "day"),
            Column("note", .text(maxLength: 40), label: "Remarque, au plus 40 signes"),
            Column("plain", .text(maxLength: 40)),
        ], search: nil, defaultOrder: [OrderTerm("id")],
        access: Access(read: [.admin], create: [.admin], update: [.admin], delete: [.admin]))

    private static func record(_ texts: [String?], line: Int = 1) -> CSVReader.Record {
        CSVReader.Record(line: line, fields: texts.map { CSVReader.Field(text: $0, isQuoted: false) })
    }

    private static func check(_ heads: [String], ignoring ignored: Set<String> = []) throws -> CSVRowCheck {
        try CSVRowCheck(header: record(heads), entity: loans, ignoring: ignored, emptyIsNull: false)
    }

    private static func error(_ heads: [String], ignoring ignored: Set<String> = []) -> String? {
        do {
            _ = try check(heads, ignoring: ignored)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func `heads are labels, with the names of columns that share one or whose label is another name`() {
        #expect(
            TableExport.heads(of: Self.loans, labelled: true)
                == "\u{FEFF}Identifiant,Personne (lender_id),personne (borrower_id),Jusqu’au,État,day (kind),"
                + "\"Remarque, au plus 40 signes\",plain\n")
        #expect(
            TableExport.heads(of: Self.loans, labelled: false)
                == "id,lender_id,borrower_id,day,state,kind,note,plain\n")
    }

    @Test func `an import takes the heads of an export with labels back`() throws {
        let names = Self.loans.readableColumns.map(\.name)
        let labels = LabelledNames(columnsOf: Self.loans)
        let check = try Self.check(names.map { labels.text(of: $0) }, ignoring: ["id"])
        #expect(check.imported.map(\.name) == Array(names.dropFirst()))
    }

    @Test(arguments: [
        ("state", "state"), ("État", "state"), (" état ", "state"), ("ÉTAT", "state"), ("jusqu'au", "day"),
        ("day", "day"), ("Day (kind)", "kind"), ("Personne  (borrower_id)", "borrower_id"),
    ])
    func `a head is a name, or a label without regard to case, spaces and apostrophes`(
        head: String, name: String
    ) throws {
        #expect(try Self.check([head]).imported.map(\.name) == [name])
    }

    @Test func `a label of two columns names neither, and the nearest name or label is proposed`() {
        #expect(Self.error(["Personne"])?.hasPrefix("line 1: there is no column 'Personne'; ") == true)
        let near = "there is no column 'Jusq’au'; do you mean 'Jusqu’au'? There are: lender_id, borrower_id, day, "
        #expect(Self.error(["Jusq’au"])?.contains(near) == true)
        #expect(Self.error(["stat"])?.contains("do you mean 'state'?") == true)
    }

    @Test func `two heads of one column are refused with both, and so is a column that the database sets`() {
        #expect(
            Self.error(["state", "plain", "État"]) == "line 1: 'state' and 'État' are the same column, 'state'")
        #expect(
            Self.error(["plain", "Identifiant"])
                == "line 1: the database sets the column 'Identifiant': leave it out with --ignore id")
    }

    @Test func `a column is left out by its name, its label, or what the file has`() throws {
        #expect(try Self.check(["Identifiant", "plain"], ignoring: ["id"]).imported.map(\.name) == ["plain"])
        #expect(try Self.check(["id", "plain"], ignoring: ["identifiant"]).imported.map(\.name) == ["plain"])
        #expect(try Self.check(["Autre chose", "plain"], ignoring: ["Autre chose"]).imported.map(\.name) == ["plain"])
        // What the file has comes first: the other head of the column stays.
        #expect(try Self.check(["État", "state"], ignoring: ["État"]).columns.map { $0?.name } == [nil, "state"])
        #expect(Self.error(["plain"], ignoring: ["état"]) == "--ignore: the file has no column 'état'")
    }

    @Test func `a choice has its words or their labels, and a label of two words is none`() throws {
        let check = try Self.check(["lender_id", "state", "kind"])
        func values(_ state: String, _ kind: String) -> [String?] {
            check.check(Self.record(["1", state, kind], line: 2)).values
        }
        #expect(values("out", "short") == ["1", "out", "short"])
        #expect(values("prêté,  dehors", "Rare") == ["1", "out", "Rare"])
        #expect(values("Rendu", "Autre (long)") == ["1", "back", "long"])
        #expect(values("", "short (odd)") == ["1", nil, "odd"])
        let (_, problems) = check.check(Self.record(["1", "Perdu", "Autre"], line: 2))
        #expect(problems.map(\.column) == ["state", "kind"])
    }

    @Test func `problems name the column as the first line does`() throws {
        let check = try Self.check(["Personne (lender_id)", "jusqu'au"])
        let (_, problems) = check.check(Self.record(["1", "demain"], line: 3))
        #expect(problems.map(\.column) == ["jusqu'au"])
        let (_, unreadable) = check.check(Self.record(["1", nil], line: 4))
        #expect(unreadable.map(\.column) == ["jusqu'au"])
        // The file has no column for what is missing.
        let (_, missing) = try Self.check(["plain"]).check(Self.record(["x"], line: 5))
        #expect(missing.map(\.column) == ["lender_id"])
    }
}
