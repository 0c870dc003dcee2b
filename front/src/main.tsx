// The entry: the table of screens. Signing in and the list of sessions are there at once, the others are loaded later.

// The secret of a link leaves the address before anything else runs.
import "./parts/link";
import { followAlerts } from "./parts/alerting";
import { followKeys } from "./parts/keys";
import { followAccount, lastAccount } from "./parts/last-account";
import { later } from "./parts/later";
import { applyPreferences } from "./parts/preferences";
import { startShell } from "./parts/shell";
import type { ListName, MakeScreen, NavigationItem, Route } from "./parts/shell";
import { registerWorker } from "./parts/version";
import connexion from "./screens/connexion";
import sessions, { Beside as SessionsBeside } from "./domains/crm/screens/sessions";
import { start } from "./store";

type Later = typeof import("./later");
type LaterScreen = { [name in keyof Later]: Later[name] extends MakeScreen ? name : never }[keyof Later];

/** A screen that no first page needs. */
function screen(name: LaterScreen): Route["load"] {
  return async () => ({ default: (await later())[name] });
}

/** A screen that is there with the page. */
function first(make: MakeScreen): Route["load"] {
  return async () => ({ default: make });
}

/** A record's screens: the record, its form, and the form of a new one. */
function records(name: ListName, screens: {
  list: Route["load"]; record: Route["load"]; form: Route["load"];
}): Route[] {
  return [
    { path: `/${name}`, load: screens.list },
    { path: `/${name}/nouveau`, load: screens.form, list: name },
    { path: `/${name}/:id`, load: screens.record, list: name },
    { path: `/${name}/:id/modifier`, load: screens.form, list: name },
  ];
}

const routes: readonly Route[] = [
  { path: "/connexion", load: first(connexion), open: true },
  ...records("sessions", { list: first(sessions), record: screen("session"), form: screen("sessionForm") }),
  { path: "/sessions/:id/dupliquer", load: screen("sessionForm"), list: "sessions" },
  ...records("formateurs", {
    list: screen("formateurs"), record: screen("formateur"), form: screen("formateurForm"),
  }),
  ...records("clients", {
    list: screen("clients"), record: screen("client"), form: screen("clientForm"),
  }),
  ...records("ecoles", {
    list: screen("ecoles"), record: screen("ecole"), form: screen("ecoleForm"),
  }),
  { path: "/programmes", load: screen("programmes") },
  { path: "/programmes/nouveau", load: screen("programmeForm"), admin: true },
  { path: "/programmes/:id", load: screen("programme") },
  { path: "/programmes/:id/modifier", load: screen("programmeForm"), admin: true },
  { path: "/doublons", load: screen("doublons"), admin: true },
  ...records("prospects", { list: screen("prospects"), record: screen("prospect"), form: screen("prospectForm") }),
  { path: "/calendrier", load: screen("calendrier") },
  { path: "/tableau-de-bord", load: screen("tableauDeBord") },
  ...records("utilisateurs", {
    list: screen("utilisateurs"), record: screen("utilisateurForm"), form: screen("utilisateurForm"),
  }).map((route) => ({ ...route, admin: true })),
  { path: "/organisme", load: screen("organisme"), admin: true },
  { path: "/envois", load: screen("envois"), admin: true },
  { path: "/journal", load: screen("journal"), admin: true },
  { path: "/comptage", load: screen("comptage") },
  { path: "/attente", load: screen("attente") },
  { path: "/profil", load: screen("profil") },
];

const counting: readonly NavigationItem[] = [{ href: "/comptage", label: "Comptage", icon: "counting", wide: true }];

applyPreferences();
void start();
startShell({
  routes,
  missing: screen("introuvable"),
  lists: {
    sessions: async () => ({ Beside: SessionsBeside }),
    formateurs: async () => ({ Beside: (await later()).FormateursBeside }),
    clients: async () => ({ Beside: (await later()).ClientsBeside }),
    ecoles: async () => ({ Beside: (await later()).EcolesBeside }),
    prospects: async () => ({ Beside: (await later()).ProspectsBeside }),
    utilisateurs: async () => ({ Beside: (await later()).UtilisateursBeside }),
  },
  extra: () => (lastAccount()?.counts ? counting : []),
});
followKeys();
followAlerts();
followAccount();
void registerWorker();
