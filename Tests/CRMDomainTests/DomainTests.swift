import CRMDomain
import DomainKit
import Testing

@Suite struct `The domain is the one of the specification` {
    static let columns = [
        "sessions": """
        id module date debut fin modalite lieu tarif_client tarif_sous_traitant frais_rembourser ref_contrat \
        ecole_id client_id formateur_id
        """,
        "formateurs": """
        id prenom nom email telephone specialite taux_horaire exterieur societe siret nda rue code_postal ville
        """,
        "clients": "id raison_sociale rue code_postal ville nom_contact email telephone siret numero_tva",
        "ecoles": "id nom rue code_postal ville nom_contact email telephone",
        "users": "id username email role supabase_user_id is_active",
    ]

    @Test func `Every table has its columns, in the specification's order`() throws {
        #expect(CRM.domain.entities.map(\.name) == ["sessions", "formateurs", "clients", "ecoles", "users"])
        for entity in CRM.domain.entities {
            let own = try #require(Self.columns[entity.name])
            #expect(entity.columns.map(\.name).joined(separator: " ") == own + " created_at updated_at version")
            for name in ["id", "created_at", "updated_at", "version"] {
                #expect(entity.column(named: name)?.access == .readOnly)
                #expect(entity.column(named: name)?.isNullable == false)
            }
        }
    }

    @Test func `Every record is required to have what the specification says`() {
        let required = CRM.domain.entities.map { $0.columns.filter(\.isRequired).map(\.name).joined(separator: " ") }
        #expect(required == ["module date debut fin modalite", "prenom nom", "raison_sociale", "nom", "email"])
    }

    @Test func `Every table has its derived fields and relations`() {
        let derived = CRM.domain.entities.map { Set($0.derived.map(\.name)) }
        let contact: Set = ["initiales", "telephone_uri", "adresse", "nombre_sessions"]
        #expect(
            derived == [
                ["marge", "duree_minutes", "statut"], contact.union(["nom_complet"]), contact.union(["ca_total"]),
                contact, [],
            ])
        let relations = CRM.domain.entities.map { $0.relations.map(\.name) }
        #expect(relations == [["formateur", "client", "ecole"], ["sessions"], ["sessions"], ["sessions"], []])
    }

    @Test func `Relations, orders and searches lead somewhere`() throws {
        for entity in CRM.domain.entities {
            for relation in entity.relations {
                let target = try #require(CRM.domain.entity(named: relation.target))
                switch relation.kind {
                case .toOne(let column): #expect(entity.column(named: column)?.type == .bigint)
                case .toMany(let column): #expect(target.column(named: column)?.type == .bigint)
                }
            }
            for term in entity.defaultOrder { #expect(entity.column(named: term.path) != nil) }
            for related in entity.search?.related ?? [] { #expect(entity.relation(named: related.relation) != nil) }
            #expect(entity.name == "sessions" ? entity.isDuplicable : !entity.isDuplicable)
        }
        for method in CRM.domain.methods { #expect(CRM.domain.entity(named: method.entity) != nil) }
    }

    @Test func `Lists are ordered as the contract says`() {
        let orders = CRM.domain.entities.map { $0.defaultOrder.map { ($0.isDescending ? "-" : "") + $0.path } }
        #expect(orders == [["-date", "debut"], ["nom", "prenom"], ["raison_sociale"], ["nom"], ["email"]])
    }

    @Test(arguments: [
        ("sessions", "ua ua ua a"), ("formateurs", "ua a a a"), ("clients", "ua a a a"), ("ecoles", "ua a a a"),
        ("users", "a a a -"),
    ])
    func `The role table is the specification's (SEC-04, SEC-05)`(table: String, rights: String) throws {
        let access = try #require(CRM.domain.entity(named: table)).access
        let found = [Operation.read, .create, .update, .delete].map { operation in
            let roles = [Role.user, .admin].filter { access.allows(operation, to: $0) }
            return roles.isEmpty ? "-" : roles.map { $0 == .user ? "u" : "a" }.joined()
        }
        #expect(found.joined(separator: " ") == rights)
    }

    @Test func `Every sentence about a field is French prose with its full stop`() {
        for entity in CRM.domain.entities {
            let summaries =
                entity.columns.map(\.summary) + entity.derived.map(\.summary)
                + entity.relations.map(\.summary) + entity.rules.map(\.message)
                + entity.columns.compactMap { $0.format?.message }
            for summary in summaries {
                #expect(summary.hasSuffix(".") && summary.first?.isUppercase == true, "\(summary)")
            }
        }
    }
}
