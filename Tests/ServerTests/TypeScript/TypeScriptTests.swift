import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

/// The output of `learntrack client typescript`, compiled by the distribution's compiler and run by node.
@Suite struct TypeScriptTests {
    private static let programs = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Programs")
    private static let compiler = "/usr/bin/tsc"
    private static let options = [
        "--strict", "--skipDefaultLibCheck", "--noUncheckedIndexedAccess", "--noImplicitReturns",
        "--exactOptionalPropertyTypes", "--noUnusedLocals",
        "--target", "es2021", "--lib", "es2021,dom", "--module", "commonjs", "--pretty", "false",
    ]

    /// The options that the header of the file requires.
    private static let least = ["--strict", "--target", "es2018", "--lib", "es2018,dom"]
    private static var node: String {
        get throws { try ExternalProgram.first(of: ["/usr/bin/node", "/usr/local/bin/node"]) }
    }

    /// A folder with the output of the command and copies of `programs`.
    private func folder(_ programs: [String]) async throws -> TemporaryFolder {
        let scratch = try TemporaryFolder()
        let command = try await LearnTrackProcess.run(["client", "typescript"])
        #expect(command.status == 0)
        #expect(command.errors == "")
        #expect(!command.output.contains("import "), "it has no dependencies")
        try scratch.write(command.output, to: "client.ts")
        for program in programs {
            try FileManager.default.copyItem(
                at: Self.programs.appendingPathComponent(program), to: scratch.url(program))
        }
        return scratch
    }

    @Test func `result types are inferred, and exactly the mistakes are rejected with an explanation`() async throws {
        let scratch = try await folder(["types.ts", "selections.ts", "mistakes.ts"])
        let check = try await ExternalProgram.run(
            Self.compiler, Self.options + ["--noEmit", "types.ts", "selections.ts", "mistakes.ts"], in: scratch.url)
        let complaints = check.output.split(separator: "\n").filter { !$0.hasPrefix(" ") }.map(String.init)
        let mistakes = Self.mistakes(in: try scratch.text("mistakes.ts"))
        #expect(mistakes.count > 70)
        let places = Set(complaints.compactMap { $0.split(separator: ",").first.map(String.init) })
        #expect(places == Set(mistakes.map(\.place)), "\(check.output)")
        for (place, words) in mistakes {
            let said = complaints.filter { $0.hasPrefix("\(place),") }
            #expect(words.isEmpty || said.contains { $0.contains(words) }, "\(place)) does not say \(words): \(said)")
        }
    }

    /// The places where the compiler must report an error, in its notation, and a part of the message.
    private static func mistakes(in program: String) -> [(place: String, words: String)] {
        program.components(separatedBy: "\n").enumerated().compactMap { index, line in
            guard let mark = line.range(of: "// error") else { return nil }
            return ("mistakes.ts(\(index + 1)", String(line[mark.upperBound...].drop { $0 == ":" || $0 == " " }))
        }
    }

    @Test func `the examples of the documentation compile`() async throws {
        let scratch = try await folder([])
        try FileManager.default.moveItem(at: scratch.url("client.ts"), to: scratch.url("learntrack.ts"))
        let page = try String(
            contentsOf: LearnTrackProcess.projectRoot.appending(path: "docs/typescript.md"), encoding: .utf8)
        let examples = page.matches(of: /```ts\n((?:.*\n)*?)```/).map { String($0.1) }
        #expect(examples.count > 6)
        // The first one has the imports and the client. The others are independent of each other.
        let program = examples.prefix(1) + examples.dropFirst().map { "{\n\($0)}\n" }
        try scratch.write(program.joined(), to: "examples.ts")
        let options = [
            "--strict", "--skipDefaultLibCheck", "--target", "es2021", "--lib", "es2021,dom", "--module", "es2022",
            "--moduleResolution", "node",
        ]
        let check = try await ExternalProgram.run(
            Self.compiler, options + ["--pretty", "false", "--noEmit", "examples.ts"], in: scratch.url)
        #expect(check.output == "")
        #expect(check.status == 0)
    }

    @Test func `the header names the requirements, and lines have at most 120 characters`() async throws {
        let scratch = try await folder([])
        let client = try scratch.text("client.ts")
        let lines = client.components(separatedBy: "\n")
        #expect(lines[0].hasPrefix("// LearnTrack "))
        #expect(lines.prefix(12).contains { $0.contains(Self.least.joined(separator: " ")) })
        #expect(lines.filter { $0.count > 120 } == [])
        #expect(lines.filter { $0.hasSuffix(" ") } == [])
        let translated = try await Self.examine(scratch, by: "erasable.js")
        #expect(translated.output == "done\n", "\(translated.errors)")
    }

    @Test func `labels are literals, which a bundler leaves out of a program that does not use them`() async throws {
        let names = ["labels", "choices", "methodLabels", "parameterLabels", "parameterChoices"]
        let examined = try await Self.examine(try await folder([]), by: "literals.js", names)
        #expect(examined.output == "done\n", "\(examined.errors)")
    }

    /// Runs a program that reads the client with the compiler's own parser.
    private static func examine(
        _ scratch: TemporaryFolder, by program: String, _ arguments: [String] = []
    ) async throws -> ExternalProgram.Outcome {
        let parser = URL(fileURLWithPath: compiler).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().path
        return try await ExternalProgram.run(
            node, [programs.appendingPathComponent(program).path, parser, scratch.url("client.ts").path] + arguments,
            in: scratch.url)
    }

    @Test func `malformed answers fail calls, and only a refused renewal signs out`() async throws {
        try await run("faults", compiledWith: Self.least + ["--module", "commonjs", "--pretty", "false"])
    }

    @Test func `a feed continues after every interruption, and a call whose answer is lost is executed once`()
        async throws
    {
        try await run("repetitions", compiledWith: Self.least + ["--module", "commonjs", "--pretty", "false"])
    }

    @Test func `a listener receives each change once over connections that are cut, and ends by break and by signal`()
        async throws
    {
        let cluster = try await TestCluster.start()
        try await run("listening", on: TestServer.start(database: TestDatabase.create(on: cluster)))
    }

    /// Compiles a program, runs it, and expects that it says that it is done.
    /// - Parameter server: the server that the program uses, if it needs one.
    private func run(_ program: String, compiledWith options: [String] = options, on server: TestServer? = nil)
        async throws
    {
        let scratch = try await folder(["\(program).ts"])
        let check = try await ExternalProgram.run(Self.compiler, options + ["\(program).ts"], in: scratch.url)
        #expect(check.output == "")
        #expect(check.status == 0)
        var arguments = [scratch.url("\(program).js").path]
        if let server {
            arguments += [
                "http://127.0.0.1:\(server.port)", TestServer.admin, TestServer.password, TestServer.secret,
            ]
        }
        let run = try await ExternalProgram.run(Self.node, arguments, in: scratch.url)
        #expect(run.output == "done\n", "\(run.errors)")
        #expect(run.status == 0)
    }

    @Test func `a page signs in by cookie, continues after it was loaded again, and knows who may do what`()
        async throws
    {
        try await run("cookie", on: TestServer.running())
    }

    @Test func `a client signs in, lists, fails, renews once for parallel calls, batches and signs out`() async throws {
        try await run("journey", on: TestServer.running())
    }
}
