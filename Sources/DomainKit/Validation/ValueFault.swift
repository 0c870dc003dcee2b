/// Why one value does not fit: the code for programs and a French sentence that names the remedy.
public struct ValueFault: Error, Sendable, Equatable {
    public let code: Problem.Code
    public let message: String

    public init(code: Problem.Code, message: String) {
        self.code = code
        self.message = message
    }
}

extension String {
    /// This name between French quotation marks, with the no-break spaces they want; a very long one is cut off.
    public var quotedInFrench: String {
        let shown = unicodeScalars.count > 80 ? String(unicodeScalars.prefix(79)) + "…" : self
        return "«\u{A0}\(shown)\u{A0}»"
    }
}
