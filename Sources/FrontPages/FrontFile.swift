import Crypto
import FoundationEssentials
import HTTPServer
import NIOCore
import NIOHTTP1
import TextEncodings

/// A file of the front in memory.
struct FrontFile: Sendable {
    /// How long a browser may keep a file.
    enum Caching: Sendable {
        /// The name has a hash of the content.
        case forever
        /// The server is asked each time whether the content is still the same.
        case asked

        fileprivate var directive: String {
            switch self {
            // A year.
            case .forever: "public, max-age=31536000, immutable"
            case .asked: "no-cache"
            }
        }
    }

    let whole: HTTPResponse
    private let unchanged: HTTPResponse
    private let tag: String

    /// - Parameter headers: what the content needs beside its type and its caching.
    init(_ content: [UInt8], _ type: FrontMediaType, _ caching: Caching, headers: [(name: String, value: String)] = [])
    {
        // The tag is weak because it stands for the compressed content too.
        tag = "W/\"\(Base64URL.encode(SHA256.hash(data: content)).prefix(22))\""
        let headers =
            [(name: "ETag", value: tag), (name: "Cache-Control", value: caching.directive)] + headers
        var whole = HTTPResponse(contentType: type.name, body: ByteBuffer(bytes: content), headers: headers)
        whole.isCompressible = type.isText
        whole.cachedGzip = CachedGzip()
        self.whole = whole
        unchanged = HTTPResponse(
            status: .notModified,
            headers: headers + (type.isText ? [(name: "Vary", value: "Accept-Encoding")] : []))
    }

    /// The file, or 304 without its bytes if the client has them.
    func response(to request: EndpointRequest) -> HTTPResponse {
        request.headers.hasMatch(for: tag) ? unchanged : whole
    }
}
