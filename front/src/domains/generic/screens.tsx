// The screens of the addresses "/bookshop", "/bookshop/books", "/bookshop/books/12" …: what the declaration makes of them.

import { h, untracked } from "view";
import type { Child } from "view";
import { go, path } from "../../parts/place";
import type { MakeScreen, Params, Screen } from "../../parts/shell";
import introuvable from "../../screens/introuvable";
import type { Entity } from "../../store/declared";
import { loadDomains } from "../../store/declared";
import { hasOnePlace } from "../../words/declared";
import { addressOf, declaredDomain, entityIn } from "./parts/records";
import { formScreen } from "./screens/form";
import { homeScreen } from "./screens/home";
import { EntityList, listScreen } from "./screens/list";
import { recordScreen } from "./screens/record";
import { singleScreen } from "./screens/single";
import { viewScreen } from "./screens/view";

export interface Screens { home: MakeScreen; list: MakeScreen; record: MakeScreen; form: MakeScreen; Beside: () => Child }

/** When it is known what the account may see. */
export async function screens(): Promise<Screens> {
  await loadDomains();
  const of = (make: (entity: Entity, params: Params) => ReturnType<MakeScreen>, isTable = true): MakeScreen => (params) => {
    const entity = entityIn(params["domain"], params["entity"]);
    if (entity === undefined || (isTable && entity.view)) return introuvable();
    // A list with a screen of its own has it at its own address, and so do its records and forms.
    const [here, own] = [`/${params["domain"]}/${entity.name}`, addressOf(entity)];
    return own === here ? make(entity, params) : moved(own + untracked(path).slice(here.length) + location.search);
  };
  return {
    home: (params) => {
      const domain = declaredDomain(params["domain"] ?? "");
      return domain === undefined ? introuvable() : homeScreen(domain);
    },
    list: of((entity) => (entity.view ? viewScreen(entity) : entity.single ? singleScreen(entity) : listScreen(entity)), false),
    // Whatever number an address has: there is one record at most.
    record: of((entity, params) => (hasOnePlace(entity) ? moved(addressOf(entity)) : recordScreen(entity, params))),
    form: of((entity, params) => (entity.single && params["id"] === undefined ? moved(addressOf(entity)) : formScreen(entity, params))),
    Beside,
  };
}

/** Goes on to the address that the page has. */
function moved(to: string): Screen {
  queueMicrotask(() => void go(to, { replace: true }));
  return { heading: () => undefined, body: null, alone: true };
}

/** The list beside a record. */
function Beside(): Child {
  return () => {
    const [, domain, name] = path().split("/");
    const entity = entityIn(domain, name);
    return entity === undefined ? null : <EntityList entity={entity} />;
  };
}
