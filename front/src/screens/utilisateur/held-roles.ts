// The roles that an account holds beside its base role, and the records that it stands for in them.

import { computed, untracked } from "view";
import { declaredEntity, recordAddress } from "../../parts/declared";
import { ask, newKey } from "../../store";
import type { Live } from "../../store";
import { anyRecord, callDeclared } from "../../store/declared";
import type { Entity, Field } from "../../store/declared";
import { learnt, learntRole } from "../../words/declared";
import { titleOf } from "../../words/titles";

/** A role that is held, or in which an access key acts. */
export interface HeldRole {
  readonly role: string;
  /** The record that the account stands for in the role. */
  readonly subject: number | null;
}

export interface AccountRole extends HeldRole { readonly id: number }

export type AccountRoles = Live<readonly AccountRole[]>;

export const rolesOf = (account: number): AccountRoles => ask(`account_roles ${account}`, async () => {
  const found = await callDeclared<{ items: readonly AccountRole[] }>(
    "account_roles.list", { where: { account_id: account }, first: 500, select: "{ id role subject }" });
  return found.items;
}, ["account_roles"]);

const column = (name: string): Field | undefined => learnt("account_roles")?.columns.find((one) => one.name === name);

/** Whether this installation has roles beside the base roles. Not before it is known what is declared. */
export const hasRoles = (): boolean => learnt("account_roles") !== undefined;

export const roleChoices = (): NonNullable<Field["choices"]> => column("role")?.choices ?? [];

/** What the service calls a role; its word, while that is not known. */
export const roleName = (role: string): string => learntRole(role)?.label ?? role;

/** Whether an account stands for a record in this role. */
export const hasSubject = (role: string): boolean => learntRole(role)?.subject !== undefined;

/** The entity of the record; undefined: there is none, or the account may not read it. */
export function subjectEntity(role: string): Entity | undefined {
  const name = learntRole(role)?.subject;
  const entity = name === undefined ? undefined : declaredEntity(name);
  return entity?.methods.includes("list") ? entity : undefined;
}

export const subjectLabel = (): string => column("subject")?.label ?? "Fiche représentée";

export interface Subject { title: () => string; href: string | null }

/** What a record is called, and where its page is; null: there is none. */
export function subjectOf({ role, subject }: HeldRole): Subject | null {
  if (subject === null) return null;
  const entity = untracked(() => subjectEntity(role));
  const number = `n°\u00a0${subject}`;
  if (entity === undefined) return { title: () => number, href: null };
  const found = entity.methods.includes("get") ? anyRecord(entity.name, subject) : null;
  const title = computed(() => {
    const row = found?.value();
    return row === null || row === undefined ? number : titleOf(entity, row);
  });
  return { title, href: found === null ? null : recordAddress(entity, subject) };
}

/** "Lecteur, Jeanne Marchand", for the names of buttons and for questions. */
export function heldWords(held: HeldRole, subject: Subject | null): string {
  return subject === null ? roleName(held.role) : `${roleName(held.role)}, ${subject.title()}`;
}

/** The key of a call: what is sent again after an answer that was lost has the same one, and anything else another. */
export function keyOf(): (given: object) => string {
  let last = { given: "", key: "" };
  return (given) => {
    const text = JSON.stringify(given);
    if (last.given !== text) last = { given: text, key: newKey() };
    return last.key;
  };
}
