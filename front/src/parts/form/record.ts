// Forms of the store's records: they create or change one, and settle what two people changed at once.

import { ServiceError } from "learntrack";
import { computed, signal, untracked } from "view";
import { client, drafts, queue, record, storedVersion } from "../../store";
import type { Entity, Live, QueuedWrite, Row } from "../../store";
import { abandon, correct as correctWrite } from "../../store/decisions";
import { createAny as create, updateAny as update } from "../../store/pressing";
import type { Pressing } from "../../store/pressing";
import { longDate, time } from "../../words/dates";
import { instant } from "../../words/instants";
import { euros } from "../../words/money";
import { later } from "../later";
import { sayWritten } from "../notices";
import { place } from "../place";
import type { ConflictField, Version } from "./conflict";
import { keepDraft } from "./draft";
import type { Field, Value } from "./field";
import { lossOf } from "./loss";
import { makeForm } from "./state";
import type { Form, Section, Values } from "./state";

export interface RecordFormSpec<E extends Entity, N extends string> {
  entity: E;
  sections: readonly Section<N>[];
  /** The record that is changed; without it one is created. */
  base?: Row<E>;
  /** What the fields of a new record show at first. */
  values?: Partial<Record<N, Value>>;
  check?: (values: Values<N>) => Partial<Record<N, string>>;
  /** What is said after it: "Session enregistrée". */
  saved: string;
  /** After it was saved or queued: leads to the next screen, where `saved` is then said. */
  done: (row: Row<E>) => unknown;
  cancel: () => void;
  /** Without a draft, as in a dialog. */
  draft?: false;
  /** The key of the draft of a new record: "sessions/dupliquer/12". */
  draftKey?: string;
  /** Between records and what fields hold. Without it, what is true or false is chosen as 1 or 0. */
  typing?: Typing;
  /** What the list of what waits says of the write; LearnTrack's own records have their words there. */
  words?: (deed: "create" | "update", values: Version) => Pressing;
}

/** A record as the fields hold it, and what was typed as the service takes it. */
export interface Typing {
  read: (record: Version) => Version;
  write: (typed: Version) => Version;
}

/** A record of any entity. */
interface AnyRecord {
  readonly id: number;
  readonly [column: string]: unknown;
}

type Kept = { state: "saved" | "queued"; row: AnyRecord | null };
type Written = Kept | { state: "refused"; error: ServiceError };

// What the store answers, without the types of the entity that only callers of these forms need.
const createAny = create as unknown as (entity: string, values: object, rest: Pressing) => Promise<Written>;
const updateAny = update as unknown as (entity: string, base: AnyRecord, changes: object, rest: Pressing) => Promise<Written>;

/** The write that was refused and that the form corrects, as the address says. */
function corrected(entity: Entity): QueuedWrite | null {
  const id = untracked(place).query["corriger"];
  return untracked(queue.items).find((one) => one.id === id && one.entity === entity && one.problem !== null) ?? null;
}

/** Sends other values in the place of those that were refused; null: there is no such write any more. */
async function correct(write: QueuedWrite | null, values: object, base: AnyRecord | null, kept?: () => void): Promise<Written | null> {
  if (write === null || !untracked(queue.items).some((one) => one.id === write.id)) return null;
  return (await correctWrite(write.id, values as QueuedWrite["values"], base as QueuedWrite["base"], kept)) as Written;
}

/**
 * The record that a form begins with, if one has this id. No later answer touches the form. The record that was deleted
 * meanwhile is that of the refused change, or of the draft.
 */
export function firstKnown<E extends Entity>(
  entity: E, found: Live<Row<E> | null>, draftKey: string,
): () => Row<E> | null | undefined {
  let first: Row<E> | undefined;
  let isAsked = false;
  const typed = signal<Row<E> | null | undefined>(undefined);
  return computed(() => {
    if (first !== undefined) return first;
    const row = found.value();
    if (row !== null) return (first = row);
    const base = corrected(entity)?.base as unknown as Row<E> | null | undefined ?? typed();
    if (base) return (first = base);
    if (!isAsked) {
      isAsked = true;
      void drafts.get<{ base?: Row<E> }>(draftKey).then((draft) => typed.set(draft?.base ?? null));
    }
    return base;
  });
}

