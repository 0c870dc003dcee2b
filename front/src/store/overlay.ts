// Records as they will be when the writes that wait are executed.

import { firstLetter, initials } from "../words/sentences";
import { selects, tables, type AnyRow, type Entity, type Related, type Table, type Values } from "./rows";
import { isSame, type QueuedWrite } from "./writes";

export type Rows = ReadonlyMap<number, AnyRow>;

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const seconds = (time: unknown): string => (/^\d\d:\d\d$/.test(text(time)) ? `${text(time)}:00` : text(time));

const withInitials = (name: string) => (row: Values): Values => ({ initiales: initials(text(row[name])) });
const contact = { telephone_uri: "telephone", adresse: "rue code_postal ville" };
const related = (column: string, target: string, field: string): Related =>
  ({ name: column.slice(0, -3), column, target, fields: [field] });

/** One of LearnTrack's own tables. */
function own(
  name: Entity, columns: string, derived: Table["derived"], titles: Table["titles"], relations: readonly Related[] = [], rest: Values = {},
): void {
  const fields = [...columns.split(" "), ...Object.keys(derived), ...relations.map((one) => one.name)];
  tables.set(name, {
    select: selects[name], relations, derived, titles, blank: { ...Object.fromEntries(fields.map((field) => [field, null])), ...rest },
    references: Object.fromEntries(relations.map(({ column, target }) => [column, target])),
  });
}

own(
  "sessions", "module date debut fin modalite lieu tarif_client tarif_sous_traitant frais_rembourser ref_contrat ecole_id "
    + "client_id formateur_id programme_id effectif programme",
  { marge: "tarif_client tarif_sous_traitant frais_rembourser", duree_minutes: "debut fin" },
  (row) => ({ debut: seconds(row["debut"]), fin: seconds(row["fin"]) }),
  [
    related("formateur_id", "formateurs", "nom_complet"), related("client_id", "clients", "raison_sociale"),
    related("ecole_id", "ecoles", "nom"),
  ]);
own(
  "formateurs", "prenom nom email telephone specialite taux_horaire exterieur societe siret nda rue code_postal ville", contact,
  (row) => {
    const parts = [text(row["prenom"]), text(row["nom"])];
    return { nom_complet: parts.join(" ").trim(), initiales: parts.map(firstLetter).join("") };
  }, [], { exterieur: 0 });
own(
  "clients", "raison_sociale rue code_postal ville nom_contact email telephone siret numero_tva", contact, withInitials("raison_sociale"));
own("ecoles", "nom rue code_postal ville nom_contact email telephone", contact, withInitials("nom"));

/** The fields whose sources `values` change, without a value: the service says it once it has the write. */
function unknown({ derived }: Table, before: Values, values: Values): Values {
  const fields = Object.entries(derived).filter(([, from]) =>
    from.split(" ").some((column) => column in values && !isSame(values[column], before[column])));
  return Object.fromEntries(fields.map(([field]) => [field, null]));
}

function draft({ blank }: Table, { at, values, recordId }: QueuedWrite): AnyRow {
  const now = new Date(at).toISOString();
  return { ...blank, ...values, id: recordId, version: 0, created_at: now, updated_at: now };
}

/** `rows` with the writes that wait. The same map if none concerns the entity. */
export function overlaid(entity: string, rows: Rows, writes: readonly QueuedWrite[]): Rows {
  const table = tables.get(entity);
  const waiting = writes.filter((one) => one.entity === entity && one.problem === null && one.kind !== "call");
  if (table === undefined || waiting.length === 0) return rows;
  const result = new Map(rows);
  for (const write of waiting) {
    const { kind, recordId, values } = write;
    const before = kind === "create" ? draft(table, write) : result.get(recordId) ?? write.base;
    if (kind === "delete" || !before) result.delete(recordId);
    else {
      const after = { ...before, ...values, ...unknown(table, before, values) };
      result.set(recordId, { ...after, ...table.titles?.(after), id: recordId });
    }
  }
  return result;
}

/** The clocks of the device and of the service may differ by as much. */
const clockDifference = 600_000;

/**
 * The temporary ids of creations that lost their answer although the service has made the record, and it is known here.
 * Lists show the record alone; the repetition of the creation confirms it.
 */
export function twins(entity: string, rows: Rows, writes: readonly QueuedWrite[]): ReadonlySet<number> {
  const found = new Set<number>();
  for (const { entity: entityOf, kind, recordId, values, sentAt, problem } of writes) {
    if (entityOf !== entity || kind !== "create" || sentAt === null || problem !== null) continue;
    for (const row of rows.values()) {
      if (row.version !== 1 || Date.parse(String(row["created_at"])) < sentAt - clockDifference) continue;
      if (Object.entries(values).every(([column, value]) => isSame(value, row[column]))) found.add(recordId);
    }
  }
  return found;
}

/** The rows with the names that other tables have for what they refer to; `others` are the tables of the relations. */
export function named(rows: Rows, relations: readonly Related[], ...others: readonly Rows[]): Rows {
  let result: Map<number, AnyRow> | null = null;
  for (const row of rows.values()) {
    const found = namesOf(row, relations, others);
    if (found !== null) (result ??= new Map(rows)).set(row.id, { ...row, ...found });
  }
  return result ?? rows;
}

const isEqual = (one: unknown, other: unknown): boolean =>
  isSame(one, other) || typeof one === "object" && JSON.stringify(one) === JSON.stringify(other);

function namesOf(row: AnyRow, relations: readonly Related[], others: readonly Rows[]): Values | null {
  let found: { [relation: string]: unknown } | null = null;
  for (const [at, { name, column, fields, isBare }] of relations.entries()) {
    const id = row[column];
    const known = row[name] as Values | null | undefined;
    const wanted = typeof id === "number" ? others[at]!.get(id) : undefined;
    if ((known?.["id"] ?? null) === (id ?? null) && (wanted === undefined || fields.every((field) => isEqual(known![field], wanted[field])))) continue;
    (found ??= {})[name] = wanted !== undefined ? Object.fromEntries(["id", ...fields].map((field) => [field, wanted[field]]))
      : isBare && typeof id === "number" ? { id } : null;
  }
  return found;
}
