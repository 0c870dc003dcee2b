// The account, this device, and how the app looks and behaves on it.

import { computed, each, h, signal, untracked } from "view";
import type { Child } from "view";
import { alerting, setAlerting } from "../parts/alerting";
import { command, warnFailure } from "../parts/command";
import { confirm, openDialog } from "../parts/dialog";
import { FormView, makeForm, password } from "../parts/form";
import { Icon } from "../parts/icons";
import type { IconName } from "../parts/icons";
import { say, warn } from "../parts/notices";
import { openPalette } from "../parts/keys";
import { density, singleKeys, theme } from "../parts/preferences";
import { Segments } from "../parts/segments";
import { isServed } from "../parts/served";
import { destinations, domain, homeOf, served } from "../parts/shell";
import type { Screen } from "../parts/shell";
import { FailureOf } from "../parts/unanswered";
import { showShortcuts } from "./raccourcis";
import { account, ask, client, hasPasskeys, inactivity, offlineCopy, queue, signOut, sync, Unable } from "../store";
import { waitingBeside } from "../store/beside";
import { sendHeld } from "../store/leaving";
import { addPasskey } from "../store/new-passkey";
import { ago, instant } from "../words/instants";
import { initials } from "../words/sentences";

const delays: readonly (readonly [minutes: number, words: string])[] = [
  [15, "15 min"], [60, "1 heure"], [480, "8 heures"], [1_440, "1 jour"], [10_080, "7 jours"], [43_200, "30 jours"],
];

export default function profil(): Screen {
  const name = (): string => account()?.username ?? account()?.email ?? "";
  return {
    heading: () => "Profil",
    body: (
      <div class="profile">
        <nav class="more-pages" aria-label="Autres pages">
          <ul role="list">
            {each(() => destinations().filter((item) => item.wide), (item) => item.href, (item) => (
              <li><a href={item().href}><Icon name={item().icon} /><span>{item().label}</span><Icon name="right" /></a></li>
            ))}
            {each(() => served().filter(({ name: one }) => one !== domain()?.name), (one) => one.name, (one) => (
              <li><a href={homeOf(one().name)}><Icon name="domain" /><span>{one().label}</span><Icon name="right" /></a></li>
            ))}
            {() => (account()?.operator ? <li><a href="/societes"><Icon name="clients" /><span>Sociétés</span><Icon name="right" /></a></li> : null)}
          </ul>
        </nav>
        <Group name="Compte">
          <div class="profile-who">
            <span class="avatar large" aria-hidden="true">{() => initials(name())}</span>
            <div>
              <p class="profile-name">{name}</p>
              <p class="quiet-text">{() => (account()?.username ? account()!.email : "")}</p>
              <p><span class="badge">{() => (account()?.role === "admin" ? "Administrateur" : "Utilisateur")}</span></p>
            </div>
          </div>
          <div class="actions">
            <button type="button" onclick={changePassword}>Changer le mot de passe</button>
            <button type="button" class="danger-text" onclick={() => void leave()}><Icon name="leave" />Se déconnecter</button>
          </div>
          {() => (queue.items().length === 0 ? null : <p><a href="/attente">{sync.words()}</a></p>)}
        </Group>
        <Group name="Affichage">
          <Segments label="Thème" shown value={theme} set={theme.set}
            options={[["system", "Système"], ["light", "Clair"], ["dark", "Sombre"]]} />
          <Segments label="Densité" shown value={density} set={density.set}
            options={[["comfortable", "Confortable"], ["compact", "Compacte"]]} />
        </Group>
        {() => (!isServed("/programmes") ? null : (
          <Group name="Programmes">
            <p class="hint">Ce que les contrats disent de chaque formation.</p>
            <div class="actions"><a class="button" href="/programmes"><Icon name="document" />Voir les programmes</a></div>
          </Group>
        ))}
        {() => (account()?.role !== "admin" || !isServed("/organisme") ? null : (
          <Group name="Organisme">
            <p class="hint">Le nom, l’adresse, les numéros, le logo et les clauses des documents, et l’adresse des annonces.</p>
            <div class="actions"><a class="button" href="/organisme"><Icon name="document" />Modifier l’organisme</a></div>
          </Group>
        ))}
        <Passkeys />
        <Group name="Cet appareil">
          <div class="field">
            <label class="label" for="inactivity">Déconnexion après inactivité</label>
            <select id="inactivity" onchange={(event) => inactivity.set(Number(event.currentTarget.value))}>
              {delays.map(([minutes, words]) => <option value={minutes} selected={() => inactivity() === minutes}>{words}</option>)}
            </select>
          </div>
          <Switch label="Copie hors connexion" hint="Les sessions proches et les annuaires restent lisibles sans réseau, chiffrés sur cet appareil."
            value={offlineCopy} set={setCopy} />
          <Switch label="Avertir des changements" hint="Un avis quand une autre personne change une session."
            value={alerting} set={setAlerting} />
          <Switch label="Raccourcis à une touche" hint="/ pour rechercher, n pour créer, e pour modifier, j et k dans les listes." value={() => singleKeys() === "on"} set={(on) => singleKeys.set(on ? "on" : "off")} />
          <div class="actions">
            <button type="button" onclick={showShortcuts}><Icon name="keyboard" />Raccourcis clavier</button>
            <button type="button" onclick={openPalette}><Icon name="search" />Aller à…</button>
          </div>
        </Group>
        <Devices />
        <Group name="À propos">
          <p class="quiet-text small">LearnTrack gère les sessions de formation, les formateurs, les clients et les écoles. <a href="/explorer">Documentation du service</a></p>
        </Group>
      </div>
    ),
  };
}

