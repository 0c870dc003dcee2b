// A new record of a declared entity from within another form.

import { h } from "view";
import { openDialog } from "../../../parts/dialog";
import { FormView } from "../../../parts/form";
import type { Option } from "../../../parts/form";
import { mayAbandon } from "../../../parts/form/form";
import type { Entity } from "../../../store/declared";
import { newOne } from "../../../words/nouns";
import { optionOf } from "../../../parts/record-search";
import { writable } from "./fields";
import { entityForm } from "./form";

/**
 * What a picker's `make` is. The text that was searched becomes what the record is known by. undefined: the account may not create such
 * a record, there is only one of them, or its form has no field for the text, and the record would not be found by it.
 */
export function making(entity: Entity): ((text: string) => Promise<Option | null>) | undefined {
  const [named] = entity.title;
  const isTyped = writable(entity, "create").some(({ name, type }) => name === named && type === "text");
  if (!isTyped || entity.single === true || !entity.methods.includes("create")) return undefined;
  return (text) => new Promise((resolve) => {
    let made: Option | null = null;
    let close = (): void => undefined;
    const form = entityForm(entity, {
      values: { [named!]: text },
      draft: false,
      done: (row) => {
        made = optionOf(entity, row);
        close();
      },
      cancel: () => void mayAbandon(form).then((yes) => {
        if (yes) close();
      }),
    });
    close = openDialog({
      heading: newOne(entity), wide: true, mayClose: () => mayAbandon(form), closed: () => resolve(made),
      body: () => <FormView form={form} inDialog />,
    }).close;
  });
}
