// Who is signed in. The access token stays in memory; the refresh token is a cookie that no script reads.

import { may as allows, type Methods } from "learntrack";
import { batch, effect, signal, untracked } from "view";
import { enterVault, leaveVault, openVault, recall, remember } from "./device";
import { forgetQuestions } from "./live";
import { endCalls, isOnline, useTokens } from "./network";
import { presentedPasskey } from "./passkeys";
import { inactivity } from "./settings";
import { login, loginWithPasskey, logout, renewed, type SignedIn } from "./signing";
import { forgetAll } from "./tables";
import { locked, onMessage, post, type Opened } from "./tabs";
import type { Vault } from "./vault";
import type { Book } from "./writes";

export interface Account {
  id: number;
  email: string;
  username: string | null;
  role: "admin" | "user";
}

const present = signal<Account | null | undefined>(undefined);
let access: string | null = null;

/** Undefined until it is known, null without a sign-in. */
export const account = (): Account | null | undefined => present();

/** Whether the account may call a method. */
export function may(method: keyof Methods): boolean {
  const role = present()?.role;
  return role !== undefined && allows(role, method);
}

type Entered = (account: Account) => Promise<void>;
let entered: Entered = () => Promise.resolve();

/** Runs `work` before an account is shown as signed in: it paints what the device knows. */
export function onEntered(work: Entered): void {
  entered = work;
}

let byHand = false;

/** Whether the last sign-in was ended by a person, who may give the device to another. */
export const signedOutByHand = (): boolean => byHand;

/** Grows with each sign-out: what began before must not show the account again. */
let departures = 0;

async function enter(user: Account): Promise<void> {
  if (untracked(present)?.id !== user.id) {
    const token = access;
    if (untracked(present)) leave();
    access = token;
    const before = departures;
    remember("compte", String(user.id));
    await enterVault(user.id);
    if (before === departures) await entered(user);
    if (before !== departures) return;
  }
  void openVault()?.write([{ shelf: "meta", name: "account", value: user }]);
  if (JSON.stringify(untracked(present)) !== JSON.stringify(user)) present.set(user);
}

/** Without "Rester connecté", the copy is shown again to this tab alone, until the browser is closed. */
function noteTab(): void {
  try {
    sessionStorage.setItem("learntrack.ouvert", "1");
  } catch {
    // Without storage the tab asks the service first.
  }
}

async function opened(token: string, { id, email, username, role }: Account): Promise<void> {
  access = token;
  noteActivity();
  noteTab();
  const user = { id, email, username, role };
  post({ kind: "opened", opened: { token, user } });
  await enter(user);
}

/** Forgets what is in memory. */
function leave(): void {
  access = null;
  departures += 1;
  endCalls();
  batch(() => {
    forgetAll();
    forgetQuestions();
    present.set(null);
  });
}

/**
 * Forgets the account, in all tabs. Writes that wait and drafts are kept when the sign-in has ended by itself: the same
 * account goes on with them after its next sign-in.
 */
async function closed(keepsWork: boolean): Promise<void> {
  const vault = leaveVault();
  byHand = !keepsWork;
  leave();
  post({ kind: "closed", byHand });
  if (keepsWork && vault !== null && await hasWork(vault)) {
    await vault.clear(["rows", "meta"]).catch(() => undefined);
    return vault.close();
  }
  await vault?.destroy();
  remember("compte", null);
}

async function hasWork(vault: Vault): Promise<boolean> {
  try {
    const [book, drafts] = await Promise.all([vault.read<Book>("queue", "writes"), vault.readAll("drafts")]);
    return drafts.length > 0 || (book !== undefined && book.writes.length > 0);
  } catch {
    return false;
  }
}

onMessage("opened", ({ opened: { token, user } }: { opened: Opened }) => {
  access = token;
  noteTab();
  void enter(user);
});
onMessage("closed", (message) => {
  byHand = message.byHand;
  leave();
  leaveVault()?.close();
});

/** Tabs change the cookie one after the other. A call ends sooner than the patience with a tab that is put to sleep. */
const renewing = <T>(work: () => Promise<T>): Promise<T> => locked("renewal", work, { patience: 25_000 });

/** Signs in; with `keep`, until the account signs out, otherwise until the browser is closed. */
export async function signIn(email: string, password: string, keep: boolean): Promise<void> {
  remember("garder", keep ? "1" : "0");
  await enterBy(() => login(email, password, keep ? "persistent" : "session"));
}

/** Signs in after the last sign-in has ended at the service, too; its cookie is lost with the next one. */
async function enterBy(ask: () => Promise<SignedIn>): Promise<void> {
  if (recall("deconnexion") !== null) await endAgain();
  const answer = await renewing(async () => {
    const given = await ask();
    remember("deconnexion", null);
    return given;
  });
  await opened(answer.access_token, answer.user);
}

