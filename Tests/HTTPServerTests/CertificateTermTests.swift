import Testing

@testable import HTTPServer

@Suite struct CertificateTermTests {
    private static let day = 86_400

    @Test func `a certificate of ninety days ends soon in its last fourteen, one of six days in its last`() {
        for (days, soon) in [(90, 14), (365, 14), (6, 1)] {
            let term = CertificateTerm(begins: 1_000_000, ends: 1_000_000 + days * Self.day)
            let firstSoon = term.ends - soon * Self.day + 1
            #expect(term.state(at: term.begins - 1) == .tooEarly)
            #expect(term.state(at: term.begins) == .valid)
            #expect(term.state(at: firstSoon - 1) == .valid, "\(days) days")
            #expect(term.state(at: firstSoon) == .endsSoon, "\(days) days")
            #expect(term.state(at: term.ends - 1) == .endsSoon)
            #expect(term.state(at: term.ends) == .ended)
        }
    }
}
