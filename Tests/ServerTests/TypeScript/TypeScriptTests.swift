import Foundation
import Testing

/// `learntrack client typescript`, compiled by the distribution's compiler and run by node.
@Suite("The TypeScript client")
struct TypeScriptTests {
    private static let programs = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Programs")
    private static let compiler = "/usr/bin/tsc"
    private static let options = [
        "--strict", "--noUncheckedIndexedAccess", "--noImplicitReturns", "--exactOptionalPropertyTypes",
        "--noUnusedLocals",
        "--target", "es2021", "--lib", "es2021,dom", "--module", "commonjs", "--pretty", "false",
    ]

    /// A folder with the client as the command prints it, and copies of programs beside it.
    private func folder(_ programs: [String]) async throws -> Scratch {
        let scratch = try Scratch()
        let command = try await LearnTrackProcess.run(["client", "typescript"])
        #expect(command.status == 0)
        #expect(command.errors == "")
        #expect(!command.output.contains("import "), "it depends on nothing")
        try scratch.write(command.output, to: "client.ts")
        for program in programs {
            try FileManager.default.copyItem(
                at: Self.programs.appendingPathComponent(program), to: scratch.url(program))
        }
        return scratch
    }

    @Test("knows what calls take and answer, and refuses exactly what is wrong")
    func types() async throws {
        let scratch = try await folder(["types.ts", "mistakes.ts"])
        let check = try await ExternalProgram.run(
            Self.compiler, Self.options + ["--noEmit", "types.ts", "mistakes.ts"], in: scratch.folder)
        let complaints = check.output.split(separator: "\n").filter { !$0.hasPrefix(" ") }.map(String.init)
        let mistakes = try scratch.text("mistakes.ts").components(separatedBy: "\n")
        let expected = mistakes.indices.filter { mistakes[$0].hasSuffix("// error") }.map { "mistakes.ts(\($0 + 1)" }
        #expect(expected.count > 20)
        let places = Set(complaints.compactMap { $0.split(separator: ",").first.map(String.init) })
        #expect(places == Set(expected), "\(check.output)")
        #expect(complaints.contains { $0.contains("« modul » n’existe pas sur sessions") })
    }

    @Test("signs in, lists, fails, renews once for parallel calls, batches and signs out")
    func journey() async throws {
        let scratch = try await folder(["journey.ts"])
        let check = try await ExternalProgram.run(Self.compiler, Self.options + ["journey.ts"], in: scratch.folder)
        #expect(check.output == "")
        #expect(check.status == 0)
        let server = try await TestServer.running()
        let run = try await ExternalProgram.run(
            ExternalProgram.first(of: ["/usr/bin/node", "/usr/local/bin/node"]),
            [
                scratch.url("journey.js").path, "http://127.0.0.1:\(server.port)", TestServer.admin,
                TestServer.password, TestServer.secret,
            ], in: scratch.folder)
        #expect(run.output == "done\n", "\(run.errors)")
        #expect(run.status == 0)
    }
}
