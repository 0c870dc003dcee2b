import Glibc

/// One reused buffer for a statement's name and parameters, from which libpq copies them.
final class ParameterArena {
    private var bytes = UnsafeMutableRawPointer.allocate(byteCount: 4_096, alignment: 16)
    private var capacity = 4_096
    private var values: [UnsafePointer<CChar>?] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []

    deinit {
        bytes.deallocate()
    }

    /// Calls `body` with the arguments of `PQsendQueryPrepared`. The pointers are valid inside `body` only.
    /// - Parameter name: the number of the prepared statement, which gives the name `s<number>`.
    func with<R>(
        name: Int, _ parameters: [Parameter],
        _ body: (
            _ name: UnsafePointer<CChar>, _ count: Int32, _ values: UnsafePointer<UnsafePointer<CChar>?>,
            _ lengths: UnsafePointer<Int32>, _ formats: UnsafePointer<Int32>
        ) -> R
    ) -> R {
        reserve(for: parameters)
        var end = writeName(name)
        values.removeAll(keepingCapacity: true)
        lengths.removeAll(keepingCapacity: true)
        formats.removeAll(keepingCapacity: true)
        for parameter in parameters {
            let start = bytes + end
            switch parameter {
            case .null:
                append(nil, length: 0, format: 0)
            case .text(let text):
                let length = copy(text, to: start)
                start.storeBytes(of: 0, toByteOffset: length, as: UInt8.self)
                append(start, length: length, format: 0)
                end += length + 1
            case .bytes(let array):
                array.withUnsafeBytes { source in
                    if let base = source.baseAddress { memcpy(start, base, source.count) }
                }
                append(start, length: array.count, format: 1)
                end += array.count
            }
        }
        let name = UnsafePointer(bytes.assumingMemoryBound(to: CChar.self))
        return values.withUnsafeBufferPointer { values in
            lengths.withUnsafeBufferPointer { lengths in
                formats.withUnsafeBufferPointer { formats in
                    body(
                        name, Int32(values.count), values.baseAddress ?? Self.noValues,
                        lengths.baseAddress ?? Self.none,
                        formats.baseAddress ?? Self.none)
                }
            }
        }
    }

    private func reserve(for parameters: [Parameter]) {
        var needed = 32
        for parameter in parameters {
            switch parameter {
            case .null: break
            case .text(let text): needed += text.utf8.count + 1
            case .bytes(let array): needed += array.count
            }
        }
        // Frees a buffer of more than a megabyte when a small one is enough again.
        guard needed > capacity || (capacity > 1 << 20 && needed < 4_096) else { return }
        bytes.deallocate()
        capacity = max(4_096, needed)
        bytes = .allocate(byteCount: capacity, alignment: 16)
    }

    private func append(_ start: UnsafeMutableRawPointer?, length: Int, format: Int32) {
        values.append(start.map { UnsafePointer($0.assumingMemoryBound(to: CChar.self)) })
        lengths.append(Int32(clamping: length))
        formats.append(format)
    }

    private func copy(_ text: String, to start: UnsafeMutableRawPointer) -> Int {
        var text = text
        return text.withUTF8 { source in
            if let base = source.baseAddress { memcpy(start, base, source.count) }
            return source.count
        }
    }

    /// Writes `s`, the number and a NUL.
    /// - Returns: the number of bytes written.
    private func writeName(_ name: Int) -> Int {
        var digits: (Int, Int) = (1, name)
        while digits.1 >= 10 { digits = (digits.0 + 1, digits.1 / 10) }
        bytes.storeBytes(of: UInt8(ascii: "s"), as: UInt8.self)
        var rest = name
        for offset in stride(from: digits.0, to: 0, by: -1) {
            bytes.storeBytes(of: UInt8(ascii: "0") + UInt8(rest % 10), toByteOffset: offset, as: UInt8.self)
            rest /= 10
        }
        bytes.storeBytes(of: 0, toByteOffset: digits.0 + 1, as: UInt8.self)
        return digits.0 + 2
    }

    /// Stand-ins for empty arrays, so that libpq gets no null pointer.
    private nonisolated(unsafe) static let noValues: UnsafePointer<UnsafePointer<CChar>?> = {
        let pointer = UnsafeMutablePointer<UnsafePointer<CChar>?>.allocate(capacity: 1)
        pointer.initialize(to: nil)
        return UnsafePointer(pointer)
    }()
    private nonisolated(unsafe) static let none: UnsafePointer<Int32> = {
        let pointer = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
        pointer.initialize(to: 0)
        return UnsafePointer(pointer)
    }()
}
