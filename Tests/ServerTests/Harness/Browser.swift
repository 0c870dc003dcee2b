import DomainKit
import Foundation
import JSON
import TestSupport
import Testing

/// Headless Chromium, driven by chromedriver over the WebDriver protocol.
final class Browser: Sendable {
    private let driver: Driver
    private let session: String

    init() async throws {
        driver = try await Driver.listening()
        let options: JSONValue = [
            "args": [
                "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--lang=fr",
                "--window-size=1280,900", "--no-first-run", "--disable-background-networking",
            ],
            "binary": .string(try ExternalProgram.first(of: ["/usr/bin/chromium", "/usr/bin/chromium-browser"])),
        ]
        let started = try await driver.post(
            "/session",
            [
                "capabilities": [
                    "alwaysMatch": [
                        "browserName": "chrome", "goog:chromeOptions": options,
                        "goog:loggingPrefs": ["browser": "ALL", "performance": "ALL"],
                    ]
                ]
            ])
        guard let session = started["sessionId"]?.text else {
            throw TestEnvironmentError("no browser: \(started.json)")
        }
        self.session = session
    }

    /// The process group of the browser and of its driver.
    var processGroup: pid_t? {
        get throws { try driver.pid }
    }

    /// Closes the browser. The driver ends when this value is released.
    func close() async throws {
        _ = try await driver.send("DELETE", "/session/\(session)", nil)
    }

    func open(_ url: String) async throws {
        try await command("url", ["url": .string(url)])
    }

    /// Runs a script and returns its result.
    @discardableResult
    func run(_ script: String, _ arguments: JSONValue...) async throws -> JSONValue {
        try await command("execute/sync", ["script": .string(script), "args": .array(arguments)])
    }

    /// The value of an expression.
    func value(_ expression: String) async throws -> JSONValue { try await run("return (\(expression))") }

    /// The text of the element with this id.
    func text(_ id: String) async throws -> String {
        try await value("document.getElementById('\(id)').textContent").text ?? ""
    }

    func wait(until expression: String) async throws {
        try await eventually(expression) { try await value("Boolean(\(expression))") == true }
    }

    /// Clicks as a person does: fails when the element is covered or out of view.
    func click(_ selector: String) async throws {
        try await command("element/\(element(selector))/click", [:])
    }

    /// Types into an element, as a person does.
    func type(_ text: String, into selector: String) async throws {
        try await command("element/\(element(selector))/value", ["text": .string(text)])
    }

    /// Presses and releases keys, one after the other, in the focused element.
    func press(_ keys: Key...) async throws {
        for key in keys {
            let held = key.held.map { ["type": "keyDown", "value": .string($0)] as JSONValue }
            let released = key.held.map { ["type": "keyUp", "value": .string($0)] as JSONValue }
            let stroke: [JSONValue] = [
                ["type": "keyDown", "value": .string(key.code)], ["type": "keyUp", "value": .string(key.code)],
            ]
            try await command(
                "actions",
                [
                    "actions": [
                        [
                            "type": "key", "id": "keys",
                            "actions": .array([held].compactMap(\.self) + stroke + [released].compactMap(\.self)),
                        ]
                    ]
                ])
        }
    }

    struct Key: Sendable {
        let code: String
        var held: String?

        static let tab = Key(code: "\u{E004}")
        static let enter = Key(code: "\u{E007}")
        static let space = Key(code: " ")
        static let escape = Key(code: "\u{E00C}")
        static let right = Key(code: "\u{E014}")
        static let controlEnter = Key(code: "\u{E007}", held: "\u{E009}")

        static func character(_ character: String) -> Key { Key(code: character) }
    }

    func emulate(width: Int, height: Int) async throws {
        try await devTools(
            "Emulation.setDeviceMetricsOverride",
            ["width": JSONValue(width), "height": JSONValue(height), "deviceScaleFactor": 1, "mobile": false])
    }

    func prefer(dark: Bool) async throws {
        let feature: JSONValue = ["name": "prefers-color-scheme", "value": dark ? "dark" : "light"]
        try await devTools("Emulation.setEmulatedMedia", ["features": [feature]])
    }

    /// The console messages since the last call.
    func console() async throws -> [String] {
        try await log("browser").map { "\($0["level"]?.text ?? "") \($0["message"]?.text ?? "")" }
    }

