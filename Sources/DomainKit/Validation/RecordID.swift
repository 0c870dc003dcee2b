/// The primary key that every table has: a whole number from 1.
public enum RecordID {
    /// The digits that Postgres reads as exactly this key.
    public static func text(of value: Value) throws(ValueFault) -> String {
        let text = try FieldType.bigint.postgresText(of: value)
        guard !text.hasPrefix("-"), text != "0" else {
            throw ValueFault(code: .outOfRange, message: "Donnez un nombre entier à partir de 1.")
        }
        return text
    }
}
