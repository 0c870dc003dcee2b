// Entries of the journal in words: who did what to which record, and what changed.

import { longDate, time } from "./dates";
import { instant } from "./instants";
import { decimal, euros } from "./money";
import { declaredPath, fieldOf, learnt, learntRole } from "./declared";
import { listName, the } from "./nouns";
import { modalities, sentence } from "./sentences";
import { titleOf } from "./titles";
import { valueText } from "./values";

export type Values = { readonly [column: string]: unknown };

export interface Entry {
  id: number;
  at: string;
  table_name: string;
  row_id: number | null;
  operation: "create" | "update" | "delete" | "truncate";
  actor: Values;
  before: Values | null;
  after: Values | null;
}

interface TableWords {
  /** "la session", in the middle of a sentence. */
  one: string;
  /** "Sessions", in a choice. */
  all: string;
  /** The column that names a record. */
  name?: (values: Values) => unknown;
  /** The screen of a record, or of the one it belongs to. */
  href?: (values: Values) => string | null;
}

const fullName = (values: Values): string => [values["prenom"], values["nom"]].filter(Boolean).join(" ");

const part = (values: Values, name: string): Values => (values[name] ?? {}) as Values;
const pathOf = (list: string, id: unknown): string | null => (typeof id === "number" ? `/${list}/${id}` : null);
const screen = (list: string) => (values: Values): string | null => pathOf(list, values["id"]);
/** A document to sign stands on the screen of its session. */
const signedIn = (values: Values): string | null =>
  (String(values["method"]).startsWith("sessions.") ? pathOf("sessions", part(values, "params")["id"]) : null);

const tables: Readonly<Record<string, TableWords>> = {
  sessions: { one: "la session", all: "Sessions", name: (values) => values["module"], href: screen("sessions") },
  formateurs: { one: "le formateur", all: "Formateurs", name: fullName, href: screen("formateurs") },
  clients: { one: "le client", all: "Clients", name: (values) => values["raison_sociale"], href: screen("clients") },
  ecoles: { one: "l’école", all: "Écoles", name: (values) => values["nom"], href: screen("ecoles") },
  programmes: { one: "le programme", all: "Programmes", name: (values) => values["intitule"], href: screen("programmes") },
  prospects: { one: "le prospect", all: "Prospects", name: (values) => values["raison_sociale"], href: screen("prospects") },
  relances: {
    one: "la relance", all: "Relances", href: (values) => pathOf("prospects", part(values, "prospect")["id"]),
    name: (values) => values["date"] && sentence(part(values, "prospect")["raison_sociale"] as string, longDate(String(values["date"]))),
  },
  organisme: { one: "la fiche de l’organisme", all: "Organisme", href: () => "/organisme" },
  signatures: { one: "le document à signer", all: "Documents à signer", name: (values) => values["name"], href: signedIn },
  signatories: { one: "le signataire", all: "Signataires", name: (values) => values["name"], href: (values) => signedIn(part(values, "signature")) },
  users: { one: "l’utilisateur", all: "Utilisateurs", name: (values) => values["username"] ?? values["email"], href: screen("utilisateurs") },
  account_roles: { one: "le rôle", all: "Rôles", name: (values) => values["role"] && valueWords("role", values["role"]) },
  access_keys: { one: "une clé d’accès", all: "Clés d’accès" },
};

/** The words of a table: LearnTrack's own, or what its domain declares. */
export function tableWords(table: string): TableWords | undefined {
  const entity = learnt(table);
  if (tables[table] !== undefined || entity === undefined) return tables[table];
  // A title that leads over relations is no part of what the journal keeps, and of what there is one at most no name is needed.
  const named = entity.single ? [] : entity.title.filter((one) => one !== "id" && !one.includes("."));
  return {
    one: the(entity), all: listName(entity), href: ({ id }) => (typeof id === "number" ? declaredPath(table, id) : null),
    ...(named.length === 0 ? {} : { name: (values: Values) => named.some((one) => one in values) && titleOf({ title: named }, values) }),
  };
}

