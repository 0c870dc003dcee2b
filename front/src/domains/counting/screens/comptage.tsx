// How many people are in a place now, and how many came.

import { ServiceError } from "learntrack";
import { computed, each, effect, Fragment, h, onCleanup, signal, untracked } from "view";
import type { Child, Signal } from "view";
import { command } from "../../../parts/command";
import { Curve } from "../../../parts/curve";
import { confirm } from "../../../parts/dialog";
import { Icon } from "../../../parts/icons";
import { Empty, Failure, Outlines } from "../../../parts/list";
import { sayWritten, warn } from "../../../parts/notices";
import { place as address, setQuery } from "../../../parts/place";
import { Segments } from "../../../parts/segments";
import type { Screen } from "../../../parts/shell";
import { account, ask, queue } from "../../../store";
import type { Live } from "../../../store";
import { longDate, monthName, shortDate, shortMonth } from "../../../words/dates";
import { ago, instant } from "../../../words/instants";
import { decimal } from "../../../words/money";
import { count, whole } from "../../../words/sentences";
import { buckets, correctCount, endDay, figures, issues, states } from "../parts/counting";
import type { Bucket, CounterState, Figures, Issue, Range } from "../parts/counting";
import { Tally } from "../parts/tally";

const ranges: readonly (readonly [Range, string])[] = [
  ["today", "Aujourd’hui"], ["last_7", "7 jours"], ["last_30", "30 jours"], ["year", "Année"],
];
const periods = { "7": "last_7", "30": "last_30", annee: "year" } as const;
const refreshed = 10_000;

const statusWords = { ok: "Places libres", warning: "Bientôt complet", full: "Complet" } as const;
const statusClass = { ok: "ok", warning: "near", full: "full" } as const;

/** In a word and a colour, how full a place is. */
function Status({ of }: { of: CounterState }): Child {
  const words = of.current_count > of.location.max_capacity ? "Capacité dépassée" : statusWords[of.status];
  return <span class={`badge counting-status ${statusClass[of.status]}`}>{words}</span>;
}

export default function comptage(): Screen {
  const all = ask("counting", async () => ({ began: performance.now(), states: await states() }), ["counter_states", "locations", "entries"]);
  const places = (): readonly CounterState[] | undefined => all.value()?.states;
  const chosen = computed(() => {
    const wanted = Number(address().query["lieu"]);
    return (places()?.find((one) => one.location.id === wanted) ?? places()?.[0])?.location.id;
  });
  const state = (): CounterState | undefined => places()?.find((one) => one.location.id === chosen());
  const absent = (): boolean => {
    const error = all.failure()?.error;
    return error instanceof ServiceError && (error.is("method_not_found") || error.is("forbidden"));
  };
  return {
    heading: () => "Comptage",
    body: (
      <div class="counting">
        {() => {
          if (absent()) return <Empty text="Ce service ne compte pas les personnes, ou votre compte n’y a pas accès." />;
          if (all.failure() && places() === undefined) return <Failure text={all.failure()!.message} retry={() => void all.refresh()} />;
          if (places() === undefined) return <Outlines count={3} />;
          return places()!.length === 0 ? <div class="empty"><Empty text="Aucun lieu n’est compté." /></div> : null;
        }}
        {() => ((places()?.length ?? 0) > 1 ? <Places states={() => places() ?? []} chosen={chosen} /> : null)}
        {() => {
          const id = chosen();
          return id === undefined ? null : untracked(() => <Counted id={id} state={state} began={() => all.value()?.began ?? 0} refresh={() => void all.refresh()} />);
        }}
      </div>
    ),
  };
}

function Places({ states, chosen }: { states: () => readonly CounterState[]; chosen: () => number | undefined }): Child {
  return (
    <ul class="counting-places" role="list" aria-label="Lieux">
      {each(states, (one) => one.id, (one) => (
        <li>
          <a class="counting-place" href={() => `/comptage?lieu=${one().location.id}`} aria-current={() => (chosen() === one().location.id ? "true" : null)}
            onclick={(event) => {
              if (event.metaKey || event.ctrlKey || event.shiftKey) return;
              event.preventDefault();
              setQuery({ lieu: String(one().location.id) });
            }}>
            <span class="counting-place-name">{() => one().location.name}</span>
            <span class="counting-place-figure">{() => whole(one().current_count)}<small>{() => ` / ${whole(one().location.max_capacity)}`}</small></span>
            {() => (one().status === "ok" ? null : <Status of={one()} />)}
          </a>
        </li>
      ))}
    </ul>
  );
}

