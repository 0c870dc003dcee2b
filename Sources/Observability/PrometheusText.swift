/// The rules of Prometheus's text format.
enum PrometheusText {
    /// `name` with `_` in place of characters that are not allowed.
    static func name(_ name: String) -> String {
        var valid = ""
        for (index, scalar) in name.unicodeScalars.enumerated() {
            let isLetter = ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || scalar == "_"
            let isDigit = ("0"..."9").contains(scalar)
            if isLetter || scalar == ":" || (isDigit && index > 0) {
                valid.unicodeScalars.append(scalar)
            } else {
                valid += "_"
            }
        }
        return valid.isEmpty ? "_" : valid
    }

    /// `a="1",b="2"`, in the order given, without braces.
    static func labels(_ labels: [(String, String)]) -> String {
        labels.map { name, value in
            "\(self.name(name).replacingColons)=\"\(escaped(value))\""
        }.joined(separator: ",")
    }

    static func line(_ name: String, _ labels: String, _ value: String) -> String {
        labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
    }

    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return if let whole = Int64(exactly: value) { String(whole) } else { "\(value)" }
    }

    private static func escaped(_ value: String) -> String {
        var escaped = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

extension String {
    /// Colons are allowed in names of metrics, but not of labels.
    fileprivate var replacingColons: String {
        String(map { $0 == ":" ? "_" : $0 })
    }
}
