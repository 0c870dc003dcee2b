import DomainKit
import JSON

/// The table of domain.md, "Who may do what", repeated on purpose: tests compare with this table and not with the
/// code they test.
enum SpecifiedRights {
    private static let everyone: Set<Role> = [.user, .admin]
    private static let admins: Set<Role> = [.admin]
    private static let nobody: Set<Role> = []

    static let table: [(entity: String, roles: [Operation: Set<Role>])] = [
        ("sessions", [.read: everyone, .create: everyone, .update: everyone, .delete: admins]),
        ("formateurs", [.read: everyone, .create: admins, .update: admins, .delete: admins]),
        ("clients", [.read: everyone, .create: admins, .update: admins, .delete: admins]),
        ("ecoles", [.read: everyone, .create: admins, .update: admins, .delete: admins]),
        // learntrack-next.md: "Everything is reachable by roles `user` (reads, plans)"; deleting is as for sessions.
        ("prospects", [.read: everyone, .create: everyone, .update: everyone, .delete: admins]),
        ("relances", [.read: everyone, .create: everyone, .update: everyone, .delete: admins]),
        // mends.md, 16: what agreements say of a training; it is written by administrators, as the directories are.
        ("programmes", [.read: everyone, .create: admins, .update: admins, .delete: admins]),
        ("organisme", [.read: everyone, .create: nobody, .update: admins, .delete: nobody]),
        // companies.md, newer than domain.md: `users.delete` removes a member of the acting company.
        ("users", [.read: admins, .create: admins, .update: admins, .delete: admins]),
        // contract.md: "`X.history` as for reading X, `journal.list` admin only"; append-only.
        ("journal", [.read: admins, .create: nobody, .update: nobody, .delete: nobody]),
    ]

    /// learntrack-next.md: "Everything is reachable by roles `user` (reads, plans) and `admin`".
    static let views: Set = [
        "conflits", "formateurs_disponibles", "indicateurs", "doublons", "relances_du_jour", "sessions_annulees",
    ]

    /// What the kernel keeps and calls only read. Who plans sessions follows their signatures.
    private static let kept: [String: Set<Role>] = [
        "outbox": admins, "jobs": admins, "signatures": everyone, "signatories": everyone,
    ]

    /// The operation of each method on a record, by the second half of the method's name.
    private static let operations: [String: Operation] = [
        "list": .read, "get": .read, "aggregate": .read, "history": .read, "share": .read,
        "calendrier": .read, "recapitulatif": .read, "convention": .read, "contrat_formateur": .read, "liste": .read,
        "create": .create, "duplicate": .create, "update": .update, "delete": .delete,
    ]

    /// contract.md: "`Authorization: Bearer <access token>` for everything but …".
    private static let open: Set = [
        "auth.login", "auth.refresh", "auth.logout", "auth.request_password_reset", "auth.reset_password",
        "auth.create_first_admin", "rpc.discover",
        // front.md: a key in the place of a password. With a token, the options are those for a new one.
        "auth.passkey_options", "auth.login_with_passkey",
        // companies.md: by the link of a mail, signed in or not.
        "auth.invitation", "auth.accept_invitation",
    ]
    /// `transaction.run` checks the rights of each of its calls.
    private static let own: Set = [
        "auth.me", "auth.list_sign_ins", "auth.end_sign_in", "auth.change_password", "changes.list",
        "transaction.run", "rpc.domains", "files.lien", "auth.add_passkey", "auth.list_passkeys", "auth.remove_passkey",
    ]

    /// kernel.md: "`auth.create_access_key`, `auth.list_access_keys`, `auth.revoke_access_key`", by administrators.
    private static let administration: Set = [
        "auth.create_access_key", "auth.list_access_keys", "auth.revoke_access_key",
        // The messages that wait, and those that have failed.
        "outbox.list", "outbox.get", "outbox.aggregate", "outbox.history",
        // mends.md: "an operator can send again what was given up".
        "outbox.retry", "outbox.retry_all",
        // rooms.md: administrators have the jobs of every domain as a screen.
        "jobs.list", "jobs.get", "jobs.aggregate", "jobs.history", "jobs.run",
        // mends.md: "A new account gets an invitation by mail."
        "users.invite_again",
        // companies.md: "`companies.update` {name} A".
        "companies.update",
    ]

    /// companies.md: "O: operator": no role of a company.
    private static let operators: Set = [
        "companies.list", "companies.create", "companies.suspend", "companies.resume", "companies.usage",
    ]

    /// learntrack-next.md: merging is for administrators; planning is for everyone who may write sessions.
    private static let commands: [String: Set<Role>] = [
        "clients.fusionner": admins, "formateurs.fusionner": admins, "ecoles.fusionner": admins,
        "sessions.decaler": everyone, "sessions.repeter": everyone, "prospects.avancer": everyone,
        "sessions.attribuer_reference": everyone, "sessions.annoncer": everyone,
        "prospects.convertir": everyone, "contacts.lire": everyone,
        "organisme.ouvrir": everyone, "programmes.rattacher": admins,
        // "`signatures.demander` … mails a link good for 14 days".
        "signatures.demander": everyone, "signatures.relancer": everyone, "signatures.annuler": everyone,
        "signatures.telecharger": everyone,
        // "`calendriers.abonner` … listed and revoked by its owner".
        "calendriers.abonner": everyone, "calendriers.list": everyone, "calendriers.delete": everyone,
    ]

    enum Callers: Equatable {
        case anyone
        case roles(Set<Role>)
    }

    static func roles(for operation: Operation, on entity: String) -> Set<Role> {
        table.first { $0.entity == entity }?.roles[operation] ?? []
    }

    /// The roles that may call a method; nil for a method that the specification does not name.
    static func callers(of method: String) -> Callers? {
        if open.contains(method) { return .anyone }
        if own.contains(method) { return .roles(everyone) }
        if administration.contains(method) { return .roles(admins) }
        if operators.contains(method) { return .roles(nobody) }
        if let roles = commands[method] { return .roles(roles) }
        let words = method.split(separator: ".").map(String.init)
        if words.count == 2, views.contains(words[0]), ["list", "aggregate"].contains(words[1]) {
            return .roles(everyone)
        }
        if words.count == 2, let roles = kept[words[0]], operations[words[1]] == .read { return .roles(roles) }
        guard words.count == 2, table.contains(where: { $0.entity == words[0] }),
            let operation = operations[words[1]]
        else { return nil }
        return .roles(roles(for: operation, on: words[0]))
    }
}
