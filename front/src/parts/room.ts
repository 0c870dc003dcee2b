// A room: what a domain brings to the front. A room's own script is loaded when one of its screens is opened.

import type { MakeFinds } from "../screens/aller-a";
import type { NavigationItem, Route } from "./shell";

export interface Room {
  routes: readonly Route[];
  /** Links of the navigation, in the order of the rooms. */
  navigation: readonly NavigationItem[];
  /** The name of the domain, which not every installation serves. Without it, the room is always there. */
  domain?: string;
  /** What "Aller à" finds. */
  finds?: () => Promise<MakeFinds>;
  /** Says what others change, until the answer is called. */
  watch?: () => Promise<() => () => void>;
}

/** What a script has, which is loaded when something of it is first needed. */
export const partsOf = <Script>(load: () => Promise<Script>) => <Name extends keyof Script>(name: Name) =>
  async (): Promise<Script[Name]> => (await load())[name];

/** What is there with the page. */
export const first = <Part>(part: Part) => async (): Promise<Part> => part;

/** A list, and what it stands beside: a record, its form, and the form of a new one. */
export function records(
  name: string, all: Route["load"], list: NonNullable<Route["list"]>, record: Route["load"], form: Route["load"],
): Route[] {
  return [
    { path: `/${name}`, load: all },
    { path: `/${name}/nouveau`, load: form, list },
    { path: `/${name}/:id`, load: record, list },
    { path: `/${name}/:id/modifier`, load: form, list },
  ];
}
