// The room of domains without screens of their own: theirs are made from what they declare.

import { beside } from "../../parts/later";
import { records } from "../../parts/room";
import type { Room } from "../../parts/room";
import { domain, rooms } from "../../parts/shell";
import type { Route } from "../../parts/shell";
import type { Screens } from "./screens";

const script = () => beside(import("./later"));
const all = async () => (await script()).screens();
const screen = (name: Exclude<keyof Screens, "Beside">): Route["load"] => async () => (await all())[name];

const room: Room = {
  routes: [
    { path: "/:domain", load: screen("home") },
    ...records(":domain/:entity", screen("list"), async () => (await all()).Beside, screen("record"), screen("form")),
  ],
  /** The lists of the present domain, of which the first four have a place on a phone. */
  get navigation() {
    const present = domain();
    if (!present || rooms.some((one) => one.domain === present.name)) return [];
    return (present.lists ?? []).map(([href, label, icon = "domain"], at) => ({ href, label, icon, keeps: true, ...(at < 4 ? {} : { wide: true }) }));
  },
};

export default room;
