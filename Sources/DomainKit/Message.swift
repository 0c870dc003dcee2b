public import JSON

/// A message that leaves the service: what the phrase of a ``Notice`` makes.
public enum Message: Sendable, Equatable {
    /// A mail to one address, with the same content as plain text and as HTML.
    case mail(to: String, subject: String, text: String, html: String)
    /// An HTTP request with a JSON body: a webhook. The address is an `https` URL of a host with public addresses.
    case request(method: String, url: String, headers: [String: String], body: JSONValue)
}
