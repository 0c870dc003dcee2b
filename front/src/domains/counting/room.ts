// The room of people counters: what the first script has of it.

import { beside } from "../../parts/later";
import { partsOf } from "../../parts/room";
import type { Room } from "../../parts/room";

const part = partsOf(() => beside(import("./later")));

const room: Room = {
  routes: [{ path: "/comptage", load: part("comptage") }],
  navigation: [{ href: "/comptage", label: "Comptage", icon: "counting", wide: true }, { href: "/counting", label: "Listes", icon: "domain", wide: true }],
  domain: "counting",
};

export default room;
