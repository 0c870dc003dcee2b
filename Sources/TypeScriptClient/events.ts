
// The change feed

/** The tables of the change feed. */
export type FeedTable = FeedChange["table"];

/** A committed change of a record of one of the tables T. */
export type Change<T extends FeedTable = FeedTable> =
  { [K in keyof FeedChange]: K extends "table" ? T : FeedChange[K] };

/** What to listen to, and for how long. */
export interface EventOptions<T extends FeedTable = FeedTable> {
  /** The tables to follow. Without them, every table that the caller may read. */
  tables?: readonly T[] | null | undefined;
  /** The cursor to continue from, of an earlier iteration or of `changes.list`. Without it, changes from now on. */
  after?: string | null | undefined;
  /** Ends the iteration and closes the connection. */
  signal?: AbortSignal | undefined;
  /** Called with true when changes can arrive, with false and the cause, if any, when a connection ends or fails. */
  onConnection?: ((isConnected: boolean, cause?: unknown) => void) | undefined;
  /** The milliseconds without a byte after which a connection is replaced: 45,000. The service writes every 15,000. */
  timeout?: number | undefined;
}

/**
 * Changes may be missing, because they are older than the service keeps them or were lost with a database server. Load
 * again what is shown, and continue from `cursor`.
 */
export class ChangesLostError extends Error {
  readonly cursor: string;

  constructor(cursor: string) {
    super("changes before the cursor may be missing");
    this.name = "ChangesLostError";
    this.cursor = cursor;
  }
}

/** One server-sent event. Without an event, `event` is empty and only the position has moved. */
interface ServerSentEvent {
  event: string;
  data: string;
  id: string;
  retry: number | null;
}

/** Reads server-sent events from the pieces of a text (WHATWG HTML, 9.2.6). */
class EventParser {
  private rest = "";
  private id = "";
  private event = "";
  private data: string[] = [];
  private retry: number | null = null;

  *read(text: string): Generator<ServerSentEvent, void, undefined> {
    this.rest += text;
    for (;;) {
      const end = this.rest.search(/[\r\n]/);
      // A line feed may follow a carriage return that is the last character so far.
      if (end < 0 || (this.rest[end] === "\r" && end + 1 === this.rest.length)) return;
      const line = this.rest.slice(0, end);
      this.rest = this.rest.slice(end + (this.rest.startsWith("\r\n", end) ? 2 : 1));
      if (line !== "") {
        this.take(line);
        continue;
      }
      const { event, data, id, retry } = this;
      yield { event: data.length > 0 ? event || "message" : "", data: data.join("\n"), id, retry };
      this.event = "";
      this.data = [];
      this.retry = null;
    }
  }

  private take(line: string): void {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "event") this.event = value;
    else if (name === "data") this.data.push(value);
    else if (name === "id" && !value.includes("\0")) this.id = value;
    else if (name === "retry" && /^[0-9]+$/.test(value)) this.retry = Number(value);
  }
}

/** The result of `step`. Fails when the connection is aborted, and aborts it after `timeout` milliseconds. */
function within<R>(step: Promise<R>, connection: AbortController, timeout: number): Promise<R> {
  const signal = connection.signal;
  return new Promise<R>((resolve, reject) => {
    const stop = (): void => {
      leave();
      reject(reasonOf(signal));
    };
    const timer = setTimeout(() => connection.abort(), timeout);
    const leave = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    };
    step.finally(leave).then(resolve, reject);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop);
  });
}

/** Sends `GET` with the client's headers and tokens. */
type Opening = (path: string, headers: { [name: string]: string }, signal: AbortSignal) => Promise<Response>;

/**
 * The changes that `client.events()` iterates over, each once and in the order of the service. It connects with the
 * first step of the iteration. Iterate once.
 */
export class Events<T extends FeedTable = FeedTable> implements AsyncIterableIterator<Change<T>> {
  private readonly options: EventOptions<T>;
  private readonly open: Opening;
  private readonly closing = new AbortController();
  private readonly changes: AsyncGenerator<Change<T>, void, undefined>;
  private position: string | null;
  /** The time before the first attempt to connect again, in milliseconds. */
  private retry = 2_000;

  constructor(options: EventOptions<T>, open: Opening) {
    this.options = options;
    this.open = open;
    this.position = options.after ?? null;
    this.changes = this.run();
  }

  /** Where the iteration is: `after` of one that continues here. Null before the service has named a position. */
  get cursor(): string | null {
    return this.position;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Change<T>, void>> {
    return this.changes.next();
  }

  /** Ends the iteration, also one that waits for a change, and closes the connection. */
  return(): Promise<IteratorResult<Change<T>, void>> {
    this.closing.abort();
    return this.changes.return();
  }

  private async *run(): AsyncGenerator<Change<T>, void, undefined> {
    const { signal, onConnection } = this.options;
    const stop = (): void => this.closing.abort();
    if (signal?.aborted) stop();
    signal?.addEventListener("abort", stop);
    try {
      let failures = 0;
      while (!this.closing.signal.aborted) {
        let isConnected = false;
        let cause: unknown;
        const events = this.connect();
        try {
          for (;;) {
            let step: IteratorResult<ServerSentEvent, void>;
            try {
              step = await events.next();
            } catch (error) {
              if (this.closing.signal.aborted) return;
              if (!isPassing(error)) throw error;
              cause = error;
              break;
            }
            if (this.closing.signal.aborted) return;
            if (step.done) break;
            const { event, data, id, retry } = step.value;
            this.retry = retry ?? this.retry;
            if (event === "ready") {
              // The event `reset` may follow. Until then, the position to continue from is the earlier one.
              this.position ??= id;
              failures = 0;
              isConnected = true;
              onConnection?.(true);
              continue;
            }
            if (id !== "") this.position = id;
            if (event === "reset") throw new ChangesLostError(id);
            if (event === "change") yield JSON.parse(data) as Change<T>;
            if (this.closing.signal.aborted) return;
          }
        } finally {
          await events.return();
          if (isConnected || cause !== undefined) onConnection?.(false, cause);
        }
        await pause(backOff(this.retry, failures, cause), this.closing.signal);
        failures += 1;
      }
    } finally {
      signal?.removeEventListener("abort", stop);
    }
  }

  /** The events of one connection, which is closed at the end. */
  private async *connect(): AsyncGenerator<ServerSentEvent, void, undefined> {
    const connection = new AbortController();
    const stop = (): void => connection.abort();
    this.closing.signal.addEventListener("abort", stop);
    let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
    try {
      const { tables, timeout = 45_000 } = this.options;
      const query = tables ? `?tables=${tables.map(encodeURIComponent).join()}` : "";
      const headers: { [name: string]: string } = { Accept: "text/event-stream" };
      if (this.position !== null) headers["Last-Event-ID"] = this.position;
      const response = await within(this.open(`/events${query}`, headers, connection.signal), connection, timeout);
      const type = response.headers.get("Content-Type") ?? "";
      if (response.status !== 200 || !type.startsWith("text/event-stream") || !response.body) {
        throw refusalIn(parsed(await within(response.text(), connection, timeout)), "events", response);
      }
      reader = response.body.getReader();
      const decoder = new TextDecoder();
      const parser = new EventParser();
      for (;;) {
        const { done, value } = await within(reader.read(), connection, timeout);
        if (done) return;
        yield* parser.read(decoder.decode(value, { stream: true }));
      }
    } finally {
      this.closing.signal.removeEventListener("abort", stop);
      connection.abort();
      reader?.cancel().catch(() => undefined);
    }
  }
}
