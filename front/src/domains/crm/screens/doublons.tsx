// Records that look alike, and merging two of them.

import { computed, h, signal } from "view";
import type { Child } from "view";
import { openDialog } from "../../../parts/dialog";
import { optionOf } from "../../../parts/form";
import { Icon } from "../../../parts/icons";
import { Empty, Failure, Outlines } from "../../../parts/list";
import { say } from "../../../parts/notices";
import { go, place, setQuery } from "../../../parts/place";
import { Segments } from "../../../parts/segments";
import type { Screen } from "../../../parts/shell";
import { ask, client, directory, failureOf, newKey } from "../../../store";
import type { Directory, Row } from "../../../store";
import { columnName, valueWords } from "../../../words/history";
import { percent } from "../../../words/money";
import { count, sentence } from "../../../words/sentences";
import { Avatar } from "../parts/directory";
import { duplicatesOf, pairWords } from "../parts/duplicates";
import type { AnyRow, Pair } from "../parts/duplicates";

const tables = [["clients", "Clients"], ["formateurs", "Formateurs"], ["ecoles", "Écoles"]] as const;

const columns: { readonly [E in Directory]: readonly string[] } = {
  formateurs: [
    "prenom", "nom", "email", "telephone", "exterieur", "specialite", "taux_horaire", "societe", "siret", "nda", "rue", "code_postal", "ville",
  ],
  clients: ["raison_sociale", "nom_contact", "email", "telephone", "rue", "code_postal", "ville", "siret", "numero_tva"],
  ecoles: ["nom", "nom_contact", "email", "telephone", "rue", "code_postal", "ville"],
};

const words: { readonly [E in Directory]: { heading: string; done: string } } = {
  formateurs: { heading: "Fusionner les formateurs", done: "Formateurs fusionnés" },
  clients: { heading: "Fusionner les clients", done: "Clients fusionnés" },
  ecoles: { heading: "Fusionner les écoles", done: "Écoles fusionnées" },
};

function reason(raison: string, score: number): string {
  switch (raison) {
    case "siret": return "Même SIRET";
    case "email": return "Même adresse e-mail";
    case "telephone": return "Même téléphone";
    default: return score >= 1 ? "Même nom" : `Noms semblables à ${percent(score * 100)}`;
  }
}

const nameOf = (table: Directory, row: AnyRow): string => optionOf(table, row as unknown as Row<Directory>).label;

export default function duplicates(): Screen {
  const table = computed((): Directory => tables.find(([name]) => name === place().query["fiches"])?.[0] ?? "clients");
  return {
    heading: () => "Doublons",
    up: { href: () => `/${table()}`, label: () => tables.find(([name]) => name === table())![1] },
    class: "duplicates",
    body: (
      <div class="duplicates-body">
        <Segments label="Fiches" options={tables} value={table} set={(fiches) => setQuery({ fiches: fiches === "clients" ? null : fiches })} />
        {() => <Pairs table={table()} />}
      </div>
    ),
  };
}

function Pairs({ table }: { table: Directory }): Child {
  const found = duplicatesOf(table);
  return () => {
    const items = found.pairs();
    if (items === undefined) {
      const failure = found.failure();
      return failure === null ? <Outlines count={3} /> : <Failure text={failure.message} retry={() => void found.refresh()} />;
    }
    if (items.length === 0) return <div class="empty"><Empty text="Aucune fiche ne ressemble à une autre." /></div>;
    return [
      <p class="results" role="status" aria-label="Résultats">
        {sentence(pairWords(found.total()), items.length < found.total() ? `dont voici les ${items.length} premières` : null)}
      </p>,
      <ul class="pairs" role="list" aria-label="Doublons">
        {items.map(({ pair, raison, score }) => (
          <li class="card pair">
            <p class="pair-reason"><span class="badge">{reason(raison, score)}</span></p>
            <div class="pair-rows">{pair.map((row) => <Side table={table} row={row} />)}</div>
            <button type="button" aria-label={`Fusionner ${nameOf(table, pair[0])} et ${nameOf(table, pair[1])}`} onclick={() => openMerge(table, pair)}>
              Fusionner…
            </button>
          </li>
        ))}
      </ul>,
    ];
  };
}

