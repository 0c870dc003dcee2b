// The list of any declared entity: search, filters, order, rows.

import { computed, h } from "view";
import type { Child } from "view";
import { Icon } from "../../../parts/icons";
import { Empty, RecordList } from "../../../parts/list";
import { recordNames } from "../../../parts/record-names";
import { QueuedBadge, queuedWords } from "../../../parts/queued";
import { Search } from "../../../parts/search";
import type { Screen } from "../../../parts/shell";
import { matcher } from "../../../store/declared";
import type { Entity } from "../../../store/declared";
import type { AnyRow } from "../../../store/rows";
import { count, sentence } from "../../../words/sentences";
import { Commands } from "../parts/command";
import { entityFilters } from "../parts/filters";
import type { EntityFilters } from "../parts/filters";
import { FiltersButton } from "../parts/filter-dialog";
import { addressOf, domainOf, pages } from "../parts/records";
import { TotalsButton } from "../parts/totals";
import { details } from "../words/rows";
import { listName, newOne, none, one } from "../../../words/nouns";
import { titleOf } from "../../../words/titles";

export function listScreen(entity: Entity): Screen {
  const address = addressOf(entity);
  const domain = domainOf(entity);
  return {
    heading: () => listName(entity),
    class: "generic-list",
    up: { href: () => `/${domain.name}`, label: domain.label },
    actions: [
      <Commands entity={entity} />,
      entity.methods.includes("aggregate") ? <TotalsButton entity={entity} /> : null,
      entity.methods.includes("create")
        ? <a class="button primary new" href={`${address}/nouveau`}><Icon name="plus" /><span>{newOne(entity)}</span></a> : null,
    ],
    body: <EntityList entity={entity} />,
  };
}

export function EntityList({ entity }: { entity: Entity }): Child {
  const address = addressOf(entity);
  const filters = entityFilters(address, entity);
  const found = computed(() => {
    const condition = filters.condition();
    const search = filters.search().trim();
    return pages(entity, {
      where: condition.where, order_by: condition.order_by ?? entity.order, ...(search === "" ? {} : { search }), matches: matcher(condition.where, search),
    });
  });
  const results = (): string => {
    const number = found().count();
    return number === null ? "" : count(number, entity.singular, entity.plural);
  };
  const isNarrowed = (): boolean => filters.active() > 0 || filters.search() !== "";
  return (
    <div class="generic-body">
      <div class="toolbar">
        {entity.search ? <Search label={`Rechercher ${one(entity)}`} value={filters.search} set={(q) => filters.set({ q: q || null })} pause={250} /> : null}
        <FiltersButton entity={entity} filters={filters} results={results} />
        {() => (isNarrowed() ? <button type="button" class="link" onclick={filters.clear}>Effacer les filtres</button> : null)}
      </div>
      <Narrowings filters={filters} />
      <div class="list-order">
        <p class="quiet-text small" role="status" aria-label="Ordre">{() => (filters.order() === null ? "" : `Ordre\u202f: ${filters.order()}`)}</p>
        {() => (filters.order() === null ? null : (
          <button type="button" class="link" aria-label="Retirer l’ordre choisi" onclick={() => filters.set({ ordre: null })}>Retirer</button>
        ))}
      </div>
      <RecordList
        name={listName(entity)} rows={() => found().value()} href={(row) => `${address}/${row.id}`}
        sentence={(row) => sentence(titleOf(entity, row), ...details(entity, row), queuedWords(entity.name, row.id))}
        row={(row) => <Row entity={entity} row={row} />}
        results={results}
        empty={() => (isNarrowed()
          ? <Empty text={`${none(entity)} ne correspond.`}><button type="button" onclick={filters.clear}>Effacer les filtres</button></Empty>
          : (
            <Empty text={`${none(entity)} pour le moment.`}>
              {entity.methods.includes("create") ? <a class="button" href={`${address}/nouveau`}>{newOne(entity)}</a> : null}
            </Empty>
          ))}
        failure={() => found().failure()?.message ?? null} isComplete={() => found().isComplete()} retry={() => void found().refresh()}
        more={() => found()}
      />
    </div>
  );
}

/** What narrows the list, in words, each with a way to take it out. */
function Narrowings({ filters }: { filters: EntityFilters }): Child {
  const names = recordNames();
  const nameOf = (target: string, id: number): string => {
    const named = names.of(target, id);
    return named === undefined ? "…" : named?.name ?? `n°\u00a0${id}`;
  };
  return () => {
    const all = filters.narrowings();
    return all.length === 0 ? null : (
      <ul class="narrowings" aria-label="Filtres choisis">
        {all.map(({ words, remove }) => (
          <li>
            <span>{() => words(nameOf)}</span>
            <button type="button" class="icon" aria-label={() => `Retirer le filtre ${words(nameOf)}`} onclick={(event) => {
              // The button goes with its filter.
              const next = event.currentTarget.closest(".generic-body")?.querySelector<HTMLElement>(".filters-open");
              remove();
              next?.focus();
            }}><Icon name="close" /></button>
          </li>
        ))}
      </ul>
    );
  };
}

function Row({ entity, row }: { entity: Entity; row: AnyRow }): Child {
  const words = details(entity, row);
  return [
    <span class="row-main">
      <span class="row-title">{titleOf(entity, row)}</span>
      {words.length === 0 ? null : <span class="row-detail">{words.join(" · ")}</span>}
    </span>,
    <span class="row-end"><QueuedBadge entity={entity.name} id={() => row.id} /></span>,
  ];
}
