// A session: when, where, with whom, for how much, and what happened to it.

import { computed, h, untracked } from "view";
import type { Child } from "view";
import { command } from "../../../parts/command";
import { DayBlock } from "../../../parts/day";
import { Icon } from "../../../parts/icons";
import { Empty } from "../../../parts/list";
import { sayWritten, warn } from "../../../parts/notices";
import { lastAddress } from "../../../parts/place";
import { QueuedBadge } from "../../../parts/queued";
import { RecordHistory } from "../../../parts/record-history";
import { Section } from "../../../parts/section";
import type { Params, Screen } from "../../../parts/shell";
import { Unknown } from "../../../parts/unanswered";
import { ask, client, directory, may, record } from "../../../store";
import { update } from "../../../store/pressing";
import type { SessionRow } from "../../../store";
import { length, longDate, times, today } from "../../../words/dates";
import { euros, percent } from "../../../words/money";
import { mapHref, webAddress } from "../parts/maps";
import { headingOf } from "../parts/record";
import { askSessionRemoval, Modality } from "../parts/session-row";
import { Announcement } from "./session/announcement";
import { Documents, hasDocuments } from "./session/documents";
import { openFree } from "./session/free";
import { openMove, openRepeat } from "./session/planning";
import { openShare } from "./session/share";

export default function session(params: Params): Screen {
  const id = Number(params["id"]);
  const found = record("sessions", id);
  const row = (): SessionRow | null | undefined => found.value();
  const isKnown = computed(() => row() !== null && row() !== undefined);
  const shown = (view: (row: () => SessionRow) => Child): Child => () => (isKnown() ? untracked(() => view(() => row()!)) : null);
  return {
    heading: () => headingOf(found, "Session introuvable", (one) => one.module),
    class: "record session",
    up: { href: () => lastAddress("/sessions"), label: "Sessions" },
    mark: shown((one) => () => <DayBlock date={one().date} month large />),
    under: shown((one) => <Badges row={one} />),
    actions: shown((one) => <Actions row={one} />),
    body: () => {
      if (isKnown()) return untracked(() => <Sections row={() => row()!} />);
      if (row() === null) {
        return <Empty text="Cette session n’existe pas, ou a été supprimée."><a class="button" href="/sessions">Voir les sessions</a></Empty>;
      }
      return <Unknown live={found} />;
    },
  };
}

/** What time it is for a session, on the clock of Paris. */
function status(row: SessionRow): string {
  const now = new Date().toLocaleTimeString("fr-FR", { timeZone: "Europe/Paris", hour12: false });
  const day = today();
  if (row.date > day || (row.date === day && row.debut > now)) return "À venir";
  return row.date === day && now < row.fin ? "En cours" : "Terminée";
}

function Badges({ row }: { row: () => SessionRow }): Child {
  return [
    () => <Modality value={row().modalite} />,
    <span class="badge">{() => status(row())}</span>,
    <QueuedBadge entity="sessions" id={() => row().id} leads />,
  ];
}

// A part of the screen is made again only when what it shows changes: an answer of the service must not move a button under a finger.

function Actions({ row }: { row: () => SessionRow }): Child {
  const isSaved = computed(() => row().id > 0);
  return (
    <div class="record-actions">
      {may("sessions.update")
        ? <a class="button primary" href={() => `/sessions/${row().id}/modifier`}><Icon name="edit" />Modifier</a>
        : null}
      {() => (may("sessions.share") && isSaved()
        ? <button type="button" onclick={() => openShare(row().id)}><Icon name="share" />Partager</button>
        : null)}
      {may("sessions.create")
        ? <a class="button" href={() => `/sessions/${row().id}/dupliquer`}><Icon name="copy" />Dupliquer</a>
        : null}
      <button type="button" onclick={() => window.print()}><Icon name="print" />Imprimer</button>
      {may("sessions.delete")
        ? <button type="button" class="danger-text" onclick={() => askSessionRemoval(row())}><Icon name="trash" />Supprimer</button>
        : null}
    </div>
  );
}

