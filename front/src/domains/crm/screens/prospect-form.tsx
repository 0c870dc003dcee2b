// The form of a prospect.

import { computed, h, untracked } from "view";
import type { Child } from "view";
import { amount, changeOver, date, email, FormView, keepDraft, lossOf, makeForm, telephone, text } from "../../../parts/form";
import type { Form, Section } from "../../../parts/form";
import { changedBy } from "../../../parts/form/record";
import { Empty, Failure, Outlines } from "../../../parts/list";
import { say } from "../../../parts/notices";
import { back, go } from "../../../parts/place";
import type { Params, Screen } from "../../../parts/shell";
import { client, newKey } from "../../../store";
import { count } from "../../../words/sentences";
import { prospect, prospects, reminders } from "../parts/prospects";
import type { Prospect } from "../parts/prospects";

type Name =
  | "raison_sociale" | "nom_contact" | "email" | "telephone" | "ville" | "source" | "montant_estime" | "probabilite" | "prochaine_relance";

const sections: readonly Section<Name>[] = [
  {
    fields: [
      text("raison_sociale", "Raison sociale", { required: "Donnez la raison sociale.", maxlength: 255, wide: true }),
      text("nom_contact", "Nom du contact", { maxlength: 150 }),
      text("ville", "Ville", { maxlength: 100 }),
      email("email", "Adresse e-mail"),
      telephone("telephone", "Téléphone"),
    ],
  },
  {
    heading: "Affaire",
    fields: [
      amount("montant_estime", "Montant estimé", { third: true }),
      text("probabilite", "Probabilité (en %)", { third: true, maxlength: 3 }),
      date("prochaine_relance", "Prochaine relance", { third: true }),
      text("source", "Source", { maxlength: 100, hint: "Salon, site, appel…", wide: true }),
    ],
  },
];

const fields = sections.flatMap((section) => section.fields);

export default function prospectForm(params: Params): Screen {
  const isNew = params["id"] === undefined;
  const id = Number(params["id"]);
  const here = isNew ? "/prospects" : `/prospects/${id}`;
  const screen = {
    heading: () => (isNew ? "Nouveau prospect" : "Modifier le prospect"),
    class: "directory-form",
    up: { href: () => here, label: isNew ? "Prospects" : "Fiche" },
  };
  if (isNew) return { ...screen, body: <ProspectForm base={null} here={here} /> };
  const found = prospect(id);
  // The form is not touched by what arrives later.
  let first: Prospect | null = null;
  const isKnown = computed(() => (first ??= found.value() ?? null) !== null);
  return {
    ...screen,
    body: () => {
      if (isKnown()) return untracked(() => <ProspectForm base={first!} here={here} />);
      if (found.value() === null) return <div class="empty"><Empty text="Ce prospect n’existe pas, ou a été supprimé." /></div>;
      const failure = found.failure();
      return failure === null ? <Outlines count={4} /> : <Failure text={failure.message} retry={() => void found.refresh()} />;
    },
  };
}

function ProspectForm({ base, here }: { base: Prospect | null; here: string }): Child {
  const key = newKey();
  let id = base?.id ?? 0;
  // A draft was typed over the version that it began from: what others changed since is a conflict.
  let on = base;
  const list = prospects();
  const typed = (values: Readonly<Record<string, unknown>>): Record<string, unknown> => ({
    ...values, ...(typeof values["probabilite"] === "string" ? { probabilite: Number(values["probabilite"]) } : {}),
  });
  const found = base === null ? null : prospect(base.id);
  const loss = lossOf(() => found?.value() === null, () => void form.submit());
  const planned = base === null ? null : reminders(base.id);
  /** The service makes the reminders of a prospect follow the day of the next one. */
  const consequence = (): string | null => {
    const day = form.value("prochaine_relance");
    const open = (planned?.value() ?? []).filter(({ faite, date }) => !faite && (day === null || date < String(day))).length;
    if (day === null) return open === 0 ? null : `${count(open, "relance prévue sera cochée comme faite", "relances prévues seront cochées comme faites")}.`;
    return open < 2 ? null : `${open} relances prévues avant ce jour y seront déplacées.`;
  };
  const form: Form<Name> = makeForm<Name>({
    sections: sections.map((section) => ({
      ...section, fields: section.fields.map((field) => (field.name === "prochaine_relance" ? { ...field, note: consequence } : field)),
    })),
    values: base === null ? {} : Object.fromEntries(fields.map(({ name }) => [name, base[name]])),
    check: ({ probabilite }) => (probabilite !== null && !/^(100|\d{1,2})$/u.test(String(probabilite))
      ? { probabilite: "Donnez un nombre de 0 à 100." }
      : {}),
    send: async (values, changed) => {
      if (base === null || untracked(loss.isNew)) {
        const given = Object.fromEntries(Object.entries(typed(values)).filter(([, value]) => value !== null));
        ({ id } = await client.prospects.create({ values: given as { raison_sociale: string }, idempotency_key: key, select: "{ id }" }));
        return true;
      }
      if (Object.keys(changed).length === 0) return true;
      return loss.unless(async () => (await changeOver(on ?? base, changed, fields, () => changedBy("prospects", id), ({ version }, changes) =>
        client.prospects.update({ id, values: typed(changes), if_version: version, select: "{ id }" }))) !== null);
    },
    done: async () => {
      void list.refresh();
      await go(`/prospects/${id}`, { replace: true });
      say("Prospect enregistré");
    },
    cancel: () => back(here),
    draft: keepDraft(base === null
      ? { key: "prospects/nouveau" } : { key: `prospects/${base.id}`, base, restore: (kept) => { on = kept as Prospect; } }),
  });
  return <FormView form={form} />;
}
