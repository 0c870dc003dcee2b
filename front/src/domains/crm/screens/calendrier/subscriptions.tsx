// Links by which the calendar of a phone or a computer follows the sessions.

import { h, signal } from "view";
import type { Child } from "view";
import { command } from "../../../../parts/command";
import { confirm, openDialog } from "../../../../parts/dialog";
import { optionsOf, Picker } from "../../../../parts/form";
import { Icon } from "../../../../parts/icons";
import { Empty, Failure, Outlines } from "../../../../parts/list";
import { say, warn } from "../../../../parts/notices";
import { Segments } from "../../../../parts/segments";
import { ask, client, directory, failureOf } from "../../../../store";
import type { Directory } from "../../../../store";
import { ago } from "../../../../words/instants";

type Whose = "" | Directory;

const choices = [["", "Toutes"], ["formateurs", "Un formateur"], ["clients", "Un client"], ["ecoles", "Une école"]] as const;
const columns = { formateurs: "formateur_id", clients: "client_id", ecoles: "ecole_id" } as const;
const labels = { formateurs: "Formateur", clients: "Client", ecoles: "École" } as const;

export function openSubscriptions(): void {
  openDialog({ heading: "S’abonner au calendrier", wide: true, body: () => <Subscriptions /> });
}

function Subscriptions(): Child {
  const whose = signal<Whose>("");
  const record = signal<number | null>(null);
  const link = signal<string | null>(null);
  const problem = signal<string | null>(null);
  const busy = signal(false);
  const existing = ask("calendriers", () => client.calendriers.list({}), []);
  const revoked = command(async (key, id: number) => {
    await client.calendriers.delete({ id, idempotency_key: key });
    await existing.refresh();
  }, { done: "Abonnement révoqué" });
  const names = { formateurs: optionsOf("formateurs"), clients: optionsOf("clients"), ecoles: optionsOf("ecoles") };
  const make = async (): Promise<void> => {
    const table = whose();
    const id = record();
    if (table !== "" && id === null) return problem.set(`Choisissez ${table === "ecoles" ? "une école" : table === "clients" ? "un client" : "un formateur"}.`);
    problem.set(null);
    busy.set(true);
    try {
      const nom = table === "" ? "Toutes les sessions" : names[table]()?.find((one) => one.id === id)?.label ?? null;
      const made = await client.calendriers.abonner({ nom, ...(table === "" ? {} : { [columns[table]]: id }) });
      // The path stands for an address that other programs can read.
      link.set(made.url === null ? null : new URL(made.url, location.href).href);
      void existing.refresh();
    } catch (error) {
      problem.set(failureOf(error).message);
    } finally {
      busy.set(false);
    }
  };
  return (
    <div class="subscriptions">
      <p class="quiet-text">
        Un lien que Calendrier d’Apple, Google Agenda ou Outlook relit de lui-même{"\u202f"}: les sessions y apparaissent, sans les tarifs, et suivent
        leurs changements.
      </p>
      <Segments label="Sessions à suivre" shown options={choices} value={whose} set={(next) => { whose.set(next); record.set(null); link.set(null); }} />
      {() => {
        const table = whose();
        return table === "" ? null : (
          <div class="field">
            <label class="label" for="subscription-record">{labels[table]}</label>
            <Picker id="subscription-record" label={labels[table]} labelled options={names[table]} value={record}
              choose={(id) => { record.set(id); link.set(null); }} />
          </div>
        );
      }}
      {() => (problem() === null ? null : <div role="alert" class="form-alert">{problem()}</div>)}
      {() => (link() === null
        ? (
          <div class="actions">
            <button type="button" class="primary" aria-busy={() => (busy() ? "true" : null)} onclick={() => void make()}>Créer le lien</button>
          </div>
        )
        : <Link url={link()!} />)}
      <section class="subscriptions-list" aria-labelledby="subscriptions-heading">
        <h3 id="subscriptions-heading">Vos abonnements</h3>
        {() => {
          const items = existing.value()?.items;
          const failure = existing.failure();
          if (items === undefined) return failure === null ? <Outlines count={1} /> : <Failure text={failure.message} retry={() => void existing.refresh()} />;
          if (items.length === 0) return <div class="subscriptions-none"><Empty text="Aucun abonnement." /></div>;
          return (
            <ul class="devices" role="list" aria-label="Vos abonnements">
              {items.map((item) => (
                <li>
                  <Icon name="calendar" />
                  <span class="device-words">
                    {() => nameOf(item)}
                    <span class="quiet-text small block">
                      {item.last_used_at === null ? `Créé ${ago(item.created_at)}, jamais lu` : `Lu ${ago(item.last_used_at)}`}
                    </span>
                  </span>
                  <button type="button" onclick={() => void revoke(item)}>Révoquer</button>
                </li>
              ))}
            </ul>
          );
        }}
      </section>
    </div>
  );

  function nameOf(item: { nom: string | null; params: Record<string, unknown> }): string {
    if (item.nom !== null) return item.nom;
    for (const table of ["formateurs", "clients", "ecoles"] as const) {
      const id = item.params[columns[table]];
      const known = (directory(table).value() ?? []).some((row) => row.id === id);
      if (known) return names[table]()?.find((one) => one.id === id)?.label ?? labels[table];
    }
    return "Toutes les sessions";
  }

  async function revoke(item: { id: number; nom: string | null; params: Record<string, unknown> }): Promise<void> {
    const yes = await confirm({
      heading: "Révoquer cet abonnement\u202f?", text: `${nameOf(item)}. Les calendriers qui suivent ce lien ne recevront plus rien.`,
      yes: "Révoquer", no: "Annuler",
    });
    if (!yes) return;
    await revoked(item.id);
  }
}

/** The link is shown once: the service keeps only what recognises it. */
function Link({ url }: { url: string }): Child {
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(url);
      say("Lien copié");
    } catch {
      warn("Le lien n’a pas pu être copié\u202f: sélectionnez-le.");
    }
  };
  return (
    <div class="subscription-link">
      <label class="label" for="subscription-link">Lien du calendrier</label>
      <input id="subscription-link" readonly value={url} onfocus={(event) => event.currentTarget.select()} />
      <p class="hint">Copiez-le maintenant{"\u202f"}: il ne sera plus montré. Gardez-le pour vous, il se lit sans mot de passe.</p>
      <div class="actions">
        <button type="button" class="primary" onclick={() => void copy()}><Icon name="copy" />Copier le lien</button>
        <a class="button" href={url.replace(/^https?:/, "webcal:")}><Icon name="calendar" />Ouvrir dans Calendrier</a>
      </div>
    </div>
  );
}
