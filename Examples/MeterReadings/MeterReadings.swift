import Foundation
import PostgresDriver

/// Keeps the readings of electricity meters in Postgres: a small program that uses most of what PostgresDriver does.
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
        // Without a URL libpq's own variables and defaults hold: PGHOST, PGDATABASE, …
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
        } catch let error as Usage {
            complain(error.text)
            status = 64
        } catch {
            // The description shows no value of any row: it may go to a log.
            complain("\(error)")
            status = 1
        }
        await client.shutdown()
        exit(status)
    }

    struct Usage: Error {
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
        default: throw Usage()
        }
    }

    /// Prints every correction, until the program is interrupted.
    static func watch(_ meters: Meters) async throws {
        for await event in try meters.corrections() {
            switch event {
            case .listening(mayHaveMissed: false): say("watching")
            // The connection was away: whoever keeps a copy of something reads it anew now.
            case .listening(mayHaveMissed: true): say("watching again; corrections may have been missed")
            case .notification(let notification): say("corrected: \(notification.payload)")
            // It comes back by itself.
            case .interrupted(let error): complain("interrupted: \(error)")
            }
        }
    }

    /// At once, also into a file or a pipe.
    private static func say(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }

    private static func complain(_ text: String) {
        FileHandle.standardError.write(Data("\(text)\n".utf8))
    }
}

/// Standard input in chunks, each read when it is asked for: no more is held than the server takes.
struct StandardInput: AsyncSequence, AsyncIteratorProtocol {
    func makeAsyncIterator() -> StandardInput { self }

    func next() async throws -> [UInt8]? {
        // Reading blocks, so it happens where blocking harms nobody.
        let data = try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try FileHandle.standardInput.read(upToCount: 64 << 10) })
            }
        }
        return data.flatMap { $0.isEmpty ? nil : [UInt8]($0) }
    }
}
