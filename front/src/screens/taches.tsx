// What the server runs by itself, for administrators: when, how the last run went, and a way to run it now.

import { each, h, onCleanup, signal, untracked } from "view";
import type { Child } from "view";
import { warnFailure } from "../parts/command";
import { Icon } from "../parts/icons";
import { Empty, Outlines } from "../parts/list";
import { say, warn } from "../parts/notices";
import type { Screen } from "../parts/shell";
import { FailureOf } from "../parts/unanswered";
import { ask, newKey, sync } from "../store";
import type { Live } from "../store";
import { callDeclared, domains } from "../store/declared";
import { learnt } from "../words/declared";
import { ago } from "../words/instants";
import { durationWords, scheduleWords, soon } from "../words/schedule";
import { count } from "../words/sentences";

interface Job {
  readonly id: number;
  readonly name: string;
  readonly schedule: string;
  readonly next_at: string;
  /** Of the last run that has ended. */
  readonly last_started_at: string | null;
  readonly last_ended_at: string | null;
  readonly last_error: string | null;
  /** How many runs have failed since one that succeeded. */
  readonly failures: number;
}

type Jobs = Live<readonly Job[]>;

/** The jobs are not in the feed: what is shown is asked again after so many milliseconds. */
const pause = 15_000;
/** A run that was asked for is looked for so often, at first each half second. */
const looks = 24;

const load = async (): Promise<readonly Job[]> => (await callDeclared<{ items: readonly Job[] }>("jobs.list", { first: 500 })).items;

export default function taches(): Screen {
  const found: Jobs = ask("jobs", load, ["jobs"]);
  // The names of the jobs are declared.
  void domains();
  const timer = setInterval(() => { if (document.visibilityState === "visible" && sync.isOnline()) void found.refresh(); }, pause);
  onCleanup(() => clearInterval(timer));
  const items = (): readonly Job[] => found.value() ?? [];
  return {
    heading: () => "Tâches planifiées",
    up: { href: () => "/utilisateurs", label: "Utilisateurs" },
    body: (
      <div>
        <p class="results" role="status" aria-label="Résultats">{() => (found.value() ? count(items().length, "tâche") : "")}</p>
        <FailureOf of={found} />
        {() => (found.value() === undefined && found.failure() === null ? <Outlines /> : null)}
        {() => (found.value() && items().length === 0 ? <Empty text="Cette installation ne planifie aucune tâche." /> : null)}
        <ul class="cards jobs" role="list" aria-label="Tâches planifiées">
          {each(items, (one) => one.id, (one) => <Line one={one} jobs={found} />)}
        </ul>
      </div>
    ),
  };
}

const nameOf = ({ name }: Job): string =>
  learnt("jobs")?.columns.find((column) => column.name === "name")?.choices?.find(({ value }) => value === name)?.label ?? name;

function lastRun({ last_started_at: started, last_ended_at: ended }: Job): string {
  if (started === null || ended === null) return "Pas encore exécutée";
  return `Dernière exécution ${ago(ended)}, en ${durationWords(started, ended)}`;
}

function Line({ one, jobs }: { one: () => Job; jobs: Jobs }): Child {
  const busy = signal(false);
  const start = async (): Promise<void> => {
    if (untracked(busy)) return;
    busy.set(true);
    try {
      await run(untracked(one), jobs);
    } catch (error) {
      warnFailure(error, () => void start());
    } finally {
      busy.set(false);
    }
  };
  return (
    <li class="card">
      <h2>{() => nameOf(one())}</h2>
      <p>{() => scheduleWords(one().schedule)}</p>
      <p class="quiet-text">{() => `Prochaine exécution ${soon(one().next_at)}`}</p>
      <p class="quiet-text">{() => (busy() ? "En cours…" : lastRun(one()))}</p>
      {() => {
        const { failures, last_error: error } = one();
        return error === null ? null : (
          <p class="job-failure">
            <Icon name="warning" />
            <span>
              {failures > 1 ? `A échoué ${failures} fois de suite. ` : "A échoué. "}
              {"Détail technique\u202f: «\u00a0"}<span lang="en">{error}</span>{"\u00a0»."}
            </span>
          </p>
        );
      }}
      <button type="button" aria-label={() => `Lancer maintenant\u202f: ${nameOf(one())}`} aria-busy={() => (busy() ? "true" : null)} onclick={() => void start()}>
        Lancer maintenant
      </button>
    </li>
  );
}

/** Runs a job, and waits for its end for a while: a job may take minutes. */
async function run(job: Job, jobs: Jobs): Promise<void> {
  await callDeclared("jobs.run", { id: job.id, idempotency_key: newKey() });
  say("Tâche lancée");
  for (let look = 0; look < looks; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(2_000, 500 + look * 100)));
    await jobs.refresh();
    const now = untracked(() => jobs.value())?.find(({ id }) => id === job.id);
    if (now === undefined) return;
    if (now.last_started_at === job.last_started_at) continue;
    if (now.last_error === null) say("Tâche terminée");
    else warn(`La tâche «\u00a0${nameOf(now)}\u00a0» a échoué.`);
    return;
  }
}
