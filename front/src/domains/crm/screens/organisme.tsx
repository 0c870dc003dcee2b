// What documents and announcements say of the organisation itself, for administrators.

import { computed, effect, h, signal, untracked } from "view";
import type { Child, Signal } from "view";
import { command } from "../../../parts/command";
import { confirm } from "../../../parts/dialog";
import { changeOver, digits, email, FormView, keepDraft, lines, makeForm, radios, telephone, text } from "../../../parts/form";
import type { Form, Section } from "../../../parts/form";
import { asTyped, changedBy } from "../../../parts/form/record";
import { Outlines } from "../../../parts/list";
import { say } from "../../../parts/notices";
import { back } from "../../../parts/place";
import { RecordHistory } from "../../../parts/record-history";
import { Section as Card } from "../../../parts/section";
import type { Screen } from "../../../parts/shell";
import { FailureOf } from "../../../parts/unanswered";
import { ask, askAgain, client } from "../../../store";
import { addressSection, siret } from "../parts/directory-fields";

const selection = `{ id version raison_sociale rue code_postal ville siret nda numero_tva rcs telephone email logo mentions signataire
  clauses_convention clauses_sous_traitance reglement conflits_interdits annonces_auto }`;

const load = () => client.organisme.ouvrir({ select: selection });
type Organisme = Awaited<ReturnType<typeof load>>;

/** The logo of the form while its file is on this device alone. */
const unsent = -1;

const yesNo = ["annonces_auto", "conflits_interdits"];

/** Documents have room for so much at their foot. */
const longest = 320;
const mostLines = 6;

function tooLong(mentions: unknown): string | null {
  const text = String(mentions ?? "");
  const lines = text.split(/\r\n|[\n-\r\u0085\u2028\u2029]/).length;
  if (text.length > longest) return `${text.length} caractères, dont ${text.length - longest} de trop.`;
  return lines > mostLines ? `${lines} lignes, dont ${lines - mostLines} de trop.` : null;
}

export default function organisme(): Screen {
  const found = ask("organisme", load, ["organisme"]);
  // What others change while one types is found by the version when it is saved.
  const isKnown = computed(() => found.value() !== undefined);
  return {
    heading: () => "Organisme",
    up: { href: () => "/profil", label: "Profil" },
    class: "directory-form",
    body: [
      <FailureOf of={found} />,
      () => {
        if (isKnown()) return untracked(() => <OrganismeForm base={found.value()!} />);
        return found.failure() === null ? <Outlines /> : null;
      },
    ],
  };
}

