// What the store knows of each record: one selection per entity, the same for lists, records and the device's copy.

import type {
  ClientsCreate, ClientsUpdate, EcolesCreate, EcolesUpdate, FormateursCreate, FormateursUpdate, Selected, SessionsCreate,
  SessionsUpdate,
} from "learntrack";

export const selects = {
  sessions: `{ id module date debut fin modalite lieu tarif_client tarif_sous_traitant frais_rembourser ref_contrat
    ecole_id client_id formateur_id programme_id effectif created_at updated_at version marge duree_minutes
    formateur { id nom_complet } client { id raison_sociale } ecole { id nom }
    programme { id intitule } }`,
  formateurs: `{ id prenom nom email telephone specialite taux_horaire exterieur societe siret nda rue code_postal ville
    created_at updated_at version nom_complet initiales telephone_uri adresse }`,
  clients: `{ id raison_sociale rue code_postal ville nom_contact email telephone siret numero_tva
    created_at updated_at version initiales telephone_uri adresse }`,
  ecoles: `{ id nom rue code_postal ville nom_contact email telephone
    created_at updated_at version initiales telephone_uri adresse }`,
} as const;

export type Entity = keyof typeof selects;
/** What can be deleted: records, also those that are few and are not kept on the device. */
export type Removable = Entity | "prospects" | "programmes";
export type Directory = Exclude<Entity, "sessions">;
/** What the service derives from other columns of a record. It is null while a write of these waits to be sent. */
export type Derived = "marge" | "duree_minutes" | "telephone_uri" | "adresse";
type Waiting<R> = { [F in keyof R]: F extends Derived ? R[F] | null : R[F] };
export type Row<E extends Entity> = Waiting<Selected<E, typeof selects[E]>>;
export type SessionRow = Row<"sessions">;

/** The values of a new record. */
export interface Creations {
  sessions: SessionsCreate;
  formateurs: FormateursCreate;
  clients: ClientsCreate;
  ecoles: EcolesCreate;
}

/** The values of a record that change. */
export interface Changes {
  sessions: SessionsUpdate;
  formateurs: FormateursUpdate;
  clients: ClientsUpdate;
  ecoles: EcolesUpdate;
}

/** A row of any entity, for the parts of the store that treat all alike. */
export interface AnyRow {
  readonly id: number;
  readonly version: number;
  readonly [column: string]: unknown;
}

export type Values = { readonly [column: string]: unknown };

export const entities: readonly Entity[] = ["sessions", "formateurs", "clients", "ecoles"];

/** In the order in which the device's copy takes them. */
export const directories: readonly Directory[] = ["formateurs", "clients", "ecoles"];

export function isEntity(name: string): name is Entity {
  return (entities as readonly string[]).includes(name);
}

/** The columns that refer to records of other tables. */
export interface References {
  readonly [column: string]: string;
}

/** A to-one relation in the rows of a table, which follows its column while a write waits. */
export interface Related {
  readonly name: string;
  readonly column: string;
  readonly target: string;
  /** What the row has of the other one, beside its id. */
  readonly fields: readonly string[];
  /** Whether an id stands for a record that is not known; otherwise none does. */
  readonly isBare?: boolean;
}

export interface Figures {
  readonly names: readonly string[];
  /** The tables whose changes concern them. */
  readonly about: readonly string[];
}

/** What the store knows of a table: LearnTrack's own are in `overlay`, those of other domains are declared later. */
export interface Table {
  readonly select: string;
  readonly references: References;
  readonly relations: readonly Related[];
  /** What a new record has beside its values. */
  readonly blank: Values;
  /** What the service alone derives, such as the number to dial, and from which columns: "rue code_postal ville". */
  readonly derived: { readonly [field: string]: string };
  /** What is computed from records of other tables. It is read with lists and pages, and not kept with the rows. */
  readonly figures?: Figures;
  /** What is derived here as the service derives it. */
  readonly titles?: (row: Values) => Values;
}

/** The tables whose rows the store has, by name. */
export const tables = new Map<string, Table>();
/** The tables whose rows the device keeps up to date, as a whole or for some days. */
export const followed = new Set<string>(entities);

export const referencesOf = (name: string): References => tables.get(name)?.references ?? {};
