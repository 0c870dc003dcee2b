import DomainKit
import PostgresDriver
import QueryCompiler

/// What a call will do, all decided before a connection is taken.
enum Plan: Sendable {
    case list(ListPlan)
    /// A page of a record's history, which outlives it. The subject is asked for when the first page is empty: what
    /// never was has none.
    indirect case history(ListPlan, subject: RecordPlan?, of: Noun)
    case aggregate(AggregatePlan)
    /// The noun is for saying that there is no such record.
    case record(RecordPlan, of: Noun)
    indirect case write(Write)
    case loaded(Loading)
    /// What the account methods do beyond SQL.
    case account(@Sendable (Call) async throws(ExecutionFault) -> Answer)

    /// A write, and what it takes to explain a refusal of it by the database.
    struct Write: Sendable {
        enum Kind: Sendable {
            case create, update, duplicate, delete
        }

        let kind: Kind
        let entity: Entity
        let plan: WritePlan
        let values: Object
        /// What happens right after the change, in the same transaction.
        var companion: Step?
    }

    /// A record to load, and the function from it to the answer.
    struct Loading: Sendable {
        let plan: RecordPlan
        let noun: Noun
        let answer: @Sendable (_ record: Value) -> Value
    }
}