function OrganismeForm({ base }: { base: Organisme }): Child {
  const sections: readonly Section[] = [
    {
      fields: [
        text("raison_sociale", "Raison sociale", { maxlength: 255, wide: true }),
        text("signataire", "Signataire", { maxlength: 150, wide: true, hint: "Nom et qualité de la personne qui signe les documents." }),
        siret(),
        digits("nda", "Numéro de déclaration d’activité", { maxlength: 50 }),
        text("numero_tva", "Numéro de TVA", { maxlength: 20 }),
        text("rcs", "RCS", { maxlength: 100 }),
      ],
    },
    addressSection(),
    { heading: "Contact", fields: [email("email", "Adresse e-mail"), telephone("telephone", "Téléphone")] },
    {
      heading: "Documents",
      fields: [
        // Its control is the picture.
        radios("logo", "Logo", [], { when: () => false }),
        lines("clauses_convention", "Clauses des conventions", { hint: "Un alinéa par ligne, dans les conventions avec les clients." }),
        lines("reglement", "Conditions de règlement", { hint: "Dans les conventions, sous le prix." }),
        lines("clauses_sous_traitance", "Clauses des contrats de sous-traitance", { hint: "Dans les contrats avec les formateurs." }),
        lines("mentions", "Mentions", { hint: "Au pied de chaque document, en 320 caractères et six lignes au plus. Un texte plus long a sa place dans les clauses.", note: () => tooLong(form.value("mentions")) }),
      ],
    },
    {
      heading: "Planification et annonces",
      fields: [
        radios("conflits_interdits", "Sessions d’un formateur qui se chevauchent", [{ value: 0, label: "Signalées" }, { value: 1, label: "Refusées" }], { wide: true }),
        radios("annonces_auto", "Sessions créées sans formateur", [{ value: 0, label: "Annoncées à la demande" }, { value: 1, label: "Annoncées sur Discord" }], { wide: true }),
        text("discord_webhook", "Adresse du salon Discord (webhook)", {
          maxlength: 300, wide: true, hint: "L’adresse est un secret\u202f: elle n’est plus montrée. Un champ vide garde celle qui est enregistrée.",
          after: () => <button type="button" class="link" onclick={() => void forget()}>Oublier l’adresse enregistrée</button>,
        }),
      ],
    },
  ];
  const forgotten = command(() => client.organisme.update({ id: base.id, values: { discord_webhook: null }, select: "{ id }" }),
    { done: "Adresse oubliée", tables: ["organisme"] });
  const forget = async (): Promise<void> => {
    const yes = await confirm({
      heading: "Oublier l’adresse de Discord\u202f?", text: "Plus aucune session n’est annoncée sans elle.", yes: "Oublier l’adresse", no: "Annuler",
    });
    if (yes) await forgotten();
  };
  const leave = (): void => void back("/profil");
  const typed = asTyped(base);
  // A draft was typed over the version that it began from: what others changed since is a conflict.
  let on = typed;
  const fields = sections.flatMap((section) => section.fields);
  const save = (changed: Parameters<typeof changeOver>[1]): Promise<unknown> => changeOver(on, changed, fields, () => changedBy("organisme", base.id), ({ id, version }, changes) => {
      const values = Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, yesNo.includes(name) ? value === 1 : value]));
      return client.organisme.update({ id, values, if_version: version, select: "{ id }" });
    });
  // A file is given to the service when the form is saved. Its number is known then; a draft keeps no file.
  const chosen = signal<File | null>(null);
  const form = makeForm({
    sections, values: { ...typed, discord_webhook: null },
    send: async (_, given) => {
      const file = chosen();
      const changed = given.logo !== unsent ? given
        : { ...given, logo: file === null ? typed.logo : (await client.upload(file, { retries: 2 })).id };
      return await save(changed) !== null;
    },
    done: () => {
      askAgain(["organisme"]);
      leave();
      say("Organisme enregistré");
    },
    cancel: leave,
    draft: keepDraft({ key: "organisme", base: typed, restore: (kept) => { on = kept as typeof typed; } }),
  });
  if (untracked(form.raw("logo")) === unsent) form.set("logo", typed.logo);
  return [
    <FormView form={form}><Logo form={form} chosen={chosen} /></FormView>,
    <div class="organisme-history"><Card heading="Historique"><RecordHistory entity="organisme" id={base.id} /></Card></div>,
  ];
}

/** The picture at the head of documents. A new one is shown from the device until the form is saved. */
function Logo({ form, chosen }: { form: Form; chosen: Signal<File | null> }): Child {
  const id = form.raw("logo");
  const shown = computed(() => {
    const file = id() === unsent ? chosen() : null;
    return file === null ? null : URL.createObjectURL(file);
  });
  effect(() => {
    const url = shown();
    return () => { if (url !== null) URL.revokeObjectURL(url); };
  });
  const link = computed(() => {
    const file = id();
    return file === null || file === unsent ? null : untracked(() => ask(`logo ${file}`, () => client.files.lien({ id: Number(file) }), ["organisme"]));
  });
  const source = computed(() => shown() ?? link()?.value()?.url ?? null);
  return (
    <div class="organisme-logo">
      <span class="label">Logo</span>
      {() => (link() === null ? null : <FailureOf of={link()!} />)}
      <div class="actions">
        {() => (source() === null ? null : <img src={source()!} alt="Logo de l’organisme" />)}
        <label class="button">
          <input type="file" accept="image/png,image/svg+xml" onchange={(event) => {
            const file = event.currentTarget.files?.[0];
            event.currentTarget.value = "";
            if (!file) return;
            chosen.set(file);
            id.set(unsent);
          }} />
          {() => (id() === null ? "Choisir un logo…" : "Changer de logo…")}
        </label>
        {() => (id() === null ? null : <button type="button" class="danger-text" onclick={() => id.set(null)}>Retirer le logo</button>)}
      </div>
      <p class="hint">PNG ou SVG, 512 ko au plus.</p>
    </div>
  );
}
