import DomainKit
import Foundation
import JSON
import TestSupport

/// Creates rows for one test, so that tests can share a server.
struct Fixtures: Sendable {
    let client: RPCClient
    /// A word that the rows of no other test contain.
    let mark: String

    /// Signs in as the admin of the shared server.
    init(_ server: TestServer? = nil) async throws {
        let server = if let server { server } else { try await TestServer.running() }
        client = try await server.client()
        mark =
            "zq" + UUID().uuidString.lowercased().filter(\.isLetter).prefix(10)
            + String(UInt32.random(in: 0..<1_000_000))
    }

    func formateur(_ values: [(String, JSONValue)] = []) async throws -> Int {
        try await create("formateurs", [("prenom", "Élodie"), ("nom", .string("Dupré \(mark)"))] + values)
    }

    func client(_ values: [(String, JSONValue)] = []) async throws -> Int {
        try await create("clients", [("raison_sociale", .string("Société \(mark)"))] + values)
    }

    func ecole(_ values: [(String, JSONValue)] = []) async throws -> Int {
        try await create("ecoles", [("nom", .string("École \(mark)"))] + values)
    }

    func session(_ values: [(String, JSONValue)] = []) async throws -> Int {
        try await create("sessions", Self.session(module: "Module \(mark)", values))
    }

    /// The required values of a session, with `values` put over them.
    static func session(module: String = "SwiftUI", _ values: [(String, JSONValue)] = []) -> [(String, JSONValue)] {
        [("module", .string(module)), ("date", "2026-01-12"), ("debut", "09:00"), ("fin", "17:00"), ("modalite", "P")]
            + values
    }

    /// Creates a row; later values replace earlier ones of the same name.
    func create(_ table: String, _ values: [(String, JSONValue)]) async throws -> Int {
        let row = try await client.call("\(table).create", ["values": .merging(values), "select": "{ id }"])
        guard let id = row["id"]?.int else { throw TestEnvironmentError("no id: \(row.json)") }
        return id
    }
}

extension JSONValue {
    /// An object in which later values replace earlier ones of the same name.
    static func merging(_ values: [(String, JSONValue)]) -> JSONValue {
        var merged: [(String, JSONValue)] = []
        for (name, value) in values {
            if let index = merged.firstIndex(where: { $0.0 == name }) {
                merged[index].1 = value
            } else {
                merged.append((name, value))
            }
        }
        return .object(.init(merged.map { .init($0.0, $0.1) }))
    }

    init(_ id: Int) { self = .number(String(id)) }
}
