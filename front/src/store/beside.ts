// The other companies of the account: what was written there and waits is sent from here, too, and never to the company that is shown.

import { Client, ServiceError } from "learntrack";
import { effect, untracked } from "view";
import { account, bar, renewing } from "./account";
import { companies, company } from "./company";
import { aside, members, rememberAside, rememberMembers } from "./device";
import { upgraded } from "./earlier";
import { isPassing } from "./failure";
import { isOnline } from "./network";
import { storedVersion } from "./sending";
import { renewed } from "./signing";
import { tables, type AnyRow } from "./rows";
import { locked, post } from "./tabs";
import { Vault } from "./vault";
import { callOf, changed, executed, isTooOld, nextOf, type Book, type QueuedWrite } from "./writes";

/** The companies that the account may enter, where the device knows none. */
export async function findCompanies(): Promise<void> {
  const answer = await renewing(() => renewed(null)).catch(() => null);
  if (answer !== null) companies.set(answer.companies);
}

/** A call that is not answered by then is repeated later. */
const longestCall = 20_000;
const pause = 30_000;

/** The queue that the device has of a company that is not shown. */
class OtherQueue {
  constructor(private readonly of: number, private readonly vault: Vault) {}

  async read(): Promise<Book> {
    const stored = await this.vault.read<Book>("queue", "writes");
    return stored === undefined ? { writes: [], saved: [] } : upgraded(stored);
  }

  /** Changes it while no tab does, and tells those that show the company. */
  private async change(next: (before: Book) => Book, write: QueuedWrite | null = null, row: AnyRow | null = null): Promise<void> {
    await locked("book", async () => {
      await this.vault.write([{ shelf: "queue", name: "writes", value: next(await this.read()) }]);
    }, { patience: 10_000, of: this.of });
    post({ kind: "writes", done: write === null ? null : { write, row } }, this.of);
  }

  /** Sends what can be sent, one after the other; a tab that shows the company does so itself, at another time. */
  async send(client: Client): Promise<void> {
    while (await locked("sending", () => this.sendNext(client), { patience: 30_000, of: this.of }));
  }

  private async sendNext(client: Client): Promise<boolean> {
    const found = nextOf((await this.read()).writes);
    if (found === null) return false;
    const mark = (change: Partial<QueuedWrite>): Promise<void> =>
      this.change((before) => ({ ...before, writes: changed(before.writes, found, change) }));
    if (isTooOld(found, Date.now())) {
      await mark({ problem: { kind: "expired" } });
      return true;
    }
    const answers = found.kind === "call" ? found.answers : found.kind === "delete" ? undefined : found.entity;
    const select = found.select ?? tables.get(answers ?? "")?.select;
    if (found.sentAt === null) await mark({ sentAt: Date.now(), ...(select === undefined ? {} : { select }) });
    // What was changed before the mark belongs to it.
    const sent = (await this.read()).writes.find(({ id }) => id === found.id);
    if (sent === undefined) return true;
    const { method, params } = callOf(sent);
    try {
      const answer = await client.call(method as "sessions.create", params as never) as unknown as AnyRow;
      const isOwn = answers === sent.entity && (sent.kind !== "call" || answer?.id === sent.recordId);
      await this.executed(sent, isOwn ? answer : null);
      return true;
    } catch (error) {
      if (!(error instanceof ServiceError) || isPassing(error) || error.is("unauthenticated")) return false;
      // What is to be deleted is gone already.
      if (sent.kind === "delete" && error.is("not_found")) {
        await this.executed(sent, null);
        return true;
      }
      // What others have changed meanwhile is merged where it is seen.
      if (storedVersion(error) !== null) return false;
      const { code, message, data } = error;
      await mark({ problem: { kind: "refused", code, message, data } });
      return true;
    }
  }

  private executed(write: QueuedWrite, row: AnyRow | null): Promise<void> {
    return this.change(({ writes, saved }) => ({
      writes: executed(writes, write, row),
      saved: write.kind === "create" && row ? [...saved.slice(-200), [write.recordId, row.id] as const] : saved,
    }), write, row);
  }
}

/** Runs `work` with the queues of the companies that are not shown, as far as the device has any. */
async function withQueues(
  all: readonly (readonly [of: number, member: number])[], work: (queue: OtherQueue, of: number, member: number) => Promise<void>,
): Promise<void> {
  for (const [of, member] of all) {
    const vault = await Vault.of(of, member);
    if (vault === null) continue;
    try {
      await work(new OtherQueue(of, vault), of, member);
    } finally {
      vault.close();
    }
  }
}

const others = (): [of: number, member: number][] =>
  Object.entries(members()).map(([of, member]): [number, number] => [Number(of), member]).filter(([of]) => of !== untracked(company));

/** How many writes wait in the companies that are not shown: signing out loses them. */
export async function waitingBeside(): Promise<number> {
  let count = 0;
  await withQueues(others(), async (queue) => { count += (await queue.read()).writes.length; }).catch(() => undefined);
  return count;
}

/** A client that acts in a company as this member of it; null where the account is another one, or cannot enter it now. */
async function clientOf(of: number, member: number): Promise<Client | null> {
  const answer = await renewing(() => renewed(of)).catch(() => null);
  // Who was here before finds it after signing in.
  if (answer !== null && answer.user.id !== member) rememberAside(aside().filter((one) => one[0] !== of || one[1] !== member));
  if (answer?.user.id !== member) return null;
  const given: typeof fetch = (input, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set("Authorization", `Bearer ${answer.access_token}`);
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), longestCall);
    return fetch(input, { ...init, headers, signal: limit.signal }).finally(() => clearTimeout(timer));
  };
  return new Client({ url: "", fetch: given });
}

async function sendBeside(): Promise<void> {
  const may = (of: number): boolean => untracked(companies).some(({ id }) => id === of);
  await withQueues([...others(), ...aside()].filter(([of]) => of !== untracked(company) && may(of)), async (queue, of, member) => {
    if (nextOf((await queue.read()).writes) === null) return;
    const client = await clientOf(of, member);
    if (client === null) return;
    // It is this person who wrote there before signing in anew.
    rememberMembers({ ...members(), [of]: member });
    rememberAside(aside().filter((one) => one[0] !== of || one[1] !== member));
    await queue.send(client);
  });
}

let isSending = false;

/** Sends what waits in other companies, now and as long as the page is open. */
export function followOthers(): void {
  const send = (): void => {
    if (isSending || !untracked(account) || untracked(bar) !== null || !untracked(isOnline) || untracked(companies).length < 2) return;
    isSending = true;
    void sendBeside().catch(() => undefined).finally(() => { isSending = false; });
  };
  effect(() => {
    companies();
    if (account() && isOnline()) send();
  });
  setInterval(send, pause);
}
