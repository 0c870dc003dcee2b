// A new account, or the rights of one.

import { ServiceError } from "learntrack";
import { computed, h, signal, untracked } from "view";
import type { Child } from "view";
import { command } from "../parts/command";
import { confirm } from "../parts/dialog";
import { changeOver, email, FormView, makeForm, radios, text } from "../parts/form";
import { asTyped, changedBy } from "../parts/form/record";
import { Icon } from "../parts/icons";
import { Failure, Outlines } from "../parts/list";
import { say } from "../parts/notices";
import { back, lastAddress } from "../parts/place";
import { Section } from "../parts/section";
import type { Params, Screen } from "../parts/shell";
import { account, ask, askAgain, client, newKey } from "../store";
import { companies } from "../store/company";
import { callDeclared, domains } from "../store/declared";
import { AccessKeys } from "./utilisateur/access-keys";
import { hasRoles, rolesOf } from "./utilisateur/held-roles";
import { roleField } from "./utilisateur/invite";
import { Roles } from "./utilisateur/roles";

const fields = [
  email("email", "Adresse e-mail", { required: "Saisissez une adresse e-mail.", wide: true }),
  text("username", "Nom d’utilisateur", { maxlength: 100, wide: true }),
  roleField,
  // Its control is the checkbox below.
  radios("is_active", "Compte actif", [{ value: 1, label: "oui" }, { value: 0, label: "non" }], { when: () => false }),
] as const;

const selection = "{ id email username role is_active version invitation }";
const load = (id: number) => client.users.get({ id, select: selection });
type User = Awaited<ReturnType<typeof load>>;

/** What became of the mail that invites a person to choose a password, or to join the company where there are several. */
const invitations: Readonly<Record<NonNullable<User["invitation"]>, string>> = {
  waiting: "Son invitation va partir.", sent: "Une invitation à {} lui a été envoyée.",
  failed: "Son invitation n’est pas partie.", expired: "Le lien de son invitation n’est plus valable.",
};

export default function utilisateurForm(params: Params): Screen {
  const id = params["id"] === undefined ? null : Number(params["id"]);
  const up = { href: () => lastAddress("/utilisateurs"), label: "Utilisateurs" };
  if (id === null) return { heading: () => "Nouvel utilisateur", up, body: <UserForm user={null} /> };
  const user = ask(`users/${id}`, () => load(id), ["users"]);
  const missing = (): boolean => {
    const error = user.failure()?.error;
    return error instanceof ServiceError && error.is("not_found");
  };
  // A change by others while one types is found by the version when it is saved.
  const known = computed(() => user.value() !== undefined);
  return {
    heading: () => (missing() ? "Utilisateur introuvable" : user.value() && (user.value()!.username ?? user.value()!.email)),
    up,
    body: () => {
      if (known()) return untracked(() => <Account user={user.value()!} />);
      const failed = user.failure();
      if (missing()) return <p class="quiet-text">Ce compte n’existe pas.</p>;
      return failed ? <Failure text={failed.message} retry={() => void user.refresh()} /> : <Outlines />;
    },
  };
}

/** The form, and what is given to the account at once, beside it. */
function Account({ user }: { user: User }): Child {
  // Whether there are roles to give is declared.
  void domains();
  const roles = computed(() => (hasRoles() ? rolesOf(user.id) : null));
  return (
    <div class="cards user-account">
      <UserForm user={user} />
      {() => (roles() === null ? null : <Roles account={user.id} roles={roles()!} />)}
      <AccessKeys account={user.id} base={user.role} roles={roles} />
      {user.id === account()?.id ? null : <Removal user={user} />}
    </div>
  );
}

