import DomainKit
package import JSON
import NIOCore
import PostgresDriver
import QueryCompiler

/// What a domain computes a result from: records and rows as JSON values.
extension Executor {
    /// The values of `loads`, in their order, without those that load none. Together they have no more bytes than a response.
    package func load(_ loads: [CallPlan.PlannedLoad], for call: Call) async throws(ExecutionError) -> [JSONValue] {
        var values: [JSONValue] = []
        var room = maxLoadedBytes
        for load in loads {
            switch load {
            case .record(let plan, let entity):
                let record = try await record(plan, of: entity, for: call)
                values.append(try await value(of: .record(record), within: &room, for: call))
            case .rows(let rows): values.append(.array(try await items(of: rows, within: &room, for: call)))
            case .groups(let plan):
                let groups = try await value(of: try await self.groups(plan, for: call), within: &room, for: call)
                values.append(groups["items"] ?? .null)
            case .file(let file):
                values.append(try await content(of: file, in: values[file.record], within: &room, for: call))
            case .timeZone: values.append(try await timeZone(for: call))
            case .nothing: values.append(.null)
            case .named(let named): try await check(named, for: call)
            }
        }
        return values
    }

    private static let timeZone = Statement("SELECT kernel.time_zone()::text")

    private func timeZone(for call: Call) async throws(ExecutionError) -> JSONValue {
        let rows = try await mapError(
            async: await databases.accounts.query(
                Self.timeZone, for: call.caller?.share, deadline: call.context.deadline),
            ExecutionError.init(postgres:))
        var buffer = ByteBuffer()
        buffer.writeString(rows.text(0, 0) ?? "null")
        return try mapError(JSONReader.read(buffer)) { (error: JSONError) in
            ExecutionError.unexpected(cause: "the time zone is not JSON: \(error)")
        }.value
    }

    private func check(_ named: CallPlan.NamedLoad, for call: Call) async throws(ExecutionError) {
        do {
            _ = try await record(named.plan, of: named.entity, for: call)
        } catch .notFound(let noun, let facts, _) {
            throw .notFound(noun, facts: facts, path: "".appendingPointer(named.parameter))
        }
    }

    /// The ids of the records that have taken the place of those which `loads` name, by the parameters that name them.
    package func successors(
        ofNamedBy loads: [CallPlan.PlannedLoad], for call: Call
    ) async throws(ExecutionError) -> [String: JSONValue] {
        var successors: [String: JSONValue] = [:]
        for named in loads.compactMap(\.named) {
            guard let successor = named.entity.successor else { continue }
            do {
                _ = try await record(named.plan, of: named.entity, for: call)
            } catch .notFound(_, let facts, _) {
                successors[named.parameter] = facts[successor.name]
            }
        }
        return successors
    }

    /// The bytes of the file that a record or the first of some rows names, or the picture that it shows. The caller has read
    /// the record, and may therefore read the file.
    private func content(
        of file: CallPlan.LoadedFile, in loaded: JSONValue, within room: inout Int, for call: Call
    ) async throws(ExecutionError) -> JSONValue {
        let record = if case .array(let rows) = loaded { rows.first ?? .null } else { loaded }
        guard !record.isNull else { return .null }
        switch record[file.column] {
        case .number(let id):
            let text =
                switch file.form {
                case .bytes:
                    try await mapError(
                        async: await files.base64(
                            of: id, upTo: file.maxBytes, in: call.company, for: call.caller?.share,
                            deadline: call.context.deadline),
                        ExecutionError.init(postgres:))
                case .picture: try await pictures.base64(of: id, upTo: file.maxBytes, for: call)
                }
            guard let text else { return .null }
            guard text.utf8.count <= room else {
                throw .tooLarge(ResponseSizeError(max: maxLoadedBytes, isWritten: false))
            }
            room -= text.utf8.count
            return .string(text)
        case .null?: return .null
        default: throw .unexpected(cause: "what a load selects does not contain the file \(file.column)")
        }
    }

    private func items(
        of rows: CallPlan.LoadedRows, within room: inout Int, for call: Call
    ) async throws(ExecutionError) -> [JSONValue] {
        var items: [JSONValue] = []
        var plan = rows.first
        while true {
            let value = try await value(of: .page(try await page(plan, for: call)), within: &room, for: call)
            if case .array(let rows)? = value["items"] { items += rows }
            guard items.count < rows.atMost, value["has_next_page"] == true, let cursor = value["end_cursor"]?.text
            else {
                return Array(items.prefix(rows.atMost))
            }
            plan = try mapError(rows.next(cursor)) { (error: PlanError) in
                ExecutionError.unexpected(cause: "a further page cannot be planned: \(error)")
            }
        }
    }

    /// Larger results are not read on an event loop; in bytes.
    private static let maxOnLoop = 32 * 1_024

    /// A result as a JSON value. Its bytes are taken from `room`.
    private func value(
        of result: CallResult, within room: inout Int, for call: Call
    ) async throws(ExecutionError) -> JSONValue {
        let (value, bytes): (JSONValue, Int)
        if result.estimatedSize > Self.maxOnLoop, let executor = call.context.offLoop {
            (value, bytes) = try await withTaskExecutorPreference(executor) { [room] in
                Result { () throws(ExecutionError) in try self.value(of: result, within: room) }
            }.get()
        } else {
            (value, bytes) = try self.value(of: result, within: room)
        }
        room -= bytes
        return value
    }

    private func value(of result: CallResult, within room: Int) throws(ExecutionError) -> (JSONValue, bytes: Int) {
        var buffer = ByteBuffer()
        do throws(ResponseBufferFullError) {
            try buffer.writeResult(result, upTo: room)
        } catch {
            throw .tooLarge(ResponseSizeError(max: maxLoadedBytes, isWritten: false))
        }
        let document = try mapError(JSONReader.read(buffer)) { (error: JSONError) in
            ExecutionError.unexpected(cause: "a written row is not JSON: \(error)")
        }
        return (document.value, buffer.writerIndex)
    }
}
