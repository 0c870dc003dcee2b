// The way to any page or record, by typing some of its letters.

import { computed, each, effect, h, signal } from "view";
import { declaredFinds } from "../parts/declared-finds";
import { openDialog } from "../parts/dialog";
import type { Dialog } from "../parts/dialog";
import { Icon } from "../parts/icons";
import type { IconName } from "../parts/icons";
import { go } from "../parts/place";
import { destinations, domain, homeOf, rooms, served } from "../parts/shell";
import { may } from "../store";
import { loadDomains } from "../store/declared";
import { nearest } from "../words/near";
import { finder, fold, matches } from "../words/sentences";

export interface Target { label: string; detail?: string; icon: IconName; href: string }
/** `text` is what a search looks into. */
export interface Found extends Target { text: string }

/** What a room has to go to. */
export interface Finds {
  /** Pages that are not in the navigation, for those who may call the method. */
  pages: readonly Page[];
  /** Records that the device knows, by their kinds. */
  records: readonly (() => readonly Found[])[];
  /** What the service finds by the words that were typed. */
  found: () => readonly Target[];
}
type Page = readonly [label: string, href: string, method: Parameters<typeof may>[0], icon?: IconName];
/** `asked`: the words, when typing has paused and there are enough of them to ask the service; else null. */
export type MakeFinds = (asked: () => string | null) => Finds;

const most = 6;
let open: Dialog | null = null;

export async function showPalette(): Promise<void> {
  void loadDomains().catch(() => undefined);
  const makers = [...await Promise.all(rooms.flatMap((room) => room.finds?.() ?? [])), declaredFinds];
  if (open) return;
  open = openDialog({
    heading: "Aller à", bare: true, wide: true,
    closed: () => (open = null),
    body: (close) => {
      const text = signal("");
      /** The address that the arrows or the pointer have chosen. Without it, the first one is. */
      const aimed = signal("");
      const asked = signal("");
      effect(() => {
        const typed = text();
        aimed.set("");
        const timer = setTimeout(() => asked.set(typed), 150);
        return () => clearTimeout(timer);
      });
      const finds = makers.map((make) => make(() => (asked().trim().length >= 2 ? asked() : null)));
      const records = finds.flatMap((one) => one.records);
      const exact = computed((): Target[] => {
        const typed = text().trim();
        const pages = pagesFor(typed, finds);
        if (typed === "") return pages;
        const isFound = finder(typed);
        // The device and the service may find the same.
        return [...new Map([
          ...pages,
          ...records.flatMap((some) => some().filter((one) => isFound(one.text))
            .sort((a, b) => rank(a, typed) - rank(b, typed)).slice(0, most)),
          ...finds.flatMap((one) => one.found().slice(0, most)),
        ].map((one) => [one.href, one] as const)).values()];
      });
      /** What resembles a search that finds nothing. */
      const isNear = computed(() => exact().length === 0);
      const targets = computed((): readonly Target[] => (
        isNear() ? nearest(text(), records.flatMap((some) => some()), (one) => one.text) : exact()));
      const active = computed(() => targets().find((one) => one.href === aimed()) ?? targets()[0]);
      const choose = (target: Target | undefined): void => {
        if (!target) return;
        close();
        void go(target.href);
      };
      const move = (by: number): void => {
        const all = targets();
        aimed.set(all[(all.indexOf(active()!) + by + all.length) % all.length]?.href ?? "");
      };
      effect(() => {
        const at = active()?.href;
        queueMicrotask(() => document.getElementById(at!)?.scrollIntoView({ block: "nearest" }));
      });
      return (
        <div class="palette">
          <div class="search">
            <Icon name="search" />
            <input type="text" role="combobox" autofocus aria-label="Aller à" aria-expanded={() => String(targets().length > 0)}
              aria-controls="targets" aria-autocomplete="list" autocomplete="off" spellcheck="false" autocapitalize="off"
              placeholder="Une page, une session, un nom…"
              aria-activedescendant={() => active()?.href ?? null}
              oninput={(event) => text.set(event.currentTarget.value)}
              onkeydown={(event) => {
                if (event.key === "ArrowDown") { event.preventDefault(); move(1); }
                else if (event.key === "ArrowUp") { event.preventDefault(); move(-1); }
                else if (event.key === "Enter" && !event.isComposing) { event.preventDefault(); choose(active()); }
              }} />
          </div>
          <ul id="targets" role="listbox" aria-label="Pages et fiches">
            {each(targets, ({ href }) => href, (target) => (
              <li id={target().href} role="option" class="target" aria-selected={() => String(active()?.href === target().href)}
                onclick={() => choose(target())} onpointermove={() => aimed.set(target().href)}>
                <Icon name={target().icon} /><span class="target-label">{() => target().label}</span>
                {() => (target().detail ? <span class="target-detail">{target().detail}</span> : null)}
              </li>
            ))}
          </ul>
          {() => (isNear() ? <p class="palette-none" role="status">{`Aucune page et aucune fiche ne correspond.${targets().length > 0 ? " Ces fiches s’en approchent." : ""}`}</p> : null)}
        </div>
      );
    },
  });
}

function pagesFor(typed: string, finds: readonly Finds[]): Target[] {
  const others: Page[] = [...finds.flatMap(({ pages }) => pages), ["Nouvel utilisateur", "utilisateurs/nouveau", "users.create"]];
  return [
    ...destinations().map(({ href, label, icon }): Target => ({ label, icon, href })),
    ...served().filter(({ name }) => name !== domain()?.name).map(({ name, label }): Target => ({ label, icon: "domain", href: homeOf(name) })),
    ...others.filter(([, , method]) => may(method)).map(([label, href, , icon = "plus"]): Target => ({ label, icon, href: `/${href}` })),
  ].filter((page) => matches(typed, page.label));
}

/** What begins with the letters that were typed comes first. */
function rank(target: Target, typed: string): number {
  const at = fold(target.label).indexOf(fold(typed));
  return at < 0 ? 1_000 : at;
}
