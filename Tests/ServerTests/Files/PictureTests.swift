import Foundation
import JSON
import TestPDF
import TestPostgres
import TestSupport
import Testing

/// mends.md, a drawing stalls every document: pictures are drawn apart from the server, once, within limits.
@Suite struct PictureTests {
    /// One path that crosses itself so often that to fill it takes many times longer than a drawing may.
    private static let endless = Array(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1000 1000'><path d='M0 0\(points)Z'/></svg>".utf8)
    private static let points = (1...30_000).map { " L\($0 * 7_919 % 1_000) \($0 * $0 % 997)" }.joined()

    /// The same drawing, in SQL.
    private static let endlessInSQL = """
        convert_to('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 1000"><path d="M0 0' || (
            SELECT string_agg(format(' L%s %s', i * 7919 % 1000, i * i % 997), '') FROM generate_series(1, 30000) AS i)
            || 'Z"/></svg>', 'UTF8')
        """

    private static func put(_ bytes: [UInt8], _ client: RPCClient) async throws -> HTTPConnection.Response {
        try await client.http.request(
            "PUT", "/files", headers: [("Authorization", "Bearer \(client.token ?? "")")], body: bytes)
    }

    private static func logo(_ kind: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: try ProjectFiles.root() + "/Tests/Cases/logo.\(kind)")))
    }

    private static let month: JSONValue = ["du": "2031-08-01", "au": "2031-08-31"]

    @Test func `a drawing without end is refused, and holds up neither calls nor documents of others`() async throws {
        let server = try await TestServer.start()
        let hostile = try await server.client()
        let user = try await server.client(TestServer.user)
        let refused = Task { try await Self.put(Self.endless, hostile) }
        let clock = ContinuousClock()
        let begun = clock.now
        for _ in 1...3 {
            let link = try await user.call("sessions.liste", Self.month)
            #expect(try await server.open(link).status == 200)
        }
        #expect(clock.now - begun < .seconds(10))
        // On a machine so busy that the drawing has not had its seconds of computing by then, the deadline ends it.
        let answer = try await refused.value
        #expect([413, 504].contains(answer.status), "\(answer.text)")
        #expect(answer.status == 504 || answer.text.contains("trop longue à dessiner"), "\(answer.text)")
        #expect(clock.now - begun < .seconds(14))
        #expect(try await server.database.psql("SELECT count(*) FROM kernel.files") == "0")
    }

    @Test func `a logo is drawn when it is given, and one that was given before when it is first shown`() async throws {
        let server = try await TestServer.start()
        let client = try await server.client()
        let organisme = try await client.call("organisme.ouvrir")
        func darkness() async throws -> Int {
            let link = try await client.call("sessions.liste", Self.month)
            return try await ReadPDF(try await server.open(link).body).darknessOfLogo(onPage: 0)
        }
        for kind in ["svg", "png"] {
            let given = try JSONValue.parse(try await Self.put(try Self.logo(kind), client).body)
            _ = try await client.call(
                "organisme.update", ["id": organisme["id"] ?? .null, "values": ["logo": given["id"] ?? .null]])
            #expect(try await server.database.psql("SELECT count(png) FROM kernel.file_pictures") == "1")
            try await server.database.psql("DELETE FROM kernel.file_pictures")
            #expect(try await darkness() > 300)
            #expect(try await server.database.psql("SELECT count(png) FROM kernel.file_pictures") == "1")
            // It is not drawn again.
            try await server.database.psql("DELETE FROM kernel.file_bytes")
            #expect(try await darkness() > 300)
            try await server.database.psql("DELETE FROM kernel.file_pictures")
        }
        // As it was kept by a version that drew pictures into each document.
        try await server.database.psql(
            "INSERT INTO kernel.file_bytes (file_id, bytes) SELECT logo, \(Self.endlessInSQL) FROM organisme")
        // On a busy machine the deadlines of some calls come before the picture's limit of computing.
        try await eventually("it is known that it cannot be drawn", within: .seconds(180)) {
            let link = try await client.call("sessions.liste", Self.month)
            let status = try await server.open(link).status
            #expect([200, 504].contains(status))
            return try await server.database.psql("SELECT count(*), count(png) FROM kernel.file_pictures") == "1|0"
        }
        #expect(try await darkness() < 300)
    }

    // MARK: Processes

    /// The processes of a server that draw.
    private static func drawers(of server: TestServer) throws -> [pid_t] {
        let parent = try #require(server.process.pid)
        return try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { pid_t($0) }.filter { id in
            // `12 (learntrack) S 11 …`: the process, its program, its state and its parent.
            let words = Self.read("/proc/\(id)/stat").split(separator: ")").last?.split(separator: " ") ?? []
            return words.count > 1 && words[1] == "\(parent)"
                && Self.read("/proc/\(id)/cmdline").contains("draw-picture")
        }
    }

    private static func read(_ path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }

    /// The process that draws, as soon as there is one.
    private static func drawer(of server: TestServer) async throws -> pid_t {
        var drawer: pid_t?
        try await eventually("a process draws") {
            drawer = try drawers(of: server).first
            return drawer != nil
        }
        return try #require(drawer)
    }

    /// As the kernel does when the machine has no memory left.
    @Test func `a picture whose process is ended from outside is kept, and drawn when it is first shown`() async throws
    {
        let server = try await TestServer.start()
        let client = try await server.client()
        let given = Task { try await Self.put(Self.endless, client) }
        kill(try await Self.drawer(of: server), SIGKILL)
        let answer = try await given.value
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try await server.database.psql("SELECT count(*) FROM kernel.file_pictures") == "0")
    }

    @Test func `a picture that could not be drawn once is drawn when it is given again`() async throws {
        let server = try await TestServer.start()
        let client = try await server.client()
        let logo = try Self.logo("svg")
        let first = try await Self.put(logo, client)
        try await server.database.psql("UPDATE kernel.file_pictures SET png = NULL")
        let second = try await Self.put(logo, client)
        #expect(second.status == 200 && second.text == first.text)
        let kept = "SELECT count(*), count(png), sum(length(png)) > 1000 FROM kernel.file_pictures"
        #expect(try await server.database.psql(kept) == "1|1|t")
        // What cannot be drawn now does not take the place of what was drawn.
        try await server.database.psql("SELECT kernel.file_picture_keep(file_id, NULL) FROM kernel.file_pictures")
        #expect(try await server.database.psql(kept) == "1|1|t")
    }

    @Test func `a client that leaves while its picture is drawn ends the process that draws`() async throws {
        let server = try await TestServer.start()
        let client = try await server.client()
        let connection = try server.connection()
        let head =
            "PUT /files HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(client.token ?? "")\r\n"
            + "Content-Length: \(Self.endless.count)\r\n\r\n"
        try await connection.send(Array(head.utf8) + Self.endless)
        let drawer = try await Self.drawer(of: server)
        // It computes no more, so that no limit ends it.
        kill(drawer, SIGSTOP)
        connection.shutdown()
        try await eventually("the process has ended", within: .seconds(6)) {
            try Self.drawers(of: server).isEmpty
        }
        #expect(try await client.call("auth.me")["id"] != nil)
    }

    /// Ten pixels a side, whose data inflates to 300 MB.
    private static let bomb = """
        import base64, struct, zlib
        chunk = lambda name, data: struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        packer = zlib.compressobj(9)
        data = b"".join(packer.compress(bytes(1000000)) for _ in range(300)) + packer.flush()
        print(base64.b64encode(b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 10, 10, 8, 6, 0, 0, 0))
            + chunk(b"IDAT", data) + chunk(b"IEND", b"")).decode())
        """

    @Test func `a picture whose data inflates to 300 MB is refused within seconds`() async throws {
        let made = try await ExternalProgram.run("/usr/bin/python3", ["-c", Self.bomb])
        let bomb = try #require(Data(base64Encoded: made.output.trimmingCharacters(in: .whitespacesAndNewlines)))
        let client = try await TestServer.running().client()
        let begun = ContinuousClock.now
        let answer = try await Self.put(Array(bomb), client)
        #expect(ContinuousClock.now - begun < .seconds(3))
        #expect(answer.status == 415, "\(answer.text)")
    }
}
