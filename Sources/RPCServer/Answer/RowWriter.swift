import NIOCore

extension ByteBuffer {
    /// Writes the first `count` rows with commas between, each value's text copied from where the database's client put
    /// it.
    ///
    /// A selection may name one column a thousand times, so a few values can become gigabytes: nothing is written past
    /// `end`, and what would certainly pass it is refused before memory is taken for it.
    /// - Parameter end: the writer index not to pass.
    /// - Throws: when the rows do not fit; some of them may have been written.
    mutating func writeRows(
        _ count: Int, of rows: some RowSource, as program: RowProgram, upTo end: Int
    ) throws(AnswerTooLarge) {
        var row = 0
        var room = 512
        var isMeasured = false
        while row < count {
            let left = end - writerIndex
            guard left > 0 else { throw AnswerTooLarge() }
            var unused = 0
            writeWithUnsafeMutableBytes(minimumWritableBytes: Swift.min(room, left)) { memory in
                let place = UnsafeMutableRawBufferPointer(rebasing: memory.prefix(left))
                guard var output = RowOutput(place) else { return 0 }
                row = program.write(row..<count, of: rows, into: &output)
                unused = place.count - output.count
                return output.count
            }
            guard row < count else { return }
            // The next row did not fit into what was left.
            guard unused < end - writerIndex else { throw AnswerTooLarge() }
            room = 2 * Swift.max(room, unused)
            guard !isMeasured else { continue }
            isMeasured = true
            guard let size = program.leastSize(of: row..<count, in: rows, upTo: end - writerIndex) else {
                throw AnswerTooLarge()
            }
            room = Swift.max(room, size + size / 16)
        }
    }
}

/// An answer has no room for what it should hold.
struct AnswerTooLarge: Error {}

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

    /// The bytes of `range`'s rows if no text needs escaping; nil when they are more than `limit`. Looks at no text.
    fileprivate func leastSize(of range: Range<Int>, in rows: some RowSource, upTo limit: Int) -> Int? {
        var size = 0
        for row in range {
            var index = 0
            while index < steps.count {
                let step = steps[index]
                index += 1
                switch step.kind {
                case .literal: size += step.extent
                case .bare: size += rows.withBytes(row, step.place) { $0?.count ?? 4 }
                case .quoted, .escaped: size += rows.withBytes(row, step.place) { $0.map { $0.count + 2 } ?? 4 }
                case .object:
                    guard rows.isNull(row, step.place) else { continue }
                    size += 4
                    index = step.extent
                }
            }
            guard size <= limit else { return nil }
        }
        return size
    }

    private static func run(
        _ steps: UnsafeBufferPointer<Step>, _ literals: UnsafeRawBufferPointer, _ rows: some RowSource, _ row: Int,
        _ output: inout RowOutput
    ) {
        var index = 0
        // What does not fit is written again elsewhere, or not at all: no need to look at the rest of it.
        while index < steps.count, !output.isFull {
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
