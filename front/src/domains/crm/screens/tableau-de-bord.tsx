// The figures of a month, beside those of the months before it.

import { computed, h, untracked } from "view";
import type { Child } from "view";
import { Icon } from "../../../parts/icons";
import { Failure, Outlines } from "../../../parts/list";
import { dropFalse, place, setQuery } from "../../../parts/place";
import type { Screen } from "../../../parts/shell";
import { ask, client, may } from "../../../store";
import type { Live } from "../../../store";
import { addMonths, daysOfMonth, isMonth, monthName, today } from "../../../words/dates";
import { decimal, euros, percent } from "../../../words/money";
import { count, whole } from "../../../words/sentences";
import { dueToday } from "../parts/prospects";
import { Trainers } from "./tableau-de-bord/trainers";
import { Year } from "./tableau-de-bord/year";
import type { MonthFigures } from "./tableau-de-bord/year";

const months = 12;

export default function dashboard(): Screen {
  dropFalse({ mois: isMonth });
  const now = (): string => today().slice(0, 7);
  const month = computed(() => {
    const given = place().query["mois"] ?? "";
    return isMonth(given) ? given : now();
  });
  const choose = (next: string): void => setQuery({ mois: next === now() ? null : next }, true);
  return {
    heading: () => "Tableau de bord",
    class: "dashboard",
    body: (
      <div class="dashboard-body">
        <div class="months" role="group" aria-label="Mois">
          <button type="button" class="icon" aria-label="Mois précédent" onclick={() => choose(addMonths(month(), -1))}><Icon name="left" /></button>
          <span class="months-name" aria-live="polite">{() => monthName(month())}</span>
          <button type="button" class="icon" aria-label="Mois suivant" onclick={() => choose(addMonths(month(), 1))}><Icon name="right" /></button>
          <button type="button" class="toggle" aria-pressed={() => String(month() === now())} onclick={() => choose(now())}>Ce mois-ci</button>
        </div>
        {() => {
          const shown = month();
          return untracked(() => <Figures month={shown} />);
        }}
      </div>
    ),
  };
}

const days = (month: string): { du: string; au: string } => ({ du: `${month}-01`, au: `${month}-${daysOfMonth(month)}` });

function Figures({ month }: { month: string }): Child {
  const { du, au } = days(month);
  const first = addMonths(month, 1 - months);
  const indicators = ask(`indicateurs ${month}`, () => client.indicateurs.list({ du, au }), ["sessions"]);
  const year = ask(`mois ${month}`, () => client.sessions.aggregate({
    where: { date: { gte: `${first}-01`, lte: au } }, group_by: ["month(date)"], order_by: ["month(date)"], first: months,
    select: "{ count sum { tarif_client marge } }",
  }), ["sessions"]);
  const trainers = ask(`formateurs ${month}`, () => client.sessions.aggregate({
    where: { date: { gte: du, lte: au }, formateur_id: { ne: null } }, group_by: ["formateur_id", "formateur.nom_complet"],
    order_by: ["-sum.tarif_client", "-count", "formateur.nom_complet"], first: 10,
    select: "{ count sum { tarif_client marge duree_minutes } }",
  }), ["sessions", "formateurs"]);
  const figures = computed(() => year.value()?.items.map((item): MonthFigures => ({
    month: String(item["month(date)"]).slice(0, 7), count: item.count, ca: item.sum.tarif_client ?? 0, margin: item.sum.marge ?? 0,
  })));
  const all: readonly Live<unknown>[] = [indicators, year, trainers];
  // Without a network nothing comes: that is said once, not by each part.
  const failure = computed(() => (all.every((one) => one.value() === undefined && one.failure() !== null) ? all[0]!.failure() : null));
  const failed = computed(() => failure()?.message ?? null);
  return [
    () => {
      const text = failed();
      if (text !== null) return <Failure text={text} retry={() => all.forEach((one) => void one.refresh())} />;
      return untracked(() => [
        <Loaded of={indicators}>{() => <Indicators live={indicators} length={daysOfMonth(month)} />}</Loaded>,
        <Loaded of={year}>{() => <Year month={month} months={months} figures={() => figures() ?? []} />}</Loaded>,
        <Loaded of={trainers}>{() => <Trainers rows={() => trainers.value()?.items ?? []} month={month} />}</Loaded>,
      ]);
    },
    may("prospects.list") ? <Reminders /> : null,
    may("outbox.list") ? <Unsent /> : null,
  ];
}

/** A part of the screen once its figures are known; what failed can be asked for again. */
function Loaded<T>({ of, children }: { of: Live<T>; children?: Child }): Child {
  const state = computed(() => (of.value() !== undefined ? "known" : of.failure() === null ? "loading" : "failed"));
  const [view] = children as [() => Child];
  return () => {
    switch (state()) {
      case "known": return untracked(view);
      case "loading": return <Outlines count={2} />;
      default: return <Failure text={of.failure()?.message ?? ""} retry={() => void of.refresh()} />;
    }
  };
}

