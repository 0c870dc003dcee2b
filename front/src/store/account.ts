// Who is signed in. The access token stays in memory; the refresh token is a cookie that no script reads.

import { may as allows, type Methods } from "learntrack";
import { batch, effect, signal, untracked } from "view";
import { companies, company, forgetCompanies, noteCompanies, showCompany } from "./company";
import { enterVault, leaveVault, members, openVault, recall, remember, rememberMembers, setAside } from "./device";
import { closureOf } from "./failure";
import { forgetQuestions } from "./live";
import { endCalls, isOnline, useTokens } from "./network";
import { inactivity } from "./settings";
import { isForeign, login, logout, renewed, type Cookie, type SignedIn } from "./signing";
import { forgetAll } from "./tables";
import { locked, onMessage, post, type Opened } from "./tabs";
import { Vault } from "./vault";
import type { Book } from "./writes";

export interface Account {
  id: number;
  email: string;
  username: string | null;
  role: "admin" | "user";
  /** Of the installation, who sees which companies there are. */
  operator?: boolean;
}

const present = signal<Account | null | undefined>(undefined);
let access: string | null = null;

/**
 * Why the page shows nothing of its company: the account is no member of it, it is suspended, it has moved, or the device has nothing of
 * it and the service is not reached. The sign-in is as it was.
 */
export type Bar = "foreign" | "suspended" | "moved" | "unreached";
const closedBy = signal<Bar | null>(null);
export const bar = (): Bar | null => closedBy();
let place = "";
/** The address to which the company has moved. */
export const newPlace = (): string => place;

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

async function enter({ token, user, company: { id }, companies: all }: Opened): Promise<void> {
  if (untracked(present)?.id !== user.id || untracked(company) !== id) {
    if (untracked(present)) leave();
    access = token;
    const before = departures;
    showCompany(id, all);
    rememberMembers({ ...members(), [id]: user.id });
    await enterVault(id, user.id);
    if (before === departures) await entered(user);
    if (before !== departures) return;
  } else {
    access = token;
    noteCompanies(all);
  }
  closedBy.set(null);
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

async function opened({ access_token: token, user: { id, email, username, role }, company: of, companies: all, operator }: SignedIn): Promise<void> {
  access = token;
  noteActivity();
  noteTab();
  const given = { token, user: { id, email, username, role, operator }, company: of, companies: all };
  post({ kind: "opened", opened: given });
  await enter(given);
}

/** Forgets what is in memory. `isOver`: nobody is signed in any more. */
function leave(isOver = true): void {
  access = null;
  departures += 1;
  endCalls();
  batch(() => {
    forgetAll();
    forgetQuestions();
    closedBy.set(null);
    present.set(isOver ? null : undefined);
  });
}

/** Shows nothing of the company any more. Where the account is out of it, the device keeps only what is not sent. */
async function shut(why: Bar): Promise<void> {
  const vault = leaveVault();
  const { [String(untracked(company))]: _, ...others } = members();
  leave(false);
  closedBy.set(why);
  if (why !== "foreign") vault?.close();
  else if (vault === null || !(await emptied(vault, true))) rememberMembers(others);
}

/**
 * Forgets the account, in all tabs. Writes that wait and drafts are kept when the sign-in has ended by itself: the same
 * account goes on with them after its next sign-in.
 */
async function closed(keepsWork: boolean): Promise<void> {
  const open = leaveVault();
  byHand = !keepsWork;
  leave();
  if (byHand) forgetCompanies();
  post({ kind: "closed", byHand });
  await emptyDevice(keepsWork, open);
}

/** Empties what the device has of the account, in each company. */
async function emptyDevice(keepsWork: boolean, open: Vault | null = null): Promise<void> {
  const shown = String(untracked(company));
  const left: Record<string, number> = {};
  for (const [of, member] of Object.entries(members())) {
    const vault = of === shown && open ? open : await Vault.of(Number(of), member);
    if (vault !== null && await emptied(vault, keepsWork)) left[of] = member;
  }
  rememberMembers(left);
}

/** Empties a vault and closes it; whether it keeps work. */
async function emptied(vault: Vault, keepsWork: boolean): Promise<boolean> {
  if (!keepsWork || !(await hasWork(vault))) return vault.destroy().then(() => false);
  await vault.clear(["rows", "meta"]).catch(() => undefined);
  vault.close();
  return true;
}

async function hasWork(vault: Vault): Promise<boolean> {
  try {
    const [book, drafts] = await Promise.all([vault.read<Book>("queue", "writes"), vault.readAll("drafts")]);
    return drafts.length > 0 || (book !== undefined && book.writes.length > 0);
  } catch {
    return false;
  }
}

onMessage("opened", ({ opened: given }) => {
  const [here, mine] = [untracked(present), untracked(company)];
  noteTab();
  if (given.company.id === (mine ?? given.company.id)) void enter(given);
  // The tab shows another company of the same person, whose token is as good as it was.
  else if (here?.email === given.user.email) noteCompanies(given.companies);
  else if (here || untracked(closedBy) === null) {
    if (here) leave();
    void confirm();
  }
});
onMessage("closed", (message) => {
  byHand = message.byHand;
  leave();
  if (byHand) forgetCompanies();
  leaveVault()?.close();
});

/** Tabs change the cookie one after the other. A call ends sooner than the patience with a tab that is put to sleep. */
export const renewing = <T>(work: () => Promise<T>): Promise<T> => locked("renewal", work, { patience: 25_000, of: 0 });

/** Signs in; with `keep`, until the account signs out, otherwise until the browser is closed. */
export const signIn = (email: string, password: string, keep: boolean, into = untracked(company)): Promise<void> =>
  enterBy(keep, (cookie) => login(email, password, cookie), into);

/**
 * Signs in after the last sign-in has ended at the service, too; its cookie is lost with the next one.
 *
 * @param wanted the company to enter, if the account is a member of it.
 */
export async function enterBy(keep: boolean, ask: (cookie: Cookie) => Promise<SignedIn>, wanted = untracked(company)): Promise<void> {
  remember("garder", keep ? "1" : "0");
  if (recall("deconnexion") !== null) await endAgain();
  const answer = await renewing(async () => {
    const given = await ask(keep ? "persistent" : "session");
    remember("deconnexion", null);
    // What waits in other companies may be another person's.
    if (members()[given.company.id] !== given.user.id) setAside();
    const isWanted = wanted !== given.company.id && given.companies.some(({ id }) => id === wanted);
    return isWanted ? (await renewed(wanted)) ?? given : given;
  });
  await opened(answer);
}

/** Whether this browser has passkeys. */
export const hasPasskeys = (): boolean => typeof PublicKeyCredential !== "undefined";

export function signOut(): Promise<void> {
  return leaveFor(false);
}

export async function leaveFor(keepsWork: boolean): Promise<void> {
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
    let answer: SignedIn | null;
    try {
      answer = await renewed(untracked(company));
    } catch (error) {
      const by = closureOf(error);
      const why = isForeign(error) ? "foreign" : by && by[0];
      if (why === null) throw error;
      place = by?.[1] ?? "";
      await shut(why);
      return false;
    }
    // The account may have signed out meanwhile.
    if (recall("deconnexion") !== null) return false;
    if (answer !== null) await opened(answer);
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
  closed: ([why, to]) => {
    place = to ?? "";
    if (untracked(closedBy) === null) void shut(why);
  },
});

