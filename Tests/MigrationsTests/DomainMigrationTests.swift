import PostgresDriver
import TestPostgres
import Testing

@testable import Migrations

/// Files of functions, and several domains in one database.
@Suite struct DomainMigrationTests {
    private static func function(_ name: String, _ body: String) -> String {
        "CREATE OR REPLACE FUNCTION public.\(name)() RETURNS integer LANGUAGE sql RETURN \(body);"
    }

    @Test func `files of functions are applied after the numbered ones, and again after each change`() async throws {
        try await MigrationFolder.with { folder in
            try folder.write(
                Self.function("answer", "(SELECT n FROM public.numbers)"), to: "kernel/functions/answer.sql")
            try folder.write(
                "CREATE TABLE public.numbers (n integer); INSERT INTO numbers VALUES (41);",
                to: "kernel/0002_numbers.sql")
            let applied = try await folder.migrator.up()
            #expect(applied == ["kernel/0001_first.sql", "kernel/0002_numbers.sql", "kernel/functions/answer.sql"])
            #expect(try await folder.migrator.up() == [])

            try folder.write(
                Self.function("answer", "(SELECT n + 1 FROM public.numbers)"), to: "kernel/functions/answer.sql")
            let changed = try await folder.migrator.status()
            #expect(changed.map(\.state) == [.applied, .applied, .pending])
            #expect(!changed.isUpToDate)
            #expect(try await folder.migrator.up() == ["kernel/functions/answer.sql"])
            #expect(try await folder.database.psql("SELECT answer()") == "42")
            #expect(try await folder.migrator.status().isUpToDate)
            #expect(try await folder.migrator.up() == [])
        }
    }

    @Test func `a function may call one whose file comes later`() async throws {
        try await MigrationFolder.with { folder in
            try folder.write(Self.function("a", "public.b() + 1"), to: "kernel/functions/a.sql")
            try folder.write(Self.function("b", "public.c() + 1"), to: "kernel/functions/b.sql")
            try folder.write(Self.function("c", "1"), to: "kernel/functions/c.sql")
            let applied = try await folder.migrator.up()
            #expect(
                applied.dropFirst() == ["kernel/functions/c.sql", "kernel/functions/b.sql", "kernel/functions/a.sql"])
            #expect(try await folder.database.psql("SELECT a()") == "3")
        }
    }

    @Test func `a function that calls one that is nowhere is an error with its line`() async throws {
        try await MigrationFolder.with { folder in
            try folder.write("\n" + Self.function("a", "public.nowhere()"), to: "kernel/functions/a.sql")
            try folder.write(Self.function("b", "1"), to: "kernel/functions/b.sql")
            let error = try await folder.error()
            #expect(error?.hasPrefix("migration kernel/functions/a.sql, line 2: ") == true, "\(error ?? "none")")
            // The last numbered file and the functions are applied together.
            #expect(try await folder.migrator.status().map(\.state) == [.pending, .pending, .pending])
        }
    }

    @Test func `a file of functions that was removed is left out of the status`() async throws {
        try await MigrationFolder.with { folder in
            try folder.write(Self.function("a", "1"), to: "kernel/functions/a.sql")
            try await folder.migrator.up()
            try folder.remove("kernel/functions/a.sql")
            #expect(try await folder.migrator.status().map(\.path) == ["kernel/0001_first.sql"])
            #expect(try await folder.error() == nil)
        }
    }

    @Test func `domains have numbers of their own, and what one requires comes first`() async throws {
        try await MigrationFolder.with { folder in
            try folder.write(
                "CREATE SCHEMA stock; CREATE TABLE stock.orders (id bigint REFERENCES crm.clients (id));",
                to: "stock/0001_tables.sql")
            try folder.write(
                "CREATE SCHEMA crm; CREATE TABLE crm.clients (id bigint PRIMARY KEY);", to: "crm/0001_tables.sql")
            try folder.write(Self.function("clients", "1"), to: "crm/functions/clients.sql")
            let stock = folder.source("stock", requires: ["crm"])
            let applied = try await folder.migrator(stock, folder.source("crm")).up()
            #expect(
                applied == [
                    "kernel/0001_first.sql", "crm/0001_tables.sql", "crm/functions/clients.sql",
                    "stock/0001_tables.sql",
                ])
            let status = try await folder.migrator(stock, folder.source("crm")).status()
            #expect(status.map(\.path) == applied)
            #expect(status.isUpToDate)
        }
    }

    @Test func `a domain that is not served leaves its schema alone`() async throws {
        try await MigrationFolder.with { folder in
            try folder.write("CREATE SCHEMA stock", to: "stock/0001_schema.sql")
            try await folder.migrator.up()
            #expect(try await folder.database.psql("SELECT to_regnamespace('stock') IS NULL") == "t")

            try await folder.migrator(folder.source("stock")).up()
            try folder.remove("stock/0001_schema.sql")
            #expect(try await folder.migrator.status().map(\.path) == ["kernel/0001_first.sql"])
            #expect(try await folder.error() == nil)
            #expect(try await folder.database.psql("SELECT to_regnamespace('stock') IS NULL") == "f")
        }
    }
}
