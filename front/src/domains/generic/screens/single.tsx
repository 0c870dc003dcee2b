// The page of a record of which there is one at most, such as settings. It stands where other entities have their list, so that links
// need no number, and it is there before the record is.

import { computed, h, untracked } from "view";
import type { Child } from "view";
import { command } from "../../../parts/command";
import { Empty } from "../../../parts/list";
import { sayWritten } from "../../../parts/notices";
import { QueuedBadge } from "../../../parts/queued";
import type { Screen } from "../../../parts/shell";
import { Unknown } from "../../../parts/unanswered";
import { queue } from "../../../store";
import type { Command, Entity } from "../../../store/declared";
import type { AnyRow } from "../../../store/rows";
import { listName, notYet } from "../../../words/nouns";
import { callCommand, domainOf, openerOf, pages } from "../parts/records";
import { Actions, Cards } from "./record";

export function singleScreen(entity: Entity): Screen {
  const domain = domainOf(entity);
  // A list, because nobody knows the number of the record beforehand, and the device has the list of a small table without a network.
  const found = pages(entity, {});
  const row = (): AnyRow | undefined => found.value()?.[0];
  const isKnown = computed(() => row() !== undefined);
  const isMissing = computed(() => found.value()?.length === 0);
  const known = (): AnyRow => row()!;
  const shown = (view: () => Child): Child => () => (isKnown() ? untracked(view) : null);
  return {
    heading: () => listName(entity),
    class: "record generic",
    up: { href: () => `/${domain.name}`, label: domain.label },
    under: shown(() => <QueuedBadge entity={entity.name} id={() => known().id} leads />),
    actions: shown(() => <Actions entity={entity} row={known} />),
    body: () => {
      if (isKnown()) return untracked(() => <Cards entity={entity} row={known} />);
      if (isMissing()) return untracked(() => <Missing entity={entity} />);
      return <Unknown live={found} />;
    },
  };
}

function Missing({ entity }: { entity: Entity }): Child {
  const opener = openerOf(entity);
  return <div class="empty"><Empty text={notYet(entity)}>{opener === undefined ? null : <Opening entity={entity} opener={opener} />}</Empty></div>;
}

/** The button of the command that makes the record. It is pressed once: without a network the call waits. */
function Opening({ entity, opener }: { entity: Entity; opener: Command }): Child {
  const waits = computed(() => queue.items().some(({ method, problem }) => method === opener.name && problem === null));
  const open = command(async () => {
    const outcome = await callCommand(entity, opener, {});
    if (outcome.state === "refused") throw outcome.error;
    sayWritten(`${opener.label}\u202f: c’est fait`, outcome);
  });
  return () => (waits() && !open.busy()
    ? <a class="badge waiting" href="/attente">En attente d’envoi</a>
    : <button type="button" class="primary" aria-busy={() => (open.busy() ? "true" : null)} onclick={() => void open()}>{opener.label}</button>);
}
