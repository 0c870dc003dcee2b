// The first page of a domain: its lists, its views, the records of which there is one, and its commands.

import { h } from "view";
import { Empty } from "../../../parts/list";
import { Section } from "../../../parts/section";
import type { Screen } from "../../../parts/shell";
import type { Domain, Entity } from "../../../store/declared";
import { openCommand } from "../parts/command";
import { addressOf } from "../parts/records";
import { listName } from "../../../words/nouns";

export function homeScreen(domain: Domain): Screen {
  const tables = domain.entities.filter(({ methods, view }) => methods.includes("list") && view === undefined);
  const lists = tables.filter(({ single }) => !single);
  const singles = tables.filter(({ single }) => single);
  const views = domain.entities.filter(({ view }) => view !== undefined);
  // Those of a list or of a record stand there.
  const commands = domain.commands.filter(({ entity }) => !domain.entities.some(({ name }) => name === entity));
  const links = (entities: readonly Entity[]) => (
    <ul class="generic-links" role="list">
      {entities.map((entity) => <li><a href={addressOf(entity)}>{listName(entity)}</a></li>)}
    </ul>
  );
  return {
    heading: () => domain.label,
    body: (
      <div class="cards">
        {tables.length === 0 && views.length === 0 ? <Empty text="Votre compte ne lit rien ici." /> : null}
        {lists.length === 0 ? null : <Section heading="Listes">{links(lists)}</Section>}
        {views.length === 0 ? null : <Section heading="Vues">{links(views)}</Section>}
        {singles.length === 0 ? null : <Section heading="Fiches">{links(singles)}</Section>}
        {commands.length === 0 ? null : (
          <Section heading="Actions">
            <div class="card-actions">
              {commands.map((command) => <button type="button" onclick={() => openCommand(noEntity(command.entity), command)}>{command.label}</button>)}
            </div>
          </Section>
        )}
      </div>
    ),
  };
}

/** A command beside all entities changes what it changes: it has no record that is shown. */
function noEntity(name: string): Entity {
  return { name, singular: "fiche", plural: "fiches", feminine: true, title: ["id"], columns: [], derived: [], relations: [], order: [], methods: [] };
}
