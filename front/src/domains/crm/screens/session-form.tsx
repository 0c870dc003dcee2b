// The form of a session: a new one, the change of one, or one like another.

import { computed, effect, h, untracked } from "view";
import type { Child } from "view";
import { firstKnown, FormView, recordForm } from "../../../parts/form";
import type { Form, Value } from "../../../parts/form";
import { Icon } from "../../../parts/icons";
import { Empty } from "../../../parts/list";
import { back, go, lastAddress, path, place } from "../../../parts/place";
import type { Params, Screen } from "../../../parts/shell";
import { Unknown } from "../../../parts/unanswered";
import { ask, client, directory, may, record, sessionsOf } from "../../../store";
import type { Row, SessionRow } from "../../../store";
import { length, minutesOf, times } from "../../../words/dates";
import { euros, percent } from "../../../words/money";
import { fold } from "../../../words/sentences";
import { programmes } from "../parts/programmes";
import { sessionSections } from "../parts/session-fields";
import type { SessionName } from "../parts/session-fields";
import { modulesOfSessions, openFree } from "./session/free";

type Kind = "new" | "edit" | "copy";

const headings: Record<Kind, string> = { new: "Nouvelle session", edit: "Modifier la session", copy: "Dupliquer la session" };

export default function sessionForm(params: Params): Screen {
  const kind: Kind = params["id"] === undefined ? "new" : untracked(path).endsWith("/dupliquer") ? "copy" : "edit";
  const id = Number(params["id"]);
  const here = kind === "new" ? lastAddress("/sessions") : `/sessions/${id}`;
  const screen = {
    heading: () => headings[kind],
    class: "session-form",
    up: { href: () => here, label: kind === "new" ? "Sessions" : "Session" },
  };
  if (kind === "new") return { ...screen, body: <SessionForm kind={kind} from={null} here={here} /> };
  const found = record("sessions", id);
  const first = firstKnown("sessions", found, draftKey(kind, id));
  return {
    ...screen,
    body: () => {
      const from = first();
      if (from) return untracked(() => <SessionForm kind={kind} from={from} here={here} />);
      if (from === null) return <Empty text="Cette session n’existe pas, ou a été supprimée." />;
      return <Unknown live={found} />;
    },
  };
}

const draftKey = (kind: Kind, id: number): string => `sessions/${id}/${kind}`;

interface SessionFormProps {
  kind: Kind;
  from: SessionRow | null;
  here: string;
}

const copied: readonly SessionName[] = [
  "module", "date", "debut", "fin", "modalite", "lieu", "formateur_id", "client_id", "ecole_id", "tarif_client", "tarif_sous_traitant",
  "frais_rembourser", "programme_id", "effectif",
];

/** What a new session begins with: what the address says, and the hours of a usual day. */
function beginning(): Partial<Record<SessionName, Value>> {
  const { query } = place();
  const id = (name: string): number | null => Number(query[name] ?? "") || null;
  const day = query["date"] ?? "";
  const hour = (name: string, usual: string): string => (/^\d{2}:\d{2}$/u.test(query[name] ?? "") ? query[name]! : usual);
  return {
    date: /^\d{4}-\d{2}-\d{2}$/u.test(day) ? day : null, debut: hour("debut", "09:00"), fin: hour("fin", "17:00"), modalite: "P",
    module: query["module"] ?? null,
    formateur_id: id("formateur"), client_id: id("client"), ecole_id: id("ecole"),
  };
}

function SessionForm({ kind, from, here }: SessionFormProps): Child {
  const modules = modulesOfSessions();
  const places = ask("places of sessions", () => client.sessions.aggregate({
    group_by: ["lieu"], order_by: ["-count"], first: 300, select: "{ count }",
  }), ["sessions"]);
  const all = programmes();
  const form: Form<SessionName> = recordForm<"sessions", SessionName>({
    entity: "sessions",
    sections: sessionSections({
      from,
      programmes: () => all.value()?.map(({ id, intitule }) => ({ id, label: intitule })),
      modules,
      // A free hour of a day that is partly taken is no conflict.
      conflict: () => (conflict()?.overlaps ? conflict()!.text : null),
      after: { formateur_id: () => <Free form={form} id={kind === "edit" ? from!.id : null} />, tarif_sous_traitant: () => <Fee form={form} />, programme_id: () => <Training form={form} /> },
      places: () => [...own(), ...(places.value()?.items ?? []).flatMap(({ lieu }) => (lieu === null || lieu === distant ? [] : [lieu]))],
    }),
    ...(kind === "edit" ? { base: from! } : {}),
    values: kind === "new"
      ? beginning()
      : Object.fromEntries(copied.map((name) => [name, from![name]])) as Partial<Record<SessionName, Value>>,
    draftKey: kind === "new" ? "sessions/nouveau" : draftKey(kind, from!.id),
    check: ({ debut, fin }) => (typeof debut === "string" && typeof fin === "string" && fin <= debut
      ? { fin: "La fin doit être après le début." }
      : {}),
    saved: "Session enregistrée",
    done: (row) => go(`/sessions/${row.id}`, { replace: true }),
    cancel: () => back(here),
  });
  const conflict = conflictOf(form, kind === "edit" ? from!.id : null);
  // Of a copy the day is what differs. A date that is known is written over.
  if (kind === "copy") queueMicrotask(() => document.getElementById(`${form.id}-date`)?.focus());
  // The addresses of the client and the school that are chosen come before all others.
  const own = (): string[] => (["client_id", "ecole_id"] as const).flatMap((name) => {
    const id = form.value(name);
    if (id === null) return [];
    const rows: readonly { id: number; adresse: string | null }[] | undefined =
      name === "client_id" ? directory("clients").value() : directory("ecoles").value();
    return rows?.find((row) => row.id === id)?.adresse ?? [];
  });
  // The service names a remote place itself; a place of its own is not one.
  effect(() => {
    const remote = form.value("modalite") === "D";
    untracked(() => {
      if (!remote && form.value("lieu") === distant) form.set("lieu", null);
    });
  });
  return (
    <FormView form={form}>
      <Summary form={form} conflict={conflict} />
    </FormView>
  );
}