interface CountedProps {
  id: number;
  state: () => CounterState | undefined;
  /** When the state was asked for. */
  began: () => number;
  refresh: () => void;
}

function Counted({ id, state, began, refresh }: CountedProps): Child {
  const range = computed((): Range => periods[address().query["periode"] as keyof typeof periods] ?? "today");
  const key = (name: string): string => `counting/${id}/${name}/${range()}`;
  // The questions of a range are asked anew for another one.
  const asked = computed(() => {
    const of = range();
    return untracked(() => ({
      figures: ask(key("figures"), () => figures(id, of), ["locations"]),
      buckets: ask(key("buckets"), () => buckets(id, of), ["locations"]),
      issues: ask(key("issues"), () => issues(id, of), ["locations"]),
    }));
  });
  /** Whether the chart's figures are shown; new answers draw the chart anew. */
  const isOpen = signal(false);
  const again = (): void => Object.values(asked()).forEach((one: Live<unknown>) => void one.refresh());
  followCount(() => state()?.current_count, again);
  return (
    <>
      <Now state={state} began={began} changed={() => { refresh(); untracked(again); }} />
      <section class="card counting-figures" aria-label="Période">
        <Segments label="Période" options={ranges} value={range}
          set={(next) => setQuery({ periode: Object.entries(periods).find(([, one]) => one === next)?.[0] ?? null }, true)} />
        {() => {
          const failed = asked().figures.failure() ?? asked().buckets.failure();
          return failed ? <Failure text={failed.message} retry={again} /> : null;
        }}
        {() => <Totals figures={asked().figures.value()} range={range()} zone={state()?.location.timezone ?? "Europe/Paris"} />}
        {() => {
          const zone = state()?.location.timezone;
          const now = new Date().toISOString();
          if (zone === undefined || instant(now, zone) === instant(now)) return null;
          return <p class="hint">{`Les heures sont celles du lieu\u202f: ${zone.replace(/^.*\//u, "").replace(/_/gu, " ")}.`}</p>;
        }}
        {() => <Chart buckets={asked().buckets.value()} range={range()} place={state()?.location} isOpen={isOpen} />}
      </section>
      {() => <Issues issues={asked().issues.value()} zone={state()?.location.timezone ?? "Europe/Paris"} />}
    </>
  );
}

/** Asks for the figures again while the count changes, and not more often than every ten seconds. */
function followCount(current: () => number | undefined, again: () => void): void {
  let last = Date.now();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let first = true;
  effect(() => {
    current();
    if (first) return void (first = false);
    clearTimeout(timer);
    timer = setTimeout(() => {
      last = Date.now();
      again();
    }, Math.max(500, last + refreshed - Date.now()));
  });
  onCleanup(() => clearTimeout(timer));
}

