// The prospects by their stage, and who is to be contacted today.

import { computed, each, h, untracked } from "view";
import type { Child } from "view";
import { Icon } from "../../../parts/icons";
import { Empty, Failure, Outlines, RecordList } from "../../../parts/list";
import { Near } from "../../../parts/near";
import { filtersOf, lastAddress } from "../../../parts/place";
import { Search } from "../../../parts/search";
import type { Screen } from "../../../parts/shell";
import { may } from "../../../store";
import { shortDate, today } from "../../../words/dates";
import { euros, percent } from "../../../words/money";
import { count, finder, fold, sentence } from "../../../words/sentences";
import { CustomerTabs } from "../parts/customers";
import { draggable, focusSoon } from "../parts/drag";
import { channelName, dueToday, prospects, stageName, stages, textOfProspect } from "../parts/prospects";
import type { Channel, Prospect, Stage } from "../parts/prospects";
import { prospectSentence, reminderSentence } from "../words/prospects";
import { advancing, askReason } from "./prospect/stage";

export default function prospectsScreen(): Screen {
  const found = prospects();
  const due = dueToday();
  // What is due today stands above the rest, which would move when it comes.
  const isDueKnown = computed(() => due.value() !== undefined || due.failure() !== null);
  const { search, set } = searched();
  const rows = computed(() => filtered(found.value(), search()));
  const state = computed(() => {
    if (rows() === undefined) return found.failure() === null ? "loading" : "failed";
    if (rows()!.length > 0) return "rows";
    return search() === "" ? "empty" : "none";
  });
  return {
    heading: () => "Prospects",
    class: "prospects",
    actions: may("prospects.create")
      ? <a class="button primary new" href="/prospects/nouveau"><Icon name="plus" /><span>Nouveau prospect</span></a>
      : null,
    body: () => (!isDueKnown() ? <Outlines /> : untracked(() => (
      <div class="prospects-body">
        <CustomerTabs />
        <Due found={due} />
        <div class="directory-tools"><Search label="Rechercher un prospect" value={search} set={set} /></div>
        <p class="results" role="status" aria-label="Résultats">{() => (rows() === undefined ? "" : count(rows()!.length, "prospect"))}</p>
        {() => {
          switch (state()) {
            case "loading": return <Outlines />;
            case "failed": return <Failure text={found.failure()!.message} retry={() => void found.refresh()} />;
            case "none": return <div class="empty"><Empty text={`Aucun prospect ne correspond à «\u00a0${search()}\u00a0».`}><NearProspects rows={() => found.value()} /></Empty></div>;
            case "empty": return (
              <div class="empty">
                <Empty text="Aucun prospect pour le moment.">
                  {may("prospects.create") ? <a class="button" href="/prospects/nouveau">Nouveau prospect</a> : null}
                </Empty>
              </div>
            );
            default: return <div class="stages">{stages.map(([stage, name]) => (
              <StageColumn stage={stage} name={name} rows={() => (rows() ?? []).filter((row) => row.etape === stage)} due={dueOf} refresh={() => void found.refresh()} />
            ))}</div>;
          }
        }}
      </div>
    ))),
  };
}

function searched() {
  const filters = filtersOf("/prospects");
  return { search: () => filters.values()["q"] ?? "", set: (q: string) => filters.set({ q }) };
}

const wordsOf = (row: Prospect): string => fold(textOfProspect(row));

function filtered(rows: readonly Prospect[] | undefined, search: string): Prospect[] | undefined {
  const finds = finder(search);
  return rows?.filter((row) => finds(wordsOf(row)));
}

function NearProspects({ rows }: { rows: () => readonly Prospect[] | undefined }): Child {
  return <Near {...searched()} rows={rows} text={wordsOf} record={(row) => ({ href: `/prospects/${row.id}`, label: row.raison_sociale })} />;
}

type DueOf = (row: Prospect) => string | null;

/** When a prospect is to be contacted: at its next reminder. One that is won or lost waits for nothing. */
const dueOf: DueOf = (row) => (row.etape === "gagne" || row.etape === "perdu" ? null : row.prochaine_relance);

/** Beside a record: the stages below each other. */
export function Beside(): Child {
  const found = prospects();
  const { search, set } = searched();
  const rows = computed(() => {
    const all = filtered(found.value(), search());
    return all && stages.flatMap(([stage]) => all.filter((row) => row.etape === stage));
  });
  return (
    <div>
      <div class="filters-line filters narrow">
        <Search label="Rechercher un prospect" value={search} set={set} />
        <a class="button icon" href={() => lastAddress("/prospects")} aria-label="Prospects par étape"><Icon name="flag" /></a>
      </div>
      <RecordList
        name="Prospects" rows={rows} href={(row) => `/prospects/${row.id}`} group={(row) => stageName(row.etape)}
        sentence={(row) => prospectSentence(row, stageName(row.etape), dueOf(row))}
        results={() => (rows() === undefined ? "" : count(rows()!.length, "prospect"))}
        row={(row) => (
          <span class="row-main">
            <span class="row-title">{row.raison_sociale}</span>
            <span class="row-detail">{sentence(row.nom_contact, row.ville)}</span>
          </span>
        )}
        empty={() => <Empty text="Aucun prospect ne correspond."><NearProspects rows={() => found.value()} /></Empty>}
        failure={() => found.failure()?.message ?? null} retry={() => void found.refresh()}
      />
    </div>
  );
}

