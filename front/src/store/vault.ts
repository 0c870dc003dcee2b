// What this device keeps of one account in one company, encrypted with a key that no script can read.

/** The stores of the database. Only the ids of members and companies and the names of entries stand there in clear. */
export type Shelf = "rows" | "queue" | "drafts" | "meta";
const shelves: readonly Shelf[] = ["rows", "queue", "drafts", "meta"];

interface Sealed {
  readonly iv: Uint8Array;
  readonly data: ArrayBuffer;
}

export interface Entry {
  readonly shelf: Shelf;
  readonly name: string;
  /** Undefined deletes the entry. */
  readonly value: unknown;
}

const prefix = "learntrack-";

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function committed(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = transaction.onerror = () => reject(transaction.error);
  });
}

function openDatabase(name: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => {
    for (const shelf of [...shelves, "key"]) request.result.createObjectStore(shelf);
  };
  return settled(request);
}

/** The key of the database, made with it. Two tabs that open a new one agree on the first. */
async function keyOf(database: IDBDatabase): Promise<CryptoKey> {
  const read = (): Promise<CryptoKey | undefined> =>
    settled(database.transaction("key").objectStore("key").get("1") as IDBRequest<CryptoKey | undefined>);
  const found = await read();
  if (found) return found;
  const made = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
  const transaction = database.transaction("key", "readwrite");
  const request = transaction.objectStore("key").add(made, "1");
  request.onerror = (event) => { event.preventDefault(); event.stopPropagation(); };
  await committed(transaction);
  return (await read()) ?? made;
}

export class Vault {
  /** Writes are made in the order of their calls, although encrypting takes longer for some. */
  private last: Promise<void> = Promise.resolve();

  private readonly name: string;
  private isLeft = false;
  /** Null after the browser has closed it, as phones do to apps in the background. */
  private database: IDBDatabase | null = null;

  private constructor(database: IDBDatabase, private key: CryptoKey) {
    this.name = database.name;
    this.take(database);
  }

  private take(database: IDBDatabase): IDBDatabase {
    // Another tab deletes it.
    database.onversionchange = () => {
      database.close();
      this.close();
    };
    database.onclose = () => { this.database = null; };
    this.database = database;
    return database;
  }

  private async open(): Promise<IDBDatabase> {
    if (this.isLeft) throw new DOMException("", "InvalidStateError");
    if (this.database !== null) return this.database;
    const database = this.take(await openDatabase(this.name));
    // The browser may have emptied it; what is written from now on has to be read at the next start.
    this.key = await keyOf(database);
    return database;
  }

  /** A transaction; if the connection has been lost without a word, as happens on iOS, on a new one. */
  private async begin(used: readonly Shelf[], mode: IDBTransactionMode): Promise<IDBTransaction> {
    try {
      return (await this.open()).transaction([...used], mode);
    } catch {
      this.database = null;
      return (await this.open()).transaction([...used], mode);
    }
  }

  /** Null where the browser has no place for it: without a secure context, or in some private windows. */
  static async of(company: number, member: number): Promise<Vault | null> {
    try {
      // That of the first company has the name that it had when there was no other.
      const database = await openDatabase(`${prefix}${company === 1 ? "" : `${company}-`}${member}`);
      return new Vault(database, await keyOf(database));
    } catch {
      return null;
    }
  }

  async read<T>(shelf: Shelf, name: string): Promise<T | undefined> {
    const store = (await this.begin([shelf], "readonly")).objectStore(shelf);
    return this.unsealed<T>(shelf, name, (await settled(store.get(name))) as Sealed | undefined);
  }

  async readAll<T>(shelf: Shelf): Promise<[name: string, value: T][]> {
    const store = (await this.begin([shelf], "readonly")).objectStore(shelf);
    const [names, all] = await Promise.all([settled(store.getAllKeys()), settled(store.getAll())]);
    const values = await Promise.all(
      names.map((name, at) => this.unsealed<T>(shelf, String(name), all[at] as Sealed | undefined)));
    return names.flatMap((name, at): [string, T][] => {
      const value = values[at];
      return value === undefined ? [] : [[String(name), value]];
    });
  }

  /** Writes all entries, or none. */
  write(entries: readonly Entry[]): Promise<void> {
    const written = this.last.then(() => this.commit(entries));
    this.last = written.catch(() => undefined);
    return written;
  }

  private async commit(entries: readonly Entry[]): Promise<void> {
    if (entries.length === 0) return;
    await this.open();
    const sealed = await Promise.all(entries.map((one) => this.sealed(one)));
    const transaction = await this.begin([...new Set(entries.map((one) => one.shelf))], "readwrite");
    entries.forEach(({ shelf, name }, at) => {
      const value = sealed[at];
      if (value === undefined) transaction.objectStore(shelf).delete(name);
      else transaction.objectStore(shelf).put(value, name);
    });
    await committed(transaction);
  }

  async clear(emptied: readonly Shelf[]): Promise<void> {
    await this.last;
    const transaction = await this.begin(emptied, "readwrite");
    emptied.forEach((shelf) => transaction.objectStore(shelf).clear());
    await committed(transaction);
  }

  /** Deletes everything, the key too. */
  async destroy(): Promise<void> {
    await this.clear(shelves).catch(() => undefined);
    this.close();
    await settled(indexedDB.deleteDatabase(this.name)).catch(() => undefined);
  }

  close(): void {
    this.isLeft = true;
    this.database?.close();
  }

  // An entry is bound to its place: moved to another, it cannot be read.
  private place(shelf: Shelf, name: string): Uint8Array {
    return new TextEncoder().encode(`${shelf}/${name}`);
  }

  private async sealed({ shelf, name, value }: Entry): Promise<Sealed | undefined> {
    if (value === undefined) return undefined;
    const iv = crypto.getRandomValues(new Uint8Array(12));
    const plain = new TextEncoder().encode(JSON.stringify(value));
    const algorithm = { name: "AES-GCM", iv, additionalData: this.place(shelf, name) };
    return { iv, data: await crypto.subtle.encrypt(algorithm, this.key, plain) };
  }

  /** Undefined for an entry that cannot be read: it is loaded again from the service. */
  private async unsealed<T>(shelf: Shelf, name: string, found: Sealed | undefined): Promise<T | undefined> {
    if (found === undefined) return undefined;
    try {
      const algorithm = { name: "AES-GCM", iv: found.iv, additionalData: this.place(shelf, name) };
      const plain = await crypto.subtle.decrypt(algorithm, this.key, found.data);
      return JSON.parse(new TextDecoder().decode(plain)) as T;
    } catch {
      return undefined;
    }
  }
}
