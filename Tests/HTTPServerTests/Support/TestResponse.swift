@testable import HTTPServer

struct TestResponse {
    let status: Int
    private(set) var headers: [(name: String, value: String)] = []
    let body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }

    subscript(name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    func all(_ name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    /// The error's code in a body that ``Answers`` wrote.
    var errorCode: String? { text.split(separator: " ").first.map(String.init) }

    /// The response that begins at `start`; advances `start` to its end. nil when it has not been received completely.
    static func take(from bytes: [UInt8], _ start: inout Int, isHead: Bool) -> TestResponse? {
        guard let end = endOfHead(in: bytes, from: start) else { return nil }
        let lines = String(decoding: bytes[start..<end], as: UTF8.self).split(separator: "\r\n")
        guard let first = lines.first, let status = Int(first.split(separator: " ")[1]) else { return nil }
        let headers = lines.dropFirst().compactMap { line -> (name: String, value: String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (String(line[..<colon]), String(line[line.index(after: colon)...].drop { $0 == " " }))
        }
        let length = headers.first { $0.name.lowercased() == "content-length" }.flatMap { Int($0.value) } ?? 0
        let bodyLength = isHead ? 0 : length
        guard bytes.count - end >= bodyLength else { return nil }
        start = end + bodyLength
        return TestResponse(status: status, headers: headers, body: Array(bytes[end..<start]))
    }

    private static func endOfHead(in bytes: [UInt8], from start: Int) -> Int? {
        var index = start + 3
        while index < bytes.count {
            if bytes[index] == 0x0A, bytes[index - 2] == 0x0A { return index + 1 }
            index += 1
        }
        return nil
    }

    private init(status: Int, headers: [(name: String, value: String)], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
