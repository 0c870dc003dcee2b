// A prospect: where it stands, its reminders, and becoming a client.

import { computed, each, Fragment, h, signal, untracked } from "view";
import type { Child } from "view";
import { command } from "../../../parts/command";
import { openDialog } from "../../../parts/dialog";
import { date, FormView, makeForm, notListed, optionsOf, Picker, radios, text } from "../../../parts/form";
import { askRemoval } from "../../../parts/form/remove";
import { Icon } from "../../../parts/icons";
import { Empty, Failure, Outlines } from "../../../parts/list";
import { say } from "../../../parts/notices";
import { go, lastAddress } from "../../../parts/place";
import { RecordHistory } from "../../../parts/record-history";
import type { Params, Screen } from "../../../parts/shell";
import { client, directory, failureOf, may, newKey } from "../../../store";
import { addDays, longDate, shortDate, today } from "../../../words/dates";
import { euros, percent } from "../../../words/money";
import { fold, initials } from "../../../words/sentences";
import { channelName, channels, prospect, prospects, reminders, stageName } from "../parts/prospects";
import type { Channel, Prospect, Stage } from "../parts/prospects";
import { contactFacts, Facts, headingOf, mailHref, Section } from "../parts/record";
import { advancing, askReason } from "./prospect/stage";

export default function prospectScreen(params: Params): Screen {
  const id = Number(params["id"]);
  const found = prospect(id);
  const list = prospects();
  const isKnown = computed(() => found.value() !== null && found.value() !== undefined);
  const row = (): Prospect => found.value()!;
  const shown = (view: () => Child): Child => () => (isKnown() ? untracked(view) : null);
  const refresh = (): void => void Promise.all([found.refresh(), list.refresh()]);
  return {
    heading: () => headingOf(found, "Prospect introuvable", (one) => one.raison_sociale),
    class: "record person",
    up: { href: () => lastAddress("/prospects"), label: "Prospects" },
    mark: shown(() => <span class="avatar large" aria-hidden="true">{() => initials(row().raison_sociale)}</span>),
    under: shown(() => [<span class={() => `badge ${stageClass(row().etape)}`}>{() => stageName(row().etape)}</span>, <span>{() => row().ville ?? ""}</span>]),
    actions: shown(() => <Actions row={row} />),
    body: () => {
      if (isKnown()) return untracked(() => <Sections row={row} refresh={refresh} />);
      if (found.value() === null) {
        return <div class="empty"><Empty text="Ce prospect n’existe pas, ou a été supprimé."><a class="button" href="/prospects">Voir la liste</a></Empty></div>;
      }
      const failure = found.failure();
      return failure === null ? <Outlines count={4} /> : <Failure text={failure.message} retry={() => void found.refresh()} />;
    },
  };
}

function stageClass(stage: Stage): string {
  if (stage === "gagne") return "internal";
  return stage === "perdu" ? "warn" : stage === "proposition" ? "external" : "";
}

function Actions({ row }: { row: () => Prospect }): Child {
  const remove = (): void => askRemoval({
    entity: "prospects", row: row(), heading: "Supprimer ce prospect\u202f?", text: `${row().raison_sociale}.`, done: "Prospect supprimé",
    to: lastAddress("/prospects"),
  });
  return (
    <>
      <div class="record-actions contact-actions">
        {() => (row().telephone_uri === null ? null : <a class="button" href={row().telephone_uri}><Icon name="phone" />Appeler</a>)}
        {() => (row().email === null ? null : <a class="button" href={mailHref(row().email)}><Icon name="mail" />E-mail</a>)}
      </div>
      <div class="record-actions">
        {may("prospects.update") ? <a class="button" href={() => `/prospects/${row().id}/modifier`}><Icon name="edit" />Modifier</a> : null}
        {may("prospects.delete")
          ? <button type="button" class="danger-text" onclick={remove}><Icon name="trash" />Supprimer</button>
          : null}
      </div>
    </>
  );
}

