// Records as they will be when the writes that wait are executed.

import { firstLetter, initials } from "../words/sentences";
import { references, type AnyRow, type Derived, type Directory, type Entity, type Values } from "./rows";
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
const seconds = (time: unknown): string => (/^\d\d:\d\d$/.test(text(time)) ? `${text(time)}:00` : text(time));

const contact = { telephone_uri: "telephone", adresse: "rue code_postal ville" };

/** What the service alone derives, such as the number to dial, and from which columns. */
const sources: { readonly [E in Entity]: { readonly [field in Derived]?: string } } = {
  sessions: { marge: "tarif_client tarif_sous_traitant frais_rembourser", duree_minutes: "debut fin" },
  formateurs: contact, clients: contact, ecoles: contact,
};

/** The fields whose sources `values` change, without a value: the service says it once it has the write. */
function unknown(entity: Entity, before: Values, values: Values): Values {
  const fields = Object.entries(sources[entity]).filter(([, from]) =>
    from.split(" ").some((column) => column in values && !isSame(values[column], before[column])));
  return Object.fromEntries(fields.map(([field]) => [field, null]));
}

/** What lists name and order a record by. */
function titles(entity: Entity, row: Values): Values {
  if (entity === "sessions") return { debut: seconds(row["debut"]), fin: seconds(row["fin"]) };
  if (entity !== "formateurs") return { initiales: initials(text(row[names[entity]])) };
  const parts = [text(row["prenom"]), text(row["nom"])];
  return { nom_complet: parts.join(" ").trim(), initiales: parts.map(firstLetter).join("") };
}

function draft(write: QueuedWrite): AnyRow {
  const empty = Object.fromEntries(columns[write.entity as Entity].split(" ").map((column) => [column, null]));
  const at = new Date(write.at).toISOString();
  const fields = Object.fromEntries(Object.keys(sources[write.entity as Entity]).map((field) => [field, null]));
  const exterieur = write.entity === "formateurs" ? { exterieur: 0 } : {};
  return {
    ...empty, ...fields, ...exterieur, ...write.values, id: write.recordId, version: 0, created_at: at, updated_at: at,
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
    else {
      const after = { ...before, ...values, ...unknown(entity, before, values) };
      result.set(recordId, { ...after, ...titles(entity, after), id: recordId });
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

