// The screen of a record of a directory: who it is, how to reach them, and their sessions.

import { computed, effect, Fragment, h, untracked } from "view";
import type { Child } from "view";
import { ServiceError } from "learntrack";
import { askRemoval } from "../../../parts/form/remove";
import type { Reference } from "../../../parts/form/remove";
import { Icon } from "../../../parts/icons";
import type { IconName } from "../../../parts/icons";
import { Empty, RecordList } from "../../../parts/list";
import { go, lastAddress, path } from "../../../parts/place";
import { QueuedBadge } from "../../../parts/queued";
import { RecordHistory } from "../../../parts/record-history";
import { Facts, Section } from "../../../parts/section";
import type { Fact } from "../../../parts/section";
import type { Params, Screen } from "../../../parts/shell";
import { Unknown } from "../../../parts/unanswered";
import { client, may, record, savedId, sessionsOf } from "../../../store";
import type { Directory, Row, SessionFilter } from "../../../store";
import { today } from "../../../words/dates";
import { count, sentence } from "../../../words/sentences";
import { Avatar } from "./directory";
import { mapHref } from "./maps";
import { sessionRowSentence, SessionRowView, sessionsFailure } from "./session-row";

export { Facts, Section } from "../../../parts/section";

export interface RecordSpec<E extends Directory> {
  entity: E;
  /** "Formateurs": the list it lies under. */
  list: string;
  name: (row: Row<E>) => string;
  /** Under the name. */
  under?: (row: () => Row<E>) => Child;
  /** The column of sessions that refers to it, and the name of the list's filter. */
  reference: "formateur_id" | "client_id" | "ecole_id";
  sections: (row: () => Row<E>) => Child;
  sms?: boolean;
  /** "Formateur introuvable", "Ce formateur n’existe pas, ou a été supprimé." */
  missing: readonly [heading: string, text: string];
  /** "Supprimer ce formateur ?", "Formateur supprimé" */
  removal: readonly [heading: string, done: string];
}

type AnyRow = { id: number; version: number; initiales: string; email: string | null; telephone: string | null; telephone_uri: string | null };

export function recordScreen<E extends Directory>(spec: RecordSpec<E>, params: Params): Screen {
  const id = Number(params["id"]);
  const found = record(spec.entity, id);
  const savedAs = computed(() => savedId(id));
  const row = (): (Row<E> & AnyRow) | null | undefined => found.value() as (Row<E> & AnyRow) | null | undefined;
  const isKnown = computed(() => row() !== null && row() !== undefined);
  const known = (): Row<E> & AnyRow => row()!;
  effect(() => {
    if (row() === null && id > 0) void untracked(() => followMerge(spec.entity, id));
  });
  const shown = (view: () => Child): Child => () => (isKnown() ? untracked(view) : null);
  return {
    heading: () => headingOf(found, spec.missing[0], spec.name),
    class: "record person",
    up: { href: () => lastAddress(`/${spec.entity}`), label: spec.list },
    mark: shown(() => () => <Avatar large initials={known().initiales} />),
    under: shown(() => [
      spec.under?.(known),
      <QueuedBadge entity={spec.entity} id={() => known().id} leads />,
    ]),
    actions: shown(() => <Actions spec={spec} row={known} />),
    body: () => {
      if (isKnown()) {
        return untracked(() => (
          <div class="cards record-cards">
            {spec.sections(known)}
            {() => <Sessions reference={spec.reference} id={savedAs()} address={sessionsAddress(spec, savedAs())} />}
            {() => (savedAs() > 0 && may(`${spec.entity}.history`)
              ? <Section heading="Historique" wide><RecordHistory entity={spec.entity} id={savedAs()} /></Section>
              : null)}
          </div>
        ));
      }
      if (row() === null) {
        return (
          <div class="empty">
            <Empty text={spec.missing[1]}><a class="button" href={`/${spec.entity}`}>Voir la liste</a></Empty>
          </div>
        );
      }
      return <Unknown live={found} />;
    },
  };
}

/** The name of a record, or why there is none; undefined while it is not known. */
export function headingOf<T extends object>(
  found: { value(): T | null | undefined; failure(): object | null }, missing: string, name: (record: T) => string,
): string | undefined {
  const one = found.value();
  if (one) return name(one);
  return one === null ? missing : found.failure() === null ? undefined : "Fiche indisponible";
}

/** The address of a record that another one absorbed leads to that one. */
async function followMerge(entity: Directory, id: number): Promise<void> {
  try {
    await client.call(`${entity}.get`, { id });
  } catch (error) {
    const into = error instanceof ServiceError && error.is("not_found") ? error.data.fusionne_dans : undefined;
    if (into !== undefined && untracked(path) === `/${entity}/${id}`) void go(`/${entity}/${into}`, { replace: true });
  }
}

/** Beside sessions only prospects refer to a record of a directory, and only to clients. */
function referencesTo<E extends Directory>(spec: RecordSpec<E>, id: number): Reference[] {
  const counted = ({ items }: { items: readonly { readonly count?: number }[] }): number => items[0]?.count ?? 0;
  const select = "{ count }";
  return [
    {
      words: ["session", "sessions"], href: sessionsAddress(spec, id),
      count: async () => counted(await client.sessions.aggregate({ where: { [spec.reference]: id }, select })),
    },
    ...(spec.entity !== "clients" ? [] : [{
      words: ["prospect", "prospects"] as const, href: "/prospects",
      count: async () => counted(await client.prospects.aggregate({ where: { client_id: id }, select })),
    }]),
  ];
}

