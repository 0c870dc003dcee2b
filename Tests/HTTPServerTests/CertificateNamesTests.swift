import Testing

@testable import HTTPServer

@Suite struct CertificateNamesTests {
    private let names = CertificateNames(
        hosts: ["*.exemple.fr", "Learntrack.Example"],
        addresses: [[192, 0, 2, 1], [UInt8](repeating: 0, count: 15) + [1]])

    @Test(arguments: ["learntrack.example", "LEARNTRACK.EXAMPLE", "a.exemple.fr", "192.0.2.1", "[::1]"])
    func `a host that the certificate is for is covered`(host: String) {
        #expect(names.cover(host))
    }

    @Test(arguments: [
        "", "exemple.fr", ".exemple.fr", "a.b.exemple.fr", "*.exemple.fr.evil.example", "evil.example", "192.0.2.2",
        "::1", "[::2]", "learntrack.example.",
    ])
    func `any other host is not`(host: String) {
        #expect(!names.cover(host))
    }

    @Test func `the first host is one that a client can connect to`() {
        #expect(names.firstHost == "learntrack.example")
        #expect(CertificateNames(hosts: ["*.exemple.fr"]).firstHost == nil)
    }
}
