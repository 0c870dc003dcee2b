// What narrows the list of sessions. It stands in the address, so that a link or a reload shows the same list.

import { computed, effect, h, signal, untracked } from "view";
import type { Child } from "view";
import { openDialog } from "../../../parts/dialog";
import { optionsOf } from "../../../parts/form/options";
import { Picker } from "../../../parts/form/picker";
import { Icon } from "../../../parts/icons";
import { address, dropFalse, filtersOf } from "../../../parts/place";
import { Search } from "../../../parts/search";
import { Segments } from "../../../parts/segments";
import { record } from "../../../store";
import type { SessionFilter } from "../../../store";
import { addMonths, isMonth, monthName, today } from "../../../words/dates";

const all = "tous";
export const thisMonth = (): string => today().slice(0, 7);

export interface SessionFilters {
  values: () => SessionFilter;
  /** "2026-11", or null for all months. */
  month: () => string | null;
  search: () => string;
  /** How many narrow the list, beside the month. */
  active: () => number;
  set: (changes: Record<string, string | null>, step?: boolean) => void;
  setMonth: (month: string | null) => void;
  clear: () => void;
}

// A record that waits to be sent has a negative id.
const isId = (text: string): boolean => /^-?[1-9]\d{0,15}$/u.test(text) && Number.isSafeInteger(Number(text));
const isModality = (text: string): text is "P" | "D" => text === "P" || text === "D";

/** Filters that are none leave the address of the list. */
export function dropFalseFilters(): void {
  dropFalse({ mois: (text) => text === all || isMonth(text), formateur: isId, client: isId, ecole: isId, modalite: isModality });
}

export function sessionFilters(): SessionFilters {
  const { values, set } = filtersOf("/sessions");
  const month = (): string | null => {
    const given = values()["mois"] ?? "";
    if (given === all) return null;
    return isMonth(given) ? given : thisMonth();
  };
  const id = (name: string): number | null => {
    const given = values()[name] ?? "";
    return isId(given) ? Number(given) : null;
  };
  const modalite = (): "P" | "D" | null => {
    const given = values()["modalite"] ?? "";
    return isModality(given) ? given : null;
  };
  const search = (): string => values()["q"] ?? "";
  return {
    month, search, set,
    values: () => ({
      mois: month(), search: search(), formateur_id: id("formateur"), client_id: id("client"), ecole_id: id("ecole"),
      modalite: modalite(),
    }),
    active: () => [id("formateur"), id("client"), id("ecole"), modalite()].filter((one) => one !== null).length,
    setMonth: (next) => set({ mois: next === null ? all : next === thisMonth() ? null : next }, true),
    clear: () => set({ q: null, mois: null, formateur: null, client: null, ecole: null, modalite: null }),
  };
}

const wide = matchMedia("(min-width: 40rem)");
const isWide = signal(wide.matches);
wide.addEventListener("change", () => isWide.set(wide.matches));

export interface FilterBarProps {
  filters: SessionFilters;
  /** In the list beside a record, which is as narrow as a phone. */
  beside?: boolean;
  /** "32 sessions" */
  results: () => string;
  /** After other ones were chosen here. */
  chosen: () => void;
}

export function FilterBar({ filters: given, beside, results, chosen }: FilterBarProps): Child {
  const then = <A extends unknown[]>(work: (...values: A) => void) => (...values: A): void => {
    work(...values);
    chosen();
  };
  const filters = { ...given, set: then(given.set), setMonth: then(given.setMonth), clear: then(given.clear) };
  const narrow = computed(() => beside === true || !isWide());
  if (beside) followRecord(given);
  const any = computed(() => filters.active() > 0 || filters.search() !== "" || filters.month() !== thisMonth());
  return (
    <div class={() => `filters${narrow() ? " narrow" : ""}`} ref={(element) => keepRoom(element as HTMLElement)}>
      <div class="filters-line">
        <Search label="Rechercher une session" value={filters.search} set={(text) => filters.set({ q: text })} />
        {() => (narrow()
          ? (
            <button type="button" class="filters-open" onclick={() => openFilters(filters)}>
              <Icon name="filter" />
              <span>Filtres…</span>
              {() => (filters.active() > 0 ? <span class="filters-count" aria-hidden="true">{filters.active()}</span> : null)}
            </button>
          )
          : <Pickers filters={filters} />)}
        {() => (any() && narrow() ? <Clear filters={filters} /> : null)}
      </div>
      <div class="filters-line">
        <Months filters={filters} results={results} />
        {() => (any() && !narrow() ? <Clear filters={filters} /> : null)}
        {() => (narrow() ? null : <ModalityChoice filters={filters} />)}
      </div>
    </div>
  );
}

