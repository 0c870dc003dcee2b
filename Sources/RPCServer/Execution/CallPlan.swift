import DomainKit
import JSON
import PostgresDriver
import QueryCompiler

/// What a call will do. It is decided completely before the call takes a database connection.
enum CallPlan: Sendable {
    case list(ListPlan)
    /// A page of the history of a record. If the page is empty, `subject` is read to find out whether there is such a
    /// record; it is nil for a page that continues another one.
    indirect case history(ListPlan, subject: RecordPlan?, of: Noun)
    case aggregate(AggregatePlan)
    /// The noun is for the message that there is no such record.
    case record(RecordPlan, of: Noun)
    indirect case write(Write)
    /// A record is read, and the result computed from it.
    case computed(Computation)
    /// Work that is not a statement of the query compiler: signing in, passwords, the document of the service.
    case work(@Sendable (Call) async throws(ExecutionError) -> CallResult)

    /// A write, with the facts that explain an error of the database.
    struct Write: Sendable {
        enum Kind: Sendable {
            case create, update, duplicate, delete
        }

        let kind: Kind
        let entity: Entity
        let plan: WritePlan
        let values: JSONObject
        /// A further step in the same transaction, directly after the change.
        var followUp: Step?
    }

    struct Computation: Sendable {
        let plan: RecordPlan
        let noun: Noun
        let compute: @Sendable (_ record: JSONValue) -> JSONValue
    }
}
