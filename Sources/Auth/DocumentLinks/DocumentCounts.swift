import PostgresDriver
import Synchronization

/// How many documents the links of each company have opened, until it is written: no document waits for that.
final class DocumentCounts: Sendable {
    /// What is counted together. In all time zones a day begins with one of these quarters of an hour.
    struct Key: Hashable, Sendable {
        let company: Int64
        /// Since 1970.
        let quarter: Int64
    }

    private static let quarter = 900.0
    private let counts = Mutex<[Key: Int]>([:])
    private let clock: @Sendable () -> Double

    init(clock: @escaping @Sendable () -> Double) { self.clock = clock }

    func note(_ company: Int64) {
        let key = Key(company: company, quarter: Int64(clock() / Self.quarter))
        counts.withLock { $0[key, default: 0] += 1 }
    }

    /// What has not been written.
    func take() -> [Key: Int] {
        counts.withLock { counts in
            defer { counts = [:] }
            return counts
        }
    }

    /// To be called with what could not be written.
    func giveBack(_ taken: [Key: Int]) {
        counts.withLock { $0.merge(taken, uniquingKeysWith: +) }
    }

    /// The parameters of a statement: the companies, the moments in seconds since 1970, and the numbers.
    static func parameters(_ taken: [Key: Int]) -> [Parameter] {
        // Servers that write at once take the rows of companies in the same order.
        let all = taken.sorted { ($0.key.company, $0.key.quarter) < ($1.key.company, $1.key.quarter) }
        func array(_ values: [String]) -> Parameter { .text("{" + values.joined(separator: ",") + "}") }
        return [
            array(all.map { String($0.key.company) }),
            array(all.map { String($0.key.quarter * Int64(quarter)) }),
            array(all.map { String($0.value) }),
        ]
    }
}

extension AuthService {
    /// Counts a document that a link has opened, in the usage of its company. It is written by ``followDocuments(every:)``.
    package func noteDocument(of company: Int64) { documentCounts.note(company) }

    /// Writes how many documents links have opened, until the calling task is cancelled, and what is left then.
    package func followDocuments(every interval: Duration = .seconds(2)) async {
        while true {
            do { try await Task.sleep(for: interval) } catch { break }
            await writeDocuments()
        }
        await writeDocuments()
    }

    /// What cannot be written now is written the next time. Where nobody knows whether it was, it is not on the bill twice.
    func writeDocuments() async {
        let taken = documentCounts.take()
        guard !taken.isEmpty else { return }
        let database = database
        // The cancellation that ends the loop leaves alone what is under way.
        let isDone = await Task { () -> Bool in
            do throws(AuthError) {
                _ = try await database.transaction(
                    [Step(Self.documents, DocumentCounts.parameters(taken))], deadline: .now + .seconds(2))
                return true
            } catch .database(let error) {
                return !error.isRetrySafe
            } catch {
                return false
            }
        }.value
        if !isDone { documentCounts.giveBack(taken) }
    }

    private static let documents = Statement(
        """
        SELECT kernel.note_document(d.company, d.number, to_timestamp(d.at))
        FROM unnest($1::bigint[], $2::bigint[], $3::integer[]) WITH ORDINALITY AS d (company, at, number, place)
        ORDER BY d.place
        """)
}