function Sections({ row }: { row: () => SessionRow }): Child {
  // What only the service can do waits until the session is there.
  const isSaved = computed(() => row().id > 0);
  const saved = (view: () => Child): Child => () => (isSaved() ? untracked(view) : null);
  return (
    <div class="cards record-cards">
      <Section heading="Date et horaires">
        <p class="record-line"><Icon name="calendar" /><span>{() => longDate(row().date)}</span></p>
        <p class="record-line">
          <Icon name="clock" />
          <span>{() => times(row().debut, row().fin)} {() => {
            const minutes = row().duree_minutes;
            return minutes === null ? null : <span class="quiet-text">({length(minutes)})</span>;
          }}</span>
        </p>
        <Conflicts row={row} />
        {saved(() => (
          <div class="card-actions">
            {may("sessions.decaler") ? <button type="button" class="plain" onclick={() => openMove(row())}>Décaler…</button> : null}
            {may("sessions.repeter") ? <button type="button" class="plain" onclick={() => openRepeat(row())}>Répéter…</button> : null}
          </div>
        ))}
      </Section>
      <Section heading="Lieu"><Place row={row} /></Section>
      <Section heading="Intervenants">
        <People row={row} />
        <Search row={row} />
      </Section>
      <Section heading="Tarifs">
        <Prices row={row} />
        <Reference row={row} />
      </Section>
      {hasDocuments() ? saved(() => <Section heading="Documents" wide><Documents row={row} /></Section>) : null}
      {may("sessions.history")
        ? saved(() => <Section heading="Historique" wide><RecordHistory entity="sessions" id={row().id} /></Section>)
        : null}
    </div>
  );
}

function Place({ row }: { row: () => SessionRow }): Child {
  const lieu = computed(() => row().lieu);
  const isRemote = computed(() => row().modalite === "D");
  return () => {
    const place = lieu();
    if (place === null) return <p class="quiet-text">Lieu à préciser</p>;
    const address = webAddress(place);
    if (address !== null) {
      return [
        <p class="record-line"><Icon name="remote" /><span>{place}</span></p>,
        <a class="button" href={address} target="_blank" rel="noopener noreferrer">Rejoindre</a>,
      ];
    }
    if (isRemote()) return <p class="record-line"><Icon name="remote" /><span>{place}</span></p>;
    return [
      <p class="record-line"><Icon name="place" /><span>{place}</span></p>,
      <a class="button" href={mapHref(place)} target="_blank" rel="noopener noreferrer"><Icon name="place" />Ouvrir dans Plans</a>,
    ];
  };
}

function People({ row }: { row: () => SessionRow }): Child {
  const trainer = computed(() => directory("formateurs").value()?.find(({ id }) => id === row().formateur_id));
  const customer = computed(() => directory("clients").value()?.find(({ id }) => id === row().client_id));
  const person = (
    label: string, path: string, found: () => { id: number; name: string } | null, none: string, call?: () => string | null | undefined,
  ): Child => {
    const [id, name, uri] = [computed(() => found()?.id), computed(() => found()?.name), computed(() => call?.() || undefined)];
    return (
      <div class="session-person">
        <dt>{label}</dt>
        <dd>
          {() => (id() === undefined
            ? <span class="quiet-text">{none}</span>
            : <a class="record-link" href={`/${path}/${id()}`}>{() => name()}</a>)}
        </dd>
        {() => (uri() === undefined
          ? null
          : <dd class="session-person-call"><a class="button icon" href={uri()} aria-label={`Appeler le ${label.toLowerCase()}`}><Icon name="phone" /></a></dd>)}
      </div>
    );
  };
  return (
    <dl class="facts">
      {person("Formateur", "formateurs", () => {
        const one = row().formateur;
        return one === null ? null : { id: one.id, name: one.nom_complet };
      }, "Sans formateur", () => trainer()?.telephone_uri)}
      {person("Client", "clients", () => {
        const one = row().client;
        return one === null ? null : { id: one.id, name: one.raison_sociale };
      }, "Sans client", () => customer()?.telephone_uri)}
      {person("École", "ecoles", () => {
        const one = row().ecole;
        return one === null ? null : { id: one.id, name: one.nom };
      }, "Sans école")}
      {person("Programme", "programmes", () => {
        const one = row().programme;
        return one ? { id: one.id, name: one.intitule } : null;
      }, "Sans programme")}
      {() => (row().effectif ? <div><dt>Effectif</dt><dd>{String(row().effectif)}</dd></div> : null)}
    </dl>
  );
}

