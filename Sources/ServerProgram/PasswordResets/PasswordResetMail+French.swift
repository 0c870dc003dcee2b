import Auth
import Mail
import Outbox
import RPCServer
import TextEncodings

/// The mail with the link that sets a new password, in French.
struct PasswordResetMail: Sendable {
    let from: MailAddress
    /// The page that sets the password, with the token.
    let link: String
    let reset: PasswordReset

    /// Nil if a mail cannot be addressed to the e-mail of the account.
    var message: MailMessage? {
        guard let to = MailAddress(reset.email) else { return nil }
        return MailMessage(
            from: from, to: to, subject: "Réinitialisation de votre mot de passe LearnTrack", text: text, html: html)
    }

    private var text: String {
        """
        Bonjour,

        Vous avez demandé à choisir un nouveau mot de passe pour votre compte LearnTrack \(reset.email).

        Ouvrez ce lien pour le choisir\u{202F}:

        \(link)

        Il est valable \(reset.validMinutes) minutes et ne sert qu’une fois. Toutes vos connexions en cours prendront fin.

        Si vous n’avez rien demandé, ignorez ce message\u{202F}: votre mot de passe reste le même.

        LearnTrack
        """
    }

    private var html: String {
        """
        <!DOCTYPE html>
        <html lang="fr">
        <head><meta charset="utf-8"><title>Réinitialisation de votre mot de passe</title></head>
        <body style="font-family: sans-serif; line-height: 1.5; color: #1c1c1e; max-width: 36em; margin: 2em auto;">
        <p>Bonjour,</p>
        <p>Vous avez demandé à choisir un nouveau mot de passe pour votre compte LearnTrack
        <strong>\(reset.email.escapedForHTML)</strong>.</p>
        <p>\(MailButton.html("Choisir un nouveau mot de passe", to: link))</p>
        <p>Ce lien est valable \(reset.validMinutes)&nbsp;minutes et ne sert qu’une fois. Toutes vos connexions en cours
        prendront fin. S’il ne s’ouvre pas, copiez cette adresse&nbsp;:<br>
        <span style="word-break: break-all;">\(link.escapedForHTML)</span></p>
        <p>Si vous n’avez rien demandé, ignorez ce message&nbsp;: votre mot de passe reste le même.</p>
        <p>LearnTrack</p>
        </body>
        </html>
        """
    }
}
