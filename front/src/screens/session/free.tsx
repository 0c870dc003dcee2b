// Trainers who are free for a session, those who suit best first.

import { computed, h } from "view";
import type { Child } from "view";
import { openDialog } from "../../parts/dialog";
import { Unknown } from "../../parts/list";
import { ask, client } from "../../store";
import { longDate, plainDate, times } from "../../words/dates";
import { count } from "../../words/sentences";

export interface FreeFor {
  date: string;
  debut: string;
  fin: string;
  module: string;
  lieu: string;
  /** The session itself, which is no obstacle. */
  except: number | null;
  choose: (id: number) => void;
}

export function openFree(session: FreeFor): void {
  const postcode = /\b\d{5}\b/u.exec(session.lieu)?.[0];
  openDialog({
    heading: "Formateurs disponibles",
    text: `${longDate(session.date)}, ${times(session.debut, session.fin)}`,
    body: (close) => {
      const { date, debut, fin, module, except } = session;
      const free = ask(`free ${JSON.stringify([date, debut, fin, module, postcode, except])}`, () => client.formateurs_disponibles.list({
        date, debut, fin, first: 50,
        ...(except === null || except < 0 ? {} : { sauf_session: except }),
        ...(postcode === undefined ? {} : { code_postal: postcode }), ...(module === "" ? {} : { module }),
        select: "{ formateur { id nom_complet specialite } sessions_du_jour sessions_de_la_semaine derniere_session meme_departement a_deja_enseigne }",
      }), ["sessions", "formateurs"]);
      const items = computed(() => free.value()?.items);
      return () => {
        const found = items();
        if (found === undefined) return <Unknown live={free} />;
        if (found.length === 0) return <p>Aucun formateur n’est libre à ces heures.</p>;
        return (
          <ul class="free" role="list" aria-label="Formateurs disponibles">
            {found.map((one) => (one.formateur === null ? null : (
              <li>
                <button
                  type="button" class="free-one"
                  onclick={() => {
                    session.choose(one.formateur!.id);
                    close();
                  }}
                >
                  <span class="free-name">{one.formateur.nom_complet}</span>
                  <span class="free-words">
                    {[
                      one.formateur.specialite,
                      one.sessions_du_jour > 0 ? `${count(one.sessions_du_jour, "session")} ce jour-là` : null,
                      `${count(one.sessions_de_la_semaine, "session")} cette semaine-là`,
                      one.derniere_session === null ? null : `dernière le ${plainDate(one.derniere_session)}`,
                    ].filter(Boolean).join(" · ")}
                  </span>
                  <Notes taught={one.a_deja_enseigne} near={one.meme_departement} />
                </button>
              </li>
            )))}
          </ul>
        );
      };
    },
  });
}

function Notes({ taught, near }: { taught: boolean; near: boolean }): Child {
  return (
    <span class="free-notes">
      {taught ? <span class="badge internal">A déjà enseigné ce module</span> : null}
      {near ? <span class="badge present">Même département</span> : null}
    </span>
  );
}