/** Columns that there were once, and that older entries have. */
const former: Readonly<Record<string, string>> = { annulee_le: "Annulée le" };

/** What the service keeps about a record and no person writes, and what the words of an entry say already. */
const own = new Set([
  "id", "version", "created_at", "updated_at", "supabase_user_id", "method", "params", "sha256", "final_sha256", "consent", "device", "address",
  "mailed_at", "opened_at", "signed_at", "completed_at", "cancelled_at", "reminded_at", "reminders", "signed_name",
]);
const amounts = new Set(["tarif_client", "tarif_sous_traitant", "frais_rembourser", "taux_horaire", "montant_estime"]);
const names: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  modalite: modalities, exterieur: { 0: "Interne", 1: "Externe" },
  role: { admin: "Administrateur", user: "Utilisateur" },
  etape: { a_contacter: "À contacter", contacte: "Contacté", proposition: "Proposition", gagne: "Gagné", perdu: "Perdu" },
  canal: { telephone: "Téléphone", email: "E-mail", rendez_vous: "Rendez-vous", courrier: "Courrier", autre: "Autre" },
  status: { waiting: "En attente", signed: "Signé", cancelled: "Annulé" },
};

/** The name of a column as its field has it. */
export function columnName(column: string, table?: string): string {
  return fieldOf(table, column)?.label ?? former[column] ?? column.replace(/_id$/, "").replace(/_/g, " ").replace(/^./, (first) => first.toUpperCase());
}

/** A value as people read it. `nameOf` knows the records that columns refer to. */
export function valueWords(
  column: string, value: unknown, nameOf: (column: string, id: number) => string | undefined = () => undefined, table?: string,
): string {
  if (value === null || value === undefined || value === "") return "vide";
  const field = fieldOf(table, column);
  if (field?.file !== undefined) return `fichier n°\u00a0${String(value)}`;
  if (field !== undefined && field.target === undefined && table !== undefined && !(table in tables)) return valueText(field, value) ?? "vide";
  const named = names[column]?.[String(value)] ?? (column === "role" ? learntRole(String(value))?.label : undefined);
  if (named !== undefined) return named;
  if (typeof value === "boolean") return value ? "oui" : "non";
  if (typeof value === "number" && (field?.target !== undefined || column.endsWith("_id"))) return nameOf(column, value) ?? `n°\u00a0${value}`;
  if (amounts.has(column)) return euros(Number(value));
  if (typeof value === "number") return decimal(value, Number.isInteger(value) ? 0 : 2);
  if (typeof value === "object") return JSON.stringify(value);
  const text = String(value);
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return longDate(text);
  if (/^\d{4}-\d\d-\d\dT/.test(text)) return instant(text);
  if (/^\d\d:\d\d(:\d\d)?$/.test(text)) return time(text);
  return text;
}

/** "Claire Martin"; what the service did by itself is "Le service", what came past it, as an import, "L’administration du service". */
function actorName(actor: Values): string {
  const name = actor["username"];
  if (actor["id"] === null || actor["id"] === undefined) return typeof name === "string" ? "Le service" : "L’administration du service";
  return String(name ?? actor["email"] ?? `Compte n°\u00a0${String(actor["id"])}`);
}

const verbs = { create: "a créé", update: "a modifié", delete: "a supprimé", truncate: "a vidé" } as const;

/** "Claire Martin a créé". */
export function deed(entry: Pick<Entry, "actor" | "operation">): string {
  return `${actorName(entry.actor)} ${verbs[entry.operation]}`;
}

/** What an entry itself says of the name of its record; undefined for an update that leaves the name. */
export function nameIn(entry: Entry): string | undefined {
  const name = tableWords(entry.table_name)?.name?.({ ...entry.before, ...entry.after });
  return typeof name === "string" && name !== "" && !(entry.table_name === "formateurs" && entry.operation === "update") ? name : undefined;
}