export function recordForm<E extends Entity, N extends string>(spec: RecordFormSpec<E, N>): Form<N> {
  const write = spec.draft === false ? null : corrected(spec.entity);
  // What others changed since the refused write is a conflict again, not overwritten.
  let base = (spec.base === undefined ? undefined : write?.base ?? spec.base) as unknown as AnyRecord | undefined;
  let kept: Kept | null = null;
  const { read, write: sent } = spec.typing ?? plain;
  const live = base === undefined ? null : record(spec.entity, base.id);
  // A creation that was refused is not shown among the records, and not deleted.
  const loss = lossOf(
    () => live?.value() === null && (base!.id > 0 || queue.of(spec.entity, base!.id) !== "refused"), () => void form.submit());
  const fields = spec.sections.flatMap((section) => section.fields);
  const first: Partial<Record<N, Value>> = { ...spec.values };
  if (base !== undefined) Object.assign(first, read(base));
  const form: Form<N> = makeForm<N>({
    sections: spec.sections,
    values: first,
    ...(spec.check === undefined ? {} : { check: spec.check }),
    ...(spec.draft === false
      ? {}
      : {
        draft: keepDraft({
          key: spec.draftKey ?? `${spec.entity}/${base?.id ?? "nouveau"}`,
          base,
          restore: (kept: unknown) => (base = kept as AnyRecord),
        }),
      }),
    send: async (values, changed, { taken }) => {
      if (base === undefined || untracked(loss.isNew)) {
        const given = sent(Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)));
        const outcome = (base === undefined ? await correct(write, given, null, taken) : null) ?? (await createAny(spec.entity, given, { kept: taken, ...spec.words?.("create", given) }));
        if (outcome.state === "refused") throw outcome.error;
        // What the new record has replaced is not to be corrected any more.
        if (base !== undefined && write !== null) await abandon(write.id);
        kept = outcome;
        return true;
      }
      const on = base;
      return loss.unless(async () => (kept = await change(spec, on, changed, fields, write)) !== null);
    },
    done: async () => {
      await spec.done(kept!.row as unknown as Row<E>);
      sayWritten(spec.saved, kept!);
    },
    cancel: spec.cancel,
  });
  if (write !== null) {
    const typed = read(write.values);
    for (const { name } of fields) if (name in write.values) form.set(name, typed[name] as Value);
    const error = queue.errorOf(write);
    // Two people changed the same: they are asked at once, when the form is there.
    if (storedVersion(error) === null) form.refuse(error);
    else queueMicrotask(() => void form.submit());
  }
  return form;
}

/** Sends what changed of a record that the store keeps; null: a person stopped. */
function change<E extends Entity, N extends string>(
  { entity, typing = plain, words }: RecordFormSpec<E, N>, base: AnyRecord, changed: Version, fields: readonly Field[], write: QueuedWrite | null,
): Promise<Kept | null> {
  // A correction begins with the version that has refused the write.
  let refusal = write === null ? null : queue.errorOf(write);
  return changeOver(base, changed, fields, () => changedBy(entity, base.id), async (on, changes) => {
    const known = refusal;
    refusal = null;
    if (storedVersion(known) !== null) throw known;
    if (Object.keys(changes).length === 0) return { state: "saved", row: on };
    const values = typing.write(changes);
    const outcome = (await correct(write, values, on)) ?? (await updateAny(entity, on, values, { ...words?.("update", { ...on, ...values }) }));
    if (outcome.state === "refused") throw outcome.error;
    return { state: outcome.state, row: outcome.row ?? on };
  }, typing.read);
}

/** Sends what changed over the stored version, and again over a later one, until it is saved; null: a person stopped. */
export async function changeOver<R extends object, T>(
  base: R, changed: Version, fields: readonly Field[], by: () => Promise<string | null>, send: (on: R, changes: Version) => Promise<T>,
  read: Typing["read"] = asTyped,
): Promise<T | null> {
  let [on, changes] = [base, changed];
  for (;;) {
    try {
      return await send(on, changes);
    } catch (error) {
      const current = error instanceof ServiceError ? storedVersion(error) : null;
      if (current === null) throw error;
      const stored = current as unknown as Version;
      // Two people rarely change the same record at once: the dialog is loaded when they do.
      const { settle } = (await later()).conflict;
      const merge = await settle({ fields: fields.map(conflictField), base: read(on as unknown as Version), stored: read(stored), mine: changes, by });
      if (merge === null) return null;
      [on, changes] = [{ ...on, ...stored }, merge];
    }
  }
}

/** A record as forms hold it: what is true or false is chosen as 1 or 0. */
export function asTyped<R extends object>(record: R): { [name in keyof R]: R[name] extends boolean ? number : R[name] } {
  return Object.fromEntries(Object.entries(record).map(([name, value]) =>
    [name, typeof value === "boolean" ? Number(value) : value as unknown])) as ReturnType<typeof asTyped<R>>;
}

const plain: Typing = { read: asTyped, write: (typed) => typed };

interface Histories {
  history(params: { id: number; first: number }): Promise<{ items: readonly { at: string; actor: Record<string, unknown> }[] }>;
}

/** "Claire Martin, 23 nov. 2026, 9 h 12": who changed a record last. */
export async function changedBy(entity: Entity | "organisme" | "programmes" | "prospects" | "users", id: number): Promise<string | null> {
  const { items } = await (client[entity] as unknown as Histories).history({ id, first: 1 });
  const last = items[0];
  if (last === undefined) return null;
  const who = last.actor["username"] ?? last.actor["email"] ?? last.actor["database_user"];
  return typeof who === "string" ? `${who} (${instant(last.at)})` : null;
}

/** The words of a field's values beside each other. */
export function conflictField(field: Field): ConflictField {
  const words = (value: unknown): string => {
    if (value === null || value === undefined || value === "") return "";
    if (field.words !== undefined) return field.words(value as Value);
    switch (field.kind) {
      case "amount": return euros(Number(value));
      case "date": return longDate(String(value));
      case "time": return time(String(value));
      case "radios":
      case "select": return field.choices.find((choice) => choice.value === value)?.label ?? String(value);
      case "record": return field.options()?.find(({ id }) => id === value)?.label ?? String(value);
      default: return String(value);
    }
  };
  return { name: field.name, label: field.label, words };
}