/** The way out of the company; an invitation is withdrawn. */
function Removal({ user }: { user: User }): Child {
  const name = user.username ?? user.email;
  const remove = command((key) => callDeclared("users.delete", { id: user.id, idempotency_key: key }), { done: "Utilisateur retiré", tables: ["users"] });
  const ask = async (): Promise<void> => {
    const isSure = await confirm({
      heading: "Retirer cet utilisateur\u202f?",
      text: user.invitation === null
        ? `${name} perd son accès, et ses clés d’accès sont révoquées. Ce qui a été enregistré reste.`
        : `L’invitation de ${name} ne sera plus valable.`,
      yes: "Retirer", no: "Annuler",
    });
    if (isSure && await remove()) void back(lastAddress("/utilisateurs"));
  };
  return (
    <Section heading="Retirer">
      <p class="hint">{user.invitation === null ? "La personne perd son accès. Elle pourra être invitée à nouveau." : "La personne n’a pas encore accepté son invitation."}</p>
      <div class="actions">
        <button type="button" class="danger-text" aria-busy={() => (remove.busy() ? "true" : null)} onclick={() => void ask()}><Icon name="trash" />Retirer</button>
      </div>
    </Section>
  );
}

function UserForm({ user }: { user: User | null }): Child {
  const leave = (): void => void back(lastAddress("/utilisateurs"));
  const form = makeForm({
    sections: [{ fields }],
    values: user
      ? { email: user.email, username: user.username, role: user.role, is_active: user.is_active ? 1 : 0 }
      : { role: "user", is_active: 1 },
    send: async (values, changed) => {
      if (user === null) {
        const made = await client.users.create({
          values: {
            email: String(values.email), username: values.username as string | null, role: values.role as "admin" | "user",
            is_active: values.is_active === 1,
          },
          idempotency_key: key, select: "{ id is_active invitation }",
        });
        isInvited = made.invitation !== null || !made.is_active;
        return true;
      }
      return (await changeOver(asTyped(user), changed, fields, () => changedBy("users", user.id), save)) !== null;
    },
    done: async () => {
      askAgain(["users"]);
      leave();
      say(isInvited ? "Utilisateur enregistré" : "Utilisateur enregistré. Sans serveur de messagerie, aucune invitation ne part.");
    },
    cancel: leave,
  });
  const key = newKey();
  let isInvited = true;
  const sent = signal(false);
  const sendLink = command((again) => (user!.invitation === null
    ? client.auth.request_password_reset({ email: user!.email })
    : client.users.invite_again({ id: user!.id, idempotency_key: again, select: "{ id }" })).then(() => sent.set(true)));
  const active = form.raw("is_active");
  const isJoining = companies().length > 1;
  return (
    <div class="user-form">
      <FormView form={form}>
        <label class="check">
          <input type="checkbox" checked={() => active() === 1} onchange={(event) => active.set(event.currentTarget.checked ? 1 : 0)} />
          <span>Compte actif</span>
        </label>
        {user === null ? (
          <p class="hint">Une invitation à choisir son mot de passe lui est envoyée, valable sept jours.</p>
        ) : (
          <p class="hint">
            {user.invitation === null ? null : `${invitations[user.invitation].replace("{}", isJoining ? "rejoindre la société" : "choisir son mot de passe")} `}
            {() => (sent() ? `Un${isJoining && user.invitation ? " nouveau" : ""} lien pour ${isJoining && user.invitation ? "la rejoindre" : "choisir un mot de passe"} lui est envoyé.` : (
              <button type="button" class="link" onclick={() => void sendLink()}>
                {user.invitation === null ? "Lui envoyer un lien pour choisir un mot de passe" : "Renvoyer l’invitation"}
              </button>
            ))}
          </p>
        )}
      </FormView>
    </div>
  );
}

function save({ id, version }: { id: number; version: number }, changes: Readonly<Record<string, unknown>>): Promise<unknown> {
  const values = "is_active" in changes ? { ...changes, is_active: Boolean(changes["is_active"]) } : changes;
  return Object.keys(values).length === 0 ? Promise.resolve(id) : client.users.update({ id, values, if_version: version });
}
