// A new record from within another form: the dialog behind "Créer « … »" of a picker.

import { h } from "view";
import { may } from "../../store";
import type { Directory, Row } from "../../store";
import { openDialog } from "../dialog";
import type { Option } from "./field";
import { FormView, mayAbandon } from "./form";
import type { Form } from "./state";

/** What the screen of a directory gives for the dialog: its heading and its form, without a draft. */
export type NewRecord<E extends Directory> = (
  text: string, end: { done: (row: Row<E>) => void; cancel: () => void },
) => { heading: string; form: Form; label: (row: Row<E>) => string };

/** What a picker's `make` is; undefined for those who may not create. */
export function making<E extends Directory>(entity: E, newRecord: NewRecord<E>): ((text: string) => Promise<Option | null>) | undefined {
  if (!may(`${entity}.create`)) return undefined;
  return (text) => new Promise((resolve) => {
    let made: Option | null = null;
    let close = (): void => undefined;
    const { heading, form, label } = newRecord(text, {
      done: (row) => {
        made = { id: (row as { id: number }).id, label: label(row) };
        close();
      },
      cancel: () => void mayAbandon(form).then((yes) => {
        if (yes) close();
      }),
    });
    const dialog = openDialog({
      heading,
      wide: true,
      mayClose: () => mayAbandon(form),
      closed: () => resolve(made),
      body: () => <FormView form={form} inDialog />,
    });
    close = dialog.close;
  });
}
