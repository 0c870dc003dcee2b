// Declared entities by their names, and where their pages are.

import { untracked } from "view";
import { domains, isKernel } from "../store/declared";
import type { Domain, Entity } from "../store/declared";
import { hasOnePlace } from "../words/declared";
import { rooms } from "./shell";

export const knownDomains = (): readonly Domain[] => untracked(() => domains().value()) ?? [];

/** An entity of any domain: their names differ. */
export const declaredEntity = (name: string): Entity | undefined =>
  knownDomains().flatMap(({ entities }) => entities).find((one) => one.name === name);

/** By its name: what the service answers later says the same by other objects. */
export const domainOf = ({ name }: Entity): Domain => knownDomains().find(({ entities }) => entities.some((one) => one.name === name))!;

/** The screens that domains have of their own stand at other addresses. */
const own: Readonly<Record<string, string>> = { users: "/utilisateurs", journal: "/journal", outbox: "/envois", jobs: "/taches" };

/**
 * Where the list of an entity is; its records are below. Another domain may have an entity of the name of a screen: it has a page among
 * those of its own domain.
 */
export function addressOf(entity: Entity): string {
  const domain = domainOf(entity);
  const isOfKernel = isKernel(domain);
  const path = isOfKernel ? own[entity.name] : `/${entity.name}`;
  const hasOwn = rooms.some((room) => (isOfKernel || room.domain === domain.name) && room.routes.some((route) => route.path === path));
  return hasOwn ? path! : `/${domain.name}/${entity.name}`;
}

/** Where the page of a record is. The only one of its kind stands in the place of a list. */
export const recordAddress = (entity: Entity, id: number | string): string => `${addressOf(entity)}${hasOnePlace(entity) ? "" : `/${id}`}`;
