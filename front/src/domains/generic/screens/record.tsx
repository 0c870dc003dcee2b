// The page of a record of any declared entity: its fields, what it refers to and what refers to it, its commands, its history.

import { computed, h, signal, untracked } from "view";
import type { Child } from "view";
import { askRemoval } from "../../../parts/form";
import { Icon } from "../../../parts/icons";
import { Empty, RecordList } from "../../../parts/list";
import { warn } from "../../../parts/notices";
import { lastAddress } from "../../../parts/place";
import { QueuedBadge } from "../../../parts/queued";
import { RecordHistory } from "../../../parts/record-history";
import { Section } from "../../../parts/section";
import type { Params, Screen } from "../../../parts/shell";
import { Unknown } from "../../../parts/unanswered";
import { failureOf, savedId } from "../../../store";
import type { Entity, Relation } from "../../../store/declared";
import type { AnyRow } from "../../../store/rows";
import { count, sentence } from "../../../words/sentences";
import { Commands } from "../parts/command";
import { EntityFacts } from "../parts/facts";
import { listOf, referencesTo } from "../parts/references";
import { addressOf, declaredEntity, domainOf, oneOf, pages, recordAddress, wordsOf } from "../parts/records";
import { details } from "../words/rows";
import { done, isMissing, listName, newOne, this_ } from "../../../words/nouns";
import { titleOf } from "../../../words/titles";

export function recordScreen(entity: Entity, params: Params): Screen {
  const id = Number(params["id"]);
  const address = addressOf(entity);
  const domain = domainOf(entity);
  const found = oneOf(entity, id);
  const row = (): AnyRow | null | undefined => found.value();
  const isKnown = computed(() => Boolean(row()));
  const known = (): AnyRow => row()!;
  const shown = (view: () => Child): Child => () => (isKnown() ? untracked(view) : null);
  return {
    heading: () => {
      const one = row();
      if (one) return titleOf(entity, one);
      if (one === null) return `${listName(entity)}\u202f: fiche introuvable`;
      return found.failure() === null ? undefined : "Fiche indisponible";
    },
    class: "record generic",
    ...(entity.single ? { alone: true as const } : {}),
    up: entity.single ? { href: () => `/${domain.name}`, label: domain.label } : { href: () => lastAddress(address), label: listName(entity) },
    under: shown(() => <QueuedBadge entity={entity.name} id={() => known().id} leads />),
    actions: shown(() => <Actions entity={entity} row={known} />),
    body: () => {
      if (isKnown()) return untracked(() => <Cards entity={entity} row={known} />);
      if (row() === null) {
        return <div class="empty"><Empty text={isMissing(entity)}>{entity.single ? null : <a class="button" href={address}>Voir la liste</a>}</Empty></div>;
      }
      return <Unknown live={found} />;
    },
  };
}

/** What is known of a record: its fields, what refers to it, its history. */
export function Cards({ entity, row }: { entity: Entity; row: () => AnyRow }): Child {
  const { id: first } = untracked(row);
  const id = computed(() => savedId(first));
  return (
    <div class="cards record-cards">
      <Section heading="Fiche" wide><EntityFacts entity={entity} row={row} /></Section>
      {() => (id() > 0 ? entity.relations.filter(({ many }) => many).map((relation) => <Related relation={relation} id={id()} />) : null)}
      {() => (id() > 0 && entity.journal === true && entity.methods.includes("history")
        ? <Section heading="Historique" wide><RecordHistory entity={entity.name} id={id()} /></Section> : null)}
    </div>
  );
}

export function Actions({ entity, row }: { entity: Entity; row: () => AnyRow }): Child {
  const address = addressOf(entity);
  const remove = (): void => {
    const one = row();
    askRemoval({
      entity: entity.name, row: one, heading: `Supprimer ${this_(entity)}\u202f?`, text: `${titleOf(entity, one)}.`,
      words: wordsOf(entity, "suppression", titleOf(entity, one)), done: done(entity, "supprimé"), to: lastAddress(address),
      references: referencesTo(entity, one.id),
    });
  };
  return (
    <div class="record-actions">
      <Commands entity={entity} row={row} />
      {entity.methods.includes("update")
        ? <a class="button" href={() => `${address}/${row().id}/modifier`}><Icon name="edit" />Modifier</a> : null}
      {entity.methods.includes("duplicate")
        ? <a class="button" href={() => `${address}/nouveau?comme=${row().id}`}><Icon name="copy" />Dupliquer</a> : null}
      {entity.methods.includes("delete")
        ? <button type="button" class="danger-text" onclick={remove}><Icon name="trash" />Supprimer</button> : null}
    </div>
  );
}

/** As many as stand on the page of what they refer to, and as many more each time. */
const some = 10;

/** What refers to the record. */
function Related({ relation, id }: { relation: Relation; id: number }): Child {
  const entity = declaredEntity(relation.target);
  if (entity === undefined || !entity.methods.includes("list")) return null;
  const address = addressOf(entity);
  const found = pages(entity, { where: { [relation.column]: id }, matches: (row) => row[relation.column] === id });
  const results = (): string => {
    const number = found.count();
    return number === null || number === 0 ? "" : count(number, entity.singular, entity.plural);
  };
  const most = signal(some);
  const isListed = (): boolean => (found.count() ?? 0) > some;
  const hasMore = computed(() => (found.count() ?? 0) > most());
  const showMore = async (): Promise<void> => {
    const shown = untracked(most) + some;
    if ((untracked(() => found.value())?.length ?? 0) < shown && untracked(() => found.hasMore())) await found.more();
    most.set(shown);
  };
  return (
    <Section heading={relation.label} wide>
      <RecordList
        name={relation.label} rows={() => found.value()?.slice(0, most())} href={(row) => recordAddress(entity, row.id)}
        sentence={(row) => sentence(titleOf(entity, row), ...details(entity, row, relation.column))}
        row={(row) => (
          <span class="row-main">
            <span class="row-title">{titleOf(entity, row)}</span>
            <span class="row-detail">{details(entity, row, relation.column).join(" · ")}</span>
          </span>
        )}
        results={results} empty={() => <p class="quiet-text">Rien pour le moment.</p>}
        failure={() => found.failure()?.message ?? null} isComplete={() => found.isComplete()} retry={() => void found.refresh()}
      />
      <div class="card-actions">
        {entity.methods.includes("create") && entity.columns.some(({ name, writes }) => name === relation.column && writes?.includes("create"))
          ? <a class="button" href={`${address}/nouveau?${relation.column}=${id}`}><Icon name="plus" />{newOne(entity)}</a> : null}
        {() => (hasMore() ? <button type="button" onclick={() => void showMore().catch((error: unknown) => warn(failureOf(error).message))}>Afficher la suite</button> : null)}
        {() => (isListed() ? <a class="button" href={listOf(entity, relation.column, id)}>Voir dans la liste</a> : null)}
      </div>
    </Section>
  );
}
