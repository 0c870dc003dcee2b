// What the links of mails and of the setup lead to: a new password, the first administrator, an invitation to a company.

import { ServiceError } from "learntrack";
import { computed, h, signal, untracked } from "view";
import type { Child } from "view";
import { openDialog } from "../parts/dialog";
import { email, password } from "../parts/form/field";
import { FormView } from "../parts/form/form";
import { makeForm, problemsOf } from "../parts/form/state";
import { forgetLink, tokenFor } from "../parts/link";
import type { Purpose } from "../parts/link";
import { Failure } from "../parts/list";
import { say } from "../parts/notices";
import { go } from "../parts/place";
import { account, bar, client, failureOf, signIn } from "../store";
import { Keeping, missingEmail, missingPassword } from "./connexion";

export function linkPage(purpose: Purpose): Child {
  return () => {
    const token = tokenFor(purpose);
    return untracked(() => {
      if (token === null) return <Lost purpose={purpose} />;
      return purpose === "invitation" ? <Joining token={token} /> : <Choice purpose={purpose} token={token} />;
    });
  };
}

/** Says the same whether the account exists or not. */
export function forgotten(typed: string): void {
  const sent = signal(false);
  openDialog({
    heading: "Mot de passe oublié\u202f?",
    body: (close) => {
      const form = makeForm({
        sections: [{
          fields: [email("email", "Adresse e-mail", { required: missingEmail, autocomplete: "username", wide: true })],
        }],
        values: { email: typed },
        submit: "Envoyer le lien",
        send: async (values) => {
          await client.auth.request_password_reset({ email: String(values.email) });
          return true;
        },
        done: () => sent.set(true),
        cancel: close,
      });
      return () => (sent()
        ? (
          <div class="dialog-done">
            <p role="status">Si ce compte existe, un lien pour choisir un nouveau mot de passe vient de lui être envoyé. Il est valable 30 minutes.</p>
            <div class="form-end"><button type="button" class="primary" onclick={close}>Fermer</button></div>
          </div>
        )
        : untracked(() => <FormView form={form} inDialog />));
    },
  });
}

/** The secret of the link was in memory alone, and the page has been loaded again; or the link was used, or is too old. */
function Lost({ purpose, isUsed }: { purpose: Purpose; isUsed?: boolean }): Child {
  return (
    <div class="sign-in-forms">
      <p role={isUsed ? "alert" : null}>
        {isUsed
          ? purpose === "invitation"
            ? "Cette invitation a déjà servi, ou n’est plus valable. Demandez-en une autre à la personne qui vous a invité."
            : "Ce lien a déjà servi, ou n’est plus valable."
          : `Par sécurité, cette page ne garde pas le lien. Ouvrez-le à nouveau depuis ${purpose === "setup" ? "le journal du serveur" : "l’e-mail que vous avez reçu"}.`}
      </p>
      {purpose === "reset" ? <button type="button" onclick={() => forgotten("")}>Demander un nouveau lien</button> : null}
      <p><a href="/connexion">Se connecter</a></p>
    </div>
  );
}

/** An invitation to a company, which the person accepts whose address it was sent to: signed in, or with the password of the account. */
function Joining({ token }: { token: string }): Child {
  const invitation = signal<Invitation | "gone" | null>(null);
  const failed = signal<string | null>(null);
  const ask = (): void => {
    failed.set(null);
    client.auth.invitation({ token }).then((found) => invitation.set(found), (error: unknown) => {
      if (isGone(error)) invitation.set("gone");
      else failed.set(failureOf(error).message);
    });
  };
  ask();
  // Whether the person is signed in decides what is asked for.
  const known = computed(() => account() !== undefined || bar() !== null);
  return () => {
    const found = invitation();
    if (failed() !== null) return <Failure text={failed()!} retry={ask} />;
    if (found === null || !known()) return <p role="status">Un instant…</p>;
    return untracked(() => (found === "gone"
      ? <Lost purpose="invitation" isUsed />
      : <Acceptance token={token} invitation={found} gone={() => invitation.set("gone")} />));
  };
}

