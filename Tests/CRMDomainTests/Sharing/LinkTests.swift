import DomainKit
import Foundation
import JSON
import Testing

/// The URLs that open a mail program or a messenger with everything filled in.
@Suite struct LinkTests {
    @Test func `a mailto URL contains the recipient, the subject and the whole text (SHARE-04, US-17)`() throws {
        let answer = try SharedSessions.share(tricky, "email", "client")
        let link = try #require(answer["url"]?.text)
        let parts = try #require(URLComponents(string: link))
        #expect(parts.scheme == "mailto")
        #expect(parts.path == "achats+formation@client.example")
        let query = Dictionary(uniqueKeysWithValues: (parts.queryItems ?? []).map { ($0.name, $0.value) })
        #expect(query["subject"] == answer["subject"]?.text)
        #expect(query["body"]??.replacing("\r\n", with: "\n") == answer["text"]?.text)
        #expect(query.count == 2)
        #expect(link.contains("%0D%0A") && !link.replacing("%0D%0A", with: "").contains("%0A"))
        #expect(isURI(link))
    }

    @Test func `an sms URL contains the number in its international form (RFC 5724)`() throws {
        let answer = try SharedSessions.share(tricky, "sms", "formateur")
        let link = try #require(answer["url"]?.text)
        let parts = try #require(URLComponents(string: link))
        #expect(parts.scheme == "sms")
        #expect(parts.path == "+33612345678")
        #expect(parts.queryItems?.map(\.name) == ["body"])
        #expect(parts.queryItems?.first?.value == answer["text"]?.text)
        #expect(isURI(link))
    }

    @Test func `without an address the URL has no recipient`() throws {
        for (format, start) in ["email": "mailto:?subject=", "sms": "sms:?body="] {
            for audience in SharedSessions.audiences {
                let link = try SharedSessions.share(SharedSessions.least, format, audience)["url"]?.text
                #expect(link?.hasPrefix(start) == true)
            }
            let unreachable = SharedSessions.complete.with(["formateur": ["email": nil, "telephone_uri": nil]])
            let link = try SharedSessions.share(unreachable, format, "formateur")["url"]?.text
            #expect(link?.hasPrefix(start) == true)
        }
    }

    @Test func `an unusual address cannot add recipients or headers`() throws {
        let odd = SharedSessions.complete.with(["formateur": ["email": "a&b=c?d%e/f#g@exemple.fr"]])
        let link = try #require(try SharedSessions.share(odd, "email", "formateur")["url"]?.text)
        #expect(link.hasPrefix("mailto:a%26b%3Dc%3Fd%25e%2Ff%23g@exemple.fr?subject="))
    }

    @Test func `the formats text and discord have neither subject nor URL`() throws {
        for format in ["text", "discord"] {
            let answer = try SharedSessions.share(SharedSessions.complete, format, "formateur")
            #expect(answer["subject"] == nil && answer["url"] == nil)
        }
        #expect(try SharedSessions.share(SharedSessions.complete, "sms", "client")["subject"] == nil)
    }

    private let tricky = SharedSessions.complete.with([
        "module": "C++ & C# : 100 % «objets» ? #1 = a;b", "lieu": "3 rue de l'Été, 35000 Rennes",
    ])

    /// Whether it has only characters that RFC 3986 allows in a URI.
    private func isURI(_ link: String) -> Bool {
        link.utf8.allSatisfy { byte in
            switch Unicode.Scalar(byte) {
            case "a"..."z", "A"..."Z", "0"..."9": true
            default: "-._~:/?#[]@!$&'()*+,;=%".utf8.contains(byte)
            }
        }
    }
}
