// What people read of an entity, composed from its noun as the server composes its messages.

export interface Noun { readonly singular: string; readonly plural: string; readonly feminine: boolean }

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const elides = ({ singular }: Noun): boolean => /^[aeiouyhàâéèêëîïôù]/iu.test(singular);

/** "Livres": the list. */
export const listName = ({ plural }: Noun): string => capital(plural);

/** "un livre", "une étagère" */
export const one = (noun: Noun): string => `${noun.feminine ? "une" : "un"} ${noun.singular}`;

/** "Nouveau livre", "Nouvel auteur", "Nouvelle étagère" */
export const newOne = (noun: Noun): string =>
  `${noun.feminine ? "Nouvelle" : elides(noun) ? "Nouvel" : "Nouveau"} ${noun.singular}`;

/** "le livre", "l’auteur", "la page" */
export const the = (noun: Noun): string =>
  (elides(noun) ? `l’${noun.singular}` : `${noun.feminine ? "la" : "le"} ${noun.singular}`);

/** "du livre", "de l’auteur", "de la page" */
export const ofThe = (noun: Noun): string => (elides(noun) || noun.feminine ? `de ${the(noun)}` : `du ${noun.singular}`);

/** "ce livre", "cet auteur", "cette page" */
export const this_ = (noun: Noun): string => `${noun.feminine ? "cette" : elides(noun) ? "cet" : "ce"} ${noun.singular}`;

/** "Aucun livre", "Aucune page" */
export const none = (noun: Noun): string => `${noun.feminine ? "Aucune" : "Aucun"} ${noun.singular}`;

/** "Livre enregistré", "Page enregistrée" */
export const done = (noun: Noun, participle: string): string => `${capital(noun.singular)} ${participle}${noun.feminine ? "e" : ""}`;

/** "Ce livre n’existe pas, ou a été supprimé." */
export const isMissing = (noun: Noun): string => `${capital(this_(noun))} n’existe pas, ou a été supprimé${noun.feminine ? "e" : ""}.`;
