import JSON

extension ImportProblem {
    /// A French sentence that says what to change in the source.
    package var remedy: String {
        switch reason {
        case .invalidID:
            "Donnez à la ligne un identifiant, un nombre entier positif, d’au plus 4\u{202F}503\u{202F}599\u{202F}627\u{202F}370\u{202F}496."
        case .duplicateID: "Gardez une seule ligne de cet identifiant."
        case .existingID:
            "Importez dans une base vide\u{202F}: un autre enregistrement y porte déjà cet identifiant."
        case .invalidValue(_, let message): message
        case .missingReference(let table, let id):
            "Corrigez la ligne \(id) de \(table), refusée ou absente, ou retirez-la d’ici."
        case .valueOfAccount(let id): "Donnez une autre valeur\u{202F}: le compte \(id) a déjà celle-ci."
        }
    }
}
