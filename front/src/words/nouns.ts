// What people read of an entity, composed from its noun as the server composes its messages.

export interface Noun {
  readonly singular: string;
  readonly plural: string;
  readonly feminine: boolean;
  /** There is one at most. */
  readonly single?: true;
}

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const elides = ({ singular }: Noun): boolean => /^[aeiouyhàâéèêëîïôù]/iu.test(singular);

/** Whether the name of the one record is a plural already, as "réglages": it has no other. */
const isMany = ({ singular, plural, single }: Noun): boolean => single === true && singular === plural;

/** "Livres": the list. Of what there is one at most, it is the record: "Réglages", "Organisation". */
export const listName = ({ singular, plural, single }: Noun): string => capital(single ? singular : plural);

/** "un livre", "une étagère" */
export const one = (noun: Noun): string => `${noun.feminine ? "une" : "un"} ${noun.singular}`;

/** "Nouveau livre", "Nouvel auteur", "Nouvelle étagère" */
export const newOne = (noun: Noun): string =>
  `${noun.feminine ? "Nouvelle" : elides(noun) ? "Nouvel" : "Nouveau"} ${noun.singular}`;

/** "le livre", "l’auteur", "la page", "les réglages" */
export const the = (noun: Noun): string =>
  (isMany(noun) ? `les ${noun.singular}` : elides(noun) ? `l’${noun.singular}` : `${noun.feminine ? "la" : "le"} ${noun.singular}`);

/** "du livre", "de l’auteur", "de la page", "des réglages" */
export const ofThe = (noun: Noun): string => (isMany(noun) ? `des ${noun.singular}` : elides(noun) || noun.feminine ? `de ${the(noun)}` : `du ${noun.singular}`);

/** "ce livre", "cet auteur", "cette page", "ces réglages" */
export const this_ = (noun: Noun): string => `${isMany(noun) ? "ces" : noun.feminine ? "cette" : elides(noun) ? "cet" : "ce"} ${noun.singular}`;

/** "Aucun livre", "Aucune page" */
export const none = (noun: Noun): string => `${noun.feminine ? "Aucune" : "Aucun"} ${noun.singular}`;

const agreeing = (noun: Noun, participle: string): string => `${participle}${noun.feminine ? "e" : ""}${isMany(noun) ? "s" : ""}`;

/** "Livre enregistré", "Page enregistrée", "Réglages enregistrés" */
export const done = (noun: Noun, participle: string): string => `${capital(noun.singular)} ${agreeing(noun, participle)}`;

/** "Ce livre n’existe pas, ou a été supprimé." */
export const isMissing = (noun: Noun): string =>
  `${capital(this_(noun))} ${isMany(noun) ? "n’existent pas, ou ont" : "n’existe pas, ou a"} été ${agreeing(noun, "supprimé")}.`;

/** "L’organisation n’existe pas encore.", "Les réglages n’existent pas encore." */
export const notYet = (noun: Noun): string => `${capital(the(noun))} ${isMany(noun) ? "n’existent" : "n’existe"} pas encore.`;
