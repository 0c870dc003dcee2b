// The way to the first page, from where there is nothing to see.

import { h } from "view";
import type { Child } from "view";
import { destinations } from "./shell";

export function HomeLink({ primary }: { primary?: boolean }): Child {
  const isLearnTrack = destinations()[0]?.href === "/sessions";
  return <a class={`button${primary ? " primary" : ""}`} href="/">{isLearnTrack ? "Voir les sessions" : "Aller à la première page"}</a>;
}
