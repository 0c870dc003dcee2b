package import Testing

/// Polls until `condition` holds. Fails the test, and throws, when it does not hold within the limit.
///
/// ```swift
/// try await eventually("the server listens") { server.isListening }
/// ```
/// - Parameters:
///   - what: what the test waits for, for the failure message; evaluated at the time of the failure.
///   - limit: far longer than any machine should need, since a test that passes never waits that long.
package func eventually(
    _ what: @autoclosure () -> String = "the condition holds", within limit: Duration = .seconds(60),
    sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + limit
    while try await !condition() {
        try #require(
            ContinuousClock.now < end, "not within \(limit): \(what())", sourceLocation: sourceLocation)
        try await Task.sleep(for: .milliseconds(5))
    }
}

/// Why a test cannot go on: something that it needs is missing or does not work.
package struct TestEnvironmentError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