function Sections({ row, refresh }: { row: () => Prospect; refresh: () => void }): Child {
  return (
    <div class="cards record-cards">
      <Section heading="Étape" wide><Stages row={row} refresh={refresh} /></Section>
      <Section heading="Contact">
        <Facts none="Aucun contact" facts={[
          ["Nom du contact", () => row().nom_contact], ...contactFacts(() => ({ ...row(), initiales: "" })),
        ]} />
      </Section>
      <Section heading="Affaire">
        <Facts none="Rien n’est renseigné" facts={[
          ["Montant estimé", () => (row().montant_estime === null ? null : euros(row().montant_estime!))],
          ["Probabilité", () => (row().probabilite === null ? null : percent(row().probabilite!))],
          // Without one the line stays, and what is below it in its place.
          ["Prochaine relance", () => (row().prochaine_relance === null ? "Aucune" : longDate(row().prochaine_relance!))],
          ["Source", () => row().source],
          ["Motif", () => row().motif],
        ]} />
      </Section>
      <Section heading="Relances" wide><Reminders id={row().id} changed={refresh} /></Section>
      {may("prospects.history") ? <Section heading="Historique" wide><RecordHistory entity="prospects" id={row().id} /></Section> : null}
    </div>
  );
}

function Stages({ row, refresh }: { row: () => Prospect; refresh: () => void }): Child {
  const move = advancing(row, refresh);
  const { busy } = move;
  const conversion = (look: string | null): Child => (row().client_id === null && may("prospects.convertir")
    ? <button type="button" class={look} onclick={() => askConversion(row(), refresh)}><Icon name="clients" />Convertir en client…</button>
    : null);
  return [
    () => {
      const known = row().client;
      return known === null ? null : <p class="stage-client">Devenu client{"\u202f: "}<a class="record-link" href={`/clients/${known.id}`}>{known.raison_sociale}</a></p>;
    },
    () => (may("prospects.avancer")
      ? (
        <div class="actions" aria-busy={() => (busy() ? "true" : null)}>
          {row().etape === "gagne" ? conversion("primary") : null}
          {row().etapes_suivantes.map((stage, index) => (stage === "perdu"
            ? <button type="button" class="danger-text" onclick={() => askReason((motif) => move("perdu", motif))}>Marquer comme perdu…</button>
            : (
              // The first is the way forward.
              <button type="button" class={index === 0 && row().etape !== "gagne" ? "primary" : null} onclick={() => void move(stage)}>
                {`Passer à «\u00a0${stageName(stage)}\u00a0»`}
              </button>
            )))}
          {row().etape === "gagne" || row().etape === "perdu" ? null : conversion(null)}
        </div>
      )
      : null),
  ];
}

/** Clients that this prospect may already be: the same name, address or number. */
function lookalikes(row: Prospect): { id: number; raison_sociale: string }[] {
  const name = (text: string): string => fold(text).replace(/[^a-z0-9]+/gu, " ").trim();
  const digits = (text: string | null): string => (text ?? "").replace(/\D+/gu, "").slice(-9);
  return (directory("clients").value() ?? []).filter((one) => name(one.raison_sociale) === name(row.raison_sociale)
    || (row.email !== null && one.email?.toLowerCase() === row.email.toLowerCase())
    || (digits(row.telephone).length === 9 && digits(one.telephone) === digits(row.telephone))).slice(0, 5);
}

/** A new client with the prospect's values, or one that exists. */
function askConversion(row: Prospect, refresh: () => void): void {
  const existing = signal<number | null>(null);
  const problem = signal<string | null>(null);
  const busy = signal(false);
  let left: string | null = null;
  openDialog({
    heading: "Convertir en client",
    body: (close) => {
      const convert = async (): Promise<void> => {
        if (busy()) return;
        if (left !== null) return problem.set(notListed(left));
        busy.set(true);
        problem.set(null);
        try {
          const id = existing();
          const made = await client.prospects.convertir({ id: row.id, ...(id === null ? {} : { client_id: id }), select: "{ client_id }" });
          close();
          refresh();
          await go(`/clients/${made.client_id}`);
          say("Prospect converti en client");
        } catch (error) {
          problem.set(failureOf(error).message);
        } finally {
          busy.set(false);
        }
      };
      return (
        <form class="merge" novalidate onsubmit={(event) => { event.preventDefault(); void convert(); }}>
          <p class="quiet-text">{`Une fiche de client est créée avec ce que l’on sait de ${row.raison_sociale}. Si ce client existe déjà, choisissez-le.`}</p>
          {() => (problem() === null ? null : <div role="alert" class="form-alert">{problem()}</div>)}
          {() => {
            const known = existing() === null ? lookalikes(row) : [];
            return known.length === 0
              ? null
              : (
                <div class="form-hint" role="status">
                  <p>Ce client existe peut-être déjà{"\u202f: "}choisissez-le pour ne pas le créer deux fois.</p>
                  <p class="actions">
                    {known.map((one) => <button type="button" onclick={() => existing.set(one.id)}>{one.raison_sociale}</button>)}
                  </p>
                </div>
              );
          }}
          <div class="field">
            <label class="label" for="convert-client">Client existant</label>
            <Picker id="convert-client" label="Client existant" labelled placeholder="Nouveau client" options={optionsOf("clients")}
              value={existing} choose={(id) => existing.set(id)} leave={(text) => { left = text; }} />
          </div>
          <div class="form-end">
            <button type="submit" class="primary" aria-busy={() => (busy() ? "true" : null)}>Convertir</button>
            <button type="button" onclick={close}>Annuler</button>
          </div>
        </form>
      );
    },
  });
}

