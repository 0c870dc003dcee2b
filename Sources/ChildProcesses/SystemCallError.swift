import Glibc

/// What the system refused, in one line with its reason.
package struct SystemCallError: Error, CustomStringConvertible, Equatable {
    package let description: String

    package init(_ what: String, _ code: Int32) {
        var text = [CChar](repeating: 0, count: 256)
        _ = strerror_r(code, &text, text.count)
        let reason = text.withUnsafeBufferPointer { buffer in buffer.baseAddress.map { String(cString: $0) } ?? "" }
        description = "\(what): \(reason)"
    }
}