interface StageProps { stage: Stage; name: string; rows: () => readonly Prospect[]; due: DueOf; refresh: () => void }

function StageColumn({ stage, name, rows, due, refresh }: StageProps): Child {
  const sum = (): number => rows().reduce((total, row) => total + (row.montant_estime ?? 0), 0);
  return (
    <section class={() => `stage${rows().length === 0 ? " vacant" : ""}`} data-stage={stage} aria-label={name}>
      <header class="stage-head">
        <h2>{name}</h2>
        <span class="quiet-text small">{() => sentence(String(rows().length), sum() > 0 ? euros(sum()) : null).replace(", ", " · ")}</span>
      </header>
      <ul class="stage-rows" role="list" aria-label={name}>
        {each(rows, (row) => row.id, (row) => <li><Card row={row} due={() => due(row())} refresh={refresh} /></li>)}
      </ul>
    </section>
  );
}

/** Where columns stand beside each other, a card goes from one to another by the mouse, or by Alt and arrows. */
const columns = matchMedia("(min-width: 80rem)");

function Card({ row, due, refresh }: { row: () => Prospect; due: () => string | null; refresh: () => void }): Child {
  const move = advancing(row, refresh, true);
  const to = (stage: Stage | undefined): (() => void) | null => {
    const mayGo = columns.matches && stage !== undefined && may("prospects.avancer") && untracked(row).etapes_suivantes.includes(stage);
    if (!mayGo) return null;
    return () => (stage === "perdu" ? askReason((motif) => move("perdu", motif)) : void move(stage));
  };
  const keys = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!event.altKey || step === undefined) return;
    event.preventDefault();
    const stage = stages[stages.findIndex(([one]) => one === row().etape) + step]?.[0];
    const run = to(stage);
    run?.();
    if (run && stage !== "perdu") focusSoon(`[data-stage=${stage}] a[href$="/prospects/${row().id}"]`);
  };
  return (
    <a class="card prospect-card" onkeydown={keys}
      ref={(element) => draggable(element as HTMLElement, (under) => {
        const place = under.closest<HTMLElement>("[data-stage]");
        const run = to(place?.dataset["stage"] as Stage | undefined);
        return place && run && { place, run };
      })} href={() => `/prospects/${row().id}`} aria-label={() => prospectSentence(row(), stageName(row().etape), due())}>
      <span class="row-title">{() => row().raison_sociale}</span>
      <span class="row-detail">{() => sentence(row().nom_contact, row().ville)}</span>
      <span class="prospect-foot">
        <span>{() => (row().montant_estime === null ? "" : euros(row().montant_estime!))}</span>
        <span class="quiet-text">{() => (row().probabilite === null || row().etape === "perdu" ? "" : percent(row().probabilite!))}</span>
      </span>
      {() => (due() === null ? null : (
        <span class={`prospect-due small${due()! <= today() ? " late" : ""}`}><Icon name="clock" />{`Relance ${shortDate(due()!).replace(/ \d{4}$/u, "")}`}</span>
      ))}
    </a>
  );
}

function Due({ found }: { found: ReturnType<typeof dueToday> }): Child {
  const channelOf = ({ canal }: { canal: string | null }): string | null => (canal === null ? null : channelName(canal as Channel));
  const rows = (): NonNullable<ReturnType<typeof found.value>> => found.value() ?? [];
  return () => (rows().length === 0 ? null : (
    <section class="card due" aria-labelledby="due-heading">
      <h2 id="due-heading">À relancer aujourd’hui</h2>
      <ul role="list" class="due-rows">
        {rows().map((row) => (
          <li>
            <a class="due-row" href={`/prospects/${row.prospect_id}`}
              aria-label={reminderSentence(row.prospect?.raison_sociale ?? "", channelOf(row), row.note, row.retard)}>
              <span class="row-main">
                <span class="row-title">{row.prospect?.raison_sociale ?? ""}</span>
                <span class="row-detail">{sentence(channelOf(row), row.note)}</span>
              </span>
              {row.retard > 0 ? <span class="badge warn">{`${count(row.retard, "jour")} de retard`}</span> : null}
            </a>
            {row.prospect?.telephone_uri
              // The only link of a row is the one that names it.
              ? (
                <button type="button" class="icon call" aria-label={`Appeler ${row.prospect.raison_sociale}`} onclick={() => location.assign(row.prospect!.telephone_uri!)}>
                  <Icon name="phone" />
                </button>
              )
              : null}
          </li>
        ))}
      </ul>
    </section>
  ));
}
