import DomainKit

/// A lexical token of GraphQL.
struct Token: Equatable {
    enum Kind: Equatable {
        /// One of `! $ & ( ) : = @ [ ] { | }`.
        case punctuator(UInt8)
        /// `...`
        case spread
        case name(String)
        case number(String)
        case string(String)
        case end
    }

    let kind: Kind
    let position: Problem.Position

    static func punctuator(_ character: Unicode.Scalar) -> Kind {
        .punctuator(UInt8(ascii: character))
    }

    /// How a message names it.
    var text: String {
        switch kind {
        case .punctuator(let byte): "«\u{A0}\(Character(Unicode.Scalar(byte)))\u{A0}»"
        case .spread: "«\u{A0}...\u{A0}»"
        case .name(let name): name.quotedInFrench
        case .number(let digits): digits.quotedInFrench
        case .string: "une chaîne"
        case .end: "la fin du texte"
        }
    }
}
