import DomainKit
import JSON
import Outbox
import TextEncodings

/// The mail with the link by which a person joins a company, or the owner of a new account chooses a password, in French.
struct InvitationMail {
    private let email: String
    private let username: String?
    private let sender: String?
    /// The company to join; nil for the owner of a new account.
    private let company: String?
    private let days: String
    private let url: String

    /// Nil if there is no invitation.
    ///
    /// - Parameters:
    ///   - invitation: `{email, token, days, company, beginning}`, or null.
    ///   - username: the name of the new account.
    ///   - sender: the name and the address of the account that invites; nil if none does any more.
    init?(_ invitation: JSONValue, username: String?, sender: String?, link: Invitations.Link) {
        guard let email = invitation["email"]?.text, let token = invitation["token"]?.text else { return nil }
        self.email = email
        self.username = username
        company = invitation["company"]?.text
        self.sender = sender
        days = invitation["days"]?.jsonText ?? ""
        url = link(token, company == nil ? .password : .company, invitation["beginning"]?.text ?? "")
    }

    var message: Message {
        .mail(to: email, subject: subject, text: text, html: html)
    }

    private var subject: String { company.map { "Rejoignez \($0) sur LearnTrack" } ?? "Votre compte LearnTrack" }

    private var greeting: String { username.map { "Bonjour \($0)," } ?? "Bonjour," }

    private var opening: String {
        if let company {
            return sender.map { "\($0) vous invite à rejoindre \(company) sur LearnTrack." }
                ?? "Une invitation à rejoindre \(company) sur LearnTrack vous attend."
        }
        return sender.map { "\($0) vous invite à utiliser LearnTrack, où vous avez maintenant un compte." }
            ?? "Un compte LearnTrack vient d’être créé pour vous."
    }

    /// What the link is for.
    private var aim: String { company.map { "rejoindre \($0)" } ?? "choisir votre mot de passe" }
    private var button: String { company.map { "Rejoindre \($0)" } ?? "Choisir mon mot de passe" }

    /// Whom to ask for another link.
    private var helper: String {
        sender.map { "à \($0)" } ?? (company == nil ? "à la personne qui a créé le compte" : "à cette société")
    }

    private var text: String {
        """
        \(greeting)

        \(opening) Vous vous y connecterez avec l’adresse \(email).

        Ouvrez ce lien pour \(aim)\u{202F}:

        \(url)

        Il est valable \(days) jours et ne sert qu’une fois. Passé ce délai, demandez \(helper)
        de vous en envoyer un autre.

        Si vous n’attendez rien, ignorez ce message.

        LearnTrack

        """
    }

    private var html: String {
        """
        <!DOCTYPE html>
        <html lang="fr">
        <head><meta charset="utf-8"><title>\(subject.escapedForHTML)</title></head>
        <body style="font-family: sans-serif; line-height: 1.5; color: #1c1c1e; max-width: 36em; margin: 2em auto;">
        <p>\(greeting.escapedForHTML)</p>
        <p>\(opening.escapedForHTML) Vous vous y connecterez avec l’adresse
        <strong>\(email.escapedForHTML)</strong>.</p>
        <p>\(MailButton.html(button, to: url))</p>
        <p>Ce lien est valable \(days)&nbsp;jours et ne sert qu’une fois. Passé ce délai, demandez
        \(helper.escapedForHTML) de vous en envoyer un autre. S’il ne s’ouvre pas, copiez cette adresse&nbsp;:<br>
        <span style="word-break: break-all;">\(url.escapedForHTML)</span></p>
        <p>Si vous n’attendez rien, ignorez ce message.</p>
        <p>LearnTrack</p>
        </body>
        </html>
        """
    }
}
