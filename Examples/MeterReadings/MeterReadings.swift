import Foundation
import PostgresDriver

/// Stores the readings of electricity meters in Postgres: a small program that uses most of PostgresDriver.
///
///     export DATABASE_URL=postgres://localhost/energy
///     MeterReadings create
///     MeterReadings load < readings.csv               # lines such as meter-7,2026-11-21T12:00Z,1042.5
///     MeterReadings watch &
///     MeterReadings correct meter-7 2026-11-21T12:00Z 1043.0
///     MeterReadings report meter-7
///     MeterReadings export > all.csv
@main
struct MeterReadings {
    static func main() async {
        // Without a URL, libpq uses its own variables and defaults: PGHOST, PGDATABASE, …
        var configuration = PostgresClient.Configuration(
            connectionString: ProcessInfo.processInfo.environment["DATABASE_URL"] ?? "")
        configuration.applicationName = "meter readings"
        configuration.settings = ["TimeZone": "UTC"]
        configuration.poolSize = 2
        let client = PostgresClient(configuration)
        let status: Int32
        do {
            try await run(Array(CommandLine.arguments.dropFirst()), Meters(client))
            status = 0
        } catch let error as UsageError {
            printError(error.text)
            status = 64
        } catch {
            // The description contains no value of any row, so it may be logged.
            printError("\(error)")
            status = 1
        }
        await client.shutdown()
        exit(status)
    }

    struct UsageError: Error {
        let text = """
            usage: MeterReadings create | load | export | watch
                   MeterReadings correct METER INSTANT KWH
                   MeterReadings report METER
            """
    }

    static func run(_ arguments: [String], _ meters: Meters) async throws {
        switch (arguments.first, arguments.count) {
        case ("create", 1): try await meters.create()
        case ("load", 1):
            let (read, new) = try await meters.load(StandardInput())
            print("\(read) lines read, \(new) readings new")
        case ("correct", 4):
            let isChanged = try await meters.correct(arguments[1], at: arguments[2], to: arguments[3])
            print(isChanged ? "corrected" : "nothing to correct")
        case ("report", 2):
            for day in try await meters.consumption(of: arguments[1]) { print("\(day.date)  \(day.kWh) kWh") }
        case ("export", 1):
            for try await chunk in meters.export() { FileHandle.standardOutput.write(Data(chunk)) }
        case ("watch", 1): try await watch(meters)
        default: throw UsageError()
        }
    }

    /// Prints every correction, until the program is interrupted.
    static func watch(_ meters: Meters) async throws {
        for await event in try meters.corrections() {
            switch event {
            case .listening(mayHaveMissed: false): printLine("watching")
            // The connection was lost meanwhile. A program that keeps a copy of the readings would read them again now.
            case .listening(mayHaveMissed: true): printLine("watching again; corrections may have been missed")
            case .notification(let notification): printLine("corrected: \(notification.payload)")
            // The listener reconnects by itself.
            case .interrupted(let error): printError("interrupted: \(error)")
            }
        }
    }

    /// Writes without buffering, so that a file or a pipe gets the line at once.
    private static func printLine(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }

    private static func printError(_ text: String) {
        FileHandle.standardError.write(Data("\(text)\n".utf8))
    }
}

/// Standard input in chunks. Each is read when the server can take it, so that memory use stays small.
struct StandardInput: AsyncSequence, AsyncIteratorProtocol {
    func makeAsyncIterator() -> StandardInput { self }

    func next() async throws -> [UInt8]? {
        // Reading blocks, so it runs on a Dispatch queue and not on a thread of the concurrency pool.
        let data = try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try FileHandle.standardInput.read(upToCount: 64 << 10) })
            }
        }
        return data.flatMap { $0.isEmpty ? nil : [UInt8]($0) }
    }
}
