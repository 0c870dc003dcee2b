import DomainKit
import Foundation
import JSON
import TestSupport
import Testing

@Suite struct OpenRPCTests {
    private static let cases = LearnTrackProcess.projectRoot.appendingPathComponent("Tests/Cases")

    @Test func `rpc.discover, /openrpc.json and learntrack openrpc return the same document`() async throws {
        let server = try await TestServer.running()
        let page = try await server.connection().request("GET", "/openrpc.json")
        #expect(page.status == 200)
        #expect(page.headers["content-type"] == "application/json")
        let answer = try await server.client(nil).post(#"{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}"#)
        #expect(answer.text == #"{"jsonrpc":"2.0","id":1,"result":\#(page.text)}"#)
        let command = try await LearnTrackProcess.run(["openrpc"])
        #expect(command.status == 0)
        #expect(command.output == page.text + "\n")
        #expect(command.errors == "")
    }

    @Test
    func
        `the document is valid OpenRPC 1.3.2, its schemas are valid JSONValue Schema draft-07, and its examples match them`()
        async throws
    {
        let scratch = try TemporaryFolder()
        let page = try await TestServer.running().connection().request("GET", "/openrpc.json")
        let document = try scratch.write(page.text, to: "openrpc.json")
        let check = try await ExternalProgram.run(
            "/usr/bin/python3",
            [
                Self.cases.appendingPathComponent("check_openrpc.py").path,
                Self.cases.appendingPathComponent("openrpc.schema.json").path, document.path,
            ])
        #expect(check.output == "")
        #expect(check.errors == "")
        #expect(check.status == 0)
    }

    @Test(arguments: [TestServer.admin, TestServer.user])
    func `x-roles lists exactly the roles that may call a method`(email: String) async throws {
        let server = try await TestServer.running()
        let description = try await ServiceDescription(of: server)
        let role = email == TestServer.admin ? "admin" : "user"
        let client = try await server.client(email)
        let nobody = try await server.client(nil)
        for method in description.methods {
            // With an unknown parameter, so that an allowed call has no effect.
            let code = try await client.response(method.name, ["inconnu": 1]).at("/error/code").int
            let isForbidden = !method.roles.isEmpty && !method.roles.contains(role)
            #expect(code == (isForbidden ? 403 : -32602), "\(method) as \(role)")
            let anonymous = try await nobody.response(method.name, ["inconnu": 1]).at("/error/code").int
            #expect(anonymous == (method.roles.isEmpty ? -32602 : 401), "\(method) as nobody")
        }
    }

    @Test func `x-http describes the paths beside rpc as the server answers them`() async throws {
        let server = try await TestServer.running()
        let description = try await ServiceDescription(of: server)
        let operations = description.document.at("/x-http").array
        #expect(
            operations.compactMap { $0["path"]?.text } == [
                "/openrpc.json", "/events", "/documents/{token}", "/files", "/files/{id}",
            ])
        for operation in operations {
            let path = (operation["path"]?.text ?? "").replacing("{token}", with: "x").replacing("{id}", with: "1")
            let methods = operation.at("/methods").array.compactMap(\.text)
            let posted = try await server.connection().request("POST", path)
            #expect(posted.status == 405, "\(path)")
            #expect(posted.headers["allow"] == methods.joined(separator: ", "))
            let anonymous = try await server.connection().request(methods.last ?? "HEAD", path)
            #expect((anonymous.status == 401) == (operation["authorization"] == "Bearer"), "\(path)")
        }

        let events = try #require(operations.first { $0["media_type"] == "text/event-stream" })
        // Each described parameter is known: a wrong value is explained at its name.
        let token = try await server.client().token ?? ""
        for parameter in events.at("/parameters").array {
            let name = parameter["name"]?.text ?? ""
            let isHeader = parameter["in"] == "header"
            let response = try await server.connection().request(
                "GET", isHeader ? "/events" : "/events?\(name)=x",
                headers: [("Authorization", "Bearer \(token)")] + (isHeader ? [(name, "x")] : []))
            #expect(response.status == 400)
            let path = try JSONValue.parse(response.body).at("/error/data/errors/0/path").text ?? ""
            #expect(path == "/\(name)" || path == "/\(name)/0")
        }
    }

    @Test func `summaries and descriptions are French, with French spacing`() async throws {
        let description = try await ServiceDescription(of: try await TestServer.running())
        var sentences: [String] = []
        func collect(_ value: JSONValue) {
            switch value {
            case .array(let elements): elements.forEach(collect)
            case .object(let object):
                for member in object.members {
                    if ["summary", "description", "message"].contains(member.name), let text = member.value.text {
                        sentences.append(text)
                    }
                    collect(member.value)
                }
            default: break
            }
        }
        collect(description.document)
        #expect(sentences.count > 200)
        for sentence in sentences {
            #expect(sentence.range(of: " [:;?!»]|« ", options: .regularExpression) == nil, "\(sentence)")
            #expect(
                sentence.range(of: "\\b(the|of|with|which|record|value)\\b", options: .regularExpression) == nil,
                "\(sentence)")
        }
    }
}
