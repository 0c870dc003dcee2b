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
/** What the queue writes: records, and corrections of a count. Only entities have a table here. */
export type Writable = Removable | "entries";
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

/** The columns of sessions that refer to another entity. */
export const references: { readonly [column: string]: Directory } = {
  formateur_id: "formateurs", client_id: "clients", ecole_id: "ecoles",
};

export function isEntity(name: string): name is Entity {
  return (entities as readonly string[]).includes(name);
}
