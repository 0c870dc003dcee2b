package import JSON

/// A path that the service answers beside `POST /rpc`, for its description. The endpoint takes its path from here.
package struct HTTPOperation: Sendable {
    /// As a parameter object of OpenAPI 3.
    package struct Parameter: Sendable {
        package enum Place: String, Sendable {
            case query, header, path
        }

        let name: String
        let place: Place
        let schema: JSONValue
        let summary: String

        package init(name: String, place: Place, schema: JSONValue, summary: String) {
            self.name = name
            self.place = place
            self.schema = schema
            self.summary = summary
        }
    }

    /// An event of a stream.
    package struct Event: Sendable {
        let name: String
        let summary: String
        /// The JSON Schema of its data.
        let data: JSONValue

        package init(name: String, summary: String, data: JSONValue) {
            self.name = name
            self.summary = summary
            self.data = data
        }
    }

    /// Parts in braces are parameters.
    package let path: String
    var methods = ["GET", "HEAD"]
    let summary: String
    var needsToken = false
    /// The media type of the answer; nil if it depends on the path.
    var mediaType: String?
    var parameters: [Parameter] = []
    var events: [Event] = []
    /// What a request brings; nil without a body.
    var body: String?
    /// The JSON Schema of the answer, where it has one.
    var answer: JSONValue?

    package init(
        path: String, methods: [String] = ["GET", "HEAD"], summary: String, needsToken: Bool = false,
        mediaType: String? = nil, parameters: [Parameter] = [], events: [Event] = [], body: String? = nil,
        answer: JSONValue? = nil
    ) {
        self.path = path
        self.methods = methods
        self.summary = summary
        self.needsToken = needsToken
        self.mediaType = mediaType
        self.parameters = parameters
        self.events = events
        self.body = body
        self.answer = answer
    }

    var description: JSONValue {
        let description: JSONValue = [
            "path": .string(path), "methods": .array(methods.map { .string($0) }), "summary": .string(summary),
        ]
        return description.adding("authorization", needsToken ? "Bearer" : nil)
            .adding("parameters", .array(parameters.map(\.description)))
            .adding("media_type", mediaType.map { .string($0) })
            .adding("body", body.map { .string($0) })
            .adding("answer", answer)
            .adding("events", events.isEmpty ? nil : .array(events.map(\.description)))
    }
}

extension HTTPOperation.Parameter {
    fileprivate var description: JSONValue {
        let description: JSONValue = [
            "name": .string(name), "in": .string(place.rawValue), "required": .bool(place == .path),
            "description": .string(summary), "schema": schema,
        ]
        // The elements of a list in a query are separated by commas.
        return place == .query ? description.adding("style", "form").adding("explode", false) : description
    }
}

extension HTTPOperation.Event {
    fileprivate var description: JSONValue {
        ["name": .string(name), "summary": .string(summary), "data": data]
    }
}
