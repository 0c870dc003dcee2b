// What a form asks for. A field reads and writes one column of its record. `raw` is what its control holds: the text that
// was typed, or the choice. `value` is what the record holds.

import type { Child, Signal } from "view";
import type { Form } from "./state";
import { amountText, readAmount } from "../../words/money";

export type Raw = string | number | null;
export type Value = string | number | null;

interface Common<N extends string> {
  name: N;
  label: string;
  /** The message when the field is empty. Without it the field may be empty. */
  required?: string;
  /** A sentence under the field. */
  hint?: string;
  /** Under the field, such as a button that fills it. */
  after?: () => Child;
  /** What is to be known of the value, which is no mistake: it describes the field. */
  note?: () => string | null;
  /** As wide as the form, where others stand side by side. */
  wide?: boolean;
  /** Three side by side. */
  third?: boolean;
  /** A value beside another one, where two people changed it. */
  words?: (value: Value) => string;
  /** Shown only while this holds. The value of a hidden field is kept. */
  when?: (read: Read) => boolean;
}

/** Reads the raw value of a field of the same form, and follows it. */
export type Read = (name: string) => Raw;

export interface TextField<N extends string> extends Common<N> {
  kind: "text" | "lines" | "email" | "telephone" | "digits" | "password";
  maxlength?: number;
  autocomplete?: string;
}

export interface DateField<N extends string> extends Common<N> {
  kind: "date" | "time" | "instant" | "amount" | "number" | "decimal";
}

export interface RadiosField<N extends string> extends Common<N> {
  /** Many choices are a list that opens. */
  kind: "radios" | "select";
  choices: readonly { value: string | number; label: string }[];
}

/** A text with a control that comes with a later script, as one with suggestions. */
export interface OwnField<N extends string> extends Common<N> {
  kind: "own";
  control: (named: Named, raw: Signal<Raw>) => Child;
}

/** What a control takes from its field. */
export interface Named {
  id: string;
  label: string;
  labelled: true;
  required: boolean;
  invalid: () => boolean;
  describedby: () => string | null;
}

/**
 * Several controls for one value, which is a text. They name themselves, and say their mistakes. The control at a place within, such
 * as "copies/2/shelf", has the id of the form, a dash and its place.
 */
export interface GroupField<N extends string> extends Common<N> {
  kind: "group";
  /** `place`: its own within the group that it is a part of; without it, its name. */
  view: (form: Form, place?: string) => Child;
  /** The place of a message of the service: that of the control that is nearest to it. */
  placeAt?: (path: string) => string;
  labelAt?: (place: string) => string;
  /** Its mistakes by place, as far as they need no service. */
  mistakes?: () => readonly (readonly [place: string, message: string])[];
}

export interface Option {
  id: number;
  label: string;
  /** Quiet words behind the label. */
  detail?: string;
  /** What a search finds, too, and which is not shown: a contact, a telephone number. */
  also?: string;
}

/** The records of a directory; undefined while they are not known. */
export type Options = () => readonly Option[] | undefined;

/** The id of a record of a directory. */
export interface RecordField<N extends string> extends Common<N> {
  kind: "record";
  options: Options;
  /** The record that is chosen at first; its name is known before the directory is loaded. */
  known?: Option | undefined;
  /** Makes a record from the text that was searched, and answers it, or null. Undefined: not allowed. */
  make?: ((text: string) => Promise<Option | null>) | undefined;
  /** Told what is typed, where the service searches among more records than the options have. */
  look?: ((text: string) => void) | undefined;
}

export type Field<N extends string = string> =
  | TextField<N> | DateField<N> | RadiosField<N> | OwnField<N> | GroupField<N> | RecordField<N>;

/** What is said of a text that names no record. */
export const notListed = (text: string): string => `«\u00a0${text}\u00a0» n’est pas dans la liste\u202f: choisissez une fiche, ou videz le champ.`;

export type More<F> = Omit<Partial<F>, "name" | "label" | "kind">;
export const email = <N extends string>(name: N, label: string, more: More<TextField<N>> = {}): Field<N> =>
  ({ kind: "email", name, label, maxlength: 255, autocomplete: "off", ...more });
/** `autocomplete` says whether it is the present one or a new one. */
export const password = <N extends string>(name: N, label: string, more: More<TextField<N>> = {}): Field<N> =>
  ({ kind: "password", name, label, autocomplete: "current-password", ...more });

const isChosen = ({ kind }: Field): boolean => kind === "record" || kind === "radios" || kind === "select";

/** What the control of a field shows for a value of the record. */
export function rawOf(field: Field, value: Value | undefined): Raw {
  if (value === null || value === undefined) return isChosen(field) ? null : "";
  if (field.kind === "amount") return amountText(Number(value));
  if (field.kind === "decimal") return String(value).replace(".", ",");
  // The service gives seconds, which a field of hours and minutes does not ask for.
  if (field.kind === "time") return String(value).slice(0, 5);
  if (isChosen(field)) return value;
  return String(value);
}

/** What the record holds for what was typed, or the message of a text that is no value. */
export function valueOf(field: Field, raw: Raw): { value: Value } | { message: string } {
  if (raw === null) return { value: null };
  if (isChosen(field)) return { value: raw };
  // A password may begin or end with a space.
  const typed = field.kind === "password" ? String(raw) : String(raw).trim();
  if (typed === "") return { value: null };
  if (field.kind === "number") return /^-?\d{1,15}$/.test(typed) ? { value: Number(typed) } : { message: "Donnez un nombre entier." };
  if (field.kind !== "amount" && field.kind !== "decimal") return { value: typed };
  const read = readAmount(typed);
  if (read !== undefined) return { value: read };
  return { message: `Donnez un ${field.kind === "amount" ? "montant" : "nombre"}, par exemple 1\u202f200,50.` };
}
