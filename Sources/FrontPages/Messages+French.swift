/// The French texts of the page of a server without a front. Typography: ’ for an apostrophe, U+202F before a colon.
enum Messages {
    static let name = "LearnTrack"
    static let missing = "Le serveur fonctionne, mais sans ses pages\u{202F}: il n’a pas trouvé leur dossier."
    static let remedy =
        "<code>script/front</code> les construit, et <code>--front</code> ou <code>LEARNTRACK_FRONT</code> dit où elles sont."
    static let explorer = "Ouvrir l’explorateur des méthodes"
}
