// Trainers who are free for a session, those who suit best first: who has taught the module, who is near, who has the fewest sessions.

import { computed, h } from "view";
import type { Child } from "view";
import { openDialog } from "../../../../parts/dialog";
import { date, makeForm, suggest, time } from "../../../../parts/form";
import { FieldView } from "../../../../parts/form/inputs";
import { Icon } from "../../../../parts/icons";
import { go } from "../../../../parts/place";
import { Unknown } from "../../../../parts/unanswered";
import { ask, client, may } from "../../../../store";
import { longDate, plainDate, times, today } from "../../../../words/dates";
import { count } from "../../../../words/sentences";

interface FreeFor {
  date: string;
  debut: string;
  fin: string;
  module: string;
  lieu: string;
  /** The session itself, which is no obstacle. */
  except: number | null;
}

/** Chooses a trainer for a session. */
export function openFree(session: FreeFor & { choose: (id: number) => void }): void {
  openDialog({
    heading: "Formateurs disponibles",
    text: `${longDate(session.date)}, ${times(session.debut, session.fin)}`,
    body: (close) => <FreeList session={session} choose={(id) => { session.choose(id); close(); }} />,
  });
}

/** The way there from lists, where no session is planned yet; it leads to a new one, or to the record of the trainer. */
export function FreeButton({ day = today }: { day?: () => string }): Child {
  return may("formateurs_disponibles.list")
    ? <button type="button" onclick={() => openFreeOn(day())}><Icon name="clock" /><span class="label-word">Formateurs disponibles…</span></button>
    : null;
}

/** The modules that sessions have, the most frequent first. */
export function modulesOfSessions(): () => readonly string[] {
  const found = ask("modules of sessions", () => client.sessions.aggregate({
    group_by: ["module"], order_by: ["-count"], first: 300, select: "{ count }",
  }), ["sessions"]);
  return () => (found.value()?.items ?? []).map(({ module }) => module);
}

function openFreeOn(day: string): void {
  openDialog({
    heading: "Formateurs disponibles",
    wide: true,
    body: () => {
      const modules = modulesOfSessions();
      const form = makeForm<"module" | "date" | "debut" | "fin">({
        sections: [{
          fields: [
            date("date", "Date", { third: true }), time("debut", "Début", { third: true }), time("fin", "Fin", { third: true }),
            suggest("module", "Module", modules, { wide: true }),
          ],
        }],
        values: { date: day, debut: "09:00", fin: "17:00" },
        send: async () => false,
        done: () => undefined,
      });
      const key = computed(() => JSON.stringify(form.fields().map(({ name }) => form.value(name) ?? "")));
      return [
        <div class="fields free-fields">{form.fields().map((field) => <FieldView form={form} field={field} />)}</div>,
        () => {
          const [day = "", debut = "", fin = "", module = ""] = JSON.parse(key()) as string[];
          if (day === "" || debut >= fin) return <p class="quiet-text">Donnez la date et les heures.</p>;
          return (
            <FreeList session={{ date: day, debut, fin, module, lieu: "", except: null }}
              choose={(id) => void go(may("sessions.create")
                ? `/sessions/nouveau?${new URLSearchParams({ date: day, debut, fin, module, formateur: String(id) })}` : `/formateurs/${id}`)} />
          );
        },
      ];
    },
  });
}

function FreeList({ session, choose }: { session: FreeFor; choose: (id: number) => void }): Child {
  const { date, debut, fin, module, except, lieu } = session;
  const postcode = /\b\d{5}\b/u.exec(lieu)?.[0];
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
            <button type="button" class="free-one" onclick={() => choose(one.formateur!.id)}>
              <span class="free-name">{one.formateur.nom_complet}</span>
              <span class="free-words">
                {[
                  one.formateur.specialite,
                  one.sessions_du_jour > 0 ? `${count(one.sessions_du_jour, "session")} ce jour-là` : null,
                  one.sessions_de_la_semaine > 0 ? `${count(one.sessions_de_la_semaine, "session")} cette semaine-là` : null,
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
}

function Notes({ taught, near }: { taught: boolean; near: boolean }): Child {
  return (
    <span class="free-notes">
      {taught ? <span class="badge internal">A déjà enseigné ce module</span> : null}
      {near ? <span class="badge present">Même département</span> : null}
    </span>
  );
}
