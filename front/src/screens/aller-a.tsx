// The way to any page or record, by typing some of its letters.

import { computed, each, effect, h, signal, untracked } from "view";
import { openDialog } from "../parts/dialog";
import type { Dialog } from "../parts/dialog";
import { optionOf, searchedText } from "../parts/form/options";
import { Icon } from "../parts/icons";
import type { IconName } from "../parts/icons";
import { go } from "../parts/place";
import { prospects, textOfProspect } from "../domains/crm/parts/prospects";
import { destinations } from "../parts/shell";
import { directory, may, sessionsOf } from "../store";
import type { Directory, Row } from "../store";
import { shortDate } from "../words/dates";
import { nearest } from "../words/near";
import { finder, fold, matches } from "../words/sentences";

interface Target { label: string; detail?: string; icon: IconName; href: string }
/** `text` is what a search looks into. */
interface Found extends Target { text: string }

/** `kind` stands where a record has no detail of its own. */
function found<E extends Directory>(entity: E, row: Row<E>, kind: string): Found {
  const option = optionOf(entity, row);
  const detail = option.detail || kind;
  return { label: option.label, detail, icon: entity, href: `/${entity}/${option.id}`, text: fold(`${searchedText(option)} ${detail}`) };
}

const most = 6;
let open: Dialog | null = null;

export function showPalette(): void {
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
      const trainers = directory("formateurs");
      const customers = directory("clients");
      const schools = directory("ecoles");
      // The device's sessions answer at once, the service's a moment later.
      const isAsked = computed(() => asked().trim().length >= 2);
      const sessions = computed(() => {
        const search = asked();
        return isAsked() ? untracked(() => sessionsOf({ search })) : null;
      });
      const companies = computed(() => (isAsked() && may("prospects.list") ? untracked(prospects) : null));
      const records = [
        computed(() => (trainers.value() ?? []).map((row) => found("formateurs", row, "Formateur"))),
        computed(() => (customers.value() ?? []).map((row) => found("clients", row, "Client"))),
        computed(() => (schools.value() ?? []).map((row) => found("ecoles", row, "École"))),
        computed(() => (companies()?.value() ?? []).map((row): Found => ({
          label: row.raison_sociale, detail: "Prospect", icon: "flag", href: `/prospects/${row.id}`, text: fold(`${textOfProspect(row)} prospect`),
        }))),
      ];
      const exact = computed((): Target[] => {
        const typed = text().trim();
        const pages = pagesFor(typed);
        if (typed === "") return pages;
        const finds = finder(typed);
        return [
          ...pages,
          ...records.flatMap((some) => some().filter((one) => finds(one.text))
            .sort((a, b) => rank(a, typed) - rank(b, typed)).slice(0, most)),
          ...(sessions()?.value() ?? []).slice(0, most).map((row): Target => (
            { label: row.module, detail: shortDate(row.date), icon: "sessions", href: `/sessions/${row.id}` })),
        ];
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

function pagesFor(typed: string): Target[] {
  const others: [string, string, Parameters<typeof may>[0], IconName?][] = [
    ["Prospects", "prospects", "prospects.list", "flag"], ["Doublons", "doublons", "clients.fusionner", "clients"],
    ["Organisme", "organisme", "organisme.update", "document"],
    ["Nouvelle session", "sessions/nouveau", "sessions.create"], ["Nouveau formateur", "formateurs/nouveau", "formateurs.create"],
    ["Nouveau client", "clients/nouveau", "clients.create"], ["Nouvelle école", "ecoles/nouveau", "ecoles.create"],
    ["Nouveau prospect", "prospects/nouveau", "prospects.create"], ["Nouvel utilisateur", "utilisateurs/nouveau", "users.create"],
  ];
  return [
    ...destinations().map(({ href, label, icon }): Target => ({ label, icon, href })),
    ...others.filter(([, , method]) => may(method)).map(([label, href, , icon = "plus"]): Target => ({ label, icon, href: `/${href}` })),
  ].filter((page) => matches(typed, page.label));
}

/** What begins with the letters that were typed comes first. */
function rank(target: Target, typed: string): number {
  const at = fold(target.label).indexOf(fold(typed));
  return at < 0 ? 1_000 : at;
}