interface Indicateurs {
  nombre_sessions: number; heures: number; ca: number; cout: number; marge: number; taux_marge: number | null; sans_formateur: number;
  sans_client: number; a_distance: number; clients_actifs: number; formateurs_actifs: number; precedent_nombre_sessions: number;
  precedent_ca: number; precedent_marge: number; precedent_taux_marge: number | null;
}

function Indicators({ live, length }: { live: Live<{ items: readonly unknown[] }>; length: number }): Child {
  const row = (): Indicateurs => live.value()!.items[0] as Indicateurs;
  const days = `${length} jours précédents`;
  const change = (now: number, then: number): string => {
    if (then === 0) return now === 0 ? "" : `Rien les ${days}`;
    const part = Math.round(((now - then) / Math.abs(then)) * 100);
    return part === 0 ? `Comme les ${days}` : `${part > 0 ? "+" : ""}${percent(part)} par rapport aux ${days}`;
  };
  const points = (): string => {
    const { taux_marge: now, precedent_taux_marge: then } = row();
    if (now === null || then === null) return "";
    const difference = now - then;
    return `${difference >= 0.05 ? "+" : ""}${decimal(difference, 1)} point${Math.abs(difference) >= 2 ? "s" : ""} par rapport aux ${days}`;
  };
  // The costs of sessions without a price, which have no margin.
  const left = (): number => Math.round((row().cout - (row().ca - row().marge)) * 100) / 100;
  return [
    <div class="tiles">
      <Figure label="Chiffre d’affaires" value={() => euros(row().ca)} note={() => change(row().ca, row().precedent_ca)} />
      <Figure label="Sessions" value={() => whole(row().nombre_sessions)} note={() => change(row().nombre_sessions, row().precedent_nombre_sessions)} />
      <Figure label="Marge" value={() => euros(row().marge)} note={() => change(row().marge, row().precedent_marge)} />
      <Figure label="Taux de marge" value={() => (row().taux_marge === null ? "–" : percent(row().taux_marge!, 1))} note={points} />
    </div>,
    <p class="margin-note">
      Marge des sessions qui ont un tarif client
      {() => (left() > 0 ? `, sans les coûts des autres (${euros(left())}).` : ".")}
    </p>,
    <dl class="card details">
      <Detail label="Heures de formation" value={() => `${decimal(row().heures, Number.isInteger(row().heures) ? 0 : 1)}\u00a0h`} />
      <Detail label="À distance" value={() => whole(row().a_distance)} />
      <Detail label="Clients actifs" value={() => whole(row().clients_actifs)} />
      <Detail label="Formateurs actifs" value={() => whole(row().formateurs_actifs)} />
      <Detail label="Sans formateur" value={() => whole(row().sans_formateur)} warn={() => row().sans_formateur > 0} />
      <Detail label="Sans client" value={() => whole(row().sans_client)} />
    </dl>,
  ];
}

function Figure({ label, value, note }: { label: string; value: () => string; note: () => string }): Child {
  return (
    <div class="card tile" role="group" aria-label={label}>
      <span class="tile-label">{label}</span>
      <span class="tile-value">{value}</span>
      <span class="tile-note">{note}</span>
    </div>
  );
}

function Detail({ label, value, warn }: { label: string; value: () => string; warn?: () => boolean }): Child {
  return <div class={() => (warn?.() ? "warned" : null)}><dt>{label}</dt><dd>{value}</dd></div>;
}

/** Mails and announcements that have not left, for administrators. */
function Unsent(): Child {
  const found = ask("outbox unsent", () => client.outbox.list({
    where: { sent_at: null, or: [{ cause: { ne: null } }, { gave_up_at: { ne: null } }] }, first: 1, count: true, select: "{ id }",
  }), ["outbox"]);
  const number = computed(() => found.value()?.total ?? 0);
  return () => (number() === 0 ? null : (
    <a class="card reminders" href="/envois">
      <Icon name="share" />
      <span>{count(number(), "envoi n’est pas parti", "envois ne sont pas partis")}</span>
      <Icon name="right" />
    </a>
  ));
}

/** Prospects who are to be called today. */
function Reminders(): Child {
  const found = dueToday();
  const number = computed(() => found.value()?.length ?? 0);
  return () => (number() === 0 ? null : (
    <a class="card reminders" href="/prospects">
      <Icon name="phone" />
      <span>{count(number(), "relance de prospect à faire", "relances de prospects à faire")}</span>
      <Icon name="right" />
    </a>
  ));
}