/** What happened to a document that is signed, in words that the name of a person or of the document follows. */
function signingWords({ table_name: table, operation, actor, after }: Entry): string | undefined {
  const has = (column: string): boolean => (after?.[column] ?? null) !== null;
  if (table === "signatures" && operation === "update") {
    return has("cancelled_at") ? `${actorName(actor)} a retiré la demande de signature de` : has("completed_at") ? "Tous ont signé" : undefined;
  }
  if (table !== "signatories") return undefined;
  if (operation === "create") return `${actorName(actor)} a demandé la signature de`;
  if (operation !== "update") return undefined;
  if (has("signed_at")) return "Le document à signer a été signé par";
  if (has("opened_at")) return "Le document à signer a été ouvert par";
  if (has("mail_error")) return "Le document à signer n’a pas pu être envoyé à";
  if (has("mailed_at")) return `${actorName(actor)} a envoyé le document à signer à`;
  return has("reminded_at") ? `${actorName(actor)} a relancé` : undefined;
}

/** "Claire Martin a modifié la session"; a name follows. */
export function entryWords(entry: Entry): string {
  const table = tableWords(entry.table_name);
  // What the reader may not read is not declared to them, and the name of a table is no word.
  return signingWords(entry) ?? `${deed(entry)} ${table?.one ?? "une fiche"}`;
}

/** "Claire Martin a modifié la session « SwiftUI avancé »". */
export function entrySentence(entry: Entry, known?: string): string {
  const table = tableWords(entry.table_name);
  if (entry.operation === "truncate") return table === undefined ? `${deed(entry)} une liste` : `${deed(entry)} la table «\u00a0${table.all}\u00a0»`;
  const name = known ?? nameIn(entry);
  const which = name !== undefined ? `«\u00a0${name}\u00a0»` : table?.name ? `n°\u00a0${entry.row_id}` : "";
  return `${entryWords(entry)} ${which}`.trim();
}

export interface Change { table?: string; column: string; label: string; before: unknown; after: unknown }

/** What happened to a file, whose number says nothing to people; undefined for other columns. */
export function fileWords({ table, column, before, after }: Change): string | undefined {
  const isDeclared = column !== "logo";
  if (isDeclared && fieldOf(table, column)?.file === undefined) return undefined;
  const deed = (before ?? null) === null ? "ajouté" : (after ?? null) === null ? "retiré" : "remplacé";
  // The label of a declared column may be of either gender.
  return isDeclared ? `fichier ${deed}` : deed;
}

/** "Ville : Nîmes → Arles"; "Logo remplacé". */
export function changeWords(change: Change, nameOf?: (column: string, id: number) => string | undefined): string {
  const { table, column, label, before, after } = change;
  const file = fileWords(change);
  if (file !== undefined) return `${label}${file.includes(" ") ? "\u202f:" : ""} ${file}`;
  return `${label}\u202f: ${valueWords(column, before, nameOf, table)} → ${valueWords(column, after, nameOf, table)}`;
}

/** What an update changed, in the order of the declaration. */
export function changesOf(entry: Pick<Entry, "table_name" | "operation" | "before" | "after">): Change[] {
  if (entry.operation !== "update") return [];
  const changed = [...new Set([...Object.keys(entry.before ?? {}), ...Object.keys(entry.after ?? {})])].filter((column) => !own.has(column));
  const { table_name: table } = entry;
  const order = learnt(table)?.columns.map(({ name }) => name) ?? [];
  const at = (column: string): number => (order.includes(column) ? order.indexOf(column) : order.length);
  return changed.sort((a, b) => at(a) - at(b)).map((column) => ({
    table, column, label: columnName(column, table), before: entry.before?.[column], after: entry.after?.[column],
  }));
}
