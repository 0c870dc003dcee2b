import DomainKit

/// Who may call which method, as the declarations of the domains and the kernel's design have it.
struct DeclaredRights {
    enum Callers: Equatable {
        case anyone
        /// Every account; `withKeys`: also with an access key.
        case signedIn(withKeys: Bool)
        case roles(Set<Role>)
    }

    /// The callers of each method of the service.
    let callers: [String: Callers]

    /// contract.md and kernel.md: the methods of the kernel that are no entity's.
    private static let kernel: [String: Callers] = [
        "auth.login": .anyone, "auth.refresh": .anyone, "auth.logout": .anyone,
        "auth.request_password_reset": .anyone, "auth.reset_password": .anyone, "auth.create_first_admin": .anyone,
        "rpc.discover": .anyone, "rpc.domains": .signedIn(withKeys: true),
        "auth.passkey_options": .anyone, "auth.login_with_passkey": .anyone,
        "auth.invitation": .anyone, "auth.accept_invitation": .anyone,
        "auth.add_passkey": .signedIn(withKeys: false), "auth.list_passkeys": .signedIn(withKeys: false),
        "auth.remove_passkey": .signedIn(withKeys: false),
        "auth.me": .signedIn(withKeys: true), "changes.list": .signedIn(withKeys: true),
        "transaction.run": .signedIn(withKeys: true), "files.lien": .signedIn(withKeys: true),
        // "A key acts in its role alone and makes no keys": nor does it see or change how people sign in.
        "auth.list_sign_ins": .signedIn(withKeys: false), "auth.end_sign_in": .signedIn(withKeys: false),
        "auth.change_password": .signedIn(withKeys: false),
        "auth.create_access_key": .roles([.admin]), "auth.list_access_keys": .roles([.admin]),
        "auth.revoke_access_key": .roles([.admin]),
        "companies.update": .roles([.admin]),
        // Of operators, who are none by a role.
        "companies.list": .roles([]), "companies.create": .roles([]), "companies.suspend": .roles([]),
        "companies.resume": .roles([]), "companies.usage": .roles([]),
    ]

    init(of domains: [Domain]) {
        var callers = Self.kernel
        for domain in domains {
            for entity in domain.entities {
                let access = entity.access
                var roles: [(String, Set<Role>)] = [
                    ("list", access.roles(for: .read)), ("aggregate", access.roles(for: .read)),
                ]
                if !entity.isView {
                    roles.append(("get", access.roles(for: .read)))
                    // The journal has no history of its own.
                    if entity.name != "journal" { roles.append(("history", access.roles(for: .read))) }
                    roles += [
                        ("create", access.roles(for: .create)), ("update", access.roles(for: .update)),
                        ("delete", access.roles(for: .delete)),
                    ]
                    if entity.isDuplicable {
                        roles.append(("duplicate", access.roles(for: .create).intersection(access.roles(for: .read))))
                    }
                }
                for (method, allowed) in roles where !allowed.isEmpty {
                    callers["\(entity.name).\(method)"] = .roles(allowed)
                }
            }
            for command in domain.commands { callers[command.name] = .roles(command.roles.roles) }
            for loaded in domain.methods {
                let readers = domain.entity(named: loaded.entity)?.access.roles(for: .read) ?? []
                callers["\(loaded.group ?? loaded.entity).\(loaded.name)"] = .roles(readers)
            }
            for subscriptions in domain.subscriptions {
                for method in [subscriptions.subscribe, "list", "delete"] {
                    callers["\(subscriptions.name).\(method)"] = callers[subscriptions.document]
                }
            }
            for signatures in domain.signatures {
                for method in [signatures.ask, signatures.remind, signatures.cancel, signatures.download] {
                    callers["\(signatures.name).\(method)"] = callers[signatures.documents[0]]
                }
            }
        }
        self.callers = callers
    }
}
