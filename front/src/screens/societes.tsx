// The companies of the installation, for its operators: who is there, what each has used in a month, and whether it may be entered.

import { computed, each, h, signal, untracked } from "view";
import type { Child } from "view";
import { command } from "../parts/command";
import { confirm, openDialog } from "../parts/dialog";
import { email, FormView, makeForm, text } from "../parts/form";
import type { Form } from "../parts/form";
import { mayAbandon } from "../parts/form/form";
import { Icon } from "../parts/icons";
import { Outlines } from "../parts/list";
import { say } from "../parts/notices";
import type { Screen } from "../parts/shell";
import { FailureOf } from "../parts/unanswered";
import { ask, askAgain } from "../store";
import { callDeclared } from "../store/declared";
import { addMonths, daysOfMonth, monthName, plainDate, today } from "../words/dates";
import { sizeText } from "../words/files";
import { count } from "../words/sentences";
import { keyOf } from "./utilisateur/held-roles";

interface Company {
  readonly id: number;
  readonly name: string;
  readonly members: number;
  readonly created_at: string;
  readonly suspended: boolean;
}

interface Usage {
  readonly id: number;
  readonly sign_ins: number;
  readonly records: number;
  readonly documents: number;
  readonly signatures: number;
  readonly messages: number;
  readonly bytes: number;
}

const table = "companies";

const used = (month: string) => ask(`${table} ${month}`, async () => (await callDeclared<{ items: readonly Usage[] }>("companies.usage", {
  du: `${month}-01`, au: `${month}-${String(daysOfMonth(month)).padStart(2, "0")}`,
})).items, [table]);

/** What a company has used, in words, for bills. */
const usageWords = (of: Usage): string => [
  count(of.sign_ins, "connexion"), count(of.records, "fiche"), count(of.documents, "document"), count(of.signatures, "signature"),
  count(of.messages, "message"), sizeText(of.bytes),
].map((words) => words.replace(/ /gu, "\u00a0")).join(" · ");

export default function societes(): Screen {
  const found = ask(table, async () => (await callDeclared<{ items: readonly Company[] }>("companies.list", {})).items, [table]);
  const month = signal(today().slice(0, 7));
  const usage = computed(() => used(month()));
  const items = (): readonly Company[] => found.value() ?? [];
  const step = (by: number): void => month.set(addMonths(untracked(month), by));
  return {
    heading: () => "Sociétés",
    up: { href: () => "/profil", label: "Profil" },
    actions: <button type="button" class="primary new" onclick={create}><Icon name="plus" /><span>Nouvelle société</span></button>,
    body: (
      <div>
        <div class="months companies-months" role="group" aria-label="Mois">
          <button type="button" class="icon" aria-label="Mois précédent" onclick={() => step(-1)}><Icon name="left" /></button>
          <span class="months-what"><span class="months-name">{() => monthName(month())}</span></span>
          <button type="button" class="icon" aria-label="Mois suivant" disabled={() => month() >= today().slice(0, 7)} onclick={() => step(1)}><Icon name="right" /></button>
        </div>
        <p class="results" role="status" aria-label="Résultats">{() => (found.value() ? count(items().length, "société") : "")}</p>
        <FailureOf of={found} />
        {() => <FailureOf of={usage()} />}
        {() => (found.value() === undefined && found.failure() === null ? <Outlines /> : null)}
        <ul class="cards jobs" role="list" aria-label="Sociétés">
          {each(items, (one) => one.id, (one) => <Line one={one} usage={() => usage().value()?.find(({ id }) => id === one().id)} />)}
        </ul>
      </div>
    ),
  };
}

function Line({ one, usage }: { one: () => Company; usage: () => Usage | undefined }): Child {
  const suspend = command((key, id: number) => callDeclared("companies.suspend", { id, idempotency_key: key }), { done: "Société suspendue", tables: [table] });
  const resume = command((key, id: number) => callDeclared("companies.resume", { id, idempotency_key: key }), { done: "Accès rétabli", tables: [table] });
  const change = async (): Promise<void> => {
    const { id, name, suspended } = untracked(one);
    if (suspended) return void resume(id);
    const isSure = await confirm({
      heading: "Suspendre cette société\u202f?", text: `Plus personne ne pourra travailler dans ${name}. Rien n’est perdu\u202f: l’accès peut être rétabli.`,
      yes: "Suspendre", no: "Annuler",
    });
    if (isSure) void suspend(id);
  };
  return (
    <li class="card">
      <h2>{() => one().name} {() => (one().suspended ? <span class="badge warn">Suspendue</span> : null)}</h2>
      <p class="quiet-text">{() => `${count(one().members, "membre")} · depuis le ${plainDate(one().created_at.slice(0, 10))}`}</p>
      <p class="usage">{() => (usage() === undefined ? "" : usageWords(usage()!))}</p>
      <button type="button" class={() => (one().suspended ? null : "danger-text")} aria-label={() => `${one().suspended ? "Rétablir" : "Suspendre"}\u202f: ${one().name}`}
        aria-busy={() => (suspend.busy() || resume.busy() ? "true" : null)} onclick={() => void change()}>
        {() => (one().suspended ? "Rétablir" : "Suspendre")}
      </button>
    </li>
  );
}

function create(): void {
  const key = keyOf();
  let form!: Form<"name" | "admin_email">;
  openDialog({
    heading: "Nouvelle société",
    mayClose: () => mayAbandon(form),
    body: (close) => {
      form = makeForm({
        sections: [{
          fields: [
            text("name", "Nom", { required: "Saisissez un nom.", maxlength: 100, wide: true }),
            email("admin_email", "Adresse e-mail de l’administrateur", {
              required: "Saisissez une adresse e-mail.", wide: true, hint: "Un lien pour rejoindre la société y est envoyé.",
            }),
          ],
        }],
        submit: "Créer",
        send: async ({ name, admin_email: address }) => {
          const values = { name: String(name), admin_email: String(address) };
          await callDeclared("companies.create", { ...values, idempotency_key: key(values) });
          return true;
        },
        done: () => {
          askAgain([table]);
          close();
          say("Société créée");
        },
        cancel: () => void mayAbandon(form).then((yes) => { if (yes) close(); }),
      });
      return <FormView form={form} inDialog />;
    },
  });
}
