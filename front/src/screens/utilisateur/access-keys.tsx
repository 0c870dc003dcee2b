// The access keys of an account, by which programs call the service in its place: made, shown once, and revoked.

import { each, h, signal, untracked } from "view";
import type { Child, Signal } from "view";
import { command } from "../../parts/command";
import { confirm, openDialog } from "../../parts/dialog";
import { date, FormView, makeForm, select, text } from "../../parts/form";
import type { Form, Field as FormField } from "../../parts/form";
import { mayAbandon } from "../../parts/form/form";
import { Icon } from "../../parts/icons";
import { say, warn } from "../../parts/notices";
import { Section } from "../../parts/section";
import { FailureOf } from "../../parts/unanswered";
import { ask, askAgain, client } from "../../store";
import { endOfDay, expiryWords } from "../../words/expiry";
import { ago } from "../../words/instants";
import { heldWords, keyOf, roleName, subjectLabel, subjectOf } from "./held-roles";
import type { AccountRoles, HeldRole } from "./held-roles";

const load = (account: number) => client.auth.list_access_keys({ account_id: account });
type Key = Awaited<ReturnType<typeof load>>["items"][number];

interface KeysProps {
  account: number;
  /** The role of the account itself. */
  base: "admin" | "user";
  /** Those beside it; null: there are none in this installation. */
  roles: () => AccountRoles | null;
}

export function AccessKeys({ account, base, roles }: KeysProps): Child {
  const keys = ask(`access_keys ${account}`, () => load(account), ["access_keys", "account_roles"]);
  // No table tells of their use.
  if (untracked(() => keys.value()) !== undefined) void keys.refresh();
  let button!: HTMLElement;
  const revoke = command((key, id: number) => client.auth.revoke_access_key({ id, idempotency_key: key }), {
    done: "Clé d’accès révoquée", tables: ["access_keys"],
  });
  const held = (): HeldRole[] => [
    // A key of an administrator may have the lesser role.
    ...["user", ...(base === "admin" ? ["admin"] : [])].map((role) => ({ role, subject: null })), ...(untracked(() => roles()?.value()) ?? []),
  ];
  return (
    <Section heading="Clés d’accès">
      <p class="hint">Avec une clé, un programme ou un appareil agit à la place de ce compte, sans mot de passe.</p>
      <FailureOf of={keys} />
      {() => (keys.value()?.items.length === 0 ? <p class="quiet-text">Aucune clé d’accès.</p> : null)}
      <ul class="devices" role="list" aria-label="Clés d’accès">
        {each(() => keys.value()?.items ?? [], (key) => key.id, (key) => <Line one={key} revoke={(id) => void revoke(id).then((isDone) => { if (isDone) button.focus(); })} />)}
      </ul>
      <div class="actions">
        <button type="button" ref={(element) => (button = element)} onclick={() => createKey(account, held())}><Icon name="plus" />Créer une clé…</button>
      </div>
    </Section>
  );
}

function Line({ one, revoke }: { one: () => Key; revoke: (id: number) => void }): Child {
  const { id, name, role, subject: record } = untracked(one);
  const subject = subjectOf({ role, subject: record });
  const ask = async (): Promise<void> => {
    const yes = await confirm({
      heading: "Révoquer cette clé d’accès\u202f?", text: `${name}. Le programme qui s’en sert est refusé aussitôt, pour toujours.`,
      yes: "Révoquer", no: "Annuler",
    });
    if (yes) revoke(id);
  };
  const use = ({ last_used_at: used }: Key): string => (used === null ? "jamais utilisée" : `utilisée ${ago(used)}`);
  return (
    <li>
      <Icon name="key" />
      <div class="device-words">
        <p>{name}</p>
        <p class="hint">{() => `${heldWords({ role, subject: record }, subject)} · ${expiryWords(one().expires_at)} · ${use(one())}`}</p>
      </div>
      <button type="button" class="danger-text" aria-label={`Révoquer\u202f: ${name}`} onclick={() => void ask()}>Révoquer</button>
    </li>
  );
}

type Names = "name" | "role" | "subject" | "expires_at";