function Group({ name, children }: { name: string; children?: Child }): Child {
  const id = `group-${name.replace(/\W/g, "").toLowerCase()}`;
  return <section class="card" aria-labelledby={id}><h2 id={id}>{name}</h2>{children}</section>;
}

interface SwitchProps { label: string; hint: string; value: () => boolean; set: (on: boolean) => unknown }

let switches = 0;

function Switch({ label, hint, value, set }: SwitchProps): Child {
  const id = `switch-${++switches}`;
  // What was not agreed to is switched back.
  const choose = async (box: HTMLInputElement): Promise<void> => {
    await set(box.checked);
    box.checked = untracked(value);
  };
  return (
    <div class="switch-field">
      <label class="switch">
        <span>{label}</span>
        <input type="checkbox" role="switch" checked={value} aria-describedby={id} onchange={(event) => void choose(event.currentTarget)} />
      </label>
      <p class="hint" id={id}>{hint}</p>
    </div>
  );
}

/** Without a network, what is deleted cannot be read again before there is one. What waits to be sent stays in any case. */
async function setCopy(on: boolean): Promise<void> {
  if (on || sync.isOnline() || await confirm({
    heading: "Désactiver la copie hors connexion\u202f?",
    text: "Sans réseau, les sessions et les annuaires ne seront plus lisibles. Les modifications en attente restent sur cet appareil et seront envoyées.",
    yes: "Désactiver", no: "Annuler",
  })) offlineCopy.set(on);
}

async function leave(): Promise<void> {
  await sendHeld();
  // Those of other companies are on this device, too.
  const waiting = untracked(queue.items).length + await waitingBeside();
  if (waiting > 0 && !(await confirm({
    heading: "Se déconnecter\u202f?",
    text: waiting === 1 ? "Une modification n’est pas encore envoyée\u202f: elle sera perdue." : `${waiting} modifications ne sont pas encore envoyées\u202f: elles seront perdues.`,
    yes: "Se déconnecter", no: "Annuler",
  }))) return;
  await signOut();
}

function changePassword(): void {
  openDialog({
    heading: "Changer le mot de passe",
    body: (close) => {
      const form = makeForm({
        sections: [{
          fields: [
            password("current_password", "Mot de passe actuel", { required: "Saisissez votre mot de passe actuel.", wide: true }),
            password("new_password", "Nouveau mot de passe", { required: "Saisissez un nouveau mot de passe.", autocomplete: "new-password", wide: true }),
          ],
        }],
        send: async (values) => {
          await client.auth.change_password({
            current_password: String(values.current_password), new_password: String(values.new_password),
          });
          return true;
        },
        done: () => {
          close();
          say("Mot de passe changé. Vos autres appareils sont déconnectés.");
        },
        cancel: close,
      });
      return <FormView form={form} inDialog />;
    },
  });
}

interface Key { id: number; name: string; created_at: string; last_used_at: string | null }