function Now({ state, began, changed }: Pick<CountedProps, "state" | "began"> & { changed: () => void }): Child {
  const now = signal(new Date());
  const timer = setInterval(() => now.set(new Date()), 15_000);
  onCleanup(() => clearInterval(timer));
  const close = command(async (key, id: number) => {
    await endDay(id, key);
    changed();
  }, { done: "Journée close" });
  const end = async (id: number): Promise<void> => {
    const yes = await confirm({
      heading: "Clore la journée\u202f?", text: "Les chiffres de la journée sont gardés, et le comptage repart de zéro.",
      yes: "Clore la journée", no: "Annuler", danger: false,
    });
    if (yes) await close(id);
  };
  const press = async (delta: 1 | -1): Promise<void> => {
    const outcome = await correctCount(state()!.location, delta);
    if (outcome.state === "refused") warn(outcome.error.message);
    else sayWritten(delta > 0 ? "Une entrée ajoutée" : "Une sortie ajoutée", outcome);
  };
  const share = (): number => Math.min(100, state()?.occupancy_percent ?? 0);
  const id = (): number => state()!.location.id;
  const presses = computed(() => queue.items().filter(({ entity, values }) => entity === "entries" && values["location_id"] === state()?.location.id));
  const waiting = computed(() => presses().filter(({ problem }) => problem === null));
  const tally = new Tally();
  /** With what was pressed here and is not counted yet. */
  const current = signal(0);
  effect(() => {
    const answer = state() && { count: state()!.current_count, began: began() };
    const known = presses().map(({ recordId, values, sentAt, problem }) =>
      ({ id: recordId, delta: Number(values["delta"]), isSent: sentAt !== null, isRefused: problem !== null }));
    current.set(tally.of(answer, known, (one) => queue.isDone("entries", one), performance.now()) ?? 0);
  });
  return (
    <section class={() => `card counting-now ${statusClass[state()?.status ?? "ok"]}`} aria-label={() => state()?.location.name ?? "Lieu"}>
      <div class="counting-now-head">
        <h2>{() => state()?.location.name}</h2>
        {() => (state() ? <Status of={state()!} /> : null)}
      </div>
      <p class="counting-figure" role="group" aria-label={() => `${whole(current())} personnes sur ${whole(state()?.location.max_capacity ?? 0)}`}>
        <strong>{() => whole(current())}</strong>
        <span>{() => ` / ${whole(state()?.location.max_capacity ?? 0)} personnes`}</span>
      </p>
      <div class="counting-meter" role="meter" aria-label="Occupation" aria-valuemin="0" aria-valuemax="100"
        aria-valuenow={() => String(Math.round(share()))} aria-valuetext={() => `${decimal(state()?.occupancy_percent ?? 0, 0)}\u202f%`}>
        <span style={() => ({ width: `${share()}%` })} />
      </div>
      <p class="counting-facts">
        <span>{() => `${decimal(state()?.occupancy_percent ?? 0, 0)}\u202f% d’occupation`}</span>
        <span>{() => count(state()?.remaining ?? 0, "place libre", "places libres")}</span>
        <span>{() => (state()?.last_event_at ? `Dernier passage ${ago(state()!.last_event_at!, now())}` : "Aucun passage")}</span>
        {() => (waiting().length === 0 ? null : <span>{count(waiting().length, "passage en attente d’envoi", "passages en attente d’envoi")}</span>)}
        {() => (state()?.is_online === false ? <span class="counting-offline"><Icon name="offline" />Compteurs silencieux</span> : null)}
        {() => (state()?.gateway_conflict ? <span class="counting-offline"><Icon name="warning" />Deux passerelles envoient</span> : null)}
      </p>
      {() => (account()?.role !== "admin" ? null : (
        <div class="actions">
          <button type="button" onclick={() => void press(1)}>
            <Icon name="plus" />Une entrée
          </button>
          <button type="button" aria-disabled={() => (current() === 0 ? "true" : null)}
            onclick={() => { if (current() > 0) void press(-1); }}>
            <Icon name="minus" />Une sortie
          </button>
          <button type="button" class="plain" aria-busy={() => (close.busy() ? "true" : null)} onclick={() => void end(id())}>Clore la journée</button>
        </div>
      ))}
    </section>
  );
}

const before: Readonly<Record<Range, string>> = {
  today: "à la veille", last_7: "aux 7 jours d’avant", last_30: "aux 30 jours d’avant", year: "à l’année d’avant",
};

function Totals({ figures, range, zone }: { figures: Figures | null | undefined; range: Range; zone: string }): Child {
  if (figures === undefined) return <Outlines count={1} />;
  if (figures === null) return null;
  // Before the first entries there is no figure to compare with.
  const compares = figures.change_total_in !== figures.total_in;
  const one = (name: string, value: string, change: number, detail?: string): Child => (
    <div class="counting-total">
      <dt>{name}</dt>
      <dd>
        <strong>{value}</strong>
        {range === "today" || !compares ? null : (
          <small>{`${change > 0 ? "+" : change < 0 ? "−" : ""}${decimal(Math.abs(change), Number.isInteger(change) ? 0 : 1)} par rapport ${before[range]}`}</small>
        )}
        {detail ? <small>{detail}</small> : null}
      </dd>
    </div>
  );
  return (
    <dl class="counting-totals">
      {one("Entrées", whole(figures.total_in), figures.change_total_in)}
      {one("Sorties", whole(figures.total_out), figures.change_total_out)}
      {one("Maximum", whole(figures.peak_occupancy), figures.change_peak_occupancy,
        figures.peak_at && figures.peak_occupancy > 0 ? (range === "today" ? `à ${clock(figures.peak_at, zone)}` : `le ${shortDate(dayIn(figures.peak_at, zone))}`) : undefined)}
      {one("Moyenne", decimal(figures.average_occupancy, 1), figures.change_average_occupancy)}
    </dl>
  );
}