/** The record names the day of the next one, so it changes with them. */
function Reminders({ id, changed }: { id: number; changed: () => void }): Child {
  const found = reminders(id);
  /** What was done when the page was opened stands at the end. What is ticked since stays where it is, or the next press would hit another. */
  const wasDone = new Map<number, boolean>();
  const rows = computed(() => {
    const place = ({ id: one, faite, date: on }: NonNullable<ReturnType<typeof found.value>>[number]): string => {
      if (!wasDone.has(one)) wasDone.set(one, faite);
      return `${Number(wasDone.get(one))}${on}`;
    };
    return [...(found.value() ?? [])].sort((one, other) => place(one).localeCompare(place(other)) || one.id - other.id);
  });
  // What was pressed last, while it is sent: an answer from before it does not take it back.
  const pressed = signal<{ id: number; faite: boolean } | null>(null);
  const finish = command(async (_, reminder: number, box: HTMLInputElement, faite: boolean) => {
    pressed.set({ id: reminder, faite });
    try {
      await client.relances.update({ id: reminder, values: { faite }, select: "{ id }" });
    } catch (error) {
      pressed.set(null);
      box.checked = !faite;
      throw error;
    }
    if (faite) say("Relance faite");
    changed();
    await found.refresh().finally(() => pressed.set(null));
  });
  return [
    () => {
      const failure = found.failure();
      if (found.value() === undefined) return failure === null ? <Outlines count={1} /> : <Failure text={failure.message} retry={() => void found.refresh()} />;
      return found.value()!.length === 0 ? <p class="quiet-text">Aucune relance prévue.</p> : null;
    },
    <ul class="reminder-rows" role="list" aria-label="Relances">
      {each(rows, (one) => one.id, (one) => (
        <li>
          <label class="reminder">
            <input type="checkbox" checked={() => (pressed()?.id === one().id ? pressed()!.faite : one().faite)} disabled={!may("relances.update")} onchange={({ currentTarget: box }) => {
              // One at a time: a press that is not sent does not show.
              if (finish.busy()) box.checked = !box.checked;
              else void finish(one().id, box, box.checked);
            }} />
            <span class={() => (one().faite ? "done" : null)}>
              <span class={() => (!one().faite && one().date <= today() ? "late" : null)}>{() => shortDate(one().date)}</span>
              {() => ` · ${channelName(one().canal as Channel)}`}
              <span class="row-detail">{() => one().note ?? ""}</span>
            </span>
          </label>
        </li>
      ))}
    </ul>,
    may("relances.create")
      ? <button type="button" onclick={() => askReminder(id, () => { changed(); void found.refresh(); })}><Icon name="plus" />Prévoir une relance…</button>
      : null,
  ];
}

function askReminder(id: number, done: () => void): void {
  openDialog({
    heading: "Prévoir une relance",
    body: (close) => {
      const key = newKey();
      const form = makeForm<"date" | "canal" | "note">({
        sections: [{
          fields: [
            date("date", "Date", { required: "Choisissez la date.", wide: true }),
            radios("canal", "Par", channels.map(([value, label]) => ({ value, label })), { required: "Choisissez comment.", wide: true }),
            text("note", "Note", { wide: true, hint: "Ce qu’il faut dire" }),
          ],
        }],
        values: { date: addDays(today(), 7), canal: "telephone" },
        send: async ({ date: on, canal, note }) => {
          await client.relances.create({
            values: { prospect_id: id, date: String(on), canal: canal as Channel, note: note as string | null }, idempotency_key: key, select: "{ id }",
          });
          return true;
        },
        done: () => {
          close();
          done();
          say("Relance prévue");
        },
        cancel: close,
      });
      return <FormView form={form} inDialog />;
    },
  });
}
