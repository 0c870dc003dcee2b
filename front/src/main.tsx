// The entry: the rooms and the kernel's own screens. Signing in and the list of sessions are there at once, the others are loaded later.

// The secret of a link leaves the address before anything else runs. The script compresses well in this order.
import "./parts/link";
import { followKeys } from "./parts/keys";
import { followAccount } from "./parts/last-account";
import { later } from "./parts/later";
import { applyPreferences } from "./parts/preferences";
import { first, partsOf, records } from "./parts/room";
import type { Room } from "./parts/room";
import { startShell } from "./parts/shell";
import counting from "./domains/counting/room";
import crm from "./domains/crm/room";
import generic from "./domains/generic/room";
import connexion from "./screens/connexion";
import { isPageKept, rested, start } from "./store";

const part = partsOf(later);

const kernel: Room = {
  routes: [
    { path: "/connexion", load: first(connexion), open: true },
    ...records("utilisateurs", part("utilisateurs"), part("utilisateursBeside"), part("utilisateurForm"), part("utilisateurForm"))
      .map((route) => ({ ...route, admin: true })),
    ...(["envois", "taches", "journal"] as const).map((name) => ({ path: `/${name}`, load: part(name), admin: true })),
    ...(["attente", "profil", "societes"] as const).map((name) => ({ path: `/${name}`, load: part(name) })),
  ],
  navigation: [
    { href: "/utilisateurs", label: "Utilisateurs", icon: "users", wide: true, admin: true, leads: ["/envois", "/taches"] },
    { href: "/journal", label: "Journal", icon: "journal", wide: true, admin: true },
    { href: "/profil", label: "Profil", icon: "profile", leads: ["/organisme", "/programmes", "/attente", "/societes"] },
  ],
};

/** In the order of the navigation, which has the room of one domain and the kernel's. */
const rooms = [crm, counting, generic, kernel];

applyPreferences();
void start();
startShell(rooms, part("introuvable"), part("fermee"));
followKeys();
followAccount();
if ("serviceWorker" in navigator) {
  isPageKept.set(navigator.serviceWorker.controller !== null);
  // Without the script it is registered at the next start.
  rested.then(later).then((module) => module.registerWorker(), () => undefined);
}
