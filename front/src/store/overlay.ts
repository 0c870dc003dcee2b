// Records as they will be when the writes that wait are executed.

import { minutesOf } from "../words/dates";
import { initials } from "../words/sentences";
import { references, type AnyRow, type Directory, type Entity, type Values } from "./rows";
import { isSame, type QueuedWrite } from "./writes";

export type Rows = ReadonlyMap<number, AnyRow>;

const columns: { readonly [E in Entity]: string } = {
  sessions: "module date debut fin modalite lieu tarif_client tarif_sous_traitant frais_rembourser ref_contrat ecole_id "
    + "client_id formateur_id programme_id effectif",
  formateurs: "prenom nom email telephone specialite taux_horaire exterieur societe siret nda rue code_postal ville",
  clients: "raison_sociale rue code_postal ville nom_contact email telephone siret numero_tva",
  ecoles: "nom rue code_postal ville nom_contact email telephone",
};

const names: { readonly [E in Directory]: string } = {
  formateurs: "nom_complet", clients: "raison_sociale", ecoles: "nom",
};

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const amount = (value: unknown): number => (typeof value === "number" ? value : 0);
const seconds = (time: unknown): string => (/^\d\d:\d\d$/.test(text(time)) ? `${text(time)}:00` : text(time));

function phone(value: unknown): string | null {
  const typed = text(value).replace(/\(0\)/, "").replace(/[^+\d]/g, "");
  if (typed === "") return null;
  return `tel:${typed.startsWith("0") && !typed.startsWith("00") ? `+33${typed.slice(1)}` : typed.replace(/^00/, "+")}`;
}

function address(row: Values): string | null {
  const place = [text(row["code_postal"]), text(row["ville"])].filter((one) => one !== "").join(" ");
  return [text(row["rue"]), place].filter((one) => one !== "").join(", ") || null;
}

/** The values that the service computes from others of the record. */
function derived(entity: Entity, row: Values): Values {
  if (entity === "sessions") {
    const price = row["tarif_client"];
    const costs = amount(row["tarif_sous_traitant"]) + amount(row["frais_rembourser"]);
    return {
      debut: seconds(row["debut"]),
      fin: seconds(row["fin"]),
      lieu: row["lieu"] ?? (row["modalite"] === "D" ? "À distance" : null),
      marge: typeof price === "number" ? Math.round((price - costs) * 100) / 100 : null,
      duree_minutes: minutesOf(seconds(row["fin"])) - minutesOf(seconds(row["debut"])),
    };
  }
  const shared = { telephone_uri: phone(row["telephone"]), adresse: address(row) };
  if (entity !== "formateurs") return { ...shared, initiales: initials(text(row[names[entity]])) };
  const whole = `${text(row["prenom"])} ${text(row["nom"])}`.trim();
  const letters = [row["prenom"], row["nom"]].map((one) => [...text(one)][0] ?? "").join("");
  return { ...shared, nom_complet: whole, initiales: letters.toLocaleUpperCase("fr") };
}

function draft(write: QueuedWrite): AnyRow {
  const empty = Object.fromEntries(columns[write.entity as Entity].split(" ").map((column) => [column, null]));
  const at = new Date(write.at).toISOString();
  const exterieur = write.entity === "formateurs" ? { exterieur: 0 } : {};
  return {
    ...empty, ...exterieur, ...write.values, id: write.recordId, version: 0, created_at: at, updated_at: at,
    ...(write.entity === "sessions" ? { formateur: null, client: null, ecole: null, programme: null } : {}),
  };
}

/** `rows` with the writes that wait. The same map if none concerns the entity. */
export function overlaid(entity: Entity, rows: Rows, writes: readonly QueuedWrite[]): Rows {
  const waiting = writes.filter((one) => one.entity === entity && one.problem === null);
  if (waiting.length === 0) return rows;
  const result = new Map(rows);
  for (const write of waiting) {
    const { kind, recordId, values } = write;
    const before = kind === "create" ? draft(write) : result.get(recordId) ?? write.base;
    if (kind === "delete" || !before) result.delete(recordId);
    else result.set(recordId, { ...before, ...values, ...derived(entity, { ...before, ...values }), id: recordId });
  }
  return result;
}

/** The clocks of the device and of the service may differ by as much. */
const clockDifference = 600_000;

/**
 * The temporary ids of creations that lost their answer although the service has made the record, and it is known here.
 * Lists show the record alone; the repetition of the creation confirms it.
 */
export function twins(entity: Entity, rows: Rows, writes: readonly QueuedWrite[]): ReadonlySet<number> {
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

/** The sessions with the names that the directories have for what they refer to. */
export function related(sessions: Rows, directory: (name: Directory) => Rows): Rows {
  let result: Map<number, AnyRow> | null = null;
  for (const row of sessions.values()) {
    const found = namesOf(row, directory);
    if (found !== null) (result ??= new Map(sessions)).set(row.id, { ...row, ...found });
  }
  return result ?? sessions;
}

function namesOf(row: AnyRow, directory: (name: Directory) => Rows): Values | null {
  let found: { [relation: string]: unknown } | null = null;
  for (const [column, name] of Object.entries(references)) {
    const [relation, id, field] = [column.slice(0, -3), row[column], names[name]];
    const known = row[relation] as { id?: unknown; [field: string]: unknown } | null | undefined;
    const wanted = typeof id === "number" ? directory(name).get(id) : undefined;
    if (wanted === undefined && (known?.id ?? null) === (id ?? null)) continue;
    if (wanted !== undefined && known?.id === id && known?.[field] === wanted[field]) continue;
    (found ??= {})[relation] = wanted === undefined ? null : { id, [field]: wanted[field] };
  }
  return found;
}

