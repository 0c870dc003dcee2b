// In the place of every screen of a company that the account cannot enter now, with the way to its others.

import { h, signal } from "view";
import { Companies } from "../parts/shell";
import type { Screen } from "../parts/shell";
import { bar, newPlace, signOut } from "../store";
import { findCompanies } from "../store/beside";
import { companies, company } from "../store/company";

const words = {
  foreign: ["Vous n’avez pas accès à cette société", "Demandez une invitation à l’un de ses administrateurs, ou choisissez une autre société."],
  suspended: ["Cette société est suspendue", "Personne ne peut y travailler pour le moment. Rien n’est perdu\u202f: ses données sont gardées."],
  moved: ["Votre société a déménagé", "Elle a une nouvelle adresse, où vous vous connectez comme ici. Enregistrez-la, et installez l’application de là."],
  unreached: ["Société indisponible hors connexion", "Cet appareil n’a pas encore de copie de cette société. Elle s’ouvrira dès que le réseau sera là."],
} as const;

export default function fermee(): Screen {
  const why = bar() ?? "foreign";
  const [heading, text] = words[why];
  const busy = signal(false);
  const own = companies().find(({ id }) => id === company());
  if (companies().length === 0) void findCompanies();
  const again = (): void => {
    busy.set(true);
    location.reload();
  };
  return {
    heading: () => heading,
    class: "sign-in",
    body: (
      <div class="sign-in-forms barred">
        {own && why !== "foreign" ? <p><strong>{own.name}</strong></p> : null}
        <p>{text}</p>
        {why === "moved" ? <p><a class="button" href={newPlace()}>{newPlace()}</a></p> : null}
        <Companies />
        {() => (companies().length === 1 && why === "foreign" ? <p><a class="button" href={`/s/${companies()[0]!.id}/`}>Ouvrir {companies()[0]!.name}</a></p> : null)}
        <div class="sign-in-others">
          {why === "foreign" || why === "moved" ? null : <button type="button" aria-busy={() => (busy() ? "true" : null)} onclick={again}>Réessayer</button>}
          <button type="button" class="link" onclick={() => void signOut()}>Se déconnecter</button>
        </div>
      </div>
    ),
  };
}
