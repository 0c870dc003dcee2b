import JSON
import PostgresDriver
import QueryCompiler
import Synchronization

/// What this module derives from a compiled statement. It is made once and kept with the statement.
final class ExecutableStatement: Sendable {
    /// The driver's caches and statistics are keyed by the identity of this object.
    let statement: Statement
    private let rowProgram = Mutex<RowProgram?>(nil)

    init(_ sql: String, _ planning: Planning) {
        statement = Statement(sql, planning: planning)
    }

    /// How its rows are written. A statement is compiled together with its one layout.
    fileprivate func program(of layout: RowLayout) -> RowProgram {
        rowProgram.withLock { program in
            if let program { return program }
            let made = RowProgram(layout.parts)
            program = made
            return made
        }
    }
}

extension Query {
    private var executable: ExecutableStatement {
        statement.attachment { [statement] in
            ExecutableStatement($0, statement.prefersCustomPlan ? .custom : .generic)
        }
    }

    var driverStatement: Statement { executable.statement }

    func driverParameters(in company: Company) -> [Parameter] {
        var all: [Parameter] = []
        all.reserveCapacity(parameters.count + 1)
        for text in parameters { all.append(text.map { .text($0) } ?? .null) }
        if statement.namesCompany { all.append(.text(String(company.id))) }
        return all
    }

    var expectedRunTime: ExpectedRunTime {
        switch expectedCost {
        case .point: .quick
        case .page: .unknown
        case .scan: .slow
        }
    }

    func step(in company: Company) -> Step { Step(driverStatement, driverParameters(in: company)) }

    func program(of layout: RowLayout) -> RowProgram { executable.program(of: layout) }
}
