import DomainKit
import JSON

// The texts of this module that users read. Typography: ’ for the apostrophe, U+202F before a colon, U+00A0 inside « »,
// U+202F before ; ! and ?. A message names the remedy.

extension QueryProblem {
    var message: String {
        switch self {
        // Params
        case .unknownTable(let name, _):
            "La table \(name.quotedInFrench) n’existe pas."
        case .missingID:
            "Donnez l’identifiant \("id".quotedInFrench)."
        case .missingValues:
            "Donnez les valeurs \("values".quotedInFrench)."
        case .expectedValuesObject:
            "Donnez un objet, comme {\"champ\": \"valeur\"}."
        case .ownColumn(let name):
            "Retirez \(name.quotedInFrench)\u{202F}: ce champ est tenu par le serveur."
        case .expectedBoolean:
            "Donnez true ou false."
        case .expectedInteger:
            "Donnez un nombre entier."
        case .expectedText:
            "Donnez un texte, entre guillemets."
        case .invalidValue(let error):
            error.message

        // `after`
        case .expectedCursor:
            "Donnez le \("end_cursor".quotedInFrench) de la page précédente."
        case .invalidCursor:
            "Ce curseur n’en est pas un\u{202F}: donnez le \("end_cursor".quotedInFrench) de la page précédente."
        case .damagedCursor:
            "Ce curseur est abîmé\u{202F}: donnez le \("end_cursor".quotedInFrench) de la page précédente."
        case .cursorOfOtherOrder:
            "Ce curseur vient d’une liste dans un autre ordre\u{202F}: reprenez à la première page."
        case .cursorOfOtherParameters:
            "Ce curseur vient d’une liste dans un autre ordre ou avec d’autres paramètres\u{202F}: reprenez à la première page."

        // Variables
        case .expectedVariablesObject:
            "Donnez un objet, comme {\"nom\": \"valeur\"}."
        case .missingVariable(let name):
            "La variable \("$\(name)".quotedInFrench) manque\u{202F}: donnez-lui une valeur dans"
                + " \("variables".quotedInFrench)."
        case .unusedVariable(let name, _):
            "La variable \(name.quotedInFrench) n’est pas utilisée dans \("select".quotedInFrench)\u{202F}: retirez-la."
        case .valuesTooLong(let maximum):
            "Les valeurs de cet appel, répétées partout où leurs variables sont nommées, dépassent \(maximum) octets."
        case .unquotedWord(let word):
            "Mettez \(word.quotedInFrench) entre guillemets."

        // `select`
        case .expectedSelectionText:
            "Donnez la sélection comme texte, entre guillemets."
        case .syntax(let error):
            error.message
        case .unknownField(let name, let table, let suggestion):
            "\(name.quotedInFrench) n’existe pas dans \(table.quotedInFrench)"
                + (suggestion.map { "\u{202F}: vouliez-vous \($0.quotedInFrench)\u{202F}?" } ?? ".")
        case .conflictingKey(let key):
            "La clé \(key.quotedInFrench) est demandée deux fois avec des sens différents\u{202F}: donnez un alias à l’une"
                + " des deux."
        case .unexpectedArgument(let field):
            "\(field.quotedInFrench) ne prend pas d’argument."
        case .selectionOnScalar(let field):
            "\(field.quotedInFrench) est une valeur simple\u{202F}: retirez la sélection entre accolades."
        case .missingSelection(let name):
            "\(name.quotedInFrench) est une relation\u{202F}: nommez entre accolades les champs voulus, comme"
                + " \("\(name) { id }".quotedInFrench)."
        case .argumentOnToOne(let name):
            "\(name.quotedInFrench) mène à un seul enregistrement et ne prend pas d’argument."
        case .unknownArgument(let name, let known, _):
            "L’argument \(name.quotedInFrench) n’existe pas\u{202F}; une relation prend"
                + " \(known.joined(separator: ", "))."
        case .duplicateArgument(let name):
            "L’argument \(name.quotedInFrench) est donné deux fois."

        // Fragments
        case .duplicateFragment(let name):
            "Le fragment \(name.quotedInFrench) est défini deux fois."
        case .unknownFragment(let name, _):
            "Le fragment \(name.quotedInFrench) n’est pas défini."
        case .fragmentOfOtherTable(let name, let itsTable, let table):
            "Le fragment \(name.quotedInFrench) est pour \(itsTable.quotedInFrench), pas pour \(table.quotedInFrench)."
        case .unusedFragment(let name):
            "Le fragment \(name.quotedInFrench) n’est pas utilisé\u{202F}: retirez-le."
        case .fragmentCycle(let name):
            "Le fragment \(name.quotedInFrench) finit par se contenir lui-même."

        // `where`
        case .expectedCondition:
            "Donnez un objet, comme {\"id\": 1}."
        case .expectedConditionList:
            "Donnez une liste de conditions, comme [{…}, {…}]."
        case .expectedQuantifier:
            "Donnez un objet avec \("some".quotedInFrench) ou \("none".quotedInFrench)."
        case .expectedRelatedCondition:
            "Donnez un objet de conditions ou null."
        case .unknownQuantifier(let name, let relationship, _):
            "\(name.quotedInFrench) n’est pas admis ici\u{202F}: la relation \(relationship.quotedInFrench) prend"
                + " \("some".quotedInFrench) ou \("none".quotedInFrench)."
        case .duplicateMember(let name):
            "\(name.quotedInFrench) est donné deux fois."
        case .tooManyConditions(let maximum):
            "Donnez au plus \(maximum) conditions par appel."
        case .tooManyRelations(let maximum):
            "Traversez au plus \(maximum) relations dans les conditions."

        // Comparisons
        case .unknownOperator(let name, let known, _):
            "L’opérateur \(name.quotedInFrench) n’existe pas\u{202F}; les opérateurs sont"
                + " \(known.joined(separator: ", "))."
        case .listWithoutOperator:
            "Donnez une valeur\u{202F}; pour plusieurs, utilisez l’opérateur \("in".quotedInFrench)."
        case .expectedSingleValue:
            "Donnez une seule valeur."
        case .expectedValueList:
            "Donnez une liste de valeurs, comme [1, 2]."
        case .nullInComparison:
            "Donnez une valeur\u{202F}; pour l’absence, utilisez l’opérateur \("is_null".quotedInFrench)."
        case .incomparableField(let field):
            "\(field.quotedInFrench) ne se compare pas\u{202F}: utilisez l’opérateur \("is_null".quotedInFrench)."
        case .patternOnNonText(let operation, let field):
            "L’opérateur \(operation.quotedInFrench) ne vaut que pour un texte, ce que \(field.quotedInFrench) n’est pas."
        case .orderingOnBoolean(let operation, let field):
            "L’opérateur \(operation.quotedInFrench) ne vaut pas pour \(field.quotedInFrench), qui n’est que vrai ou faux."
        case .unfinishedEscape:
            "Le motif finit par \("\\".quotedInFrench), qui n’y protège rien\u{202F}: doublez ce signe ou retirez-le."
        case .patternTooLong(let maximum):
            "Donnez un motif d’au plus \(maximum) caractères."

        // `search`
        case .searchTooLong(let maximum):
            "Donnez une recherche d’au plus \(maximum) caractères."
        case .tooManySearchWords(let maximum):
            "Donnez au plus \(maximum) mots."

        // `order_by`
        case .expectedFieldList(let example):
            "Donnez une liste de champs, comme [\"\(example)\"]."
        case .expectedFieldName:
            "Donnez le nom d’un champ entre guillemets."
        case .tooManyOrderFields(let maximum):
            "Ordonnez par au plus \(maximum) champs."
        case .duplicateOrderKey(let spelling):
            "\(spelling.quotedInFrench) est déjà dans l’ordre\u{202F}: retirez-le."
        case .unorderedField(let field):
            "\(field.quotedInFrench) n’a pas d’ordre\u{202F}: nommez un autre champ."
        case .toManyInOrder(let name):
            "\(name.quotedInFrench) mène à plusieurs enregistrements\u{202F}: nommez un autre champ."
        case .relationshipInOrder(let name):
            "\(name.quotedInFrench) est une relation\u{202F}: nommez un de ses champs, comme"
                + " \("\(name).id".quotedInFrench)."

        // Aggregates
        case .tooManyGroups(let maximum):
            "Regroupez par au plus \(maximum) champs."
        case .duplicateGroup(let spelling):
            "\(spelling.quotedInFrench) est donné deux fois\u{202F}: retirez-le."
        case .unknownPeriod(let word, _):
            "La période \(word.quotedInFrench) n’existe pas\u{202F}; les périodes sont"
                + " \(AggregateKeywords.periods.joined(separator: ", "))."
        case .descendingGroup:
            "Un regroupement n’a pas de sens\u{202F}: retirez le signe moins."
        case .periodOfNonDate(let field):
            "\(field.quotedInFrench) n’est pas une date\u{202F}: retirez la période."
        case .fragmentInAggregate:
            "Les fragments n’ont pas de sens dans un agrégat."
        case .keyOfGroup(let key):
            "La clé \(key.quotedInFrench) est déjà celle d’un groupe\u{202F}: donnez un autre alias."
        case .unknownAggregate(let name, let known, _):
            "\(name.quotedInFrench) n’est pas un agrégat\u{202F}; les agrégats sont \(known.joined(separator: ", "))."
        case .selectionOnCount:
            "\("count".quotedInFrench) ne prend pas de sélection."
        case .missingAggregateFields(let function):
            "Nommez entre accolades les champs de \(function.quotedInFrench)."
        case .relationshipInAggregate(let name):
            "\(name.quotedInFrench) est une relation\u{202F}: nommez une colonne de la table."
        case .inapplicableFunction(let function, let field):
            "\(function.rawValue.quotedInFrench) ne vaut pas pour \(field.quotedInFrench)\u{202F}: nommez un nombre"
                + (function.applies(to: .date) ? " ou une date." : ".")
        case .expectedAggregateOrderList:
            "Donnez une liste, comme [\"-count\"]."
        case .expectedName:
            "Donnez un nom entre guillemets."
        case .tooManyAggregateOrderKeys(let maximum):
            "Ordonnez par au plus \(maximum) clés."
        case .unknownAggregateOrder(let name, _):
            "On ne peut pas ordonner par \(name.quotedInFrench)\u{202F}: nommez une clé de \("group_by".quotedInFrench),"
                + " \("count".quotedInFrench) ou un agrégat comme \("sum.champ".quotedInFrench)."
        }
    }
}

