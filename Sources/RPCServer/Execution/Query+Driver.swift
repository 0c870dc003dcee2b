import PostgresDriver
import QueryCompiler
import Synchronization

/// What is made once of a compiled statement and stays with it.
final class StatementCompanion: Sendable {
    /// What the driver has prepared and learned hangs on the identity of this object.
    let statement: Statement
    private let rowProgram = Mutex<RowProgram?>(nil)

    init(_ sql: String) {
        statement = Statement(sql)
    }

    /// How its rows are written. A statement has one layout: both are compiled together.
    func program(of layout: RowLayout) -> RowProgram {
        rowProgram.withLock { program in
            if let program { return program }
            let made = RowProgram(layout.parts)
            program = made
            return made
        }
    }
}

extension Query {
    var companion: StatementCompanion { statement.attachment { StatementCompanion($0) } }

    var driverStatement: Statement { companion.statement }

    var driverParameters: [Parameter] {
        parameters.map { text in
            if let text { .text(text) } else { .null }
        }
    }

    var step: Step { Step(driverStatement, driverParameters) }
}
