// The roles of an account beside its base role: what it stands for in each, and how they are given and taken.

import { each, h, untracked } from "view";
import type { Child } from "view";
import { command } from "../../parts/command";
import { confirm, openDialog } from "../../parts/dialog";
import { FormView, makeForm, select } from "../../parts/form";
import type { Form, Field as FormField } from "../../parts/form";
import { mayAbandon } from "../../parts/form/form";
import { Icon } from "../../parts/icons";
import { say } from "../../parts/notices";
import { searchOf } from "../../parts/record-search";
import type { RecordSearch } from "../../parts/record-search";
import { Section } from "../../parts/section";
import { FailureOf } from "../../parts/unanswered";
import { askAgain } from "../../store";
import { callDeclared } from "../../store/declared";
import type { Entity } from "../../store/declared";
import { capital } from "../../words/nouns";
import { hasSubject, heldWords, keyOf, roleChoices, roleName, subjectEntity, subjectLabel, subjectOf } from "./held-roles";
import type { AccountRole, AccountRoles } from "./held-roles";

/** What an account's roles and its keys, which end with them, are shown by. */
const changed = ["account_roles", "access_keys"];

export function Roles({ account, roles }: { account: number; roles: AccountRoles }): Child {
  let button!: HTMLElement;
  const take = command((key, id: number) => callDeclared("account_roles.delete", { id, idempotency_key: key }), { done: "Rôle retiré", tables: changed });
  return (
    <Section heading="Rôles">
      <p class="hint">Ce que le compte peut faire en plus de son rôle de base.</p>
      <FailureOf of={roles} />
      {() => (roles.value()?.length === 0 ? <p class="quiet-text">Aucun autre rôle.</p> : null)}
      <ul class="devices" role="list" aria-label="Rôles">
        {each(() => roles.value() ?? [], (held) => held.id, (held) => <Line held={held()} take={(id) => void take(id).then((isDone) => { if (isDone) button.focus(); })} />)}
      </ul>
      <div class="actions">
        <button type="button" ref={(element) => (button = element)} onclick={() => giveRole(account)}><Icon name="plus" />Donner un rôle…</button>
      </div>
    </Section>
  );
}

function Line({ held, take }: { held: AccountRole; take: (id: number) => void }): Child {
  const subject = subjectOf(held);
  const ask = async (): Promise<void> => {
    const yes = await confirm({
      heading: "Retirer ce rôle\u202f?", text: `${heldWords(held, subject)}. Les clés d’accès dans ce rôle sont révoquées.`,
      yes: "Retirer", no: "Annuler",
    });
    if (yes) take(held.id);
  };
  return (
    <li>
      <Icon name="users" />
      <div class="device-words">
        <p>{() => roleName(held.role)}</p>
        {subject === null ? null : <p>{subject.href === null ? subject.title : <a class="record-link" href={subject.href}>{subject.title}</a>}</p>}
      </div>
      <button type="button" class="danger-text" aria-label={() => `Retirer\u202f: ${heldWords(held, subject)}`} onclick={() => void ask()}>Retirer</button>
    </li>
  );
}

function giveRole(account: number): void {
  const key = keyOf();
  let form!: Form<"role" | "subject">;
  openDialog({
    heading: "Donner un rôle",
    mayClose: () => mayAbandon(form),
    body: (close) => {
      form = makeForm({
        sections: [{ fields: [select("role", "Rôle", roleChoices(), { required: "Choisissez un rôle.", wide: true }), subjectField(() => form)] }],
        submit: "Donner ce rôle",
        send: async ({ role, subject }) => {
          const values = { account_id: account, role, ...(subject === null || !hasSubject(String(role)) ? {} : { subject }) };
          await callDeclared("account_roles.create", { values, idempotency_key: key(values), select: "{ id }" });
          return true;
        },
        done: () => {
          askAgain(changed);
          close();
          say("Rôle donné");
        },
        cancel: () => void mayAbandon(form).then((yes) => { if (yes) close(); }),
      });
      return <FormView form={form} inDialog />;
    },
  });
}

/**
 * The record of the role that is chosen: it is searched, or, where the administrator may not read such records, given by its number.
 * The service refuses it at the one path, so it is one field, which is another one for each role.
 */
function subjectField(form: () => Form<"role" | "subject"> | undefined): FormField<"subject"> {
  const searches = new Map<string, RecordSearch>();
  let last: unknown;
  const role = (): string => String(form()?.raw("role")() ?? "");
  // What is declared is told again now and then: the field stays as it is, and so does the focus in it.
  const entity = (of = role()): Entity | undefined => untracked(() => subjectEntity(of));
  const search = (): RecordSearch | undefined => {
    const found = entity();
    if (found === undefined) return undefined;
    if (!searches.has(found.name)) searches.set(found.name, searchOf(found));
    return searches.get(found.name);
  };
  return {
    name: "subject", wide: true,
    get kind() { return entity() === undefined ? "number" : "record"; },
    get label() {
      const found = entity();
      return found === undefined ? subjectLabel() : capital(found.singular);
    },
    get required() { return entity() === undefined ? undefined : "Choisissez une fiche."; },
    options: () => search()?.options(),
    look: (text: string) => search()?.look(text),
    when: (read: (name: string) => unknown) => {
      const chosen = read("role");
      return untracked(() => {
        // Another role stands for another record.
        if (last !== chosen) {
          last = chosen;
          form()?.raw("subject").set(null);
          form()?.leave("subject", null);
        }
        return chosen !== null && hasSubject(String(chosen));
      });
    },
  } as unknown as FormField<"subject">;
}
