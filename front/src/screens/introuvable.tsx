// An address that is no screen, or one this account may not see.

import { h } from "view";
import { HomeLink } from "../parts/home";
import type { Screen } from "../parts/shell";

export default function missing(): Screen {
  return {
    heading: () => "Page introuvable",
    body: (
      <div class="empty">
        <div class="empty-words">
          <p>Cette adresse ne mène à aucune page, ou votre compte n’y a pas accès.</p>
          <HomeLink primary />
        </div>
      </div>
    ),
  };
}
