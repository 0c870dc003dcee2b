import Crypto
import DomainKit
import Foundation
import JSON
import Testing

/// Opens links to documents, and forges them with code of its own.
extension TestServer {
    /// The response to a link, which is opened without a token.
    func open(
        _ link: JSONValue, _ method: String = "GET", headers: [(String, String)] = []
    ) async throws -> HTTPConnection.Response {
        try await open(url: try #require(link["url"]?.text), method, headers: headers)
    }

    func open(
        url: String, _ method: String = "GET", headers: [(String, String)] = []
    ) async throws -> HTTPConnection.Response {
        try await connection().request(method, url, headers: headers)
    }
}

enum ForgedLink {
    /// The payload of a link.
    static func payload(of url: String) throws -> [String: Any] {
        let text = String(url.dropFirst("/documents/".count).prefix { $0 != "." })
        var base64 = text.replacing("-", with: "+").replacing("_", with: "/")
        while base64.count % 4 != 0 { base64 += "=" }
        let data = try #require(Data(base64Encoded: base64))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    static func url(_ payload: [String: Any], secret: String = TestServer.secret) throws -> String {
        let text = base64URL(try JSONSerialization.data(withJSONObject: payload))
        let key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: Data(secret.utf8)), info: Data("document link".utf8),
            outputByteCount: 32)
        let code = HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key)
        return "/documents/\(text).\(base64URL(Data(code)))"
    }

    private static func base64URL(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
