import NIOCore
import NIOHTTP1

/// One request on its way to its response. Belongs to its connection's event loop; a class because it goes through many
/// hands and has many fields.
final class Exchange {
    let requestID: String
    /// nil when no head could be read.
    let head: HTTPRequestHead?
    let fields: RequestFields
    /// The request's path when the server knows it.
    let path: String?
    var destination: Routes.Destination
    /// Whether the connection ends with this response.
    var closes: Bool
    var body = ByteBuffer()
    /// What it took from the budget and must give back.
    var reserved = 0
    var bytesReceived = 0
    /// When the request was complete.
    var completed: NIODeadline?
    /// When its answer must be ready.
    var deadline: ContinuousClock.Instant?
    let record = RequestRecord()

    init(
        requestID: String, head: HTTPRequestHead?, fields: RequestFields, route: Routes.Route, closes: Bool
    ) {
        self.requestID = requestID
        self.head = head
        self.fields = fields
        path = route.path
        destination = route.destination
        self.closes = closes
    }

    /// A refusal of something that was no request.
    static func refused(_ refusal: Refusal, requestID: String) -> Exchange {
        Exchange(
            requestID: requestID, head: nil, fields: RequestFields([:]),
            route: Routes.Route(path: nil, destination: .refusal(refusal)), closes: true)
    }

    func refuse(_ refusal: Refusal, closing: Bool) {
        destination = .refusal(refusal)
        closes = closes || closing
        body = ByteBuffer()
    }
}
