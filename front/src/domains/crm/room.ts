// The room of sessions and their people: what the first script has of it. The list of sessions is there with the page.

import { first, partsOf, records } from "../../parts/room";
import type { Room } from "../../parts/room";
import type { Route } from "../../parts/shell";
import { crm } from "./parts/script";
import sessions, { Beside } from "./screens/sessions";

const part = partsOf(crm);

const beside = first(Beside);

function directory(one: "formateur" | "client" | "ecole" | "prospect"): Route[] {
  return records(`${one}s`, part(`${one}s`), part(`${one}sBeside`), part(one), part(`${one}Form`));
}

const room: Room = {
  domain: "crm",
  routes: [
    ...records("sessions", first(sessions), beside, part("session"), part("sessionForm")),
    { path: "/sessions/:id/dupliquer", load: part("sessionForm"), list: beside },
    ...directory("formateur"),
    ...directory("client"),
    ...directory("ecole"),
    { path: "/programmes", load: part("programmes") },
    { path: "/programmes/nouveau", load: part("programmeForm"), admin: true },
    { path: "/programmes/:id", load: part("programme") },
    { path: "/programmes/:id/modifier", load: part("programmeForm"), admin: true },
    { path: "/doublons", load: part("doublons"), admin: true },
    ...directory("prospect"),
    { path: "/calendrier", load: part("calendrier") },
    { path: "/tableau-de-bord", load: part("tableauDeBord") },
    { path: "/organisme", load: part("organisme"), admin: true },
  ],
  navigation: [
    { href: "/sessions", label: "Sessions", icon: "sessions" },
    { href: "/calendrier", label: "Calendrier", icon: "calendar", wide: true },
    { href: "/tableau-de-bord", label: "Tableau de bord", icon: "dashboard", wide: true },
    { href: "/formateurs", label: "Formateurs", icon: "formateurs" },
    { href: "/clients", label: "Clients", icon: "clients", leads: ["/prospects", "/doublons"] },
    { href: "/ecoles", label: "Écoles", icon: "ecoles" },
  ],
  finds: part("finds"),
  watch: part("watch"),
};

export default room;