/** The list of all sessions of a record. */
function sessionsAddress<E extends Directory>(spec: RecordSpec<E>, id: number): string {
  return `/sessions?mois=tous&${spec.reference.replace("_id", "")}=${id}`;
}

function Actions<E extends Directory>({ spec, row }: { spec: RecordSpec<E>; row: () => Row<E> & AnyRow }): Child {
  const link = (href: () => string | null, icon: IconName, label: string): Child => () => {
    const target = href();
    return target === null ? null : <a class="button" href={target}><Icon name={icon} />{label}</a>;
  };
  const remove = (): void => {
    const one = row();
    askRemoval({
      entity: spec.entity, row: one, heading: spec.removal[0], text: `${spec.name(one)}.`,
      done: spec.removal[1], to: lastAddress(`/${spec.entity}`), references: referencesTo(spec, one.id),
    });
  };
  return (
    <>
      <div class="record-actions contact-actions">
        {link(() => row().telephone_uri, "phone", "Appeler")}
        {link(() => mailHref(row().email), "mail", "E-mail")}
        {spec.sms ? link(() => row().telephone_uri?.replace(/^tel:/, "sms:") ?? null, "message", "SMS") : null}
      </div>
      <div class="record-actions">
        {may("sessions.create")
          ? (
            <a class="button" href={() => `/sessions/nouveau?${spec.reference.replace("_id", "")}=${row().id}`}>
              <Icon name="plus" />Nouvelle session
            </a>
          )
          : null}
        {may(`${spec.entity}.update`)
          ? <a class="button" href={() => `/${spec.entity}/${row().id}/modifier`}><Icon name="edit" />Modifier</a>
          : null}
        {may(`${spec.entity}.delete`)
          ? <button type="button" class="danger-text" onclick={remove}><Icon name="trash" />Supprimer</button>
          : null}
      </div>
    </>
  );
}

export function mailHref(email: string | null): string | null {
  // An address may hold what separates the parts of a mailto link.
  return email === null ? null : `mailto:${encodeURIComponent(email).replace(/%40/g, "@")}`;
}

/** The telephone number and the address, as links that call and write. */
export function contactFacts(row: () => AnyRow): Fact[] {
  return [
    ["Téléphone", () => row().telephone, (text) => {
      const uri = row().telephone_uri;
      return uri === null ? text : <a class="record-link" href={uri}>{text}</a>;
    }],
    ["Adresse e-mail", () => row().email, (text) => <a class="record-link" href={mailHref(text)}>{text}</a>],
  ];
}

type Contact = AnyRow & { nom_contact: string | null; ville: string | null };

/** The town under a name. */
export const town = (row: () => { ville: string | null }): Child => <span>{() => row().ville ?? ""}</span>;

/** The person to reach at a client or a school. */
export function ContactSection({ row }: { row: () => Contact }): Child {
  return (
    <Section heading="Contact">
      <Facts none="Aucun contact" facts={[["Nom du contact", () => row().nom_contact], ...contactFacts(row)]} />
    </Section>
  );
}

export function AddressSection({ row }: { row: () => { adresse: string | null; rue: string | null; code_postal: string | null; ville: string | null } }): Child {
  return (
    <Section heading="Adresse">
      {() => {
        const { adresse, rue, code_postal: code, ville } = row();
        // A record that waits to be sent has no address in one line yet.
        const whole = adresse ?? sentence(rue, [code, ville].filter(Boolean).join(" "));
        if (whole === "") return <p class="quiet-text">Aucune adresse</p>;
        return [
          <p class="record-line address"><Icon name="place" /><span>{rue}{rue && (code || ville) ? <br /> : null}{[code, ville].filter(Boolean).join(" ")}</span></p>,
          <a class="button" href={mapHref(whole)} target="_blank" rel="noopener noreferrer"><Icon name="place" />Ouvrir dans Plans</a>,
        ];
      }}
    </Section>
  );
}

/** What comes, the soonest first, then what was taught, the latest first. */
function Sessions({ reference, id, address }: { reference: string; id: number; address: string }): Child {
  const found = sessionsOf({ [reference]: id } as SessionFilter);
  const day = today();
  const rows = computed(() => {
    const all = found.value();
    const coming = all?.filter((row) => row.date >= day).reverse() ?? [];
    return all && [...coming, ...all.slice(coming.length)];
  });
  return (
    <Section heading="Sessions" wide>
      <div class={`sessions record-sessions of-${reference}`}>
        <RecordList
          name="Sessions" rows={rows} href={(row) => `/sessions/${row.id}`} sentence={sessionRowSentence}
          row={(row) => <SessionRowView row={row} month />}
          group={(row) => {
            const year = row.date.slice(0, 4);
            return row.date < day ? year : year === day.slice(0, 4) ? "À venir" : `À venir en ${year}`;
          }}
          results={() => {
            const number = found.count();
            return number === null ? "" : number === 0 ? "" : count(number, "session");
          }}
          empty={() => <Empty text="Aucune session pour le moment." />}
          failure={() => sessionsFailure(found)} isComplete={() => found.isComplete()} retry={() => void found.refresh()}
          more={() => found}
        />
        {() => ((found.count() ?? 0) > 0 ? <a class="button all-sessions" href={address}>Voir dans la liste des sessions</a> : null)}
      </div>
    </Section>
  );
}
