// Signing in; and the links that lead here: a new password, the first administrator, and an invitation to a company.

import { ServiceError } from "learntrack";
import { computed, effect, h, signal, untracked } from "view";
import type { Child } from "view";
import { DayBlock } from "../parts/day";
import { openDialog } from "../parts/dialog";
import { email, password } from "../parts/form/field";
import { FormView } from "../parts/form/form";
import { makeForm, problemsOf } from "../parts/form/state";
import { Icon } from "../parts/icons";
import { forgetLink, purposeOf, tokenFor } from "../parts/link";
import type { Purpose } from "../parts/link";
import { say } from "../parts/notices";
import { go, place } from "../parts/place";
import type { Screen } from "../parts/shell";
import { account, client, failureOf, signIn, signInWithPasskey } from "../store";
import { today } from "../words/dates";

const missingEmail = "Saisissez une adresse e-mail.";
const missingPassword = "Saisissez un mot de passe.";

/** The screen that one wanted before signing in; only one of this app. */
function wanted(): string {
  const next = place().query["suite"] ?? "";
  return /^\/(?![/\\]|connexion)/u.test(next) ? next : "/";
}

const headings: { readonly [P in Purpose]: string } = {
  reset: "Choisir un nouveau mot de passe", setup: "Créer le premier administrateur", invitation: "Rejoindre une société",
};

export default function connexion(): Screen {
  const purpose = computed(() => purposeOf(place().hash));
  // Also when the service or another tab says later that one is signed in.
  effect(() => {
    if (account() && untracked(purpose) === null) void untracked(() => go(wanted(), { replace: true, force: true }));
  });
  return {
    heading: () => {
      const what = purpose();
      return what === null ? "Connexion" : headings[what];
    },
    class: "sign-in",
    mark: <DayBlock date={today()} large />,
    body: () => {
      const what = purpose();
      if (what === null) return untracked(() => <SignIn />);
      const token = tokenFor(what);
      return untracked(() => {
        if (token === null) return <Lost purpose={what} />;
        return what === "invitation" ? <Joining token={token} /> : <Choice purpose={what} token={token} />;
      });
    },
  };
}

function SignIn(): Child {
  const keep = signal(true);
  const failed = signal<string | null>(null);
  const busy = signal(false);
  const form = makeForm({
    sections: [{
      fields: [
        email("email", "Adresse e-mail", { required: missingEmail, autocomplete: "username", wide: true }),
        password("password", "Mot de passe", { required: missingPassword, wide: true }),
      ],
    }],
    submit: "Se connecter",
    send: async (values) => {
      failed.set(null);
      await signIn(String(values.email), String(values.password), keep());
      return true;
    },
    done: () => undefined,
  });
  const withPasskey = async (): Promise<void> => {
    if (busy()) return;
    busy.set(true);
    failed.set(null);
    try {
      // False: the person closed the browser's dialog, or the device has no key for this address.
      if (!(await signInWithPasskey(keep()))) failed.set("Aucune clé d’accès n’a été utilisée. Connectez-vous avec votre mot de passe.");
    } catch (error) {
      failed.set(failureOf(error).message);
    } finally {
      busy.set(false);
    }
  };
  return (
    <div class="sign-in-forms">
      {() => (failed() === null ? null : <div role="alert" class="form-alert"><p>{failed()}</p></div>)}
      <FormView form={form}>
        <label class="check">
          <input type="checkbox" checked={() => keep()} onchange={(event) => keep.set(event.currentTarget.checked)} />
          <span>Rester connecté sur cet appareil</span>
        </label>
      </FormView>
      <div class="sign-in-others">
        <button type="button" aria-busy={() => (busy() ? "true" : null)} onclick={() => void withPasskey()}>
          <Icon name="key" />Utiliser une clé d’accès
        </button>
        <button type="button" class="link" onclick={() => forgotten(String(form.raw("email")() ?? ""))}>
          Mot de passe oublié{"\u202f?"}
        </button>
      </div>
    </div>
  );
}

/** Says the same whether the account exists or not. */
function forgotten(typed: string): void {
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

/** Whether the link is used, too old or withdrawn. */
function isGone(error: unknown): boolean {
  return error instanceof ServiceError && error.is("not_found");
}

/** An invitation to a company, which the person accepts whose address it was sent to: signed in, or with the password of the account. */
function Joining({ token }: { token: string }): Child {
  const invitation = signal<Invitation | "gone" | { error: string } | null>(null);
  void client.auth.invitation({ token }).then(
    (found) => invitation.set(found),
    (error: unknown) => {
      invitation.set(isGone(error) ? "gone" : { error: failureOf(error).message });
    },
  );
  return () => {
    const found = invitation();
    if (found === null) return <p role="status">Un instant…</p>;
    if (found === "gone") return untracked(() => <Lost purpose="invitation" isUsed />);
    if ("error" in found) return <div role="alert" class="form-alert"><p>{found.error}</p></div>;
    return untracked(() => <Acceptance token={token} invitation={found} gone={() => invitation.set("gone")} />);
  };
}

interface Invitation { readonly company: { readonly id: number; readonly name: string }; readonly email: string; readonly has_password: boolean }

function Acceptance({ token, invitation, gone }: { token: string; invitation: Invitation; gone(): void }): Child {
  const { company, email: address, has_password: isKnown } = invitation;
  const isSignedIn = untracked(account)?.email.toLowerCase() === address.toLowerCase();
  const form = makeForm({
    sections: [{
      fields: isSignedIn ? [] : [
        password("password", isKnown ? "Votre mot de passe" : "Choisissez un mot de passe", {
          required: missingPassword, autocomplete: isKnown ? "current-password" : "new-password", wide: true,
        }),
      ],
    }],
    submit: `Rejoindre ${company.name}`,
    send: async (values) => {
      try {
        await client.auth.accept_invitation(isSignedIn ? { token } : { token, password: String(values["password"]) });
      } catch (error) {
        if (!isGone(error)) throw error;
        gone();
        return false;
      }
      return true;
    },
    done: async () => {
      await go(isSignedIn ? "/" : "/connexion", { replace: true });
      forgetLink();
      say(`Vous avez rejoint ${company.name}.${isSignedIn ? "" : " Connectez-vous."}`);
    },
  });
  return (
    <div class="sign-in-forms">
      <p>L’adresse <strong>{address}</strong> est invitée à rejoindre <strong>{company.name}</strong>.</p>
      <FormView form={form} />
    </div>
  );
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
      await go("/connexion", { replace: true });
      forgetLink();
      say(`${isSetup ? "Compte créé" : "Mot de passe enregistré"}. Connectez-vous.`);
    },
  });
  return () => (isUsed()
    ? <Lost purpose={purpose} isUsed />
    : untracked(() => <div class="sign-in-forms"><FormView form={form} /></div>));
}
