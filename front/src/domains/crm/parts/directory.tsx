// The list of a directory: a search, a choice, the letters of its names, and its rows. A directory is small enough to be
// searched on the device, so that an answer comes with each key and without a network.

import { computed, effect, h, signal } from "view";
import type { Child } from "view";
import { optionOf, searchedText } from "../../../parts/form/options";
import { Icon } from "../../../parts/icons";
import { Empty, RecordList } from "../../../parts/list";
import { Near } from "../../../parts/near";
import { filtersOf } from "../../../parts/place";
import type { Query } from "../../../parts/place";
import { QueuedBadge, queuedWords } from "../../../parts/queued";
import { Search } from "../../../parts/search";
import type { Screen } from "../../../parts/shell";
import { directory, may } from "../../../store";
import type { Directory, Row } from "../../../store";
import { count, finder, fold, sentence } from "../../../words/sentences";
import { letter } from "../words/directories";

export interface DirectorySpec<E extends Directory> {
  entity: E;
  /** "Formateurs": the heading and the list's name. */
  heading: string;
  search: string;
  /** "formateur", in counts. */
  one: string;
  /** "Nouveau formateur" */
  create: string;
  /** "Aucun formateur" */
  none: string;
  sentence: (row: Row<E>) => string;
  /** What names are sorted by. */
  sorted: (row: Row<E>) => string;
  row: (row: Row<E>) => Child;
  /** A further choice, and which rows it takes. */
  choice?: { view: (filters: Filters) => Child; name: string; takes: (row: Row<E>, value: string) => boolean };
  /** Links beside the heading. */
  links?: () => Child;
  /** Below it: the lists beside this one. */
  tabs?: () => Child;
}

export interface Filters { values(): Query; set(changes: Record<string, string | null>): void }

export function directoryScreen<E extends Directory>(spec: DirectorySpec<E>): Screen {
  return {
    heading: () => spec.heading,
    class: "directory",
    actions: [
      spec.links?.(),
      <button type="button" class="icon" aria-label="Actualiser" onclick={() => void directory(spec.entity).refresh()}>
        <Icon name="refresh" />
      </button>,
      may(`${spec.entity}.create`)
        ? <a class="button primary new" href={`/${spec.entity}/nouveau`}><Icon name="plus" /><span>{spec.create}</span></a>
        : null,
    ],
    body: [spec.tabs?.(), <DirectoryView spec={spec} />],
  };
}

