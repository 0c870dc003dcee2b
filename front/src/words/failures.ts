// Why a message of the outbox has not left, in French. The service notes it in English, for its log, and what others answered as a code.

/** What the service and its library for the network note. Their apostrophes differ from version to version. */
const sentences: readonly (readonly [RegExp, string])[] = [
  [/^an attempt without an answer/, "Un essai resté sans réponse l’a peut-être envoyé."],
  [/^its record is gone/, "La fiche a été supprimée."],
  [/^the address is not a mail address/, "L’adresse du destinataire n’est pas une adresse e-mail."],
  [/^there is no mail server/, "Aucun serveur de messagerie n’est réglé (SMTP_URL)."],
  [/^the server offers no login/, "Le serveur de messagerie n’accepte pas d’identifiant, et SMTP_URL en donne un."],
  [/^the address is not a URL/, "L’adresse réglée n’est pas celle d’un site."],
  [/^the address does not begin with https/, "L’adresse réglée ne commence pas par https://."],
  [/^--outgoing-hosts does not name/, "Le site n’est pas l’un de ceux que le réglage --outgoing-hosts permet."],
  [/^the host has an address that is not public/, "Le site a une adresse qui n’est pas publique."],
  [/^the answer exceeds/, "La réponse du site est trop longue."],
  [/^(it was not logged|the server stops|Operation was aborted)/, "Le serveur s’arrêtait."],
  [/^(out of memory|the system has no thread|libcurl cannot)/i, "Le serveur manquait de ressources."],
  [/resolve host/, "Le nom de ce serveur est inconnu."],
  [/connect to server/, "Aucune connexion n’est possible."],
  [/^Timeout/, "La réponse n’est pas venue à temps."],
  [/^Problem with the SSL CA/, "Les autorités de certification ne se lisent pas."],
  [/certificate/, "Le certificat de ce serveur n’est pas valable."],
  [/^SSL connect error|^Requested SSL level/, "La connexion ne peut pas être chiffrée."],
  [/^Login denied/, "L’identifiant ou le mot de passe est faux."],
  [/peer|^Server returned nothing/, "La connexion a été coupée."],
];

/** What the codes of mail servers mean (RFC 3463), without their first digit: for good, or for the moment. */
const codes: Readonly<Record<string, string>> = {
  "1.1": "cette adresse n’existe pas", "1.2": "ce domaine n’existe pas", "1.10": "ce domaine ne reçoit pas de courrier",
  "2.1": "cette boîte est fermée", "2.2": "cette boîte est pleine", "2.3": "le message est trop long", "3.4": "le message est trop long",
};

/** `last_error` as a sentence, in which another server is quoted; or as it was noted, in English, where there is none. */
export function failureWords(noted: string): { text: string } | { english: string } {
  const [, reply] = /, its reply was (\d{3}(?: [\d.]+)?)$/.exec(noted) ?? [];
  if (reply !== undefined) {
    const meaning = codes[reply.replace(/^\d+ ?\d?\.?/, "")];
    return { text: `Réponse du serveur de messagerie\u202f: ${reply}${meaning === undefined ? "" : ` (${meaning})`}.` };
  }
  const [, status] = /^the answer was (\d+)$/.exec(noted) ?? [];
  if (status !== undefined) return { text: `Réponse du site\u202f: ${status}.` };
  const text = sentences.find(([pattern]) => pattern.test(noted))?.[1];
  return text === undefined ? { english: noted.replace(/^its record cannot be read: /, "") } : { text };
}
