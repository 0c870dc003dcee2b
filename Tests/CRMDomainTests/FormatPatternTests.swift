import Testing

@testable import CRMDomain
@testable import DomainKit

@Suite struct FormatPatternTests {
    /// Of these the pattern cannot know the check sum.
    private static let checked = ["siret"]

    @Test func everyFormatDocumentsAnExampleItAccepts() throws {
        for column in CRM.domain.entities.flatMap(\.columns) {
            guard let format = column.format else { continue }
            let example = try #require(format.example, "\(format.name)")
            #expect(format.accepts(example), "\(format.name): \(example)")
        }
    }

    @Test func aPatternMatchesTheTextsItsFormatAcceptsAndNoOthers() throws {
        var patterns: [String: Regex<AnyRegexOutput>] = [:]
        var count = 0
        for item in try RuleCases.load().columns {
            let column = CRM.domain.entity(named: item.table)?.column(named: item.column)
            guard let format = column?.format, let text = item.value.text else { continue }
            let source = try #require(format.pattern, "\(format.name)")
            let pattern = try patterns[source] ?? Regex(source).matchingSemantics(.unicodeScalar)
            patterns[source] = pattern
            let isMatched = try pattern.wholeMatch(in: text) != nil
            if format.accepts(text) || !Self.checked.contains(format.name) {
                #expect(isMatched == format.accepts(text), "\(format.name): \(text)")
            }
            count += 1
        }
        #expect(count > 100)
    }
}
