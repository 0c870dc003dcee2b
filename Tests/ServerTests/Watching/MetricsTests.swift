import DomainKit
import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

@Suite struct MetricsTests {
    @Test func `the check of metrics finds each fault that promtool names`() {
        for (text, problem) in [
            ("# HELP a_total x\n# TYPE a_total gauge\na_total 1\n", "a_total: _total and gauge"),
            ("# HELP a x\n# TYPE a counter\na 1\n", "a: _total and counter"),
            ("# TYPE a gauge\na 1\n", "no HELP before TYPE: a"),
            ("# HELP a_ms x\n# TYPE a_ms gauge\na_ms 1\n", "a_ms: unit ms"),
            ("# HELP a_count x\n# TYPE a_count gauge\na_count 1\n", "a_count: reserved suffix"),
            ("# HELP a x\n# TYPE a gauge\na{b=\"1\"} 1\na{b=\"1\"} 2\n", "twice: a{b=\"1\"} 2"),
            ("# HELP a x\n# TYPE a gauge\nb 1\n", "outside its family: b 1"),
        ] {
            #expect(PrometheusLint(text).problems == [problem], "\(text)")
        }
    }

    @Test func `metrics are answered on an address of their own, and cover what the server consists of`() async throws {
        let server = try await TestServer.start(["--metrics-address", "127.0.0.1:0"])
        let client = try await server.client()
        _ = try await client.call("auth.me")
        let prefix = "Metrics on http://127.0.0.1:"
        var line: Substring?
        try await eventually("the address is printed") {
            let lines = server.process.output.split(separator: "\n")
            line = lines.first { $0.hasPrefix(prefix) && $0.hasSuffix("/metrics") }
            return line != nil
        }
        let port = try #require(line.flatMap { Int($0.dropFirst(prefix.count).dropLast("/metrics".count)) })

        let answer = try await HTTPConnection(port: port).request("GET", "/metrics")
        #expect(answer.status == 200)
        #expect(answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
        let lint = PrometheusLint(answer.text)
        #expect(lint.problems == [])
        for (name, type) in [
            ("learntrack_build_info", "gauge"), ("rpc_calls_total", "counter"), ("rpc_stage_seconds", "histogram"),
            ("database_connections", "gauge"), ("database_calls_waiting", "gauge"),
            ("database_wait_seconds_total", "counter"), ("database_placements_total", "counter"),
            ("database_events_total", "counter"), ("database_cancel_requests_total", "counter"),
            ("http_bytes_held_max", "gauge"), ("http_refused_total", "counter"), ("work_waiting", "gauge"),
            ("event_listeners", "gauge"), ("event_lag_seconds", "gauge"), ("outbox_waiting", "gauge"),
            ("job_last_end_seconds", "gauge"),
        ] {
            #expect(lint.types[name] == type, "\(name)")
        }
        let text = answer.text
        #expect(text.contains("rpc_calls_total{method=\"auth.me\",code=\"0\"} 1\n"), "\(text)")
        #expect(text.contains("database_events_total{event=\"connected\",pool=\"learntrack_admin\"}"))
        #expect(!text.contains("database_placements_total{kind=\"quick_read\",pool=\"learntrack_auth\"} 0\n"))

        let rebound = try HTTPConnection(port: port)
        try await rebound.send("GET /metrics HTTP/1.1\r\nHost: evil.example:\(port)\r\n\r\n")
        #expect(try #require(try await rebound.receive()).status == 404)
        #expect(try await HTTPConnection(port: port).request("GET", "/health/live").status == 404)
        #expect(try await HTTPConnection(port: port).request("POST", "/rpc", body: []).status == 404)
        #expect(try await server.connection().request("GET", "/metrics").status == 404)
        #expect(try await server.stop() == 0)
    }

    @Test func `metrics are answered beside the service to programs on this machine only`() async throws {
        let server = try await TestServer.running()
        let answer = try await server.connection().request("GET", "/metrics")
        #expect(answer.status == 200)
        #expect(PrometheusLint(answer.text).problems == [])
        for header in ["X-Forwarded-For: 192.0.2.7", "Forwarded: for=192.0.2.7", "X-Real-IP: 192.0.2.7"] {
            let connection = try server.connection()
            try await connection.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\(header)\r\n\r\n")
            let proxied = try #require(try await connection.receive())
            #expect(proxied.status == 404, "\(header)")
            #expect(proxied.text.contains("not_found"))
        }
        // A page of a site that lets its own name resolve to 127.0.0.1.
        let rebound = try server.connection()
        try await rebound.send("GET /metrics HTTP/1.1\r\nHost: evil.example:\(server.port)\r\n\r\n")
        #expect(try #require(try await rebound.receive()).status == 404)
    }

    @Test func `behind a proxy the public listener has no metrics, whatever headers a request has`() async throws {
        let server = try await TestServer.start(["--behind-proxy"])
        let refused = try await server.connection().request("GET", "/metrics")
        #expect(refused.status == 404)
        #expect(try await server.connection().request("GET", "/health/live").status == 200)
        #expect(try await server.stop() == 0)
    }

    @Test func `a metrics address without a port is an error that shows one with a port`() async throws {
        let run = try await LearnTrackProcess.run(["serve", "--metrics-address", "127.0.0.1"])
        #expect(run.status != 0)
        #expect(run.errors.contains("--metrics-address: host:port, such as 127.0.0.1:9100"), "\(run.errors)")
    }
}