const distant = "À distance";

interface Conflict { text: string; overlaps: boolean }

/** What else the trainer does that day. */
function conflictOf(form: Form<SessionName>, id: number | null): () => Conflict | null {
  const text = (name: SessionName): string => String(form.value(name) ?? "");
  const trainer = trainerOf(form);
  const day = computed(() => {
    const [date, chosen] = [text("date"), form.value("formateur_id")];
    return date === "" || typeof chosen !== "number" ? null : sessionsOf({ du: date, au: date, formateur_id: chosen });
  });
  return computed(() => {
    const name = trainer()?.nom_complet;
    const found = (day()?.value() ?? []).filter((row) => row.id !== id);
    if (name === undefined || found.length === 0) return null;
    return {
      text: `${name} a déjà une session ce jour-là\u202f: ${found.map((row) => `${row.module}, ${times(row.debut, row.fin)}`).join("\u202f; ")}`,
      overlaps: found.some((row) => row.debut.slice(0, 5) < text("fin") && text("debut") < row.fin.slice(0, 5)),
    };
  });
}

/** What the values say together: the length, the margin, and what else the trainer does that day. */
function Summary({ form, conflict }: { form: Form<SessionName>; conflict: () => Conflict | null }): Child {
  const minutes = computed(() => minutesIn(form));
  const margin = (): string | null => {
    const price = form.value("tarif_client");
    if (typeof price !== "number") return null;
    const left = price - Number(form.value("tarif_sous_traitant") ?? 0) - Number(form.value("frais_rembourser") ?? 0);
    return `Marge ${euros(left)}${price > 0 ? ` (${percent((left / price) * 100)})` : ""}`;
  };
  return (
    <div role="status" aria-label="Résumé" class="summary">
      <span>{() => [minutes() > 0 ? length(minutes()) : null, margin()].filter((one) => one !== null).join(" · ")}</span>
      {() => {
        const found = conflict();
        return found === null ? null : (
          <span class={found.overlaps ? "summary-note overlap" : "summary-note"}><Icon name="warning" /><span>{found.text}</span></span>
        );
      }}
    </div>
  );
}

const minutesIn = (form: Form<SessionName>): number => {
  const [debut, fin] = [form.value("debut"), form.value("fin")];
  return typeof debut === "string" && typeof fin === "string" ? minutesOf(fin) - minutesOf(debut) : 0;
};

/** The way to the trainers who are free then; there is none before the day and the hours are known. */
function Free({ form, id }: { form: Form<SessionName>; id: number | null }): Child {
  if (!may("formateurs_disponibles.list")) return null;
  const open = (): void => {
    const text = (name: SessionName): string => String(form.value(name) ?? "");
    openFree({
      date: text("date"), debut: text("debut"), fin: text("fin"), module: text("module"), lieu: text("lieu"), except: id,
      choose: (chosen) => form.set("formateur_id", chosen),
    });
  };
  const isReady = computed(() => form.value("date") !== null && minutesIn(form) > 0);
  return () => (isReady() ? <button type="button" class="link" onclick={open}>Formateurs disponibles…</button> : null);
}

/** The trainer's hourly rate over the length, as long as no other price is given. */
function Fee({ form }: { form: Form<SessionName> }): Child {
  const trainer = trainerOf(form);
  return () => {
    const rate = trainer()?.taux_horaire ?? null;
    if (rate === null || minutesIn(form) <= 0 || form.value("tarif_sous_traitant") !== null) return null;
    const fee = Math.round((rate * minutesIn(form)) / 60 * 100) / 100;
    return (
      <button type="button" class="link" onclick={() => form.set("tarif_sous_traitant", fee)}>
        {`Au taux de ${trainer()!.prenom}\u202f: ${euros(fee)}`}
      </button>
    );
  };
}

/** The programme of the module, which is chosen by a press, and how long the one that is chosen should take. */
function Training({ form }: { form: Form<SessionName> }): Child {
  const all = programmes();
  const chosen = (): number | null => form.value("programme_id") as number | null;
  const found = computed(() => {
    const module = fold(String(form.value("module") ?? ""));
    return all.value()?.find(({ id, intitule }) => (chosen() === null ? fold(intitule) === module : id === chosen())) ?? null;
  });
  return () => {
    const one = found();
    if (one === null) return null;
    const length = one.duree_conseillee === null ? null : <span class="hint">{`Durée conseillée\u202f: ${String(one.duree_conseillee).replace(".", ",")}\u00a0h`}</span>;
    return [
      chosen() === null ? <button type="button" class="link" onclick={() => form.set("programme_id", one.id)}>{`Choisir «\u00a0${one.intitule}\u00a0»`}</button> : null,
      length,
    ];
  };
}

function trainerOf(form: Form<SessionName>): () => Row<"formateurs"> | null {
  return computed(() => {
    const chosen = form.value("formateur_id");
    return chosen === null ? null : directory("formateurs").value()?.find((row) => row.id === chosen) ?? null;
  });
}