function createKey(account: number, held: readonly HeldRole[]): void {
  const key = keyOf();
  const made = signal<{ name: string; key: string | null } | null>(null);
  const copied = signal(false);
  let form!: Form<Names>;
  const words = [...new Set(held.map(({ role }) => role))];
  const mayClose = async (): Promise<boolean> => {
    const shown = untracked(made);
    if (shown === null) return mayAbandon(form);
    if (shown.key === null || untracked(copied)) return true;
    return confirm({
      heading: "Fermer sans copier la clé\u202f?", text: "Elle ne sera plus affichée\u202f: si elle est perdue, il en faudra une autre.",
      yes: "Fermer", no: "Annuler",
    });
  };
  const dialog = openDialog({
    heading: "Créer une clé d’accès",
    mayClose,
    body: (close) => {
      const leave = (): void => void mayClose().then((yes) => { if (yes) close(); });
      form = makeForm<Names>({
        sections: [{
          fields: [
            text("name", "Nom", { required: "Donnez un nom à la clé.", maxlength: 100, wide: true, hint: "À quoi elle sert, par exemple «\u00a0Export de la nuit\u00a0»." }),
            select("role", "Rôle", words.map((role) => ({ value: role, label: roleName(role) })), {
              required: "Choisissez un rôle.", wide: true, hint: "Elle n’agit que dans ce rôle\u202f: donnez le plus limité qui suffit.",
            }),
            heldField(held),
            date("expires_at", "Valable jusqu’au", { wide: true, hint: "Sans date, elle vaut jusqu’à sa révocation." }),
          ],
        }],
        values: words.length === 1 ? { role: words[0]! } : {},
        submit: "Créer la clé",
        send: async ({ name, role, subject, expires_at: last }) => {
          const params = {
            account_id: account, name: String(name), role: String(role),
            ...(subject === null || subjectsIn(held, String(role)).length < 2 ? {} : { subject: Number(subject) }),
            ...(last === null ? {} : { expires_at: endOfDay(String(last)) }),
          };
          const answer = await client.auth.create_access_key({ ...params, idempotency_key: key(params) } as Parameters<typeof client.auth.create_access_key>[0]);
          made.set({ name: params.name, key: answer.key });
          return true;
        },
        done: () => {
          askAgain(["access_keys"]);
          say("Clé d’accès créée");
          queueMicrotask(() => dialog.element.querySelector<HTMLElement>("[data-first]")?.focus());
        },
        cancel: leave,
      });
      return () => {
        const shown = made();
        return shown === null ? <FormView form={form} inDialog /> : <Shown of={shown} copied={copied} leave={leave} />;
      };
    },
  });
}

/** The key is seen this one time: the service keeps only what recognises it. */
function Shown({ of, copied, leave }: { of: { name: string; key: string | null }; copied: Signal<boolean>; leave: () => void }): Child {
  if (of.key === null) {
    return (
      <div class="new-key">
        <p role="alert">{`La clé «\u00a0${of.name}\u00a0»`} est créée, mais la réponse qui la montrait s’est perdue. Révoquez-la et créez-en une autre.</p>
        <div class="form-end"><button type="button" class="primary" data-first="" onclick={leave}>Fermer</button></div>
      </div>
    );
  }
  const value = of.key;
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(value);
      copied.set(true);
      say("Clé copiée");
    } catch {
      warn("La clé n’a pas pu être copiée\u202f: sélectionnez-la.");
    }
  };
  return (
    <div class="new-key">
      <label class="label" for="new-key">{`Clé «\u00a0${of.name}\u00a0»`}</label>
      <textarea id="new-key" readonly rows="2" spellcheck="false" aria-describedby="new-key-hint" oncopy={() => copied.set(true)} onfocus={(event) => event.currentTarget.select()}>{value}</textarea>
      <p id="new-key-hint">Copiez-la maintenant{"\u202f"}: elle ne sera plus affichée. Qui la connaît agit à la place de ce compte.</p>
      <div class="form-end">
        <button type="button" class="primary" data-first="" onclick={() => void copy()}>{() => <Icon name={copied() ? "check" : "copy"} />}Copier la clé</button>
        <button type="button" onclick={leave}>Fermer</button>
      </div>
    </div>
  );
}

const subjectsIn = (held: readonly HeldRole[], role: string): HeldRole[] => held.filter((one) => one.role === role && one.subject !== null);

/** Which record the key acts for, where the account stands for several in the role. Its choices are those of the role that is chosen. */
function heldField(held: readonly HeldRole[]): FormField<"subject"> {
  let role = "";
  const titles = new Map(held.map((one) => [one, subjectOf(one)]));
  return {
    name: "subject", kind: "select", label: subjectLabel(), required: "Choisissez une fiche.", wide: true,
    get choices() { return subjectsIn(held, role).map((one) => ({ value: one.subject!, label: titles.get(one)!.title() })); },
    when: (read) => subjectsIn(held, (role = String(read("role") ?? ""))).length > 1,
  };
}
