// What the service declares of its domains, kept on the device for screens without a network.

import { effect, signal, type Signal } from "view";
import { client } from "../client";
import { openVault } from "../device";
import { Question, question, type Live } from "../live";
import { declare } from "./declare";
import { tablesOf } from "./tables";
import { learn } from "../../words/declared";
import type { Domain, Role } from "./types";

const entry = "domains";

interface Declared { readonly domains: readonly Domain[]; readonly roles: readonly Role[] }

/** Those of the kernel: their screens are administration, and what they keep is read with the service alone. */
const kernel = ["accounts", "journal", "outgoing", "scheduled_jobs", "signing"];

export const isKernel = ({ name }: Pick<Domain, "name">): boolean => kernel.includes(name);

/** Whether the device copies its small tables. LearnTrack's own are copied by themselves. */
const isCopied = (domain: Domain): boolean => domain.name !== "crm" && !isKernel(domain);

class Domains extends Question<readonly Domain[]> {
  private readonly known: Signal<readonly Domain[] | undefined> = signal<readonly Domain[] | undefined>(undefined);

  constructor() {
    // It is asked for once, when everything is, and when roles are given or taken: they may be those of the account.
    super(new Set([entry, "account_roles"]));
  }

  value(): readonly Domain[] | undefined {
    return this.known();
  }

  private last = "";

  private async show(declared: Declared): Promise<void> {
    const text = JSON.stringify(declared);
    // It is asked for again with everything else, and nearly always the same.
    if (text === this.last) return;
    const { domains, roles } = declared;
    learn(domains, roles);
    const copied = domains.filter(isCopied).flatMap(({ entities }) => entities.map(({ name }) => name));
    await declare(tablesOf(domains), new Set(copied));
    this.known.set(domains);
    this.last = text;
  }

  protected async ask(): Promise<void> {
    const vault = openVault();
    const asked = client.call("rpc.domains" as "rpc.discover", {}) as unknown as Promise<Declared>;
    asked.catch(() => undefined);
    const stored = await vault?.read<Declared>("meta", entry).catch(() => undefined);
    // What an earlier version of the front has kept was the domains alone.
    if (stored?.domains !== undefined && this.known() === undefined && openVault() === vault) await this.show(stored);
    const answer = await asked;
    // A page asks before it is known who is signed in; who has signed in as another asks anew.
    if (vault !== null && openVault() !== vault) throw new Error("the account has changed");
    await this.show(answer);
    await openVault()?.write([{ shelf: "meta", name: entry, value: answer }]).catch(() => undefined);
  }
}

/** The domains, when they are known from the device or the service. */
export function loadDomains(): Promise<readonly Domain[]> {
  const live = domains();
  return new Promise((resolve, reject) => {
    let isEnded = false;
    const stop = effect(() => {
      const [known, failure] = [live.value(), live.failure()];
      if (isEnded || (known === undefined && failure === null)) return;
      isEnded = true;
      queueMicrotask(() => stop());
      if (known === undefined) reject(new Error(failure!.message));
      else resolve(known);
    });
  });
}

/** The domains that the caller's roles reach; their tables are declared when they are known. */
export const domains = (): Live<readonly Domain[]> => question("domains", () => new Domains());
