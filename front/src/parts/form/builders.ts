// The fields of forms by their kinds. Signing in does without them.

import type { DateField, Field, More, Options, RadiosField, RecordField, TextField } from "./field";

export const text = <N extends string>(name: N, label: string, more: More<TextField<N>> = {}): Field<N> =>
  ({ kind: "text", name, label, ...more });
/** Text of several lines. */
export const lines = <N extends string>(name: N, label: string, more: More<TextField<N>> = {}): Field<N> =>
  ({ kind: "lines", name, label, wide: true, ...more });
export const telephone = <N extends string>(name: N, label: string, more: More<TextField<N>> = {}): Field<N> =>
  ({ kind: "telephone", name, label, maxlength: 20, autocomplete: "off", ...more });
/** A number that is text, such as a SIRET or a postcode: a keyboard of digits, as typed. */
export const digits = <N extends string>(name: N, label: string, more: More<TextField<N>> = {}): Field<N> =>
  ({ kind: "digits", name, label, ...more });
export const amount = <N extends string>(name: N, label: string, more: More<DateField<N>> = {}): Field<N> =>
  ({ kind: "amount", name, label, ...more });
/** A whole number. */
export const number = <N extends string>(name: N, label: string, more: More<DateField<N>> = {}): Field<N> =>
  ({ kind: "number", name, label, ...more });
export const date = <N extends string>(name: N, label: string, more: More<DateField<N>> = {}): Field<N> =>
  ({ kind: "date", name, label, ...more });
export const time = <N extends string>(name: N, label: string, more: More<DateField<N>> = {}): Field<N> =>
  ({ kind: "time", name, label, ...more });
/** A moment: "2026-11-24T09:00", in the zone of the device. */
export const instant = <N extends string>(name: N, label: string, more: More<DateField<N>> = {}): Field<N> =>
  ({ kind: "instant", name, label, ...more });
/** A number with a fraction. */
export const decimal = <N extends string>(name: N, label: string, more: More<DateField<N>> = {}): Field<N> =>
  ({ kind: "decimal", name, label, ...more });
/** One of many words. */
export const select = <N extends string>(
  name: N, label: string, choices: RadiosField<N>["choices"], more: More<RadiosField<N>> = {}): Field<N> =>
  ({ kind: "select", name, label, choices, ...more });
export const radios = <N extends string>(
  name: N, label: string, choices: RadiosField<N>["choices"], more: More<RadiosField<N>> = {}): Field<N> =>
  ({ kind: "radios", name, label, choices, ...more });
export const record = <N extends string>(
  name: N, label: string, options: Options, more: More<RecordField<N>> = {}): Field<N> =>
  ({ kind: "record", name, label, options, ...more });
