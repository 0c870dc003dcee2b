export { conflictField } from "./record";
export { making } from "./create";
export type { NewRecord } from "./create";
export {
  amount, date, decimal, digits, email, instant, lines, notListed, number, password, radios, record, select, telephone, text, time,
} from "./field";
export type { Field, Option, Options, Value } from "./field";
export { FormView } from "./form";
export { lossOf } from "./loss";
export { optionOf, optionsOf } from "./options";
export { Picker } from "./picker";
export { changeOver, firstKnown, recordForm } from "./record";
export type { Typing } from "./record";
export { askRemoval } from "./remove";
export { suggest } from "./suggest";
export { makeForm } from "./state";
export type { Form, Section, Values } from "./state";
