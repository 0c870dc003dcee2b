// The French messages of this domain. Typography: ’ for the apostrophe, U+202F before a colon, U+00A0 inside quotation marks.

extension CRM {
    enum Messages {
        // Formats
        static let phone = "Donnez un numéro de téléphone complet, comme 06 12 34 56 78 ou +32 2 123 45 67."
        static let siret =
            "Vérifiez ce numéro SIRET\u{202F}: 14 chiffres dont le dernier contrôle les autres, comme 732 829 320 00074."
        static let nda = "Donnez les 11 chiffres du numéro de déclaration d’activité, comme 11755555555."
        static let postalCode =
            "Donnez un code postal, comme 75002, ou celui d’un autre pays en 10 caractères au plus, comme SW1A 1AA."
        static let intraCommunityVAT =
            "Donnez un numéro de TVA intracommunautaire sans espaces, comme FR40303265045 ou BE0428759497."
        static let discordWebhook =
            "Donnez l’adresse d’un webhook de Discord, comme https://discord.com/api/webhooks/123456789/jeton."

        // Rules
        static let endNotAfterStart = "Donnez une heure de fin après l’heure de début."
        static let overlap =
            "Choisissez un autre formateur ou une autre heure\u{202F}: le formateur a une session à ce moment."

        // Commands
        static let sameRecord = "Donnez deux fiches différentes\u{202F}: une fiche ne s’absorbe pas elle-même."
        static let endAfterMidnight =
            "Donnez aussi une heure de fin\u{202F}: avec sa durée, la session finirait après minuit."
        static let dateTwice = "Donnez chaque date une seule fois."
        static let oneToSixtyDates = "Donnez une à soixante dates."
        static let otherStage =
            "Ce prospect ne peut pas passer à cette étape\u{202F}: choisissez l’une de celles qui suivent la sienne."
        static let reasonForLoss = "Donnez le motif de la perte."
        static let newOrExistingClient = "Donnez soit values, soit client_id."
        static let alreadyClient = "Ce prospect est déjà devenu un client."
        static let sessionHasTrainer = "Cette session a déjà un formateur\u{202F}: il n’y a rien à annoncer."
        static let sessionIsOver = "Cette session est passée\u{202F}: il n’y a plus de formateur à chercher."
        static let noWebhook = "Donnez d’abord l’adresse d’un webhook de Discord à l’organisme."
        static let contractWithoutClient =
            "Donnez d’abord un client à la session\u{202F}: la convention est conclue avec lui."
        static let contractWithoutPrice =
            "Donnez d’abord le tarif client de la session\u{202F}: la convention dit son prix."
        static let contractWithoutTrainer =
            "Donnez d’abord un formateur à la session\u{202F}: le contrat est conclu avec lui."
        static let contractWithoutOrganisation =
            "Complétez d’abord la fiche de l’organisme\u{202F}: un contrat dit qui le signe, et sous quels numéros."
        static let contractWithEmployee =
            "Ce formateur est interne\u{202F}: un contrat de sous-traitance se signe avec un formateur externe."
        static let contractWithoutFee =
            "Donnez d’abord le tarif du sous-traitant\u{202F}: le contrat dit la rémunération du formateur."

        static let longMentions =
            "Donnez des mentions de 320 caractères et six lignes au plus, qui tiennent au pied d’une page\u{202F}: un texte plus long a sa "
            + "place dans les clauses des conventions ou dans celles des contrats de sous-traitance."

        // Announcements, in Discord’s Markdown
        static let filledAnnouncement = "✅ **Pourvue**"
        static let cancelledAnnouncement = "❌ **Annulée**"

        // Mails
        static let blockedAnnouncementsSubject = "Les annonces n’arrivent pas sur Discord"
        static let blockedAnnouncements = [
            "Bonjour,",
            "Une annonce de session au moins n’arrive pas sur Discord.",
            "Vérifiez que le webhook existe encore, et que la fiche de l’organisme a son adresse. Les envois sont répétés"
                + " pendant trois jours\u{202F}: avec une adresse corrigée, les annonces en attente partent d’elles-mêmes."
                + " Après ce délai, enregistrez de nouveau l’adresse du webhook, même inchangée\u{202F}: ce qui a été abandonné"
                + " repart.",
            "La méthode outbox.list montre ce qui attend, et pourquoi.",
        ]

        static let orphanAnnouncementsSubject = "Des annonces sont peut-être restées ouvertes sur Discord"

        static func orphanAnnouncements(_ list: String) -> [String] {
            [
                "Bonjour,",
                "Des messages sont restés sur Discord, ou ont pu y rester, que LearnTrack ne peut plus ni modifier ni"
                    + " barrer\u{202F}: Discord n’a pas confirmé leur publication, ou leur webhook n’existe plus.",
                "Cherchez dans le salon les annonces de ces sessions, et supprimez celles qui ne sont plus à jour. Voici celles"
                    + " des sept derniers jours\u{202F}:",
                list,
            ]
        }

        // Views
        static let lastDayBeforeFirst = "Donnez un dernier jour qui ne précède pas le premier."
    }
}
