// The commands of a declared entity: buttons, each with a dialog of its parameters.

import { ServiceError } from "learntrack";
import { effect, h, signal } from "view";
import type { Child } from "view";
import { addressOf } from "../../../parts/declared";
import { openDialog } from "../../../parts/dialog";
import { FormView, makeForm } from "../../../parts/form";
import { Icon } from "../../../parts/icons";
import type { Form } from "../../../parts/form";
import { mayAbandon } from "../../../parts/form/form";
import { sayWritten } from "../../../parts/notices";
import { go, path } from "../../../parts/place";
import { callDeclared } from "../../../store/declared";
import type { Command, Entity } from "../../../store/declared";
import type { AnyRow } from "../../../store/rows";
import { titleOf } from "../../../words/titles";
import { formField } from "./fields";
import { Preview, trialOf } from "./preview";
import type { Trial } from "./preview";
import { callCommand, commandsOf, openerOf } from "./records";
import { typingOf } from "./typing";

/** Those on a record, or those of the list, which name no record. The only record of its kind has no list, and all but what opened it. */
export function Commands({ entity, row }: { entity: Entity; row?: () => AnyRow }): Child {
  const opener = openerOf(entity);
  return commandsOf(entity).filter((command) => command !== opener && (entity.single || (command.record !== undefined) === (row !== undefined))).map((command) => (
    <button type="button" onclick={() => openCommand(entity, command, command.record === undefined ? undefined : row?.())}>
      {row ? <Icon name="check" /> : null}{command.label}
    </button>
  ));
}

/** A command may have made something else of the record: its page would say that there is none. */
async function leaveIfGone(entity: Entity, { id }: AnyRow): Promise<void> {
  try {
    await callDeclared(`${entity.name}.get`, { id, select: "{ id }" });
  } catch (error) {
    const list = addressOf(entity);
    if (error instanceof ServiceError && error.is("not_found") && path() === `${list}/${id}`) void go(list, { replace: true });
  }
}

export function openCommand(entity: Entity, command: Command, row?: AnyRow): void {
  // A person knows no version: what another one has changed meanwhile stands on the page.
  const parameters = command.parameters.filter(({ name, required }) => name !== command.record && (name !== "if_version" || required === true));
  const typing = typingOf(parameters);
  const params = (values: Readonly<Record<string, unknown>>): Record<string, unknown> => ({
    ...(command.record === undefined ? {} : { [command.record]: row!.id }),
    ...typing.write(Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))),
  });
  const defaults = Object.fromEntries(parameters.filter((field) => field.default !== undefined).map((field) => [field.name, field.default]));
  const trial = signal<Trial | null>(null);
  let close = (): void => undefined;
  const form: Form = makeForm<string>({
    sections: [{ fields: parameters.map((field) => formField(field)) }],
    values: typing.read(defaults) as Record<string, never>,
    submit: command.label,
    send: async (values) => {
      const outcome = await callCommand(entity, command, params(values), row);
      if (outcome.state === "refused") throw outcome.error;
      kept = outcome.state;
      return true;
    },
    done: () => {
      close();
      sayWritten(`${command.label}\u202f: c’est fait`, { state: kept });
      if (kept === "saved" && row !== undefined && command.answers?.record !== entity.name) void leaveIfGone(entity, row);
    },
    cancel: () => void mayAbandon(form).then((yes) => { if (yes) close(); }),
  });
  let kept: "saved" | "queued" = "saved";
  const tryIt = async (): Promise<void> => {
    trial.set(null);
    try {
      trial.set(await trialOf(entity, command, params(Object.fromEntries(parameters.map(({ name }) => [name, form.value(name)]))), row));
    } catch (error) {
      form.refuse(error);
    }
  };
  // What is typed since was not tried.
  const follow = (): null => {
    effect(() => {
      parameters.forEach(({ name }) => form.raw(name)());
      trial.set(null);
    });
    return null;
  };
  close = openDialog({
    heading: command.label, wide: parameters.length > 3, mayClose: () => mayAbandon(form),
    body: () => [
      follow(),
      <p class="dialog-text">{row === undefined ? command.summary : `${titleOf(entity, row)}. ${command.summary}`}</p>,
      <FormView form={form} inDialog>
        {() => {
          const shown = trial();
          return shown === null ? null : <Preview trial={shown} />;
        }}
        <button type="button" class="link" onclick={() => void tryIt()}>Voir d’abord ce que cela change</button>
      </FormView>,
    ],
  }).close;
}
