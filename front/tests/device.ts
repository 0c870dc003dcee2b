// A device without a browser: a database in memory, locks, and a service that tests answer for. Import it before the store.

type Store = Map<string, unknown>;

/** The databases by name, and what is wrong with the device. */
export const databases = new Map<string, Map<string, Store>>();
/** `room`: how many entries a database has room for; `isLost`: the connections end without a word. */
export const device = { room: Infinity, isLost: false };

class Request {
  onsuccess: (() => void) | null = null;
  onerror: ((event: object) => void) | null = null;
  onupgradeneeded: (() => void) | null = null;
  result: unknown;
  error: unknown = null;

  constructor(work: () => unknown) {
    setTimeout(() => {
      try {
        this.result = work();
        this.onsuccess?.();
      } catch (error) {
        this.error = error;
        this.onerror?.({ preventDefault: () => undefined, stopPropagation: () => undefined });
      }
    }, 0);
  }
}

class Transaction {
  oncomplete: (() => void) | null = null;
  onabort: (() => void) | null = null;
  onerror: (() => void) | null = null;
  error: unknown = null;

  constructor(private readonly stores: Map<string, Store>) {
    setTimeout(() => (this.error === null ? this.oncomplete?.() : this.onabort?.()), 1);
  }

  objectStore(name: string): object {
    const store = this.stores.get(name)!;
    const put = (value: unknown, key: string): Request => {
      const used = [...this.stores].reduce((sum, [shelf, one]) => (shelf === "rows" || shelf === "queue" ? sum + one.size : sum), 0);
      if (used >= device.room && !store.has(key)) this.error = new DOMException("full", "QuotaExceededError");
      else store.set(key, value);
      return new Request(() => undefined);
    };
    return {
      put, add: put,
      get: (key: string) => new Request(() => store.get(key)),
      delete: (key: string) => new Request(() => void store.delete(key)),
      clear: () => new Request(() => void store.clear()),
      getAll: () => new Request(() => [...store.values()]),
      getAllKeys: () => new Request(() => [...store.keys()]),
    };
  }
}

const indexedDB = {
  open(name: string): Request {
    const isNew = !databases.has(name);
    const stores = databases.get(name) ?? new Map<string, Store>();
    databases.set(name, stores);
    const database = {
      name, close: () => undefined,
      createObjectStore: (store: string) => void stores.set(store, new Map()),
      transaction: () => {
        if (device.isLost) {
          device.isLost = false;
          throw new DOMException("lost", "InvalidStateError");
        }
        return new Transaction(stores);
      },
    };
    const request: Request = new Request(() => {
      request.result = database;
      if (isNew) request.onupgradeneeded?.();
      return database;
    });
    return request;
  },
  deleteDatabase: (name: string) => new Request(() => void databases.delete(name)),
};

const held = new Map<string, Promise<unknown>>();
const locks = {
  request(name: string, ...given: unknown[]): Promise<unknown> {
    const work = given[given.length - 1] as () => Promise<unknown>;
    const turn = (held.get(name) ?? Promise.resolve()).then(work, work);
    held.set(name, turn.catch(() => undefined));
    return turn;
  },
};

/** What the browser keeps in clear. */
export const kept = new Map<string, string>();
const storage = {
  getItem: (name: string) => kept.get(name) ?? null,
  setItem: (name: string, text: string) => void kept.set(name, text),
  removeItem: (name: string) => void kept.delete(name),
};

/** The company of the account. */
export const port = { id: 1, name: "Port", role: "admin" };

interface Call { id: number; method: string; params: { [name: string]: unknown }; keepalive?: boolean }
export type Answer = { result: object } | { error: { code: number; message: string; data: object } } | "lost";

/** The calls that have reached the service, and what answers them. */
export const service = {
  calls: [] as Call[],
  answer: (_: Call): Answer => "lost",
  /** The calls of one method. */
  of: (method: string): Call[] => service.calls.filter((call) => call.method === method),
};

async function fetched(_: string, { body, keepalive }: { body: string; keepalive?: boolean }): Promise<Response> {
  const given = JSON.parse(body) as Call | readonly Call[];
  const answers = [given].flat().map((one: Call) => {
    const call: Call = { ...one, ...(keepalive ? { keepalive } : {}) };
    service.calls.push(call);
    const answer = service.answer(call);
    if (answer === "lost") throw new TypeError("network");
    return { jsonrpc: "2.0", id: call.id, ...answer };
  });
  return new Response(JSON.stringify(Array.isArray(given) ? answers : answers[0]));
}

Object.defineProperty(globalThis, "navigator", { value: { locks }, configurable: true });
Object.assign(globalThis, { indexedDB, localStorage: storage, sessionStorage: storage, fetch: fetched, BroadcastChannel: undefined, document: { hidden: false }, location: { pathname: "/" } });

/** The milliseconds from which a timer is one that no test waits for, such as the patience with a slow service. */
const long = 3_000;
const begin = globalThis.setTimeout as (work: () => void, delay?: number, ...given: unknown[]) => ReturnType<typeof setTimeout>;

/** A page ends with its timers, and so do the tests: the process would stay for some seconds, with nothing to do. */
globalThis.setTimeout = ((work: () => void, delay = 0, ...given: unknown[]) => {
  const timer = begin(work, delay, ...given);
  if (delay >= long) (timer as unknown as { unref(): void }).unref();
  return timer;
}) as typeof setTimeout;

/** Waits until something holds; fails after two seconds. */
export async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 400; turn++) {
    if (holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error("it never came to be");
}