    /// The URLs that the browser has requested since the last call.
    func requests() async throws -> [String] {
        try await log("performance").compactMap { entry in
            let event = try JSONValue.parse(Array((entry["message"]?.text ?? "{}").utf8)).at("/message")
            guard event["method"] == "Network.requestWillBeSent" else { return nil }
            return event.at("/params/request/url").text
        }
    }

    private func log(_ kind: String) async throws -> [JSONValue] {
        try await command("se/log", ["type": .string(kind)]).array
    }

    @discardableResult
    func devTools(_ name: String, _ params: JSONValue) async throws -> JSONValue {
        try await command("goog/cdp/execute", ["cmd": .string(name), "params": params])
    }

    private func element(_ selector: String) async throws -> String {
        let found = try await command("element", ["using": "css selector", "value": .string(selector)])
        guard case .object(let object) = found, let id = object.members.first?.value.text else {
            throw TestEnvironmentError("no element \(selector)")
        }
        return id
    }

    @discardableResult
    private func command(_ path: String, _ body: JSONValue) async throws -> JSONValue {
        try await driver.post("/session/\(session)/\(path)", body)
    }
}

/// A chromedriver process. It ends with its browsers when this value is released or the test process ends, however that
/// ends: a shell reads from a pipe and kills the process group when the pipe breaks.
private final class Driver: @unchecked Sendable {
    // Unchecked: `process` is not changed after `init`.
    private let process = Process()
    private let lifeline = Pipe()
    private static let watchdog = """
        setsid "$0" --port=0 </dev/null & echo $! >"$TMPDIR/pid"
        cat >/dev/null
        kill -KILL -$!
        """
    private let scratch: TemporaryFolder
    /// Nil if it does not listen.
    private let port: Int?

    init() async throws {
        let program = try ExternalProgram.first(of: ["/usr/bin/chromedriver", "/usr/lib/chromium/chromedriver"])
        scratch = try TemporaryFolder()
        let log = try scratch.write("", to: "out")
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", Self.watchdog, program]
        process.environment = ProcessInfo.processInfo.environment.merging(
            // The profile and the sockets of the browser are removed with the folder.
            ["TMPDIR": scratch.url.path, "HOME": scratch.url.path]
        ) { _, new in new }
        process.standardInput = lifeline
        process.standardOutput = try FileHandle(forWritingTo: log)
        process.standardError = FileHandle.nullDevice
        try process.run()
        var found: Int?
        let end = ContinuousClock.now + .seconds(20)
        while found == nil, ContinuousClock.now < end {
            // It prints the requested port first, then the actual one.
            let said = try scratch.text("out").components(separatedBy: "successfully on port ").dropFirst().last
            found = said.flatMap { Int($0.prefix(while: \.isNumber)) }
            try await Task.sleep(for: .milliseconds(5))
        }
        port = found
    }

    /// A process that listens. One of some hundreds does not, and another one takes its place.
    static func listening() async throws -> Driver {
        for _ in 0..<3 {
            let driver = try await Driver()
            if driver.port != nil { return driver }
        }
        throw TestEnvironmentError("chromedriver does not listen")
    }

    /// The process id of chromedriver, whose process group its browsers are in.
    var pid: pid_t? {
        get throws { pid_t(try scratch.text("pid").trimmingCharacters(in: .whitespacesAndNewlines)) }
    }

    deinit {
        do { try lifeline.fileHandleForWriting.close() } catch { kill(process.processIdentifier, SIGKILL) }
    }

    func post(_ path: String, _ body: JSONValue) async throws -> JSONValue {
        try await send("POST", path, body)
    }

    func send(_ method: String, _ path: String, _ body: JSONValue?) async throws -> JSONValue {
        let response = try await HTTPConnection(port: port ?? 0).request(
            method, path, headers: [("Content-Type", "application/json"), ("Connection", "close")],
            body: body.map { Array($0.json.utf8) })
        let answer = try JSONValue.parse(response.body)["value"] ?? .null
        if let fault = answer["error"]?.text {
            throw TestEnvironmentError("\(fault): \(answer["message"]?.text?.prefix(400) ?? "")")
        }
        return answer
    }
}