function Prices({ row }: { row: () => SessionRow }): Child {
  const price = (label: string, value: () => number | null, look = "price"): Child => (
    <div class={look}><dt>{label}</dt><dd>{() => (value() === null ? <span class="quiet-text">–</span> : euros(value()!))}</dd></div>
  );
  // A printed session is handed to clients: what it costs the organisation is not on the paper.
  const inside = (label: string, value: () => number | null): Child => price(label, value, "price inside");
  const reference = computed(() => row().ref_contrat);
  const rate = (): string => {
    const { marge, tarif_client } = row();
    return marge === null || !tarif_client ? "" : ` (${percent((marge / tarif_client) * 100)})`;
  };
  return (
    <dl class="prices">
      {price("Tarif client", () => row().tarif_client)}
      {inside("Tarif sous-traitant", () => row().tarif_sous_traitant)}
      {inside("Frais à rembourser", () => row().frais_rembourser)}
      <div class="price total inside">
        <dt>Marge</dt>
        <dd>{() => (row().marge === null ? <span class="quiet-text">–</span> : [euros(row().marge!), <span class="quiet-text">{rate()}</span>])}</dd>
      </div>
      {() => (reference() === null ? null : <div class="price"><dt>Référence du contrat</dt><dd>{reference()}</dd></div>)}
    </dl>
  );
}

/** A number of the contract, without gaps in a year. */
function Reference({ row }: { row: () => SessionRow }): Child {
  if (!may("sessions.attribuer_reference")) return null;
  const give = command(
    (key) => client.sessions.attribuer_reference({ id: row().id, if_version: row().version, idempotency_key: key, select: "{ ref_contrat }" }),
    { done: "Référence attribuée", tables: ["sessions"] });
  const isMissing = computed(() => row().ref_contrat === null && row().id > 0);
  return () => (isMissing()
    ? (
      <div class="card-actions">
        <button type="button" class="plain" aria-busy={() => (give.busy() ? "true" : null)} onclick={() => void give()}>
          Attribuer une référence de contrat
        </button>
      </div>
    )
    : null);
}

/** The search for a trainer: those who are free, and the announcement on Discord. */
function Search({ row }: { row: () => SessionRow }): Child {
  const take = async (formateur_id: number): Promise<void> => {
    const outcome = await update("sessions", row(), { formateur_id });
    if (outcome.state === "refused") warn(outcome.error.message);
    else sayWritten("Formateur affecté", outcome);
  };
  const isOpen = computed(() => row().formateur_id === null && row().id > 0 && row().date >= today());
  return () => (isOpen()
    ? (
      <div class="card-actions">
        {may("formateurs_disponibles.list") && may("sessions.update")
          ? (
            <button
              type="button" class="plain"
              onclick={() => {
                const { id, date, debut, fin, module, lieu } = row();
                openFree({ date, debut, fin, module, lieu: lieu ?? "", except: id, choose: (chosen) => void take(chosen) });
              }}
            >
              Formateurs disponibles…
            </button>
          )
          : null}
        <Announcement row={row} />
      </div>
    )
    : null);
}

/** Other sessions of its trainer at the same time. */
function Conflicts({ row }: { row: () => SessionRow }): Child {
  if (!may("conflits.list")) return null;
  const key = computed(() => (row().formateur_id === null || row().id < 0 ? "" : `${row().id} ${row().date} ${row().version}`));
  const found = computed(() => {
    if (key() === "") return null;
    const { id, date } = untracked(row);
    return ask(`conflits ${key()}`, () => client.conflits.list({
      du: date, au: date, where: { or: [{ session_id: id }, { autre_id: id }] },
      select: "{ session { id module debut fin } autre { id module debut fin } }",
    }), ["sessions"]);
  });
  const items = computed(() => found()?.value()?.items);
  const trainer = computed(() => row().formateur?.nom_complet);
  return () => (items() ?? []).map(({ session, autre }) => {
    const other = session?.id === untracked(row).id ? autre : session;
    return other === null ? null : (
      <p class="conflict-note">
        <Icon name="warning" />
        <span>
          {() => trainer() ?? "Le formateur"} a aussi{" "}
          <a href={`/sessions/${other.id}`}>{other.module}</a>, {times(other.debut, other.fin)}
        </span>
      </p>
    );
  });
}
