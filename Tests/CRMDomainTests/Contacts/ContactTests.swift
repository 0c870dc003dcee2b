import CRMDomain
import DomainKit
import JSON
import Testing

/// `contacts.lire`: the values of a record in a vCard or the text of a business card.
@Suite struct ContactTests {
    private func read(_ text: String, table: String? = nil) throws -> JSONValue {
        let method = try #require(CRM.domain.methods.first { $0.name == "lire" && $0.group == "contacts" })
        guard case .value(_, let answer) = method.answers else { return .null }
        return answer([], ["texte": .string(text), "table": table.map { .string($0) } ?? .null])
    }

    @Test(arguments: ContactCase.vCards + ContactCase.businessCards)
    func `each text has its values, and what is not understood`(example: ContactCase) throws {
        #expect(try read(example.text, table: example.table) == example.answer, "\(example.name)")
    }

    @Test(arguments: ContactCase.vCards + ContactCase.businessCards)
    func `each value is one that its column accepts`(example: ContactCase) throws {
        for table in ["clients", "formateurs"] {
            let entity = try #require(CRM.domain.entity(named: table))
            guard case .object(let values)? = try read(example.text, table: table)["values"] else {
                Issue.record("no values")
                continue
            }
            #expect(entity.problems(in: values, for: .update) == [], "\(example.name)")
        }
    }

    @Test func `no word of a text is lost`() throws {
        for example in ContactCase.businessCards where example.name != "a value too long for its column" {
            let answer = try read(example.text)
            var found = (answer["incompris"] ?? .null).texts
            if case .object(let values)? = answer["values"] { found += values.members.compactMap(\.value.text) }
            let words = Set(found.flatMap { $0.split { !$0.isLetter }.map(String.init) })
            // Labels, titles and numbers aside.
            let labels: Set = [
                "SIRET", "TVA", "FR", "NDA", "T", "Tél", "Mobile", "Mme", "F", "M", "E", "bureau", "Ligne", "directe",
            ]
            for word in example.text.split(whereSeparator: { !$0.isLetter }).map(String.init)
            where !labels.contains(word) {
                #expect(words.contains(word), "\(example.name): \(word)")
            }
        }
    }

    @Test func `a text without an end, or of noise, is answered within bounds`() throws {
        let texts = [
            "BEGIN:VCARD\nN;ENCODING=QUOTED-PRINTABLE:=C3=", "BEGIN:VCARD\n:\n;;;\nTEL;:\n=", "=\n=\n=",
            "\u{FEFF}BEGIN:VCARD",
            String(repeating: "A:", count: 50_000), String(repeating: "0123456789 ", count: 10_000),
            "BEGIN:VCARD\n" + String(repeating: "X-A;B=\"C:D\":E\\\n", count: 5_000),
            String(repeating: "\u{0}é@\n", count: 20_000),
        ]
        for text in texts {
            let answer = try read(text)
            #expect(answer["table"] != nil)
            #expect((answer["incompris"] ?? .null).texts.count <= 100)
            #expect((answer["incompris"] ?? .null).texts.allSatisfy { $0.count <= 200 })
        }
    }
}

extension JSONValue {
    fileprivate var texts: [String] {
        if case .array(let elements) = self { elements.compactMap(\.text) } else { [] }
    }
}
