// The room of domains without screens of their own: theirs are made from what they declare.

import { lastAccount } from "../../parts/last-account";
import { beside } from "../../parts/later";
import { records } from "../../parts/room";
import type { Room } from "../../parts/room";
import { rooms } from "../../parts/shell";
import type { Route } from "../../parts/shell";
import type { Screens } from "./screens";

const script = () => beside(import("./later"));
const screen = (name: keyof Screens): Route["load"] => async () => (await (await script()).screens())[name];

const room: Room = {
  routes: [
    { path: "/:domain", load: screen("home") },
    ...records(":domain/:entity", screen("list"), async () => (await script()).Beside, screen("record"), screen("form")),
  ],
  get navigation() {
    return (lastAccount()?.domains ?? []).filter(({ name }) => !rooms.some(({ domain }) => domain === name))
      .map(({ name, label }) => ({ href: `/${name}`, label, icon: "domain" as const, wide: true }));
  },
};

export default room;