export function DirectoryView<E extends Directory>({ spec, beside }: { spec: DirectorySpec<E>; beside?: boolean }): Child {
  type R = Row<E> & { id: number };
  const filters = filtersOf(`/${spec.entity}`);
  const found = directory(spec.entity);
  const text = remembered((row: R) => fold(searchedText(optionOf(spec.entity, row))));
  const first = remembered((row: R) => letter(spec.sorted(row)));
  // The first key finds the texts read.
  effect(() => {
    const all = (found.value() ?? []) as readonly R[];
    let at = 0;
    const some = (): void => {
      for (const end = Math.min(at + 100, all.length); at < end; at++) text(all[at]!);
      if (at < all.length) timer = setTimeout(some, 16);
    };
    let timer = setTimeout(some, 300);
    return () => clearTimeout(timer);
  });
  const words = (): string => filters.values()["q"] ?? "";
  const chosen = (): string => (spec.choice ? filters.values()[spec.choice.name] ?? "" : "");
  const rows = computed((): readonly R[] | undefined => {
    const all = found.value() as readonly R[] | undefined;
    const finds = finder(words());
    const choice = chosen();
    if (fold(words()) === "" && choice === "") return all;
    return all?.filter((row) => finds(text(row)) && (choice === "" || spec.choice!.takes(row, choice)));
  });
  const clear = (): void => filters.set({ q: null, ...(spec.choice ? { [spec.choice.name]: null } : {}) });
  const list = (
    <RecordList
      name={spec.heading} rows={rows} href={(row) => `/${spec.entity}/${row.id}`}
      sentence={(row) => sentence(spec.sentence(row), queuedWords(spec.entity, row.id))}
      row={(row) => [
        spec.row(row),
        <QueuedBadge entity={spec.entity} id={() => row.id} />,
      ]}
      group={first}
      results={() => (rows() === undefined ? "" : count(rows()!.length, spec.one))}
      empty={() => (words() !== "" || chosen() !== ""
        ? (
          <Empty text={words() === "" ? `${spec.none} ne correspond à ce choix.` : `${spec.none} ne correspond à «\u00a0${words()}\u00a0».`}>
            <Near search={words} set={(q) => filters.set({ q })} rows={() => found.value() as readonly R[] | undefined} text={text}
              record={(row) => ({ href: `/${spec.entity}/${row.id}`, label: spec.sentence(row) })} />
            <button type="button" onclick={clear}>Effacer la recherche</button>
          </Empty>
        )
        : (
          <Empty text={`${spec.none} pour le moment.`}>
            {may(`${spec.entity}.create`) ? <a class="button" href={`/${spec.entity}/nouveau`}>{spec.create}</a> : null}
          </Empty>
        ))}
      // What the device knows is searched without the service.
      failure={() => ((found.value()?.length ?? 0) > 0 ? null : found.failure()?.message ?? null)}
      retry={() => void found.refresh()}
    />
  );
  return (
    <div class={`directory-view${beside ? " beside-list" : ""}`}>
      <div class="directory-tools">
        <Search label={spec.search} pause={30} value={words} set={(q) => filters.set({ q })} />
        {spec.choice?.view(filters)}
      </div>
      {beside ? list : <div class="directory-body">{list}<Letters letters={() => [...new Set((rows() ?? []).map(first))]} /></div>}
    </div>
  );
}

/** What is computed of a row, once. */
function remembered<R extends object>(compute: (row: R) => string): (row: R) => string {
  const known = new WeakMap<R, string>();
  return (row) => {
    let found = known.get(row);
    if (found === undefined) known.set(row, (found = compute(row)));
    return found;
  };
}

/** The letters that names begin with, at the side of the list. */
function Letters({ letters }: { letters: () => readonly string[] }): Child {
  const all = computed(() => letters().join(""));
  const current = signal("");
  let rail: HTMLElement | undefined;
  const jump = (name: string): void => {
    current.set(name);
    const list = rail?.closest(".directory-body");
    let frames = 0;
    const go = (): void => {
      const head = list?.querySelector<HTMLElement>(`[data-group="${name}"]`);
      // The rows until there are made in some frames.
      if (!head) {
        if (frames === 0) list?.querySelector("[data-rows]")?.dispatchEvent(new Event("all"));
        return void (++frames < 300 && requestAnimationFrame(go));
      }
      const row = head.closest<HTMLElement>("li")!;
      row.querySelector<HTMLElement>("a.row")?.focus({ preventScroll: true });
      // Over many screens nothing could be drawn as fast as it passed.
      const isFar = Math.abs(row.getBoundingClientRect().top) > 3 * innerHeight;
      const still = isFar || matchMedia("(prefers-reduced-motion: reduce)").matches;
      // Rows that were never seen have estimated heights: a second move settles on the real place.
      row.scrollIntoView({ block: "start", behavior: still ? "auto" : "smooth" });
    };
    go();
  };
  return () => (all() === "" ? null : (
    <nav class="letters" aria-label="Index alphabétique" ref={(element) => (rail = element)}>
      {[...all()].map((name) => (
        <button type="button" aria-current={() => (current() === name ? "true" : null)} onclick={() => jump(name)}>{name}</button>
      ))}
    </nav>
  ));
}

/** The circle of initials, which the name beside it says. */
export function Avatar({ initials, large }: { initials: string; large?: boolean }): Child {
  return <span class={`avatar${large ? " large" : ""}`} aria-hidden="true">{initials}</span>;
}
