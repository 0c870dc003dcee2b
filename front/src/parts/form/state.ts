// The state of a form: what its fields hold, what is wrong with them, and its way to the service and back.

import { ServiceError } from "learntrack";
import { computed, signal, untracked } from "view";
import type { Signal } from "view";
import { failureOf } from "../../store";
import { times } from "../../words/dates";
import { notListed, rawOf, valueOf } from "./field";
import type { Field, GroupField, Raw, Value } from "./field";

export type Values<N extends string = string> = Record<N, Value>;

export interface Section<N extends string = string> {
  heading?: string;
  fields: readonly Field<N>[];
}

export interface FormSpec<N extends string = string> {
  sections: readonly Section<N>[];
  /** What the fields show at first. */
  values?: Partial<Record<N, Value>>;
  /**
   * Sends what was typed; `changed` are the fields that differ from `values`. False: the form stays open. A `ServiceError`
   * is shown at its fields.
   */
  send: (values: Values<N>, changed: Partial<Values<N>>, form: Form<N>) => Promise<boolean>;
  /** After it was sent. */
  done: () => unknown;
  /** The button Annuler; without it there is none. */
  cancel?: () => void;
  /** Messages by field for what the fields say together. */
  check?: (values: Values<N>) => Partial<Record<N, string>>;
  /** Keeps what is typed on this device until it is sent or abandoned: `keepDraft`. */
  draft?: (form: Typed) => Drafting;
  /** The button that sends. */
  submit?: string;
}

export interface Problem {
  /** The field, or null: of the form as a whole. */
  name: string | null;
  message: string;
  /** What stands in the way, in another tab. */
  link?: { href: string; label: string };
}

export interface Form<N extends string = string> {
  readonly id: string;
  readonly spec: FormSpec<N>;
  raw(name: N): Signal<Raw>;
  /** The value of a field, followed; a text that is no value is null. */
  value(name: N): Value;
  set(name: N, value: Value): void;
  fields(): readonly Field<N>[];
  message(name: N): string | undefined;
  problems(): readonly Problem[];
  dirty(): boolean;
  sending(): boolean;
  /** A draft of an earlier visit is shown. */
  restored(): boolean;
  /** Shows the values the form began with. */
  reset(): void;
  submit(): Promise<void>;
  /** Shows why the service refused what is typed. */
  refuse(error: unknown): void;
  /** Forgets what was typed. */
  abandon(): void;
  /** What was typed is kept in another place from now on, as in the queue: its draft ends, unless the service refuses it. */
  taken(): void;
  /** Forgets the messages at a place within a field, and below. */
  clear(place: string): void;
  /** The text of a field that chooses a record and names none; null: it names one, or is empty. */
  leave(name: N, text: string | null): void;
}

/** What a draft keeps of a form. */
export interface Typed {
  readonly fields: readonly Field[];
  readonly raw: (name: string) => Signal<Raw>;
  /** What the fields showed before anything was typed. */
  readonly first: ReadonlyMap<string, Raw>;
  readonly dirty: () => boolean;
  readonly restored: Signal<boolean>;
}

/** What a form does with its draft. */
export interface Drafting {
  forget(): void;
  /** The form shows what it began with. */
  reset(): void;
  /** What is typed is kept in another place, until it is kept here again. */
  take(): void;
  keep(): void;
}

let forms = 0;

