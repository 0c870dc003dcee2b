// A form as people see it: its fields, what is to be corrected, and the two buttons.

import { h } from "view";
import type { Child } from "view";
import { confirm } from "../dialog";
import { guard } from "../place";
import { FieldView } from "./inputs";
import type { GroupField } from "./field";
import type { Form, Section } from "./state";

export interface FormViewProps<N extends string> {
  form: Form<N>;
  /** Under the fields: a summary of what is typed, a choice that is no field. */
  children?: Child;
  /** In a dialog, which asks before it closes; a screen asks before it is left. */
  inDialog?: boolean;
}

/** "2 champs à corriger" */
function toCorrect(count: number): string {
  return count === 1 ? "1 champ à corriger" : `${count} champs à corriger`;
}

export function mayAbandon(form: { dirty(): boolean; abandon(): void }): Promise<boolean> {
  if (!form.dirty()) return Promise.resolve(true);
  return confirm({
    heading: "Abandonner les modifications\u202f?",
    text: "Ce que vous avez saisi n’est pas enregistré.",
    yes: "Abandonner",
    no: "Continuer la saisie",
  }).then((yes) => {
    if (yes) form.abandon();
    return yes;
  });
}

export function FormView<N extends string>({ form, children, inDialog }: FormViewProps<N>): Child {
  const { spec } = form;
  if (inDialog !== true) guard(() => mayAbandon(form));
  // A dialog opens for its fields, not for the cross that closes it.
  else queueMicrotask(() => document.getElementById(`${form.id}-${form.fields()[0]?.name}`)?.focus());
  const submit = (event: Event): void => {
    event.preventDefault();
    event.stopPropagation();
    void form.submit();
  };
  return (
    <form
      class="form" novalidate onsubmit={submit}
      onkeydown={(event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event);
      }}
    >
      <Problems form={form} />
      {() => (form.restored()
        ? (
          <p class="form-draft">
            Votre saisie précédente a été reprise.
            {" "}
            <button type="button" class="link" onclick={() => form.reset()}>Repartir de zéro</button>
          </p>
        )
        : null)}
      {spec.sections.map((section) => <SectionView form={form} section={section} />)}
      {children}
      <div class="form-end">
        <button type="submit" class="primary" aria-disabled={() => (form.sending() ? "true" : null)}>
          {spec.submit ?? "Enregistrer"}
        </button>
        {spec.cancel === undefined ? null : <button type="button" onclick={spec.cancel}>Annuler</button>}
      </div>
    </form>
  );
}

function SectionView<N extends string>({ form, section }: { form: Form<N>; section: Section<N> }): Child {
  const fields = section.fields.map((field) => <FieldView form={form} field={field} />);
  if (section.heading === undefined) return <div class="form-section fields">{fields}</div>;
  return (
    <div class="form-section">
      <h2 class="form-heading">{section.heading}</h2>
      <div class="fields">{fields}</div>
    </div>
  );
}

/** What is to be corrected, with links to the fields. */
function Problems<N extends string>({ form }: { form: Form<N> }): Child {
  const label = (place: string): string => {
    const field = form.fields().find(({ name }) => name === place.split("/")[0]) as GroupField<N>;
    return place === field.name ? field.label : field.labelAt!(place);
  };
  return () => {
    const problems = form.problems();
    if (problems.length === 0) return null;
    const fields = problems.filter(({ name }) => name !== null);
    const others = problems.filter(({ name }) => name === null);
    return (
      <div role="alert" class="form-alert" id={`${form.id}-alert`} tabindex="-1">
        {others.map(({ message }) => <p>{message}</p>)}
        {problems.map(({ link }) => (link === undefined
          ? null
          : <p><a href={link.href} target="_blank" rel="noopener">{link.label}</a></p>))}
        {fields.length === 0
          ? null
          : (
            <p>
              <strong>{toCorrect(fields.length)}</strong>
              {"\u202f: "}
              {fields.map(({ name }, index) => [
                index === 0 ? null : ", ",
                <a
                  href={`#${form.id}-${name}`}
                  onclick={(event) => {
                    event.preventDefault();
                    document.getElementById(`${form.id}-${name}`)?.focus();
                  }}
                >
                  {label(name!)}
                </a>,
              ])}
            </p>
          )}
      </div>
    );
  };
}
