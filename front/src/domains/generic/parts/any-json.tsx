// A value of JSON of which nothing is declared: a text, whose mistake is said before it is sent.

import { h, untracked } from "view";
import type { Field as FormField } from "../../../parts/form";
import type { Raw } from "../../../parts/form/field";
import { FieldView } from "../../../parts/form/inputs";
import { lines } from "../../../parts/form";
import type { Field } from "../../../store/declared";
import { parsed } from "./typing";

export function anyJSON({ name, label }: Field, more: { required?: string; hint?: string }): FormField {
  const text = lines(name, label, { ...more, hint: more.hint ?? "En JSON, comme {\"salle\": 2}." });
  let read: (() => Raw) | undefined;
  return {
    kind: "group", name, label, wide: true, ...(more.required === undefined ? {} : { required: more.required }),
    view: (form, place = name) => {
      read = form.raw(place);
      return <FieldView form={form} field={{ ...text, name: place }} />;
    },
    mistakes: () => {
      const typed = String((read && untracked(read)) ?? "").trim();
      return typed !== "" && parsed(typed) === undefined ? [[name, "Ce texte n’est pas du JSON\u202f: vérifiez ses guillemets, ses virgules et ses accolades."]] : [];
    },
  };
}
