// Signing in. What the links of mails lead to, which is here too, is loaded later: `lien`.

import { computed, effect, h, signal, untracked } from "view";
import type { Child, Signal } from "view";
import { DayBlock } from "../parts/day";
import { email, password } from "../parts/form/field";
import { FormView } from "../parts/form/form";
import { makeForm } from "../parts/form/state";
import { Icon } from "../parts/icons";
import { later } from "../parts/later";
import { purposeOf } from "../parts/link";
import type { Purpose } from "../parts/link";
import { Failure } from "../parts/list";
import { go, place } from "../parts/place";
import type { Screen } from "../parts/shell";
import { account, failureOf, signIn } from "../store";
import { today } from "../words/dates";

export const missingEmail = "Saisissez une adresse e-mail.";
export const missingPassword = "Saisissez un mot de passe.";

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
      return untracked(() => <LinkPage purpose={what} />);
    },
  };
}

/** What a link of a mail leads to. */
function LinkPage({ purpose }: { purpose: Purpose }): Child {
  const page = signal<Child>(undefined);
  const ask = (): void => {
    page.set(undefined);
    later().then(({ linkPage }) => page.set(linkPage(purpose)), () => page.set(<Failure text="Cette page n’a pas pu être chargée." retry={ask} />));
  };
  ask();
  return () => page() ?? <p role="status">Un instant…</p>;
}

/** The checkbox of how long the browser keeps the sign-in. */
export function Keeping({ keep }: { keep: Signal<boolean> }): Child {
  return (
    <label class="check">
      <input type="checkbox" checked={() => keep()} onchange={(event) => keep.set(event.currentTarget.checked)} />
      <span>Rester connecté sur cet appareil</span>
    </label>
  );
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
      if (!(await (await later()).signInWithPasskey(keep()))) failed.set("Aucune clé d’accès n’a été utilisée. Connectez-vous avec votre mot de passe.");
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
        <Keeping keep={keep} />
      </FormView>
      <div class="sign-in-others">
        <button type="button" aria-busy={() => (busy() ? "true" : null)} onclick={() => void withPasskey()}>
          <Icon name="key" />Utiliser une clé d’accès
        </button>
        <button type="button" class="link" onclick={() => void later().then(({ forgotten }) => forgotten(String(form.raw("email")() ?? "")))}>
          Mot de passe oublié{"\u202f?"}
        </button>
      </div>
    </div>
  );
}
