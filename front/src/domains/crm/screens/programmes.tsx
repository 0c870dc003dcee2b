// The programmes of trainings: the list, and one with its texts, which administrators change.

import { computed, h, untracked } from "view";
import type { Child } from "view";
import { command } from "../../../parts/command";
import { amount, changeOver, FormView, keepDraft, lines, makeForm, text } from "../../../parts/form";
import { changedBy } from "../../../parts/form/record";
import { askRemoval } from "../../../parts/form/remove";
import { Icon } from "../../../parts/icons";
import { Empty, Outlines, RecordList } from "../../../parts/list";
import { Near } from "../../../parts/near";
import { say } from "../../../parts/notices";
import { back, filtersOf, go } from "../../../parts/place";
import { RecordHistory } from "../../../parts/record-history";
import { Search } from "../../../parts/search";
import type { Params, Screen } from "../../../parts/shell";
import { FailureOf } from "../../../parts/unanswered";
import { askAgain, client, may, newKey } from "../../../store";
import { count, fold, matches, sentence } from "../../../words/sentences";
import { programmes as all, texts } from "../parts/programmes";
import type { Programme } from "../parts/programmes";
import { Facts, Section } from "../parts/record";
import { letter } from "../words/directories";

const tables = ["programmes", "sessions"];

export default function programmes(): Screen {
  const found = all();
  const filters = filtersOf("/programmes");
  const search = (): string => filters.values()["q"] ?? "";
  const rows = computed(() => found.value()?.filter((row) => matches(search(), row.intitule, row.objectifs, row.contenu)));
  const fill = command(async (key) => {
    const { rattachees, reste } = await client.programmes.rattacher({ idempotency_key: key });
    say(`${count(rattachees, "session")} avec un programme de plus${reste ? ". Il en reste\u202f: recommencez." : "."}`);
  }, { tables });
  return {
    heading: () => "Programmes",
    actions: may("programmes.create")
      ? [
        <button type="button" aria-busy={() => (fill.busy() ? "true" : null)} onclick={() => void fill()}>Rattacher les sessions</button>,
        <a class="button primary new" href="/programmes/nouveau"><Icon name="plus" /><span>Nouveau programme</span></a>,
      ]
      : null,
    body: (
      <div>
        <div class="toolbar"><Search label="Rechercher un programme" value={search} set={(q) => filters.set({ q })} /></div>
        <RecordList
          name="Programmes" rows={rows} href={(row) => `/programmes/${row.id}`}
          sentence={(row) => sentence(row.intitule, count(row.nombre_sessions, "session"))} group={(row) => letter(row.intitule)}
          results={() => (rows() === undefined ? "" : count(rows()!.length, "programme"))}
          failure={() => found.failure()?.message ?? null} retry={() => void found.refresh()}
          empty={() => (
            <Empty text="Aucun programme.">
              <Near search={search} set={(q) => filters.set({ q })} rows={() => found.value()} text={(row) => fold(row.intitule)}
                record={(row) => ({ href: `/programmes/${row.id}`, label: row.intitule })} />
            </Empty>
          )}
          row={(row) => (
            <span class="row-main">
              <span class="row-title">{row.intitule}</span>
              <span class="row-detail">{count(row.nombre_sessions, "session")}</span>
            </span>
          )} />
      </div>
    ),
  };
}

/** Shows the programme of an address when it is known. */
function known(id: number, view: (row: () => Programme) => Child): Pick<Screen, "heading" | "body" | "up"> {
  const found = all();
  const row = computed(() => found.value()?.find((one) => one.id === id));
  const isKnown = computed(() => row() !== undefined);
  return {
    heading: () => row()?.intitule ?? (found.value() === undefined ? undefined : "Programme introuvable"),
    up: { href: () => "/programmes", label: "Programmes" },
    body: [
      <FailureOf of={found} />,
      () => {
        if (isKnown()) return untracked(() => view(() => row()!));
        if (found.value() !== undefined) return <Empty text="Ce programme n’existe pas, ou a été supprimé." />;
        return found.failure() === null ? <Outlines /> : null;
      },
    ],
  };
}

export function programme(params: Params): Screen {
  const id = Number(params["id"]);
  const found = all();
  const remove = (): void => {
    const row = untracked(() => found.value())?.find((one) => one.id === id);
    if (row) {
      askRemoval({
        entity: "programmes", row, heading: "Supprimer ce programme\u202f?", text: `${row.intitule}.`, done: "Programme supprimé", to: "/programmes",
      });
    }
  };
  return {
    class: "record",
    ...known(id, (row) => (
      <div class="cards record-cards">
        <Section heading="Programme" wide>
          <Facts none="Aucun texte" facts={[
            ...texts.map(([name, label]) => [label, () => row()[name] || null, (text: string) => <span class="lines">{text}</span>] as const),
            ["Durée conseillée", () => (row().duree_conseillee === null ? null : `${String(row().duree_conseillee).replace(".", ",")} h`)],
            ["Sessions", () => count(row().nombre_sessions, "session")],
          ]} />
        </Section>
        <Section heading="Historique" wide><RecordHistory entity="programmes" id={id} /></Section>
      </div>
    )),
    actions: may("programmes.update")
      ? (
        <div class="record-actions">
          <a class="button" href={`/programmes/${id}/modifier`}><Icon name="edit" />Modifier</a>
          <button type="button" class="danger-text" onclick={remove}><Icon name="trash" />Supprimer</button>
        </div>
      )
      : null,
  };
}

const fields = [
  text("intitule", "Intitulé", { required: "Donnez l’intitulé.", maxlength: 500, wide: true, hint: "Celui du module des sessions." }),
  ...texts.map(([name, label]) => lines(name, label)),
  amount("duree_conseillee", "Durée conseillée, en heures"),
];

export function programmeForm(params: Params): Screen {
  const id = params["id"] === undefined ? null : Number(params["id"]);
  const screen = { class: "directory-form", up: { href: () => "/programmes", label: "Programmes" } };
  if (id === null) return { ...screen, heading: () => "Nouveau programme", body: <ProgrammeForm base={null} /> };
  return { ...known(id, (row) => <ProgrammeForm base={row()} />), ...screen, heading: () => "Modifier le programme" };
}

function ProgrammeForm({ base }: { base: Programme | null }): Child {
  const key = newKey();
  let id = base?.id ?? 0;
  // A draft was typed over the version that it began from: what others changed since is a conflict.
  let on = base;
  const form = makeForm<string>({
    sections: [{ fields }],
    values: base === null ? {} : Object.fromEntries(fields.map(({ name }) => [name, base[name as keyof Programme]])),
    send: async (values, changed) => {
      if (base === null) {
        ({ id } = await client.programmes.create({ values: values as unknown as { intitule: string }, idempotency_key: key, select: "{ id }" }));
        return true;
      }
      return (await changeOver(on ?? base, changed, fields, () => changedBy("programmes", id), ({ version }, changes) =>
        client.programmes.update({ id, values: changes, if_version: version, select: "{ id }" }))) !== null;
    },
    done: async () => {
      askAgain(tables);
      await go(`/programmes/${id}`, { replace: true });
      say("Programme enregistré");
    },
    cancel: () => back(base === null ? "/programmes" : `/programmes/${id}`),
    draft: keepDraft(base === null
      ? { key: "programmes/nouveau" } : { key: `programmes/${base.id}`, base, restore: (kept) => { on = kept as Programme; } }),
  });
  return <FormView form={form} />;
}