function Side({ table, row }: { table: Directory; row: AnyRow }): Child {
  return (
    <a class="pair-row" href={`/${table}/${row.id}`}>
      <Avatar initials={row.initiales} />
      <span class="row-main"><span class="row-title">{nameOf(table, row)}</span><span class="row-detail">{row.ville ?? ""}</span></span>
    </a>
  );
}

const known = (value: unknown): boolean => value !== null && value !== undefined && value !== "";

/** Which of the two stays, and which of their values it has then. What is blank there comes from the other by itself. */
function openMerge(table: Directory, pair: Pair): void {
  const kept = signal(pair[0].id);
  const keep = (): AnyRow => pair.find((row) => row.id === kept())!;
  const other = (): AnyRow => pair.find((row) => row.id !== kept())!;
  const differing = columns[table].filter((column) => known(pair[0][column]) && known(pair[1][column]) && pair[0][column] !== pair[1][column]);
  /** The record that gives its value, by column; the one that stays has its own unless another is chosen. */
  const chosen = new Map(differing.map((column) => [column, signal<number | null>(null)]));
  const numbers = ask(`sessions of ${table} ${pair.map(({ id }) => id).join(" ")}`, () => (client.call as (method: string, params: object) => Promise<{ items: { id: number; nombre_sessions: number }[] }>)
    .call(client, `${table}.list`, { where: { id: { in: pair.map(({ id }) => id) } }, select: "{ id nombre_sessions }" }), ["sessions"]);
  const sessions = (row: AnyRow): string => {
    const found = numbers.value()?.items.find(({ id }) => id === row.id);
    return found === undefined ? "" : count(found.nombre_sessions, "session");
  };
  const problem = signal<string | null>(null);
  const busy = signal(false);
  openDialog({
    heading: words[table].heading, wide: true,
    body: (close) => {
      const merge = async (): Promise<void> => {
        if (busy()) return;
        busy.set(true);
        problem.set(null);
        const [garde, absorbe] = [keep(), other()];
        const values = Object.fromEntries([...chosen].flatMap(([column, side]) => (side() === absorbe.id ? [[column, absorbe[column]]] : [])));
        try {
          await (client.call as (method: string, params: object) => Promise<unknown>)
            .call(client, `${table}.fusionner`, { garde: garde.id, absorbe: absorbe.id, values, idempotency_key: newKey() });
          close();
          void directory(table).refresh();
          await go(`/${table}/${garde.id}`);
          say(words[table].done);
        } catch (error) {
          problem.set(failureOf(error).message);
        } finally {
          busy.set(false);
        }
      };
      return (
        <form class="merge" novalidate onsubmit={(event) => { event.preventDefault(); void merge(); }}>
          <p class="quiet-text">
            {"Les sessions des deux fiches vont à celle qui reste. L’autre disparaît\u202f; ce qui manque à la première vient d’elle."}
          </p>
          {() => (problem() === null ? null : <div role="alert" class="form-alert">{problem()}</div>)}
          <fieldset class="merge-field">
            <legend>Fiche qui reste</legend>
            {pair.map((row) => (
              <label class="choice merge-side">
                <input type="radio" name="merge-kept" checked={() => kept() === row.id} onchange={() => kept.set(row.id)} />
                <span>{nameOf(table, row)}{" "}<span class="quiet-text small">{() => sessions(row)}</span></span>
              </label>
            ))}
          </fieldset>
          {differing.map((column) => (
            <fieldset class="merge-field">
              <legend>{() => columnName(column, table)}</legend>
              {pair.map((row) => (
                <label class="choice merge-side">
                  <input type="radio" name={`merge-${column}`} checked={() => (chosen.get(column)!() ?? kept()) === row.id}
                    onchange={() => chosen.get(column)!.set(row.id)} />
                  <span>{valueWords(column, row[column])}</span>
                </label>
              ))}
            </fieldset>
          ))}
          <div class="form-end">
            <button type="submit" class="primary" aria-busy={() => (busy() ? "true" : null)}><Icon name="check" />Fusionner</button>
            <button type="button" onclick={close}>Annuler</button>
          </div>
        </form>
      );
    },
  });
}