export function makeForm<N extends string>(spec: FormSpec<N>): Form<N> {
  const id = `form-${++forms}`;
  const fields = spec.sections.flatMap((section) => section.fields);
  const first = new Map<N, Raw>(fields.map((field) => [field.name, rawOf(field, spec.values?.[field.name])]));
  const raws = new Map<N, Signal<Raw>>(fields.map((field) => [field.name, signal(first.get(field.name)!)]));
  const problems = signal<readonly Problem[]>([]);
  const sending = signal(false);
  const restored = signal(false);
  const sent = signal(false);
  const left = new Map<string, string>();
  const raw = (name: N): Signal<Raw> => raws.get(name)!;
  const differs = (field: Field<N>): boolean => !same(field, raw(field.name)(), first.get(field.name)!);
  const dirty = computed(() => !sent() && fields.some(differs));
  const shown = (field: Field<N>): boolean => field.when === undefined || field.when((name) => raw(name as N)());

  const form: Form<N> = {
    id, spec, raw, dirty, sending, restored, problems,
    fields: () => fields,
    value: (name) => {
      const read = valueOf(fields.find((field) => field.name === name)!, raw(name)());
      return "value" in read ? read.value : null;
    },
    set: (name, value) => raw(name).set(rawOf(fields.find((field) => field.name === name)!, value)),
    message: (name) => problems().find((problem) => problem.name === name)?.message,
    reset: () => {
      fields.forEach((field) => raw(field.name).set(first.get(field.name)!));
      restored.set(false);
      problems.set([]);
      draft?.reset();
    },
    refuse: (error) => {
      if (error !== null) problems.set(problemsOf(error, fields.filter((field) => untracked(() => shown(field)))));
    },
    abandon: () => {
      sent.set(true);
      draft?.forget();
    },
    taken: () => draft?.take(),
    clear: (place) => problems.update((all) => all.filter(({ name }) => !`${name}/`.startsWith(`${place}/`))),
    leave: (name, text) => {
      if (text !== null) return void left.set(name, text);
      if (left.delete(name)) problems.update((all) => all.filter((problem) => problem.name !== name));
    },
    submit: async () => {
      if (untracked(sending)) return;
      const found = untracked(() => checked());
      problems.set(found.problems);
      if (found.problems.length > 0) return focusFirst(id, found.problems);
      sending.set(true);
      try {
        const changed: Partial<Values<N>> = {};
        untracked(() => fields.filter(differs).forEach(({ name }) => (changed[name] = found.values[name])));
        if (!(await spec.send(found.values, changed, form))) return;
        sent.set(true);
        draft?.forget();
        await spec.done();
      } catch (error) {
        form.refuse(error);
        focusFirst(id, untracked(problems));
      } finally {
        sending.set(false);
        draft?.keep();
      }
    },
  };

  function checked(): { values: Values<N>; problems: Problem[] } {
    const values = {} as Values<N>;
    const wrong: Problem[] = [];
    for (const field of fields) {
      const read = valueOf(field, raw(field.name)());
      values[field.name] = "value" in read ? read.value : null;
      if (!shown(field)) continue;
      if (left.has(field.name)) {
        wrong.push({ name: field.name, message: notListed(left.get(field.name)!) });
        continue;
      }
      if ("message" in read) wrong.push({ name: field.name, message: read.message });
      else if (read.value === null && field.required !== undefined) wrong.push({ name: field.name, message: field.required });
      else if (field.kind === "group") field.mistakes?.().forEach(([name, message]) => wrong.push({ name, message }));
    }
    for (const [name, message] of Object.entries<string | undefined>(spec.check?.(values) ?? {})) {
      if (message !== undefined && !wrong.some((problem) => problem.name === name)) wrong.push({ name, message });
    }
    const order = fields.map(({ name }): string => name);
    const at = ({ name }: Problem): number => order.indexOf(name!.split("/")[0]!);
    return { values, problems: wrong.sort((a, b) => at(a) - at(b)) };
  }

  const draft = spec.draft?.({ fields, raw: raw as Typed["raw"], first, dirty, restored });
  // A message stands until its field changes.
  for (const field of fields) {
    watch(() => raw(field.name)(), () => problems.update((all) => all.filter(({ name }) => name !== field.name)));
  }
  return form;
}

/** Runs `change` after each change of what `read` reads, and not at first. */
export function watch(read: () => unknown, change: () => void): void {
  let began = false;
  computed(() => {
    read();
    if (began) untracked(change);
    began = true;
  });
}

export function same(field: Field, a: Raw, b: Raw): boolean {
  if (a === b) return true;
  const [one, other] = [valueOf(field, a), valueOf(field, b)];
  return "value" in one && "value" in other && one.value === other.value;
}

/** The messages of a refusal by field, or of the form as a whole. */
export function problemsOf(error: unknown, fields: readonly { readonly name: string }[]): Problem[] {
  if (!(error instanceof ServiceError)) return [{ name: null, message: failureOf(error).message }];
  if (error.is("conflict") && error.data.reason === "overlap") {
    const { session, module, debut, fin } = error.data;
    const link = { href: `/sessions/${session}`, label: `${module}, ${times(debut, fin)}` };
    return [{ name: fields.find(({ name }) => name === "formateur_id")?.name ?? null, message: error.message, link }];
  }
  const data = error.data as { errors?: readonly { path: string; code: string; message: string }[] };
  const errors = data.errors ?? [];
  if (errors.length === 0) return [{ name: null, message: error.message }];
  return errors.map(({ path, code, message }) => {
    const parts = path.split("/");
    const at = parts.findIndex((part) => fields.some(({ name }) => name === part));
    const field = fields.find(({ name }) => name === parts[at]) as Partial<GroupField<string>> | undefined;
    const words = code === "required" && field?.required !== undefined ? field.required
      : field?.label === undefined ? message : message.replace(`\u00a0${parts[at]}\u00a0`, `\u00a0${field.label}\u00a0`);
    return { name: field?.placeAt?.(parts.slice(at).join("/")) ?? parts[at] ?? null, message: words };
  });
}

function focusFirst(id: string, problems: readonly Problem[]): void {
  const at = problems.find(({ name }) => name !== null);
  // The messages are in the document after the effects that show them.
  queueMicrotask(() => document.getElementById(at === undefined ? `${id}-alert` : `${id}-${at.name}`)?.focus());
}
