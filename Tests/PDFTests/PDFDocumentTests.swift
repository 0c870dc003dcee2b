import PDF
import TestPDF
import Testing

/// Documents as readers of PDF see them.
@Suite struct PDFDocumentTests {
    static func document(_ blocks: [PDFBlock], created: String = "2026-08-03T10:00:00Z") -> PDFDocument {
        PDFDocument(
            title: "Invoice “7”", author: "Ada & Co", language: "en-GB", created: created, blocks: blocks,
            footer: ["Ada & Co, 1 Some Street"], runningHead: ("Invoice", "Ada & Co"),
            pageLabel: { "Page \($0) of \($1)" })
    }

    static func read(_ blocks: [PDFBlock]) async throws -> ReadPDF {
        try await ReadPDF(try document(blocks).bytes())
    }

    @Test func `blocks are read in their order`() async throws {
        let pdf = try await Self.read([
            .heading("One", level: 1), .paragraph("Two three"), .bullets(["Four", "Five"]),
            .fields([PDFField("Six", "Seven")]),
            .columns([PDFColumn([.paragraph("Eight")]), PDFColumn(isFramed: true, [.paragraph("Nine")])]),
            .table(
                PDFTable(
                    columns: [.init("Ten", share: 1), .init("Eleven", share: 2, alignment: .trailing)],
                    rows: [.init(["Twelve", "Thirteen"])])),
        ])
        #expect(
            pdf.text == "One Two three • Four • Five Six Seven Eight Nine Ten Eleven Twelve Thirteen "
                + "Page 1 of 1 Ada & Co, 1 Some Street")
        pdf.expectTidyLayout()
    }

    @Test(arguments: ["line\n", "A long line of the foot. "])
    func `a foot takes a quarter of the page at most`(text: String) async throws {
        let foot = String(repeating: text, count: 2_000)
        let document = PDFDocument(
            title: "Invoice", author: "Ada & Co", language: "en-GB", created: "2026-08-03T10:00:00Z",
            blocks: [.paragraph("Start"), .space(300), .paragraph("End")], footer: [foot, foot],
            runningHead: ("Invoice", "Ada & Co"), pageLabel: { "Page \($0) of \($1)" })
        let pdf = try await ReadPDF(try document.bytes())
        #expect(pdf.pages.count == 1)
        pdf.expectTidyLayout()
    }

    @Test func `the file tells its title, author, date and size, and that it is tagged`() async throws {
        let information = try await Self.read([.paragraph("Text")]).information("-isodates")
        for line in [
            #"Title: +Invoice “7”"#, "Author: +Ada & Co", "CreationDate: +2026-08-03T10:00:00", "Tagged: +yes",
            #"Page size: +595\.\d+ x 841\.\d+ pts \(A4\)"#,
        ] {
            let expression = try Regex(line)
            #expect(information.firstMatch(of: expression) != nil, "\(line)\n\(information)")
        }
    }

    @Test func `the file tells its language`() throws {
        let bytes = try Self.document([.paragraph("Text")]).bytes()
        #expect(String(decoding: bytes, as: UTF8.self).contains("/Lang (en-GB)"))
    }

    @Test func `headings, lists and tables have their structure`() async throws {
        let pdf = try await Self.read([
            .heading("One", level: 2), .paragraph("Two"), .bullets(["Three"]),
            .table(PDFTable(columns: [.init("Four", share: 1)], rows: [.init(["Five"])])),
        ])
        let elements = try await pdf.information("-struct").split(separator: "\n")
            .map { $0.split(separator: " ")[0] }
        #expect(elements == ["H2", "P", "L", "LI", "Lbl", "LBody", "Table", "TR", "TH", "TR", "TD"])
    }

    @Test func `every font is embedded, and running text is in Lato`() async throws {
        let fonts = try await Self.read([.heading("Title", level: 1), .paragraph("Text, שלום, سلام")]).fonts()
        let strangers = fonts.filter { !$0.isEmbedded }
        #expect(strangers.isEmpty)
        #expect(fonts.contains { $0.name.hasSuffix("+Lato-Regular") })
        #expect(fonts.contains { $0.name.hasSuffix("+Lato-Bold") })
    }

    @Test func `the same document has the same bytes, also on several threads`() async throws {
        let document = Self.document([.heading("Title", level: 1), .paragraph("Text 🔥 שלום"), Self.table(80)])
        let first = try document.bytes()
        let others = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<8 { group.addTask { try document.bytes() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let differing = others.filter { $0 != first }.count
        #expect(differing == 0)
        let later = try Self.document([], created: "2026-08-04T10:00:00Z").bytes()
        let earlier = try Self.document([]).bytes()
        #expect(later != earlier)
    }

    static func table(_ count: Int) -> PDFBlock {
        .table(
            PDFTable(
                columns: [.init("Number", share: 1), .init("Words", share: 3)],
                rows: (1...count).map { .init(["row\($0)", PDFText(String(repeating: "word ", count: $0 % 30))]) }))
    }

    @Test func `a table goes on over pages below its head, each row once and whole`() async throws {
        let pdf = try await Self.read([Self.table(120)])
        #expect(pdf.pages.count > 2)
        for (index, page) in pdf.pages.enumerated() {
            #expect(page.words.filter { $0.text == "Number" }.count == 1)
            #expect(pdf.text(ofPage: index).contains("Page \(index + 1) of \(pdf.pages.count)"))
        }
        let rows = pdf.pages.flatMap(\.words).map(\.text).filter { $0.hasPrefix("row") }
        #expect(rows == (1...120).map { "row\($0)" })
        pdf.expectTidyLayout()
    }

    @Test func `a cell that is higher than a page goes on over pages`() async throws {
        let long = (1...2_000).map { "w\($0)" }
        let table = PDFTable(
            columns: [.init("A", share: 1), .init("B", share: 1)],
            rows: [.init(["short", PDFText(long.joined(separator: " "))]), .init(["last", "row"])])
        let pdf = try await Self.read([.table(table)])
        #expect(pdf.pages.count > 2)
        #expect(pdf.pages.flatMap(\.words).map(\.text).filter { $0.hasPrefix("w") } == long)
        pdf.expectTidyLayout()
    }

    @Test func `a long text among blocks that stay together is broken, with two lines at least on each side`()
        async throws
    {
        let words = (1...600).map { "w\($0)" }
        for height in stride(from: 300.0, through: 640, by: 17) {
            let pdf = try await Self.read([
                .paragraph("Start"), .space(height),
                .together([
                    .heading("Heading", level: 2), .paragraph(PDFText(words.joined(separator: " "))), .space(100),
                    .paragraph("End"),
                ]),
            ])
            let heading = try #require(pdf.pages.firstIndex { $0.words.contains { $0.text == "Heading" } })
            let end = try #require(pdf.pages.firstIndex { $0.words.contains { $0.text == "End" } })
            for page in [heading, end] {
                let lines = Set(pdf.pages[page].words.filter { $0.text.hasPrefix("w") }.map { $0.bottom.rounded() })
                #expect(lines.count >= 2, "\(height): page \(page)")
            }
            #expect(pdf.pages.flatMap(\.words).map(\.text).filter { $0.hasPrefix("w") } == words)
            pdf.expectTidyLayout()
        }
    }

    /// mends.md, 20: "An article is not torn from page one for two lines".
    @Test(arguments: [(5, 4), (9, 4), (30, 4), (5, 2), (9, 2)])
    func `fields and lists are not torn for a row or two`(count: Int, least: Int) async throws {
        let block: PDFBlock =
            least == 4
            ? .fields((1...count).map { PDFField("Label", PDFText("row\($0)")) })
            : .bullets((1...count).map { PDFText("row\($0)") })
        for height in stride(from: 480.0, through: 700, by: 9) {
            let pdf = try await Self.read([
                .paragraph("Start"), .space(height), .paragraph("Middle"), .heading("Heading", level: 2), block,
                .paragraph("End"),
            ])
            let all = pdf.pages.flatMap(\.words).map(\.text).filter { $0.hasPrefix("row") }
            #expect(all == (1...count).map { "row\($0)" })
            let rows = pdf.pages.map { page in page.words.count { $0.text.hasPrefix("row") } }
            #expect(rows.allSatisfy { $0 == 0 || $0 >= least }, "\(height): \(rows)")
            let heading = try #require(pdf.pages.firstIndex { $0.words.contains { $0.text == "Heading" } })
            #expect(rows[heading] >= least, "\(height): \(rows)")
            pdf.expectTidyLayout()
        }
    }

    @Test func `a heading is on the page of its paragraph, and blocks that stay together are on one page`() async throws
    {
        // Wherever the page ends, the heading is not the last line of one.
        for height in stride(from: 560.0, through: 700, by: 7) {
            let pdf = try await Self.read([
                .paragraph("Start"), .space(height), .paragraph("Middle"), .heading("Heading", level: 2),
                .paragraph("Following"),
                .together([.paragraph("First"), .space(40), .paragraph("Second"), .paragraph("Third")]),
            ])
            let places = try ["Heading", "Following", "First", "Third"].map { word in
                try #require(pdf.pages.firstIndex { $0.words.contains { $0.text == word } })
            }
            #expect(places[0] == places[1] && places[2] == places[3], "\(height): \(places)")
            pdf.expectTidyLayout()
        }
    }
}
