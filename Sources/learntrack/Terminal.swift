import Glibc

/// One line on standard output, there at once even when that is a pipe.
func printLine(_ line: String) { write(line + "\n", to: STDOUT_FILENO) }

/// Writes all of `text`, unless nobody reads any more, as behind `| head`.
func write(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
    }
}

extension String {
    func padding(toWidth width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, width - count))
    }
}
