import Foundation
import TestSupport
import Testing

/// Commands on a data directory that was mistyped.
@Suite struct MissingDatabaseTests {
    @Test(arguments: [
        ["doctor"], ["export", "formateurs"], ["export", "person", "claire@exemple.fr"],
        ["export", "person", "formateurs", "1"], ["backup", "/dev/null/none"], ["psql", "--", "-c", "SELECT 1"],
        ["explain", "0123456789ab"], ["migrate", "status"], ["user", "list"], ["user", "disable", "claire@exemple.fr"],
        ["user", "password", "claire@exemple.fr"], ["user", "erase", "claire@exemple.fr", "--yes"],
        ["erase", "formateurs", "1", "--yes"],
    ])
    func `a command that needs a database creates none, and names the directory and the remedy`(
        command: [String]
    ) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/mistyped"
        for isThere in [false, true] {
            if isThere { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) }
            let run = try await LearnTrackProcess.run(
                command, environment: ["LEARNTRACK_DATA_DIR": path], input: "un mot de passe\n")
            #expect(run.status != 0)
            let text = run.output + run.errors
            #expect(text.contains("there is no database in \(path)"), "\(text)")
            #expect(text.contains("--data-dir"), "\(text)")
            let content = isThere ? try FileManager.default.contentsOfDirectory(atPath: path) : []
            #expect(content.isEmpty)
            #expect(isThere || !FileManager.default.fileExists(atPath: path))
        }
    }
}
