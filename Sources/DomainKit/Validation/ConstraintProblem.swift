extension Entity {
    /// A constraint of the database that refused a write, as a problem of the values it refused.
    ///
    /// Understands rules by their constraint, and the constraints of one column by their names:
    /// `<table>_<column>_check`, `_fkey` and `_key`. Nil for any other. A unique constraint gives the code
    /// `duplicate`: on the wire it is a conflict, and only its sentence and path are of use.
    public func problem(
        forConstraint name: String, given values: Object, at path: String = "/values"
    ) -> Problem? {
        if let rule = rules.first(where: { $0.constraint == name }) {
            return breach(of: rule, given: values, at: path)
        }
        for column in columns {
            let place = values[column.name] == nil ? path : path.appendingPointer(column.name)
            switch name {
            case "\(self.name)_\(column.name)_check":
                let fault = column.refusalByDatabase
                return Problem(path: place, code: fault.code, message: fault.message)
            case "\(self.name)_\(column.name)_fkey":
                let message = "Donnez dans \(column.name.quotedInFrench) l'identifiant d'un enregistrement qui existe."
                return Problem(path: place, code: .notFound, message: message)
            case "\(self.name)_\(column.name)_key":
                let message = "Donnez une autre valeur à \(column.name.quotedInFrench)\u{A0}: celle-ci est déjà prise."
                return Problem(path: place, code: .duplicate, message: message)
            default:
                continue
            }
        }
        return nil
    }
}

extension Column {
    /// What the one check constraint of this column refuses.
    fileprivate var refusalByDatabase: ValueFault {
        if let format {
            return ValueFault(code: .format, message: format.message)
        }
        if let minimum {
            return ValueFault(code: .outOfRange, message: "Donnez un nombre supérieur ou égal à \(minimum).")
        }
        switch type {
        case .smallint(let range):
            return ValueFault(
                code: .outOfRange,
                message: "Donnez un nombre entier compris entre \(range.lowerBound) et \(range.upperBound).")
        case .choice(let words):
            let list = words.map(\.quotedInFrench).joined(separator: " ou ")
            return ValueFault(code: .format, message: "Donnez \(list).")
        case .text where !isNullable:
            return ValueFault(code: .required, message: "Donnez un texte\u{A0}: ce champ ne peut pas être vide.")
        default:
            return ValueFault(code: .format, message: "Donnez à \(name.quotedInFrench) une valeur permise.")
        }
    }
}
