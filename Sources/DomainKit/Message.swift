public import JSON

/// A message that leaves the service: what the phrase of a ``Notice`` makes.
public enum Message: Sendable, Equatable {
    /// A mail to one address, with the same content as plain text and as HTML, and files.
    case mail(to: String, subject: String, text: String, html: String, attachments: [Attachment] = [])
    /// An HTTP request with a JSON body: a webhook. The address is an `https` URL of a host with public addresses.
    ///
    /// A status from 200 to 299 says that it has left, and so does an answer among those of `accepts`. If there are `hosts`, it
    /// leaves to these only, and to those that the settings of the installation name.
    case request(
        method: String, url: String, headers: [String: String], body: JSONValue, accepts: [Answer] = [],
        hosts: Set<String> = [])

    /// A file that goes with a mail.
    public struct Attachment: Sendable, Equatable {
        /// Of the file, with its extension.
        public let name: String
        public let mediaType: String
        public let bytes: [UInt8]

        public init(name: String, mediaType: String, bytes: [UInt8]) {
            self.name = name
            self.mediaType = mediaType
            self.bytes = bytes
        }
    }

    /// What a receiver may answer to a request.
    public struct Answer: Sendable, Equatable {
        /// The status of the answer.
        public let status: Int
        /// Members that its JSON body has, among others.
        public let body: JSONObject

        /// Creates an answer with this status, and a body that has at least these members.
        public init(_ status: Int, body: JSONObject = JSONObject()) {
            self.status = status
            self.body = body
        }

        /// Whether an answer with this status and body is such a one.
        package func matches(_ status: Int, _ body: JSONValue) -> Bool {
            status == self.status && self.body.members.allSatisfy { body[$0.name] == $0.value }
        }
    }
}
