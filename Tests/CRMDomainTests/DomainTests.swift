import AccountsDomain
import CRMDomain
import DomainKit
import JSON
import Testing

/// Compares the tables of LearnTrack, its accounts included, with the specification.
@Suite struct DomainTests {
    static let entities = CRM.domain.entities.filter { !$0.isView } + Accounts.domain.entities

    static let columns = [
        "sessions": """
        id module date debut fin modalite lieu tarif_client tarif_sous_traitant frais_rembourser ref_contrat \
        ecole_id client_id formateur_id programme_id effectif
        """,
        "formateurs": """
        id prenom nom email telephone specialite taux_horaire exterieur societe siret nda rue code_postal ville
        """,
        "clients": "id raison_sociale rue code_postal ville nom_contact email telephone siret numero_tva",
        "ecoles": "id nom rue code_postal ville nom_contact email telephone",
        "programmes": """
        id intitule objectifs public prerequis contenu moyens suivi_evaluation sanction duree_conseillee
        """,
        "prospects": """
        id raison_sociale nom_contact email telephone ville source montant_estime probabilite prochaine_relance \
        responsable_id etape motif client_id
        """,
        "relances": "id prospect_id date canal note faite",
        "organisme": """
        id raison_sociale rue code_postal ville siret nda numero_tva rcs telephone email logo mentions signataire \
        conflits_interdits annonces_auto discord_webhook clauses_convention clauses_sous_traitance \
        reglement
        """,
        "users": "id username email role supabase_user_id is_active",
    ]

    @Test func `every table has the columns of the specification, in its order`() throws {
        #expect(
            Self.entities.map(\.name) == [
                "sessions", "formateurs", "clients", "ecoles", "programmes", "prospects", "relances", "organisme",
                "users",
            ])
        for entity in Self.entities {
            let own = try #require(Self.columns[entity.name])
            #expect(entity.columns.map(\.name).joined(separator: " ") == own + " created_at updated_at version")
            for name in ["id", "created_at", "updated_at", "version"] {
                #expect(entity.column(named: name)?.access == .readOnly)
                #expect(entity.column(named: name)?.isNullable == false)
            }
        }
    }

    @Test func `the required columns are those of the specification`() {
        let required = Self.entities.map { $0.columns.filter(\.isRequired).map(\.name).joined(separator: " ") }
        #expect(
            required == [
                "module date debut fin modalite", "prenom nom", "raison_sociale", "nom", "intitule",
                "raison_sociale", "prospect_id date", "", "email",
            ])
    }

    @Test func `every table has the derived fields and relations of the specification`() {
        let derived = Self.entities.map { Set($0.derived.map(\.name)) }
        let contact: Set = ["initiales", "telephone_uri", "adresse", "nombre_sessions"]
        #expect(
            derived == [
                ["marge", "duree_minutes", "statut", "en_conflit"], contact.union(["nom_complet"]),
                contact.union(["ca_total"]),
                contact, ["nombre_sessions"], ["telephone_uri", "etapes_suivantes"], [], [], ["invitation"],
            ])
        let relations = Self.entities.map { $0.relations.map(\.name) }
        #expect(
            relations == [
                ["formateur", "client", "ecole", "programme"], ["sessions"], ["sessions"], ["sessions"], ["sessions"],
                ["relances", "client", "responsable"], ["prospect"], [], [],
            ])
    }

    @Test func `views are read by everyone, and refer to tables and columns that exist`() throws {
        let views = CRM.domain.entities.filter(\.isView)
        #expect(
            views.map(\.name) == [
                "conflits", "formateurs_disponibles", "indicateurs", "doublons", "relances_du_jour",
                "sessions_annulees",
            ])
        for view in views {
            #expect(view.access.roles(for: .read) == [.user, .admin])
            #expect(Domain.viewError(of: view, in: [CRM.domain, Accounts.domain]) == nil)
            for relation in view.relations {
                guard case .toOne(let column) = relation.kind else { continue }
                #expect(view.column(named: column)?.type == .bigint)
                let target = try #require((CRM.domain.entities + Accounts.domain.entities).named(relation.target))
                #expect(!target.isView)
            }
        }
    }

    @Test func `relations, default orders, searches and methods refer to entities and columns that exist`() throws {
        for entity in Self.entities {
            for relation in entity.relations {
                let target = try #require((CRM.domain.entities + Accounts.domain.entities).named(relation.target))
                switch relation.kind {
                case .toOne(let column): #expect(entity.column(named: column)?.type == .bigint)
                case .toMany(let column): #expect(target.column(named: column)?.type == .bigint)
                }
            }
            for term in entity.defaultOrder { #expect(entity.column(named: term.path) != nil) }
            #expect(entity.name == "sessions" ? entity.isDuplicable : !entity.isDuplicable)
        }
        for method in CRM.domain.methods { #expect(CRM.domain.entity(named: method.entity) != nil) }
    }

    @Test func `the default orders are those of the contract`() {
        let orders = Self.entities.map { $0.defaultOrder.map { ($0.isDescending ? "-" : "") + $0.path } }
        #expect(
            orders == [
                ["-date", "debut"], ["nom", "prenom"], ["raison_sociale"], ["nom"], ["intitule"],
                ["raison_sociale"], ["date"], ["id"], ["email"],
            ])
    }

    @Test(arguments: [
        ("sessions", "ua ua ua a"), ("formateurs", "ua a a a"), ("clients", "ua a a a"), ("ecoles", "ua a a a"),
        ("programmes", "ua a a a"), ("prospects", "ua ua ua a"), ("relances", "ua ua ua a"),
        ("organisme", "ua - a -"),
        // companies.md: "`users.invite_again`, `.delete`".
        ("users", "a a a a"),
    ])
    func `the rights of each role are those of the specification (SEC-04, SEC-05)`(table: String, rights: String) throws
    {
        let access = try #require(Self.entities.first { $0.name == table }).access
        let found = [Operation.read, .create, .update, .delete].map { operation in
            let roles = [Role.user, .admin].filter { access.allows(operation, to: $0) }
            return roles.isEmpty ? "-" : roles.map { $0 == .user ? "u" : "a" }.joined()
        }
        #expect(found.joined(separator: " ") == rights)
    }

    @Test func `every summary and message begins with a capital and ends with a full stop`() {
        for entity in CRM.domain.entities + Accounts.domain.entities {
            let summaries =
                entity.parameters.map(\.summary) + entity.columns.map(\.summary) + entity.derived.map(\.summary)
                + entity.relations.map(\.summary) + entity.rules.map(\.message)
                + entity.columns.compactMap { $0.format?.message }
            for summary in summaries {
                #expect(summary.hasSuffix(".") && summary.first?.isUppercase == true, "\(summary)")
            }
        }
    }
}

extension [Entity] {
    fileprivate func named(_ name: String) -> Entity? { first { $0.name == name } }
}
