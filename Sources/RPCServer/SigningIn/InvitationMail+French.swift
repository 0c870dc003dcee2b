import DomainKit
import JSON
import TextEncodings

/// The mail with the link by which the owner of a new account chooses a password, in French.
struct InvitationMail {
    private let email: String
    private let username: String?
    private let days: String
    private let url: String

    /// Nil if there is no invitation.
    ///
    /// - Parameter invitation: `{email, token, days}`, or null.
    init?(_ invitation: JSONValue, username: String?, link: (_ token: String) -> String) {
        guard let email = invitation["email"]?.text, let token = invitation["token"]?.text else { return nil }
        self.email = email
        self.username = username
        days = invitation["days"]?.jsonText ?? ""
        url = link(token)
    }

    var message: Message {
        .mail(to: email, subject: "Votre compte LearnTrack", text: text, html: html)
    }

    private var greeting: String { username.map { "Bonjour \($0)," } ?? "Bonjour," }

    private var text: String {
        """
        \(greeting)

        Un compte LearnTrack vient d’être créé pour vous. Vous vous y connecterez avec l’adresse \(email).

        Ouvrez ce lien pour choisir votre mot de passe\u{202F}:

        \(url)

        Il est valable \(days) jours et ne sert qu’une fois. Passé ce délai, demandez à la personne qui a créé le compte de vous
        en envoyer un autre.

        Si vous n’attendez rien, ignorez ce message.

        LearnTrack

        """
    }

    private var html: String {
        """
        <!DOCTYPE html>
        <html lang="fr">
        <head><meta charset="utf-8"><title>Votre compte LearnTrack</title></head>
        <body style="font-family: sans-serif; line-height: 1.5; color: #1c1c1e; max-width: 36em; margin: 2em auto;">
        <p>\(greeting.escapedForHTML)</p>
        <p>Un compte LearnTrack vient d’être créé pour vous. Vous vous y connecterez avec l’adresse
        <strong>\(email.escapedForHTML)</strong>.</p>
        <p>\(MailButton.html("Choisir mon mot de passe", to: url))</p>
        <p>Ce lien est valable \(days)&nbsp;jours et ne sert qu’une fois. Passé ce délai, demandez à la personne qui a créé le
        compte de vous en envoyer un autre. S’il ne s’ouvre pas, copiez cette adresse&nbsp;:<br>
        <span style="word-break: break-all;">\(url.escapedForHTML)</span></p>
        <p>Si vous n’attendez rien, ignorez ce message.</p>
        <p>LearnTrack</p>
        </body>
        </html>
        """
    }
}
