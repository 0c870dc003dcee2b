extension Format {
    /// An e-mail address that ordinary mail servers deliver to: atoms separated by dots, `@`, and a domain with a top
    /// level. The function `kernel.is_email` of the migrations accepts the same.
    public static let email = Format(
        name: "email", message: "Donnez une adresse e-mail complète, comme prenom.nom@exemple.fr.",
        pattern: "^(?=[^@]{1,64}@)\(atom)(?:\\.\(atom))*@(?:\(label)\\.)+(?:[A-Za-z]{2,63}|\(encodedTop))$",
        example: "prenom.nom@exemple.fr"
    ) { text in
        let bytes = Array(text.utf8)
        guard let at = bytes.firstIndex(of: UInt8(ascii: "@")), at <= 64 else { return false }
        return isDotAtom(bytes[..<at]) && isDomain(bytes[(at + 1)...])
    }
}

private let atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
private let label = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
private let encodedTop = "[Xx][Nn]--[A-Za-z0-9-]{0,57}[A-Za-z0-9]"

private let atomPunctuation = Set("!#$%&'*+/=?^_`{|}~-".utf8)

private func isDotAtom(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { atom in
        !atom.isEmpty && atom.allSatisfy { $0.isLetterOrDigit || atomPunctuation.contains($0) }
    }
}

private func isDomain(_ bytes: ArraySlice<UInt8>) -> Bool {
    let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard labels.count >= 2, labels.allSatisfy(isLabel), let top = labels.last else { return false }
    if top.allSatisfy(\.isLetter) { return top.count >= 2 }
    // An internationalised top level in its ASCII form.
    return top.count > 4 && top.prefix(4).map { $0 | 0x20 } == Array("xn--".utf8)
}

private func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
    let hyphen = UInt8(ascii: "-")
    return (1...63).contains(label.count) && label.allSatisfy { $0.isLetterOrDigit || $0 == hyphen }
        && label.first != hyphen && label.last != hyphen
}

extension UInt8 {
    fileprivate var isLetter: Bool { (self | 0x20) >= UInt8(ascii: "a") && (self | 0x20) <= UInt8(ascii: "z") }
    fileprivate var isLetterOrDigit: Bool {
        isLetter || (self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9"))
    }
}