/** Used, late or withdrawn, which the service does not tell apart. */
const isGone = (error: unknown): boolean => error instanceof ServiceError && error.is("not_found");

type Invitation = Awaited<ReturnType<typeof client.auth.invitation>>;

function Acceptance({ token, invitation: { company, email: address, has_password: isKnown }, gone }: { token: string; invitation: Invitation; gone(): void }): Child {
  const own = untracked(account);
  const isOwn = own?.email.toLowerCase() === address.toLowerCase();
  const keep = signal(true);
  const joined = signal(false);
  const form = makeForm<"password">({
    sections: [{
      fields: isOwn ? [] : [
        password("password", isKnown ? "Mot de passe" : "Choisissez un mot de passe", {
          required: missingPassword, autocomplete: isKnown ? "current-password" : "new-password", wide: true,
        }),
      ],
    }],
    submit: "Rejoindre",
    send: async (values) => {
      try {
        await client.auth.accept_invitation(isOwn ? { token } : { token, password: String(values.password) });
      } catch (error) {
        if (!isGone(error)) throw error;
        gone();
        return false;
      }
      // A person who is here as another stays so.
      if (!own) await signIn(address, String(values.password), keep(), company.id).catch(() => undefined);
      return true;
    },
    done: () => {
      if (untracked(account) && !own) return void go(`/s/${company.id}/`, { replace: true, force: true });
      joined.set(true);
    },
  });
  return () => (joined() ? untracked(() => (
    <div class="sign-in-forms">
      <p role="status">{isOwn || !own ? "Vous avez" : address + " a"} rejoint <strong>{company.name}</strong>.</p>
      {isOwn
        ? <p><a class="button primary" href={`/s/${company.id}/`}>Ouvrir {company.name}</a></p>
        : own ? <p>Vous êtes connecté avec l’adresse {own.email}. Pour ouvrir cette société, connectez-vous avec l’autre.</p> : null}
      <p>{own ? <a href="/">Rester dans la société actuelle</a> : <a href="/connexion">Se connecter</a>}</p>
    </div>
  )) : untracked(() => (
    <div class="sign-in-forms">
      <p>L’adresse <strong>{address}</strong> est invitée à rejoindre <strong>{company.name}</strong>.</p>
      {own && !isOwn ? <p>Vous êtes connecté avec une autre adresse, {own.email}{"\u202f"}: donnez le mot de passe de celle-ci.</p> : null}
      <FormView form={form}>{own ? null : <Keeping keep={keep} />}</FormView>
    </div>
  )));
}

/** A password of one's own: of the first administrator, of who was invited, or in the place of a forgotten one. Signing in follows. */
function Choice({ purpose, token }: { purpose: Purpose; token: string }): Child {
  const isUsed = signal(false);
  const isSetup = purpose === "setup";
  const name = isSetup ? "password" : "new_password";
  const form = makeForm<string>({
    sections: [{
      fields: [
        ...(isSetup ? [email("email", "Adresse e-mail", { required: missingEmail, autocomplete: "username", wide: true })] : []),
        password(name, purpose === "reset" ? "Nouveau mot de passe" : "Mot de passe", { required: missingPassword, autocomplete: "new-password", wide: true }),
      ],
    }],
    send: async (values) => {
      const given = String(values[name]);
      if (isSetup) await client.auth.create_first_admin({ token, email: String(values["email"]), password: given });
      else {
        try {
          await client.auth.reset_password({ token, new_password: given });
        } catch (error) {
          isUsed.set(problemsOf(error, [{ name: "token" }]).some((one) => one.name === "token"));
          if (!untracked(isUsed)) throw error;
          return false;
        }
      }
      return true;
    },
    done: async () => {
      await go(`/connexion${location.search}`, { replace: true });
      forgetLink();
      say(`${isSetup ? "Compte créé" : "Mot de passe enregistré"}. Connectez-vous.`);
    },
  });
  return () => (isUsed()
    ? <Lost purpose={purpose} isUsed />
    : untracked(() => <div class="sign-in-forms"><FormView form={form} /></div>));
}
