// A field for a file that a column or a member of an object names. The file goes to the service when it is chosen, and the record has
// its number: a draft keeps it, and the form can wait for the network. A file that no record names is forgotten by the service after a
// day.

import { computed, effect, h, signal, untracked } from "view";
import type { Child, Signal } from "view";
import type { Field as FormField, Form } from "../../../parts/form";
import { Icon } from "../../../parts/icons";
import { client, failureOf } from "../../../store";
import type { Field } from "../../../store/declared";
import { kindName, refusalOf, ruleText, sizeText } from "../../../words/files";
import { FileLink } from "./file-link";

export function fileField(field: Field, more: { required?: string; hint?: string }): FormField {
  const choosing: Choosing = { sending: signal(false), problem: signal<string | null>(null), chosen: signal<Chosen | null>(null), turn: 0 };
  return {
    kind: "group", name: field.name, label: field.label, wide: true, ...(more.required === undefined ? {} : { required: more.required }),
    view: (form, place = field.name) => <FileControl form={form} place={place} field={field} choosing={choosing} {...more} />,
    mistakes: () => (untracked(choosing.sending) ? [[field.name, "Le fichier est encore en cours d’envoi."]] : []),
    words: (value) => `Fichier n°\u00a0${String(value)}`,
  };
}

interface Chosen { readonly file: File; readonly number: string }

/** The choice of a file. It goes on while the control is made anew, as where an element of a list is moved. */
interface Choosing {
  readonly sending: Signal<boolean>;
  readonly problem: Signal<string | null>;
  /** The file as it was chosen here, and the number that the service gave it. */
  readonly chosen: Signal<Chosen | null>;
  /** Counts the choices: what is answered to an earlier one comes too late. */
  turn: number;
}

interface FileControlProps { form: Form; place: string; field: Field; choosing: Choosing; required?: string; hint?: string }

function FileControl({ form, place, field, choosing, required, hint }: FileControlProps): Child {
  const { sending, problem, chosen } = choosing;
  const { kinds = [], max_bytes: most = Infinity } = field.file ?? {};
  const raw = form.raw(place);
  const id = `${form.id}-${place}`;
  const isEmpty = computed(() => raw() === null || raw() === "");
  const message = (): string | undefined => problem() ?? form.message(place);
  const take = async (file: File): Promise<void> => {
    const mine = ++choosing.turn;
    form.clear(place);
    problem.set(refusalOf(file, { kinds, max_bytes: most }));
    // What is on its way from an earlier choice is not waited for.
    sending.set(untracked(problem) === null);
    if (untracked(problem) !== null) return;
    try {
      const number = String((await client.upload(file, { retries: 2 })).id);
      // Another file was chosen meanwhile, or none.
      if (mine !== choosing.turn) return;
      chosen.set({ file, number });
      raw.set(number);
    } catch (error) {
      if (mine === choosing.turn) problem.set(failureOf(error).message);
    } finally {
      if (mine === choosing.turn) sending.set(false);
    }
  };
  const remove = (): void => {
    choosing.turn += 1;
    sending.set(false);
    problem.set(null);
    chosen.set(null);
    raw.set("");
    document.getElementById(id)?.focus();
  };
  return (
    <fieldset class={() => `shape file-field${message() === undefined ? "" : " invalid"}`}
      aria-describedby={() => [message() === undefined ? null : `${id}-message`, `${id}-hint`].filter(Boolean).join(" ")}>
      <legend>{field.label}{required === undefined ? null : <span class="required" aria-hidden="true">{"\u00a0*"}</span>}</legend>
      {() => {
        const own = chosen();
        if (isEmpty()) return null;
        return own?.number === raw() ? <ChosenFile file={own.file} /> : <FileLink field={field} id={Number(raw())} />;
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
function ChosenFile({ file }: { file: File }): Child {
  const url = file.type.startsWith("image/") ? URL.createObjectURL(file) : null;
  effect(() => () => { if (url !== null) URL.revokeObjectURL(url); });
  return (
    <div class="file-chosen">
      {url === null ? null : <img class="generic-picture" src={url} alt="" />}
      <p class="quiet-text small">{`${file.name}, ${file.type === "" ? "" : `${kindName(file.type)}, `}${sizeText(file.size)}`}</p>
    </div>
  );
}