extension SelectionError {
    /// The message without the position.
    var message: String {
        switch reason {
        case .strayPeriod:
            "Le caractère «\u{A0}.\u{A0}» n’est admis que dans «\u{A0}...\u{A0}» ou dans un nombre."
        case .strayCharacter(let character):
            "Le caractère «\u{A0}\(character)\u{A0}» n’a pas de sens ici."
        case .leadingZero:
            "Un nombre ne commence pas par un zéro suivi de chiffres."
        case .incompleteNumber:
            "Ce nombre est incomplet\u{202F}: un chiffre manque."
        case .unseparatedNumber:
            "Un nombre doit être suivi d’un blanc ou d’un signe de ponctuation."
        case .unclosedString:
            "La chaîne n’est pas fermée."
        case .lineEndInString:
            "La chaîne n’est pas fermée avant la fin de la ligne."
        case .unknownEscape(let character):
            "L’échappement «\u{A0}\\\(character)\u{A0}» n’existe pas."
        case .invalidUnicodeEscape:
            "Cet échappement Unicode est incorrect."
        case .operation(let word):
            "Les opérations (\(word.quotedInFrench)) ne sont pas admises\u{202F}: la sélection commence par"
                + " «\u{A0}{\u{A0}»."
        case .inlineFragment:
            "Les fragments en ligne ne sont pas admis\u{202F}: définissez un «\u{A0}fragment\u{A0}» nommé après la"
                + " sélection."
        case .directive:
            "Les directives («\u{A0}@…\u{A0}») ne sont pas admises."
        case .missingOpeningBrace:
            "La sélection commence par «\u{A0}{\u{A0}»."
        case .emptySelection:
            "Une sélection vide «\u{A0}{ }\u{A0}» n’est pas admise\u{202F}: nommez au moins un champ."
        case .emptyArguments:
            "Les parenthèses «\u{A0}()\u{A0}» sont vides\u{202F}: nommez un argument ou ôtez-les."
        case .notAFragment(let found):
            "Après la sélection ne viennent que des «\u{A0}fragment\u{A0}», pas \(found.noun)."
        case .fragmentNamedOn:
            "Un fragment ne peut pas s’appeler «\u{A0}on\u{A0}»."
        case .unexpected(let found, let expected):
            "Attendu\u{202F}: \(expected.noun), trouvé\u{202F}: \(found.noun)."
        case .selectionTooDeep:
            "La sélection a trop de niveaux."
        case .valueTooDeep:
            "Cette valeur a trop de niveaux."
        }
    }
}

