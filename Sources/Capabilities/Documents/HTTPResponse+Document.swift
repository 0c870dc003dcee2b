import Crypto
import DomainKit
package import HTTPServer
import NIOCore
import NIOHTTP1
import TextEncodings

extension HTTPResponse {
    /// Forbids a picture again what was checked when it was given: scripts, and whatever is elsewhere.
    package static let isolation = (
        name: "Content-Security-Policy",
        value: "default-src 'none'; img-src data:; style-src 'unsafe-inline'; sandbox"
    )

    /// A document, or 304 without its bytes if the client has them.
    package static func document(_ document: Document, for request: EndpointRequest) -> HTTPResponse {
        let tag = "\"" + Base64URL.encode(SHA256.hash(data: document.bytes)) + "\""
        var headers = [
            (name: "ETag", value: tag),
            // A link may end at any time, so that the server is asked each time.
            (name: "Cache-Control", value: "private, no-cache"),
        ]
        guard !request.headers.hasMatch(for: tag) else { return HTTPResponse(status: .notModified, headers: headers) }
        headers += [
            (name: "Content-Disposition", value: ContentDisposition.value(for: document)),
            // The address of the document is a secret.
            (name: "Referrer-Policy", value: "no-referrer"),
        ]
        if document.kind.mediaType.hasPrefix("image/") { headers.append(isolation) }
        var response = HTTPResponse(
            contentType: document.kind.mediaType, body: ByteBuffer(bytes: document.bytes), headers: headers)
        response.isCompressible = false
        return response
    }
}

/// The header that names the file of a document (RFC 6266).
package enum ContentDisposition {
    static func value(for document: Document) -> String {
        let name = fileName(document.name)
        // Old clients read the first name, in ASCII; others the second one (RFC 8187).
        return (document.kind.isShown ? "inline" : "attachment") + "; filename=\"\(ascii(name))\"; filename*=UTF-8''"
            + name.percentEncoded()
    }

    /// The name without what a file system or a header cannot have.
    package static func fileName(_ name: String) -> String {
        let scalars = name.unicodeScalars.map { scalar -> Unicode.Scalar in
            let isControl = [.control, .format, .lineSeparator, .paragraphSeparator]
                .contains(scalar.properties.generalCategory)
            return isControl || "/\\:*?\"<>|".unicodeScalars.contains(scalar) ? "-" : scalar
        }
        let kept = String(String.UnicodeScalarView(scalars)).drop { $0 == "." || $0 == " " }
        return kept.isEmpty ? "document" : String(kept.prefix(150))
    }

    private static func ascii(_ name: String) -> String {
        name.map(ascii).joined()
    }

    /// What resembles a character that is not ASCII: `e` for `é`, `oe` for `œ`; `_` if nothing does.
    private static func ascii(_ character: Character) -> String {
        // The character may have marks. Old clients decode what follows a percent sign.
        guard let scalar = character.unicodeScalars.first, scalar != "%" else { return "_" }
        if scalar.isASCII { return String(scalar) }
        switch scalar.properties.generalCategory {
        case .spaceSeparator: return " "
        case .dashPunctuation: return "-"
        case .initialPunctuation, .finalPunctuation: return "'"
        default: break
        }
        if scalar == "ß" { return "ss" }
        // Such as LATIN SMALL LETTER E WITH ACUTE, LATIN CAPITAL LIGATURE OE.
        let words = scalar.properties.name?.split(separator: " ") ?? []
        guard words.count > 3, words[0] == "LATIN", ["LETTER", "LIGATURE"].contains(words[2]), words[3].count <= 2,
            words.count == 4 || words[4] == "WITH"
        else { return "_" }
        return words[1] == "SMALL" ? words[3].lowercased() : String(words[3])
    }
}