/** Shows the account that the device remembers, and asks the service whether it is still signed in. */
export async function startAccount(): Promise<void> {
  const here = untracked(company);
  const last = here === null ? 0 : members()[here] ?? 0;
  const left = recall("deconnexion");
  if (left !== null) {
    present.set(null);
    // The page was closed before the device was emptied.
    if (left === "1") await emptyDevice(false);
    return endAgain();
  }
  if (isKnown() && isIdle()) return leaveFor(true);
  if (here !== null && last > 0 && isRemembered()) {
    const before = departures;
    const stored = await (await enterVault(here, last))?.read<Account>("meta", "account");
    if (stored && before === departures) await entered(stored);
    if (stored && before === departures) present.set(stored);
  }
  await confirm();
}

/** Whether an account was signed in here last. */
const isKnown = (): boolean => Object.keys(members()).length > 0;

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
    if (access === null && !(await renew(null)) && untracked(present) === undefined && untracked(closedBy) === null) present.set(null);
  } catch {
    // Without the service, the device's account is shown; without one, the screen to sign in.
    if (untracked(present) !== undefined) return;
    if (isKnown() && untracked(companies).length > 1) closedBy.set("unreached");
    else present.set(null);
  }
}

/** Asks again who is signed in, once there is a network, or ends what was to end without one. */
export function followNetwork(): void {
  const again = (): void => {
    if (recall("deconnexion") !== null) {
      if (ending === null) void endAgain();
    } else if (access === null && (untracked(present) !== undefined || untracked(closedBy) === "unreached") && isKnown()) void confirm();
  };
  effect(() => { if (isOnline()) again(); });
  window.addEventListener("online", again);
}

// Signing out after a time without use

let noted = 0;

/** The account is in use now. */
export function noteActivity(): void {
  const now = Date.now();
  // A clock that was set back must not stop the notes.
  if (Math.abs(now - noted) < 5_000) return;
  noted = now;
  remember("activite", String(now));
}

export function isIdle(): boolean {
  const minutes = untracked(inactivity);
  const last = Number(recall("activite"));
  return minutes > 0 && last > 0 && Date.now() - last > minutes * 60_000;
}
