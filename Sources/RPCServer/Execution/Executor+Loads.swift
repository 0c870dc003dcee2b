import DomainKit
import JSON
import NIOCore
import QueryCompiler

/// What a domain computes a result from: records and rows as JSON values.
extension Executor {
    /// The values of `loads`, in their order.
    func load(_ loads: [CallPlan.PlannedLoad], for call: Call) async throws(ExecutionError) -> [JSONValue] {
        var values: [JSONValue] = []
        for load in loads {
            switch load {
            case .record(let plan, let entity):
                values.append(
                    try await Self.value(of: .record(try await record(plan, of: entity, for: call)), for: call))
            case .rows(let rows): values.append(.array(try await items(of: rows, for: call)))
            }
        }
        return values
    }

    private func items(of rows: CallPlan.LoadedRows, for call: Call) async throws(ExecutionError) -> [JSONValue] {
        var items: [JSONValue] = []
        var plan = rows.first
        while true {
            let value = try await Self.value(of: .page(try await page(plan, for: call)), for: call)
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

    /// A result as a JSON value.
    private static func value(of result: CallResult, for call: Call) async throws(ExecutionError) -> JSONValue {
        guard result.estimatedSize > maxOnLoop, let executor = call.context.offLoop else {
            return try value(of: result)
        }
        return try await withTaskExecutorPreference(executor) {
            Result { () throws(ExecutionError) in try value(of: result) }
        }.get()
    }

    private static func value(of result: CallResult) throws(ExecutionError) -> JSONValue {
        var buffer = ByteBuffer()
        do throws(ResponseBufferFullError) {
            try buffer.writeResult(result, upTo: EnvelopeLimits().response)
        } catch {
            throw .unexpected(cause: "a record to compute from exceeds the size of a response")
        }
        let document = try mapError(JSONReader.read(buffer)) { (error: JSONError) in
            ExecutionError.unexpected(cause: "a written row is not JSON: \(error)")
        }
        return document.value
    }
}