function dayIn(at: string, zone: string): string {
  return new Date(at).toLocaleDateString("sv-SE", { timeZone: zone });
}

/** "14 h", on the clock of the place. */
function clock(at: string, zone: string): string {
  const [hours, minutes] = new Date(at).toLocaleTimeString("sv-SE", { timeZone: zone }).split(":");
  return minutes === "00" ? `${Number(hours)}\u00a0h` : `${Number(hours)}\u00a0h\u00a0${minutes}`;
}

interface ChartProps { buckets: readonly Bucket[] | undefined; range: Range; place: CounterState["location"] | undefined; isOpen: Signal<boolean> }

function Chart({ buckets, range, place, isOpen }: ChartProps): Child {
  if (!buckets || !place) return null;
  const name = range === "today" ? "Personnes présentes aujourd’hui" : "Maximum de personnes présentes";
  const long = (one: Bucket): string => {
    if (range === "today") return `${clock(one.bucket_start, place.timezone)} – ${clock(one.bucket_end, place.timezone)}`;
    return range === "year" ? monthName(one.operational_day.slice(0, 7)) : longDate(one.operational_day);
  };
  const short = (one: Bucket): string => {
    if (range === "today") return clock(one.bucket_start, place.timezone);
    return range === "year" ? shortMonth(one.operational_day.slice(0, 7)) : shortDate(one.operational_day).replace(/ \d{4}$/, "");
  };
  return (
    <figure class="counting-chart" aria-label={name}>
      <figcaption class="label">{name}</figcaption>
      <Curve limit={place.max_capacity} points={buckets.map((one) => ({ label: short(one), value: one.peak_occupancy, average: one.average_occupancy }))} />
      <details class="counting-table" open={untracked(isOpen)} ontoggle={(event) => isOpen.set(event.currentTarget.open)}>
        <summary>Voir les chiffres</summary>
        <div class="scroll" tabindex="0" role="region" aria-label={`${name}, en chiffres`}>
          <table aria-label={name}>
            <thead><tr><th scope="col">{range === "today" ? "Heure" : range === "year" ? "Mois" : "Jour"}</th><th scope="col">Entrées</th><th scope="col">Sorties</th><th scope="col">Maximum</th><th scope="col">Moyenne</th></tr></thead>
            <tbody>
              {buckets.map((one) => (
                <tr>
                  <th scope="row">{long(one)}</th><td>{whole(one.total_in)}</td><td>{whole(one.total_out)}</td>
                  <td>{whole(one.peak_occupancy)}</td><td>{decimal(one.average_occupancy, 1)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

const issueWords: Readonly<Record<Issue["kind"], (issue: Issue) => string>> = {
  missing_events: (one) => `${count(one.value, "passage manquant", "passages manquants")}`,
  sequence_reset: () => "Compteur reparti de zéro",
  clock_skew: () => "Horloge fausse",
  gateway_conflict: () => "Deux passerelles à la fois",
  overcrowding: (one) => `Capacité dépassée\u202f: ${whole(one.value)} personnes`,
  stale_device: () => "Compteur silencieux",
};

function Issues({ issues, zone }: { issues: readonly Issue[] | undefined; zone: string }): Child {
  if (!issues || issues.length === 0) return null;
  const shown = [...issues].sort((a, b) => b.starts_at.localeCompare(a.starts_at)).slice(0, 8);
  return (
    <section class="card" aria-label="À surveiller">
      <h2>À surveiller</h2>
      <ul class="counting-issues" role="list" aria-label="À surveiller">
        {shown.map((one) => (
          <li>
            <Icon name="warning" />
            <span>
              {issueWords[one.kind](one)}{one.device ? `, ${one.device.name}` : ""}
              <small class="quiet-text">{one.ends_at === null ? `depuis ${instant(one.starts_at, zone)}` : `${instant(one.starts_at, zone)} – ${clock(one.ends_at, zone)}`}</small>
            </span>
          </li>
        ))}
      </ul>
      {issues.length > shown.length ? <p class="hint">{`Les ${shown.length} plus récents de ${issues.length}.`}</p> : null}
    </section>
  );
}
