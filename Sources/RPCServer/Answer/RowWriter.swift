import NIOCore

extension ByteBuffer {
    /// Writes the first `count` rows with commas between, each value's text copied from where the database's client put
    /// it.
    mutating func writeRows(_ count: Int, of rows: some RowSource, as program: RowProgram) {
        var row = 0
        var room = 512
        while row < count {
            writeWithUnsafeMutableBytes(minimumWritableBytes: room) { memory in
                guard var output = RowOutput(memory) else { return 0 }
                row = program.write(row..<count, of: rows, into: &output)
                // Only asked for again when the next row did not fit into what was left.
                room = 2 * max(room, memory.count - output.count)
                return output.count
            }
        }
    }
}

extension RowProgram {
    /// Writes as many of `range`'s rows as fit.
    /// - Returns: the first row that did not.
    fileprivate func write(_ range: Range<Int>, of rows: some RowSource, into output: inout RowOutput) -> Int {
        literals.withUnsafeBytes { literals in
            steps.withUnsafeBufferPointer { steps in
                for row in range {
                    let start = output.count
                    if row > 0 { output.append(UInt8(ascii: ",")) }
                    Self.run(steps, literals, rows, row, &output)
                    guard !output.isFull else {
                        output.takeBack(to: start)
                        return row
                    }
                }
                return range.upperBound
            }
        }
    }

    private static func run(
        _ steps: UnsafeBufferPointer<Step>, _ literals: UnsafeRawBufferPointer, _ rows: some RowSource, _ row: Int,
        _ output: inout RowOutput
    ) {
        var index = 0
        while index < steps.count {
            let step = steps[index]
            index += 1
            switch step.kind {
            case .literal:
                output.append(UnsafeRawBufferPointer(rebasing: literals[step.place..<step.place + step.extent]))
            case .bare:
                rows.withBytes(row, step.place) { bytes in
                    if let bytes { output.append(bytes) } else { output.append("null") }
                }
            case .quoted:
                rows.withBytes(row, step.place) { bytes in
                    if let bytes { output.appendQuoted(bytes) } else { output.append("null") }
                }
            case .escaped:
                rows.withBytes(row, step.place) { bytes in
                    if let bytes { output.appendEscaped(bytes) } else { output.append("null") }
                }
            case .object:
                guard rows.isNull(row, step.place) else { continue }
                output.append("null")
                index = step.extent
            }
        }
    }
}
