import Auth
import JSON
import PostgresDriver
import RPCServer

/// The database's record of changes. It is read on the primary: a replica does not know which transactions still run.
struct ChangeLog: Sendable {
    /// Connections of a role that may read all changes.
    let database: PostgresClient

    /// Some of the changes after a position.
    struct Page: Sendable {
        let changes: [FeedChange]
        /// Where to continue.
        let end: ChangeCursor
        /// Whether there may be more changes already.
        let isFull: Bool
        /// False if changes after the position may be missing: they have been removed since, or the position is of
        /// another database. Then there are no changes, and `end` is the present position.
        let isContinuous: Bool
    }

    /// The position after every change that is visible now. Changes of transactions that still run come after it.
    func position(deadline: ContinuousClock.Instant) async throws(PostgresError) -> ChangeCursor {
        // No database has this timeline, so that the page has no changes and ends at the present position.
        let nowhere = ChangeCursor(timeline: 0, transaction: 0, change: 0)
        return try await page(after: nowhere, first: 0, deadline: deadline).end
    }

    func page(
        after cursor: ChangeCursor, first: Int, for share: Share? = nil, deadline: ContinuousClock.Instant
    ) async throws(PostgresError) -> Page {
        let parameters: [Parameter] = [
            .text(String(cursor.transaction)), .text(String(cursor.change)), .text(String(first)),
        ]
        var rows = try await database.query(
            Self.changes, parameters, for: share, expecting: .quick, deadline: deadline
        ).withRow()
        if rows.isNull(0, 3) {
            // Somebody has deleted the note of what was removed. Pruning enters it again, and says so in the log.
            _ = try await prune(keeping: .zero, atMost: 0)
            rows = try await database.query(
                Self.changes, parameters, for: share, expecting: .quick, deadline: deadline
            ).withRow()
        }
        return Page(rows, after: cursor, first: first)
    }

    /// Removes changes that are older than the retention.
    func prune(keeping retention: Duration, atMost count: Int) async throws(PostgresError) -> Int {
        let seconds = retention.components.seconds
        let rows = try await database.transaction(
            [Step(Self.pruning, [.text(String(seconds)), .text(String(count))])], deadline: .now + .seconds(10))
        return rows.first?.text(0, 0).flatMap { Int($0) } ?? 0
    }

    /// The first columns are the same in all rows, and there is always one row. The fourth is null if there is no note of
    /// what was removed. The changes are visible as one snapshot has
    /// them: those of transactions below the oldest one that runs.
    private static let changes = Statement(
        """
        SELECT ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::bigint::text,
            pg_snapshot_xmin(s.present)::text, $1::text::xid8 <= pg_snapshot_xmax(s.present),
            ($1::text::xid8, $2::bigint) >= (r.xid, r.id),
            EXISTS (SELECT FROM kernel.changes AS k WHERE k.xid = $1::text::xid8 AND k.id = $2::bigint),
            c.xid::text, c.id::text, c.table_name, c.row_id::text, c.operation, c.version::text, c.owned::text,
            c.company_id::text
        FROM (SELECT pg_current_snapshot() AS present) AS s
        LEFT JOIN kernel.changes_removed AS r ON true
        LEFT JOIN LATERAL (
            SELECT * FROM kernel.changes AS e
            WHERE (e.xid, e.id) > ($1::text::xid8, $2::bigint) AND e.xid < pg_snapshot_xmin(s.present)
            ORDER BY e.xid, e.id
            LIMIT $3::bigint
        ) AS c ON true
        ORDER BY c.xid, c.id
        """)
    private static let pruning = Statement(
        "SELECT kernel.feed_prune(make_interval(secs => $1::double precision), $2::integer)::text")
}

extension ChangeLog.Page {
    fileprivate init(_ rows: Rows, after cursor: ChangeCursor, first: Int) {
        let timeline = rows.text(0, 0).flatMap { UInt32($0) } ?? 0
        let present = ChangeCursor(
            timeline: timeline, transaction: rows.text(0, 1).flatMap { UInt64($0) } ?? 0, change: 0)
        let isKnown = rows.text(0, 4) == "t"
        let isOfTimeline = cursor.timeline == timeline && rows.text(0, 2) == "t"
        // After a promotion a position counts only if its change has reached the new primary: then so has every
        // transaction that had ended before it was read.
        guard isOfTimeline || isKnown, isKnown || rows.text(0, 3) == "t" else {
            self.init(changes: [], end: present, isFull: false, isContinuous: false)
            return
        }
        let changes = (0..<rows.count).compactMap { FeedChange(rows, $0, timeline: timeline) }
        let isFull = changes.count == first
        let start = ChangeCursor(timeline: timeline, transaction: cursor.transaction, change: cursor.change)
        let last = changes.last?.cursor ?? start
        // All transactions below the oldest one that runs have ended.
        let end = !isFull && last.precedes(present) ? present : last
        self.init(changes: changes, end: end, isFull: isFull, isContinuous: true)
    }
}

extension FeedChange {
    /// Nil if the row has no change.
    fileprivate init?(_ rows: Rows, _ row: Int, timeline: UInt32) {
        guard let transaction = rows.text(row, 5).flatMap({ UInt64($0) }),
            let change = rows.text(row, 6).flatMap({ Int64($0) }), let table = rows.text(row, 7)
        else { return nil }
        let cursor = ChangeCursor(timeline: timeline, transaction: transaction, change: change)
        guard let record = rows.text(row, 8) else {
            self = .emptied(table: table, at: cursor)
            return
        }
        guard let operation = rows.text(row, 9).flatMap(RecordChange.Operation.init) else { return nil }
        self = .record(
            RecordChange(
                cursor: cursor, company: rows.text(row, 12).flatMap { Int64($0) }.map(Company.init(id:)), table: table,
                record: record, operation: operation, version: rows.text(row, 10),
                owners: rows.text(row, 11).map(Self.owners) ?? [:]))
    }

    private static func owners(_ text: String) -> [String: [JSONValue]] {
        do throws(JSONError) {
            guard case .object(let object) = try JSONReader.read(text).value else { return [:] }
            var owners: [String: [JSONValue]] = [:]
            for member in object.members {
                if case .array(let values) = member.value { owners[member.name] = values }
            }
            return owners
        } catch {
            // Postgres writes jsonb as JSON.
            return [:]
        }
    }
}
