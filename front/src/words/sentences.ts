// The sentences that name the rows of lists, and other words.

import { longDate, times } from "./dates";

/** 1 session, 2 sessions; French counts zero in the singular. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${whole(number)} ${number < 2 ? one : many}`;
}

/** "12 500" with narrow no-break spaces. */
export function whole(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

export const modalities: Readonly<Record<"P" | "D", string>> = { P: "Présentiel", D: "Distanciel" };

interface SessionWords {
  module: string; date: string; debut: string; fin: string; modalite: "P" | "D";
  formateur?: { nom_complet: string } | null;
}

/** "SwiftUI avancé, lundi 12 janvier 2026, 9 h – 17 h, Présentiel, Élodie Dupont": a name, which no line breaks, with plain spaces. */
export function sessionSentence(row: SessionWords): string {
  return sentence(row.module, longDate(row.date), times(row.debut, row.fin).replace(/\u00a0/g, " "), modalities[row.modalite], row.formateur?.nom_complet);
}

export function sentence(...parts: (string | null | undefined)[]): string {
  return parts.filter((part) => part !== null && part !== undefined && part !== "").join(", ");
}

/** The first letter or digit, in upper case, as the service takes it. */
export function firstLetter(text: string): string {
  return (/[\p{L}\p{N}]/u.exec(text.normalize())?.[0] ?? "").toUpperCase();
}

/** The letters of the first two words, as the service takes them: "ÉD" of "Élodie Dupont", "BF" of "Barreau & Fils". */
export function initials(name: string): string {
  const [, second = ""] = /^[^\p{L}\p{N}]*[\p{L}\p{N}]\S*\s+[^\p{L}\p{N}]*([\p{L}\p{N}])/u.exec(name.normalize()) ?? [];
  return firstLetter(name) + second.toUpperCase();
}

const [letters, exact] = [{ sensitivity: "base" }, {}].map((options) => new Intl.Collator("fr", { numeric: true, ...options })) as [Intl.Collator, Intl.Collator];

/**
 * The order of names, and of the lines of names of several parts: numbers by their value. BENALI and Benali are one name, of which
 * the next line decides; what differs in accents and capitals alone has one order, too.
 */
export function compareNames(one: string, other: string): number {
  const [parts, others] = [one.split("\n"), other.split("\n")];
  for (const [at, part] of parts.entries()) {
    const order = letters.compare(part, others[at] ?? "");
    if (order !== 0) return order;
  }
  return exact.compare(one, other);
}

/** Text for a search that ignores accents, case and kinds of apostrophes and spaces. */
export function fold(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase()
    .replace(/œ/g, "oe").replace(/æ/g, "ae").replace(/[’ʼ]/g, "'").replace(/\s+/g, " ").trim();
}

/**
 * Whether folded texts have this word. "st" and "saint", "ste" and "sainte" are one word, also before a hyphen: "st-denis" finds
 * "Saint-Denis" and "saint denis".
 */
function has(word: string): (text: string) => boolean {
  const [, ending, rest = ""] = /^s(?:ain)?t(e?)\.?(?:-(.*))?$/.exec(word) ?? [];
  if (ending === undefined) return (text) => text.includes(word);
  const saint = new RegExp(`\\bs(ain)?t${ending}\\b`);
  return (text) => text.includes(word) || (saint.test(text) && text.includes(rest));
}

function hasAll(typed: string): (text: string) => boolean {
  const words = typed.split(" ").map(has);
  return (text) => words.every((one) => one(text));
}

/**
 * Whether folded texts have every word of a search. Digits alone may be a telephone number, of which a text has `phoneWords`: they are
 * one word, however they are grouped, and 00 is +.
 */
export function finder(search: string): (text: string) => boolean {
  const typed = fold(search);
  const number = typed.replace(/[ .]/g, "").replace(/^00/, "+");
  if (/^\+?\d[\d .]*$/.test(typed)) return (text) => text.includes(typed) || text.includes(number);
  return hasAll(typed);
}

/** Whether every word of the search is in one of the texts. */
export function matches(search: string, ...texts: (string | null | undefined)[]): boolean {
  return hasAll(fold(search))(fold(texts.filter(Boolean).join(" ")));
}

/**
 * The ways to type a telephone number, of which a search may have a part: "0612345678", "06.12.34.56.78", "+33612345678". Those of
 * the service.
 */
export function phoneWords(uri: string | null | undefined): string {
  if (!uri) return "";
  const international = uri.replace("tel:", "");
  const national = international.replace(/^\+(33|262|590|594|596)/, "0");
  return [national, ...(national.startsWith("0") ? [national.match(/..?/g)!.join(".")] : []), international].join(" ");
}