function Passkeys(): Child {
  if (!hasPasskeys()) return null;
  const keys = ask("passkeys", () => client.auth.list_passkeys(), ["users"]);
  const busy = signal(false);
  const add = async (): Promise<void> => {
    if (busy()) return;
    busy.set(true);
    try {
      if (!(await addPasskey(deviceName(navigator.userAgent)))) return;
      await keys.refresh();
      say("Clé d’accès ajoutée");
    } catch (error) {
      if (error instanceof Unable) warn(error.message);
      else warnFailure(error, () => void add());
    } finally {
      busy.set(false);
    }
  };
  const remove = async (key: Key): Promise<void> => {
    if (!(await confirm({ heading: "Supprimer cette clé d’accès\u202f?", text: key.name, yes: "Supprimer", no: "Annuler" }))) return;
    await removed(key.id);
  };
  const removed = command((_, id: number) => client.auth.remove_passkey({ id }), { done: "Clé d’accès supprimée", tables: ["users"] });
  return (
    <Group name="Clés d’accès">
      <p class="hint">Avec Face ID, Touch ID, Windows Hello ou une clé de sécurité, vous vous connectez sans mot de passe.</p>
      <FailureOf of={keys} beside />
      <ul class="devices" role="list" aria-label="Clés d’accès">
        {each(() => keys.value()?.items ?? [], (key) => key.id, (key) => (
          <li>
            <Icon name="key" />
            <div class="device-words"><p>{() => key().name}</p><p class="hint">{() => `Ajoutée le ${instant(key().created_at).split(",")[0]!}`}</p></div>
            <button type="button" class="danger-text" aria-label={`Supprimer ${untracked(key).name}`} onclick={() => void remove(key())}>Supprimer</button>
          </li>
        ))}
      </ul>
      <button type="button" aria-busy={() => (busy() ? "true" : null)} onclick={() => void add()}><Icon name="plus" />Ajouter une clé d’accès</button>
    </Group>
  );
}

interface SignIn { id: string; created_at: string; last_used_at: string; user_agent: string | null; current: boolean }

function Devices(): Child {
  const signIns = ask("sign-ins", () => client.auth.list_sign_ins(), ["users"]);
  const all = signal(false);
  const sorted = computed(() => [...(signIns.value()?.items ?? [])].sort((a: SignIn, b: SignIn) => (
    Number(b.current) - Number(a.current) || b.last_used_at.localeCompare(a.last_used_at))));
  const end = command((_, one: SignIn) => client.auth.end_sign_in({ id: one.id }), { done: "Appareil déconnecté", tables: ["users"] });
  return (
    <Group name="Appareils connectés">
      <FailureOf of={signIns} />
      <ul class="devices" role="list" aria-label="Appareils connectés">
        {each(() => (all() ? sorted() : sorted().slice(0, 5)), (one) => one.id, (one) => (
          <li>
            <Icon name={deviceIcon(untracked(one).user_agent)} />
            <div class="device-words">
              <p>{() => deviceName(one().user_agent)}</p>
              <p class="hint">{() => (one().current ? "Cet appareil" : `Utilisé ${ago(one().last_used_at)}`)}</p>
            </div>
            {() => (one().current ? null : (
              <button type="button" aria-label={`Déconnecter ${deviceName(one().user_agent)}, utilisé ${ago(one().last_used_at)}`}
                onclick={() => void end(one())}>Déconnecter</button>
            ))}
          </li>
        ))}
      </ul>
      {() => (!all() && sorted().length > 5 ? <button type="button" class="plain" onclick={() => all.set(true)}>{`Afficher les ${sorted().length} appareils`}</button> : null)}
    </Group>
  );
}

function deviceIcon(agent: string | null): IconName {
  return /iPhone|iPad|Android/.test(agent ?? "") ? "device" : "remote";
}

/** "Safari sur iPhone", from what the browser says of itself. */
function deviceName(agent: string | null): string {
  if (!agent) return "Appareil inconnu";
  const browser = ([
    [/Edg\//, "Edge"], [/OPR\//, "Opera"], [/Firefox\//, "Firefox"], [/Chrome\//, "Chrome"], [/Safari\//, "Safari"],
  ] as const).find(([pattern]) => pattern.test(agent))?.[1];
  const system = ([
    [/iPhone/, "iPhone"], [/iPad/, "iPad"], [/Android/, "Android"], [/Mac OS X/, "Mac"], [/Windows/, "Windows"], [/Linux/, "Linux"],
  ] as const).find(([pattern]) => pattern.test(agent))?.[1];
  if (!browser) return agent.split(/[\s/]/)[0]!;
  return system ? `${browser} sur ${system}` : browser;
}