/** Filters that take much of the window, as with large text, scroll away with the list. */
function keepRoom(filters: HTMLElement): void {
  new ResizeObserver(() => filters.toggleAttribute("data-tall", filters.offsetHeight > innerHeight * 0.3)).observe(filters);
}

/** The list beside a record shows its month, until the person chooses another one. */
function followRecord(filters: SessionFilters): void {
  const found = computed(() => {
    const id = /^\/sessions\/(-?\d+)(?:$|\/)/u.exec(address())?.[1];
    return id === undefined ? null : record("sessions", Number(id));
  });
  const month = computed(() => found()?.value()?.date.slice(0, 7));
  effect(() => {
    const wanted = month();
    if (wanted === undefined) return;
    untracked(() => {
      if (filters.month() !== null && filters.month() !== wanted) filters.set({ mois: wanted === thisMonth() ? null : wanted });
    });
  });
}

function Clear({ filters }: { filters: SessionFilters }): Child {
  return (
    <button type="button" class="plain filters-clear" onclick={() => filters.clear()}>
      <Icon name="close" /><span class="label-word">Effacer les filtres</span>
    </button>
  );
}

function Months({ filters, results }: { filters: SessionFilters; results: () => string }): Child {
  const from = (): string => filters.month() ?? thisMonth();
  return (
    <div class="months" role="group" aria-label="Mois">
      <button type="button" class="icon" aria-label="Mois précédent" onclick={() => filters.setMonth(addMonths(from(), -1))}>
        <Icon name="left" />
      </button>
      <div class="months-what">
        <span class="months-name" aria-live="polite">
          {() => {
            const month = filters.month();
            return month === null ? "Tous les mois" : monthName(month);
          }}
        </span>
        <span class="results" role="status" aria-label="Résultats">{results}</span>
      </div>
      <button type="button" class="icon" aria-label="Mois suivant" onclick={() => filters.setMonth(addMonths(from(), 1))}>
        <Icon name="right" />
      </button>
      <button
        type="button" class="toggle" aria-pressed={() => String(filters.month() === thisMonth())}
        onclick={() => filters.setMonth(thisMonth())}
      >
        Ce mois-ci
      </button>
      <button
        type="button" class="toggle" aria-pressed={() => String(filters.month() === null)} onclick={() => filters.setMonth(null)}
      >
        Tous<span class="label-word">{" les mois"}</span>
      </button>
    </div>
  );
}

let numbers = 0;

function Pickers({ filters, shown }: { filters: SessionFilters; shown?: boolean }): Child {
  const id = `filters-${++numbers}`;
  const picker = (name: "formateur" | "client"): Child => {
    const label = name === "formateur" ? "Formateur" : "Client";
    return (
      <div class="filters-choice">
        {shown === true ? <label class="label" for={`${id}-${name}`}>{label}</label> : null}
        <Picker
          id={`${id}-${name}`} label={label} labelled={shown === true}
          placeholder={name === "formateur" ? "Tous les formateurs" : "Tous les clients"}
          options={optionsOf(name === "formateur" ? "formateurs" : "clients")}
          value={() => filters.values()[name === "formateur" ? "formateur_id" : "client_id"] ?? null}
          choose={(next) => filters.set({ [name]: next === null ? null : String(next) })}
        />
      </div>
    );
  };
  return [picker("formateur"), picker("client")];
}

function ModalityChoice({ filters, shown }: { filters: SessionFilters; shown?: boolean }): Child {
  return (
    <Segments
      label="Modalité" shown={shown === true} options={[["", "Toutes"], ["P", "Présentiel"], ["D", "Distanciel"]] as const}
      value={() => filters.values().modalite ?? ""} set={(value) => filters.set({ modalite: value })}
    />
  );
}

function openFilters(filters: SessionFilters): void {
  openDialog({
    heading: "Filtres",
    body: (close) => (
      <div class="filters-dialog">
        <Pickers filters={filters} shown />
        <ModalityChoice filters={filters} shown />
        <div class="form-end"><button type="button" class="primary" onclick={close}>Afficher les sessions</button></div>
      </div>
    ),
  });
}
