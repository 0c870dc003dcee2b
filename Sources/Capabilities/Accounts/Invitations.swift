import Auth
import DomainKit
import JSON
import Outbox
import RPCServer

/// The mails that invite people to a company, or the owners of new accounts to choose a password. Their rows in the outbox name the account; the token is made when a
/// mail is phrased, for each attempt, and only its hash is stored.
package struct Invitations: Sendable {
    /// What a link is for.
    package enum Aim: Sendable {
        /// To choose the first password of an account.
        case password
        /// To join a company.
        case company
    }

    /// `beginning`: that of the pages of the company that invites, as ``Installation/pageBeginning(of:)`` gives it.
    package typealias Link = @Sendable (_ token: String, Aim, _ beginning: String) -> String

    /// The address of the page for a token.
    package let link: Link

    package init(link: @escaping Link) { self.link = link }

    /// - Parameters:
    ///   - accounts: the entity of the accounts.
    ///   - domain: that of the entity.
    ///   - roles: those of the domain.
    func planned(
        _ accounts: Entity, in domain: Domain, for roles: [ServedRole], by identity: AuthService,
        of installation: Installation
    ) throws(RPCService.SetupError) -> PlannedNotice {
        let link = link
        let notice = Notice(
            name: "\(accounts.name).invitation", entity: accounts.name, loads: [.record("{ username }")],
            functions: ["kernel.invitation_sender"],
            sent: "kernel.invitation_sent", failed: "kernel.invitation_failed"
        ) { loaded in
            // The account may have chosen a password since, the member may have joined, or may not be active any more.
            guard
                let invitation = InvitationMail(
                    loaded[2], username: loaded[0]["username"]?.text, sender: loaded[1].text, link: link)
            else { return [] }
            return [invitation.message]
        }
        return try PlannedNotice(notice, in: domain, for: roles) { (record, call) throws(ExecutionError) in
            let invitation = try await mapError(
                async: await identity.invitation(
                    of: Member(company: call.company.id, id: Int64(record) ?? 0), deadline: call.context.deadline),
                ExecutionError.init(account:))
            guard let invitation else { return [.null] }
            return [
                [
                    "email": .string(invitation.email), "token": .string(invitation.token),
                    "days": .number(String(invitation.validDays)),
                    "company": invitation.company.map { .string($0) } ?? .null,
                    "beginning": .string(installation.pageBeginning(of: call.company)),
                ]
            ]
        }
    }
}