extension SelectionError.Expectation {
    fileprivate var noun: String {
        switch self {
        case .openingBrace: "«\u{A0}{\u{A0}»"
        case .fieldOrClosingBrace: "un champ ou «\u{A0}}\u{A0}»"
        case .fieldRenamed(let alias): "le champ que renomme \(alias.quotedInFrench)"
        case .argumentOrClosingParenthesis: "un argument ou «\u{A0})\u{A0}»"
        case .nameOrClosingBrace: "un nom ou «\u{A0}}\u{A0}»"
        case .colon(let name): "«\u{A0}:\u{A0}» après \(name.quotedInFrench)"
        case .value: "une valeur"
        case .variableName: "le nom de la variable"
        case .fragmentName: "le nom du fragment"
        case .fragmentTypeCondition: "«\u{A0}on\u{A0}» et la table du fragment"
        case .fragmentTable: "la table du fragment"
        }
    }
}

extension Token.Kind {
    fileprivate var noun: String {
        switch self {
        case .punctuator(let byte): "«\u{A0}\(Character(Unicode.Scalar(byte)))\u{A0}»"
        case .spread: "«\u{A0}...\u{A0}»"
        case .name(let name): name.quotedInFrench
        case .number(let digits): digits.quotedInFrench
        case .string: "une chaîne"
        case .end: "la fin du texte"
        }
    }
}