/** Signs in with a passkey. False if the reader chose none. */
export async function signInWithPasskey(keep: boolean): Promise<boolean> {
  const credential = await presentedPasskey();
  if (credential === null) return false;
  remember("garder", keep ? "1" : "0");
  await enterBy(() => loginWithPasskey(credential, keep ? "persistent" : "session"));
  return true;
}

/** Whether this browser has passkeys. */
export const hasPasskeys = (): boolean => typeof PublicKeyCredential !== "undefined";

export function signOut(): Promise<void> {
  return leaveFor(false);
}

async function leaveFor(keepsWork: boolean): Promise<void> {
  remember("deconnexion", keepsWork ? "0" : "1");
  const ended = end();
  await closed(keepsWork);
  if (await ended) remember("deconnexion", null);
}

let ending: Promise<boolean> | null = null;
let failures = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Ends the sign-in at the service; false while the service does not answer: it is asked again, also by the next start. */
function end(): Promise<boolean> {
  clearTimeout(timer);
  // Another tab may have ended it meanwhile, and a further sign-in may have begun.
  ending ??= renewing(async () => (recall("deconnexion") === null ? undefined : logout())).then(() => {
    failures = 0;
    return true;
  }, () => {
    failures += 1;
    timer = setTimeout(() => void endAgain(), Math.min(30_000, 1_000 * 2 ** failures));
    return false;
  }).finally(() => { ending = null; });
  return ending;
}

async function endAgain(): Promise<void> {
  if (await end()) remember("deconnexion", null);
}

let renewal: Promise<boolean> | null = null;

/** A new access token, by the cookie. Tabs renew one after the other, since each refresh token is taken once. */
async function renew(refused: string | null): Promise<boolean> {
  if (recall("deconnexion") !== null) return false;
  return renewing(async () => {
    // Another tab may have renewed it meanwhile.
    if (access !== refused && access !== null) return true;
    const answer = await renewed();
    // The account may have signed out meanwhile.
    if (recall("deconnexion") !== null) return false;
    if (answer !== null) await opened(answer.access_token, answer.user);
    else if (untracked(present) !== null) await closed(true);
    return answer !== null;
  });
}

useTokens({
  current: () => access,
  renew: (refused) => {
    if (refused !== access) return Promise.resolve(access !== null);
    renewal ??= renew(refused).finally(() => { renewal = null; });
    return renewal;
  },
});

/** Shows the account that the device remembers, and asks the service whether it is still signed in. */
export async function startAccount(): Promise<void> {
  const last = Number(recall("compte"));
  const left = recall("deconnexion");
  if (left !== null) {
    present.set(null);
    // The page was closed before the device was emptied.
    if (left === "1" && last > 0) await enterVault(last).then(() => leaveVault()?.destroy());
    if (left === "1") remember("compte", null);
    return endAgain();
  }
  if (last > 0 && isIdle()) {
    await enterVault(last);
    return leaveFor(true);
  }
  if (last > 0 && isRemembered()) {
    const before = departures;
    const stored = await (await enterVault(last))?.read<Account>("meta", "account");
    if (stored && before === departures) await entered(stored);
    if (stored && before === departures) present.set(stored);
  }
  await confirm();
}

/** Whether the page may show the device's copy before the service has confirmed the sign-in. */
function isRemembered(): boolean {
  try {
    return recall("garder") !== "0" || sessionStorage.getItem("learntrack.ouvert") !== null;
  } catch {
    return false;
  }
}

async function confirm(): Promise<void> {
  try {
    if (access === null && !(await renew(null)) && untracked(present) === undefined) present.set(null);
  } catch {
    // Without the service, the device's account is shown; without one, the screen to sign in.
    if (untracked(present) === undefined) present.set(null);
  }
}

/** Asks again who is signed in, once there is a network, or ends what was to end without one. */
export function followNetwork(): void {
  const again = (): void => {
    if (recall("deconnexion") !== null) {
      if (ending === null) void endAgain();
    } else if (access === null && untracked(present) !== undefined && recall("compte") !== null) void confirm();
  };
  effect(() => { if (isOnline()) again(); });
  window.addEventListener("online", again);
}

// Signing out after a time without use

let noted = 0;

/** The account is in use now. */
function noteActivity(): void {
  const now = Date.now();
  // A clock that was set back must not stop the notes.
  if (Math.abs(now - noted) < 5_000) return;
  noted = now;
  remember("activite", String(now));
}

function isIdle(): boolean {
  const minutes = untracked(inactivity);
  const last = Number(recall("activite"));
  return minutes > 0 && last > 0 && Date.now() - last > minutes * 60_000;
}

/** Signs out after the time of the setting without a press or a key in any tab. What waits to be sent is kept. */
export function followActivity(): void {
  for (const event of ["pointerdown", "keydown", "scroll"]) {
    window.addEventListener(event, noteActivity, { capture: true, passive: true });
  }
  setInterval(() => { if (untracked(present) && isIdle()) void leaveFor(true); }, 15_000);
}
