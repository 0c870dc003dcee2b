// A field for a file that a column names. The file goes to the service when it is chosen, and the record has its number: a draft keeps
// it, and the form can wait for the network. A file that no record names is forgotten by the service after a day.

import { computed, effect, h, onCleanup, signal, untracked } from "view";
import type { Child, Signal } from "view";
import type { Field as FormField, Form } from "../../../parts/form";
import { Icon } from "../../../parts/icons";
import { client, failureOf } from "../../../store";
import type { Field } from "../../../store/declared";
import { kindName, refusalOf, ruleText, sizeText } from "../../../words/files";
import { FileLink } from "./file-link";

export function fileField(field: Field, more: { required?: string; hint?: string }): FormField {
  const sending = signal(false);
  return {
    kind: "group", name: field.name, label: field.label, wide: true, ...(more.required === undefined ? {} : { required: more.required }),
    view: (form) => <FileControl form={form} field={field} sending={sending} hint={more.hint} />,
    mistakes: () => (untracked(sending) ? [[field.name, "Le fichier est encore en cours d’envoi."]] : []),
    words: (value) => `Fichier n°\u00a0${String(value)}`,
  };
}

interface FileControlProps { form: Form; field: Field; sending: Signal<boolean>; hint: string | undefined }

function FileControl({ form, field, sending, hint }: FileControlProps): Child {
  const { name, label } = field;
  const { kinds = [], max_bytes: most = Infinity } = field.file ?? {};
  const raw = form.raw(name);
  const id = `${form.id}-${name}`;
  /** The file as it was chosen here, while the field has it. */
  const chosen = signal<File | null>(null);
  const problem = signal<string | null>(null);
  let turn = 0;
  const isEmpty = computed(() => raw() === null || raw() === "");
  const message = (): string | undefined => problem() ?? form.message(name);
  const take = async (file: File): Promise<void> => {
    const mine = ++turn;
    form.clear(name);
    problem.set(refusalOf(file, { kinds, max_bytes: most }));
    if (untracked(problem) !== null) return;
    sending.set(true);
    try {
      const { id: number } = await client.upload(file, { retries: 2 });
      // Another file was chosen meanwhile, or none.
      if (mine !== turn) return;
      chosen.set(file);
      raw.set(String(number));
    } catch (error) {
      if (mine === turn) problem.set(failureOf(error).message);
    } finally {
      if (mine === turn) sending.set(false);
    }
  };
  const remove = (): void => {
    turn += 1;
    sending.set(false);
    problem.set(null);
    chosen.set(null);
    raw.set("");
    document.getElementById(id)?.focus();
  };
  onCleanup(() => (turn += 1));
  return (
    <fieldset class={() => `shape file-field${message() === undefined ? "" : " invalid"}`}
      aria-describedby={() => [message() === undefined ? null : `${id}-message`, `${id}-hint`].filter(Boolean).join(" ")}>
      <legend>{label}</legend>
      {() => {
        const file = chosen();
        if (isEmpty()) return null;
        return file === null ? <FileLink field={field} id={Number(raw())} /> : <Chosen file={file} />;
      }}
      <div class="actions">
        <label class="button">
          <input id={id} type="file" accept={kinds.join(",")} aria-invalid={() => (message() === undefined ? null : "true")}
            aria-describedby={() => (message() === undefined ? `${id}-hint` : `${id}-message ${id}-hint`)}
            onchange={(event) => {
              const file = event.currentTarget.files?.[0];
              event.currentTarget.value = "";
              if (file) void take(file);
            }} />
          {() => (isEmpty() ? "Choisir un fichier…" : "Remplacer…")}
        </label>
        {() => (isEmpty() ? null : <button type="button" class="danger-text" onclick={remove}><Icon name="trash" />Retirer</button>)}
      </div>
      <p class="quiet-text small" role="status">{() => (sending() ? "Envoi du fichier…" : "")}</p>
      <p class="hint" id={`${id}-hint`}>{[hint, field.file === undefined ? null : ruleText(kinds, most)].filter(Boolean).join(" ")}</p>
      {() => (message() === undefined ? null : <p class="field-message" id={`${id}-message`}>{message()}</p>)}
    </fieldset>
  );
}

/** A file that is on this device: a picture is seen, of others what they are. */
function Chosen({ file }: { file: File }): Child {
  const url = file.type.startsWith("image/") ? URL.createObjectURL(file) : null;
  effect(() => () => { if (url !== null) URL.revokeObjectURL(url); });
  return (
    <div class="file-chosen">
      {url === null ? null : <img class="generic-picture" src={url} alt="" />}
      <p class="quiet-text small">{`${file.name}, ${file.type === "" ? "" : `${kindName(file.type)}, `}${sizeText(file.size)}`}</p>
    </div>
  );
}
