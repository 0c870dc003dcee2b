extension String {
    /// Whether nothing can be seen of it: empty, or spaces of any kind alone.
    ///
    /// The constraints of the migrations name the same characters.
    public var isBlank: Bool {
        unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x09...0x0D, 0x20, 0xA0, 0x2000...0x200B, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF: true
            default: false
            }
        }
    }
}
