// What the keys do.

import { h } from "view";
import { openDialog } from "../parts/dialog";
import { singleKeys } from "../parts/preferences";

const apple = /Mac|iPhone|iPad/.test(navigator.platform);
const control = apple ? "⌘" : "Ctrl";

const groups: readonly (readonly [heading: string, keys: readonly (readonly [keys: readonly string[], words: string])[]])[] = [
  ["Partout", [
    [[control, "K"], "Aller à une page ou à une fiche"],
    [["?"], "Montrer les raccourcis"],
  ]],
  ["Dans une liste", [
    [["/"], "Rechercher"],
    [["↓"], "Passer de la recherche à la liste"],
    [["↑", "↓"], "Fiche précédente, fiche suivante"],
    [["k", "j"], "Fiche précédente, fiche suivante"],
    [["Entrée"], "Ouvrir la fiche"],
    [["n"], "Nouvelle fiche"],
  ]],
  ["Dans le calendrier", [
    [["←", "→", "↑", "↓"], "Changer de jour"],
    [[apple ? "⌥" : "Alt", "←", "→", "↑", "↓"], "Décaler la session"],
  ]],
  ["Sur une fiche", [
    [["e"], "Modifier"],
    [[control, "Entrée"], "Enregistrer"],
    [["Échap"], "Fermer la fenêtre"],
  ]],
];

export function showShortcuts(): void {
  openDialog({
    heading: "Raccourcis clavier",
    body: () => (
      <div class="shortcuts">
        {groups.map(([heading, keys]) => (
          <section>
            <h3>{heading}</h3>
            <dl>
              {keys.map(([names, words]) => (
                <div>
                  <dt>{words}</dt>
                  <dd>{names.map((name) => <kbd>{name}</kbd>)}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
        {() => (singleKeys() === "off"
          ? <p class="hint">Les raccourcis à une touche sont désactivés dans votre profil.</p> : null)}
      </div>
    ),
  });
}