extension TextPosition {
    /// What precedes the message of a problem in a `select` text.
    var messagePrefix: String { "Ligne \(line), colonne \(column)\u{202F}: " }
}

extension QueryLimitError {
    package var message: String {
        switch excess {
        case .depth:
            "La demande traverse plus de \(max) relations."
        case .rows(let count):
            isOfBatch
                ? "Les appels du lot peuvent rendre \(count) lignes jusqu’ici, plus que les \(max) permises\u{202F}: \(Self.split)."
                : "La sélection peut rendre \(count) lignes, plus que les \(max) permises\u{202F}: donnez un"
                    + " \("first".quotedInFrench) plus petit à ses relations."
        case .bytes(let count):
            isOfBatch
                ? "Les appels du lot peuvent rendre \(count.inMebibytes) jusqu’ici, plus que les \(max.inMebibytes)"
                    + " permis\u{202F}: \(Self.split)."
                : "La sélection peut rendre \(count.inMebibytes), plus que les \(max.inMebibytes) permis\u{202F}: demandez"
                    + " moins de lignes ou de champs."
        case .fields(let count):
            "La sélection compte \(count) champs et fragments, plus que les \(max) permis\u{202F}: retirez-en."
        case .parameterBytes(let count):
            "Les valeurs des appels du lot font \(count.inMebibytes) jusqu’ici, plus que les \(max.inMebibytes)"
                + " permis\u{202F}: \(Self.split)."
        case .descriptions:
            "Un lot ne demande qu’une fois la description du service."
        }
    }

    private static let split = "répartissez-les sur plusieurs lots"
}

extension Int {
    /// This number of bytes, rounded up.
    fileprivate var inMebibytes: String { "\(self >> 20 + (self & (1 << 20 - 1) > 0 ? 1 : 0))\u{A0}Mio" }
}

extension Entity {
    /// The message for a foreign key that names a record of this entity that does not exist.
    func missingMessage(id: String) -> String {
        "\(noun.isFeminine ? "Aucune" : "Aucun") \(noun.singular) n’a l’identifiant \(id)."
    }
}
