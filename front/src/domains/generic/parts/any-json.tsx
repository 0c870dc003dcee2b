// A value of JSON of which nothing is declared: a text, whose mistake is said before it is sent.

import { h } from "view";
import type { Field as FormField } from "../../../parts/form";
import { FieldView } from "../../../parts/form/inputs";
import { lines } from "../../../parts/form";
import type { Form } from "../../../parts/form";
import type { Field } from "../../../store/declared";
import { parsed } from "./typing";

export function anyJSON({ name, label }: Field, more: { required?: string; hint?: string }): FormField {
  const text = lines(name, label, { ...more, hint: more.hint ?? "En JSON, comme {\"salle\": 2}." });
  let form: Form | undefined;
  return {
    kind: "group", name, label, wide: true, ...(more.required === undefined ? {} : { required: more.required }),
    view: (given) => {
      form = given;
      return <FieldView form={form} field={text} />;
    },
    mistakes: () => {
      const typed = form?.value(name);
      return typeof typed === "string" && parsed(typed) === undefined ? [[name, "Ce texte n’est pas du JSON\u202f: vérifiez ses guillemets, ses virgules et ses accolades."]] : [];
    },
  };
}
