import Foundation
import Glibc
import Testing

@testable import EmbeddedPostgres

@Suite struct DataDirectoryTests {
    @Test func `a data directory keeps one secret, which only its owner may read`() async throws {
        try await TemporaryDataDirectory.with { temporary in
            let secret = try temporary.directory.serverSecret()
            #expect(secret.utf8.count == 64)
            let again = try temporary.directory.serverSecret()
            #expect(again == secret)
            var status = stat()
            #expect(stat(temporary.directory.secret, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
        }
    }

    @Test func `a secret that is too short to sign with is an error`() async throws {
        try await TemporaryDataDirectory.with { temporary in
            try Data("short\n".utf8).write(to: URL(fileURLWithPath: temporary.directory.secret))
            #expect(throws: EmbeddedPostgresError.self) { try temporary.directory.serverSecret() }
        }
    }

    @Test func `a path is relative to the working directory unless it begins with a slash`() throws {
        let here = FileManager.default.currentDirectoryPath
        #expect(try DataDirectory("data/../elsewhere").path == "\(here)/elsewhere")
        #expect(try DataDirectory("/srv/learntrack").path == "/srv/learntrack")
        #expect(try DataDirectory(nil).path == (geteuid() == 0 ? "/var/lib/learntrack" : "\(here)/.learntrack"))
    }
}

@Suite struct PostmasterFileTests {
    @Test(
        arguments: [
            ("17\n/data\n1\n5432\n/tmp/sock\n\n  1 2\nready   \n", "/tmp/sock", true),
            ("17\n/data\n1\n5432\n/tmp/sock\n\n  1 2\nstarting\n", "/tmp/sock", false),
            ("17\n", nil, false),
        ] as [(String, String?, Bool)])
    func `the file is read correctly at every stage of a start`(content: String, socket: String?, isReady: Bool) {
        let file = PostmasterFile(content: content)
        #expect(file?.process == 17)
        #expect(file?.socketDirectory == socket)
        #expect(file?.isReady == isReady)
    }

    @Test func `an empty file counts as missing`() {
        #expect(PostmasterFile(content: "") == nil)
    }
}
