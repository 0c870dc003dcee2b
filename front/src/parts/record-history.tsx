// What happened to a record, in words.

import { h } from "view";
import type { Child } from "view";
import { ask, client } from "../store";
import { domains } from "../store/declared";
import { ago } from "../words/instants";
import { changesOf, changeWords, entryWords, fileWords } from "../words/history";
import type { Entry } from "../words/history";
import { ColumnValue, recordNames } from "./record-names";
import { Unknown } from "./unanswered";

export function RecordHistory({ entity, id }: { entity: string; id: number }): Child {
  const names = recordNames().of;
  const history = ask(`history ${entity} ${id}`, () => client.call(`${entity}.history` as "sessions.history", { id, first: 20 }), [entity]);
  // The words of columns are declared.
  const declared = domains();
  const isLearnt = (): boolean => declared.value() !== undefined || declared.failure() !== null;
  return () => {
    const entries = isLearnt() ? history.value()?.items as readonly Entry[] | undefined : undefined;
    if (entries === undefined) return <Unknown live={history} count={2} />;
    // Some tables are not in the journal.
    if (entries.length === 0) return <p class="quiet-text">Rien pour le moment.</p>;
    return (
      <ol class="history" role="list">
        {entries.map((entry) => {
          const changes = changesOf({ ...entry, table_name: entity });
          return (
            <li>
              <span class="history-what">{entryWords({ ...entry, table_name: entity })}</span>
              {" "}
              <span class="quiet-text small">{ago(entry.at)}</span>
              {changes.length === 0 ? null : (
                <ul class="history-changes" role="list">
                  {changes.map((change) => {
                    if (fileWords(change) !== undefined) return <li>{changeWords(change)}</li>;
                    const value = (one: unknown): Child => <ColumnValue names={names} table={entity} column={change.column} value={one} />;
                    return <li>{`${change.label}\u202f: `}{value(change.before)}{" → "}{value(change.after)}</li>;
                  })}
                </ul>
              )}
            </li>
          );
        })}
      </ol>
    );
  };
}
