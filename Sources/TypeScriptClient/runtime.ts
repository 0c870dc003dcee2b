// What a selection answers, read off its text.

/** Any record whose shape the compiler cannot know: a computed selection, or one it cannot read. */
export type Loose = { [key: string]: any };

type EntityName = keyof Entities;
type Columns<E extends EntityName> = Entities[E]["columns"];
type Scalars<E extends EntityName> = Entities[E]["columns"] & Entities[E]["derived"];
type One<E extends EntityName> = Entities[E]["one"];
type Many<E extends EntityName> = Entities[E]["many"];

type Space = " " | "\n" | "\r" | "\t" | ",";
type Trim<S extends string> =
  S extends `${Space}${infer R}` ? Trim<R> : S extends `#${string}\n${infer R}` ? Trim<R> : S;
type Letter =
  | "a" | "b" | "c" | "d" | "e" | "f" | "g" | "h" | "i" | "j" | "k" | "l" | "m" | "n" | "o" | "p" | "q" | "r" | "s"
  | "t" | "u" | "v" | "w" | "x" | "y" | "z" | "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "_";
/** The name at the start of S, and what follows it. */
type Name<S extends string, N extends string = ""> =
  S extends `${infer C}${infer R}` ? (Lowercase<C> extends Letter ? Name<R, `${N}${C}`> : [N, S]) : [N, S];

type Unreadable = "unreadable";
/** A name that is not there: what is wrong, for the compiler to say. */
type Unknown<F extends string, E extends string> = { unknown: `« ${F} » n’existe pas sur ${E}` };
/** Whether every quotation that begins in S ends in it. */
type IsQuoted<S extends string> =
  S extends `${string}"${string}"${infer R}` ? IsQuoted<R> : S extends `${string}"${string}` ? false : true;
type WithoutArguments<S extends string> =
  S extends `(${infer A})${infer R}` ? (IsQuoted<A> extends true ? Trim<R> : Unreadable) : S;

/**
 * The members that the fields at the start of S add to A, and what follows their closing brace.
 * D is the whole text: fragments are looked up in it.
 */
type Fields<E extends EntityName, S extends string, D extends string, A = {}> =
  Trim<S> extends `}${infer R}` ? [A, R]
  : Trim<S> extends `...${infer R}`
    ? Name<R> extends [infer N extends string, infer Q extends string]
      ? Fragment<N, D> extends [infer T, string] ? Fields<E, Q, D, With<A, T>> : Fragment<N, D>
      : Unreadable
  : Name<Trim<S>> extends [infer K extends string, infer R extends string]
    ? K extends "" ? Unreadable
      : Trim<R> extends `:${infer Q}`
        ? Name<Trim<Q>> extends [infer F extends string, infer P extends string]
          ? Field<E, K, F, WithoutArguments<Trim<P>>, D, A>
          : Unreadable
        : Field<E, K, K, WithoutArguments<Trim<R>>, D, A>
    : Unreadable;

type Fragment<N extends string, D extends string> =
  D extends `${string}fragment ${N} on ${infer E} {${infer S}`
    ? E extends EntityName ? Fields<E, S, D> : Unreadable
    : Unreadable;

type Field<E extends EntityName, K extends string, F extends string, S extends string, D extends string, A> =
  S extends Unreadable ? Unreadable
  : S extends `{${infer R}`
    ? F extends keyof One<E>
      ? Fields<Extract<One<E>[F], EntityName>, R, D> extends infer Q
        ? Q extends [infer T, infer P extends string] ? Fields<E, P, D, With<A, { [M in K]: Flat<T> | null }>> : Q
        : Unreadable
      : F extends keyof Many<E>
        ? Fields<Extract<Many<E>[F], EntityName>, R, D> extends infer Q
          ? Q extends [infer T, infer P extends string] ? Fields<E, P, D, With<A, { [M in K]: Flat<T>[] }>> : Q
          : Unreadable
        : F extends keyof Scalars<E> ? Unreadable : Unknown<F, E>
    : F extends keyof Scalars<E> ? Fields<E, S, D, A & { [M in K]: Scalars<E>[F] }>
      : F extends "__typename" ? Fields<E, S, D, A & { [M in K]: E }>
        : F extends keyof (One<E> & Many<E>) ? Unreadable : Unknown<F, E>;

type Flat<T> = { [K in keyof T]: T[K] };

/** The members of A and of T; a relation asked for twice has the fields of both. */
type With<A, T> = keyof A & keyof T extends never ? A & T : Merged<A, T>;
type Merged<A, T> = {
  [K in keyof A | keyof T]: K extends keyof A ? (K extends keyof T ? Both<A[K], T[K]> : A[K]) : T[K & keyof T];
};
type Both<X, Y> =
  NonNullable<X> extends readonly (infer P)[]
    ? NonNullable<Y> extends readonly (infer Q)[] ? Both<P, Q>[] : X
    : NonNullable<X> extends object ? Merged<NonNullable<X>, NonNullable<Y>> | Extract<X, null> : X;

/** What S says of E: [its record, what follows], or why that cannot be said. */
type Read<E extends EntityName, S extends string> = Trim<S> extends `{${infer R}` ? Fields<E, R, S> : Unreadable;
/** After a selection set only fragments may come. */
type IsEnd<S extends string> = Trim<S> extends "" | `fragment ${string}` ? true : false;

/** What `select: S` answers for a record of E; all columns without one. */
export type Selected<E extends EntityName, S extends string> =
  S extends "" ? Columns<E>
  : string extends S ? Loose
  : Read<E, S> extends [infer T, infer Q extends string] ? (IsEnd<Q> extends true ? Flat<T> : Loose) : Loose;

/** A selection of E whose names exist, as far as the compiler can read it. */
export type Selection<E extends EntityName, S extends string> =
  string extends S ? S : Read<E, S> extends { unknown: infer M } ? { error: M } : S;

export interface Page<T> {
  items: T[];
  /** For `after` of the next page. */
  end_cursor: string | null;
  has_next_page: boolean;
  /** With `count: true`. */
  total?: number;
}

// What an aggregate answers.

/** A column, or one of a record that is referred to: `client.ville`. */
type Path<E extends EntityName, P extends string> =
  P extends keyof Scalars<E> ? Scalars<E>[P]
  : P extends `${infer R}.${infer Q}`
    ? R extends keyof One<E> ? Path<Extract<One<E>[R], EntityName>, Q> | null : unknown
    : unknown;
type GroupValue<E extends EntityName, K extends string> =
  K extends `${string}(${infer P})` ? Path<E, P> : Path<E, K>;

type Calculated<E extends EntityName, C extends string, F extends string> =
  C extends "sum" ? number
  : C extends "avg" ? number | null
  : F extends keyof Scalars<E> ? Scalars<E>[F] | null : unknown;

type Numbers<E extends EntityName, S extends string, C extends string, A = {}> =
  Trim<S> extends `}${infer R}` ? [A, R]
  : Name<Trim<S>> extends [infer K extends string, infer R extends string]
    ? K extends "" ? Unreadable
      : Trim<R> extends `:${infer Q}`
        ? Name<Trim<Q>> extends [infer F extends string, infer P extends string]
          ? Numbers<E, P, C, A & { [M in K]: Calculated<E, C, F> }>
          : Unreadable
        : Numbers<E, R, C, A & { [M in K]: Calculated<E, C, K> }>
    : Unreadable;

type Aggregates<E extends EntityName, S extends string, A = {}> =
  Trim<S> extends `}${infer R}` ? [A, R]
  : Name<Trim<S>> extends [infer K extends string, infer R extends string]
    ? K extends "" ? Unreadable
      : Trim<R> extends `:${infer Q}`
        ? Name<Trim<Q>> extends [infer C extends string, infer P extends string]
          ? Aggregate<E, K, C, Trim<P>, A>
          : Unreadable
        : Aggregate<E, K, K, Trim<R>, A>
    : Unreadable;

type Aggregate<E extends EntityName, K extends string, C extends string, S extends string, A> =
  S extends `{${infer R}`
    ? Numbers<E, R, C> extends [infer T, infer Q extends string]
      ? Aggregates<E, Q, A & { [M in K]: Flat<T> }>
      : Unreadable
    : C extends "count" ? Aggregates<E, S, A & { [M in K]: number }> : Unreadable;

/** One group of an aggregate over E: the keys G, then what S asks for. */
export type Aggregated<E extends EntityName, S extends string, G extends string> =
  string extends S ? Loose
  : Trim<S> extends `{${infer R}`
    ? Aggregates<E, R> extends [infer T, infer Q extends string]
      ? Trim<Q> extends "" ? Flat<{ [K in G]: GroupValue<E, K> } & T> : Loose
      : Loose
    : Loose;

export interface Groups<T> {
  items: T[];
  has_next_page: boolean;
}

// Errors

/** The service refused a call; `code` and `data` say why, for programs. */
export class ServiceError extends Error {
  constructor(readonly method: string, readonly code: number, message: string, readonly data: ErrorData) {
    super(message);
    this.name = "ServiceError";
  }

  /** Narrows `data`: `if (error.is("conflict")) error.data.reason …` */
  is<C extends ErrorData["code"]>(code: C): this is ServiceError & { data: Extract<ErrorData, { code: C }> } {
    return this.data?.code === code;
  }

  /** For support: what the service's log calls this request. */
  get requestID(): string | undefined {
    return this.data?.request_id;
  }
}

/** What answered was not the service. */
export class TransportError extends Error {
  constructor(readonly method: string, readonly status: number, message: string) {
    super(message);
    this.name = "TransportError";
  }
}

// Calls

export interface Tokens {
  access_token: string;
  refresh_token: string;
}

export interface ClientOptions {
  /** Where the service is, such as `https://example.org`; `/rpc` is added. */
  url: string;
  /** From an earlier sign-in. */
  tokens?: Tokens | null;
  /** Told of every change of the tokens, null once signed out: keep the refresh token somewhere safe. */
  onTokens?: (tokens: Tokens | null) => void;
  /** Instead of the global `fetch`. */
  fetch?: typeof fetch;
  headers?: { [name: string]: string };
}

export interface CallOptions {
  signal?: AbortSignal;
}

interface Answer {
  id?: unknown;
  result?: any;
  error?: { code: number; message: string; data: ErrorData };
}

interface Request {
  id: number;
  method: string;
  params: object;
}

/** A call that waits for the batch it belongs to. */
interface Waiting {
  request: Request;
  resolve: (answer: Answer) => void;
  reject: (reason: unknown) => void;
}

/** What all clients of one sign-in share: a batch's calls know the tokens of the client they come from. */
interface SignIn {
  tokens: Tokens | null;
  renewal: Promise<boolean> | null;
  count: number;
}

/** As many calls as the service takes in one request. */
const batchSize = 50;

/** Sends calls, keeps tokens, and renews the access token once it has expired. */
class Connection {
  private signIn: SignIn;
  private waiting: Waiting[] | null = null;

  constructor(private readonly options: ClientOptions) {
    this.signIn = { tokens: options.tokens ?? null, renewal: null, count: 0 };
  }

  get isSignedIn(): boolean {
    return this.signIn.tokens !== null;
  }

  /** Any method by its name. */
  call<M extends keyof Methods>(
    method: M, params: Methods[M]["params"], options?: CallOptions,
  ): Promise<Methods[M]["result"]> {
    return this.invoke(method, params, options);
  }

  /**
   * Several calls in one request: `const [me, page] = await client.batch((b) => [b.auth.me(), b.sessions.list()])`.
   * Each succeeds or fails by itself; the batch fails with the first that does. `.catch` a call to go on without it.
   */
  async batch<T extends readonly unknown[] | []>(
    calls: (client: this) => T, options?: CallOptions,
  ): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
    const one: this = new (this.constructor as any)(this.options);
    one.signIn = this.signIn;
    const waiting: Waiting[] = (one.waiting = []);
    const results = Promise.all(calls(one));
    // What fails before it is sent must not go unheard while the rest is on its way.
    results.catch(() => undefined);
    one.waiting = null;
    const tokens = this.signIn.tokens;
    for (let start = 0; start < waiting.length; start += batchSize) {
      await this.deliver(waiting.slice(start, start + batchSize), tokens, options);
    }
    return (await results) as any;
  }

  private async deliver(waiting: Waiting[], tokens: Tokens | null, options?: CallOptions): Promise<void> {
    const names = waiting.map((one) => one.request.method).join(", ");
    try {
      const requests = waiting.map((one) => ({ jsonrpc: "2.0", ...one.request }));
      const answers = await this.post(names, requests, tokens, options);
      if (!Array.isArray(answers)) {
        const answer: Answer = answers as Answer;
        for (const one of waiting) one.resolve(answer);
        return;
      }
      const byID = new Map(answers.map((answer: Answer) => [answer.id, answer]));
      for (const one of waiting) {
        const answer = byID.get(one.request.id);
        if (answer) one.resolve(answer);
        else one.reject(new TransportError(one.request.method, 200, "no answer in the batch"));
      }
    } catch (reason) {
      for (const one of waiting) one.reject(reason);
    }
  }

  protected async invoke(method: string, params: object, options?: CallOptions): Promise<any> {
    const used = this.signIn.tokens;
    let answer = await this.send(method, params, used, options);
    const data = answer.error?.data;
    if (used && data?.code === "unauthenticated" && data.reason === "expired" && (await this.renew(used))) {
      answer = await this.send(method, params, this.signIn.tokens, options);
    }
    if (answer.error) {
      throw new ServiceError(method, answer.error.code, answer.error.message, answer.error.data);
    }
    if (method === "auth.login" || method === "auth.refresh") this.keep(answer.result);
    if (method === "auth.logout") this.keep(null);
    return answer.result;
  }

  /** Ends the sign-in there and here. */
  async signOut(everywhere = false): Promise<void> {
    const tokens = this.signIn.tokens;
    if (tokens) await this.invoke("auth.logout", { refresh_token: tokens.refresh_token, everywhere });
  }

  /** One renewal at a time, whoever needs it: a refresh token is good for one use. */
  private renew(used: Tokens): Promise<boolean> {
    const signIn = this.signIn;
    if (signIn.tokens !== used) return Promise.resolve(signIn.tokens !== null);
    signIn.renewal ??= this.refresh(used).finally(() => { signIn.renewal = null; });
    return signIn.renewal;
  }

  private async refresh(used: Tokens): Promise<boolean> {
    const answer = await this.send("auth.refresh", { refresh_token: used.refresh_token }, null);
    // Whoever signed in or out meanwhile knows better.
    if (this.signIn.tokens !== used) return this.signIn.tokens !== null;
    if (answer.result) this.keep(answer.result);
    else if (answer.error?.data?.code === "unauthenticated") this.keep(null);
    return answer.result !== undefined;
  }

  private keep(tokens: Tokens | null): void {
    this.signIn.tokens = tokens && { access_token: tokens.access_token, refresh_token: tokens.refresh_token };
    this.options.onTokens?.(this.signIn.tokens);
  }

  private async send(
    method: string, params: object, tokens: Tokens | null, options?: CallOptions,
  ): Promise<Answer> {
    this.signIn.count += 1;
    const request: Request = { id: this.signIn.count, method, params };
    const waiting = this.waiting;
    if (waiting) return new Promise((resolve, reject) => { waiting.push({ request, resolve, reject }); });
    const answer = (await this.post(method, { jsonrpc: "2.0", ...request }, tokens, options)) as Answer;
    if (answer.result === undefined && !answer.error) throw new TransportError(method, 200, "no JSON-RPC answer");
    return answer;
  }

  private async post(
    method: string, body: object, tokens: Tokens | null, options?: CallOptions,
  ): Promise<object> {
    const headers: { [name: string]: string } = { ...this.options.headers, "Content-Type": "application/json" };
    if (tokens) headers["Authorization"] = `Bearer ${tokens.access_token}`;
    const request: RequestInit = { method: "POST", headers, body: JSON.stringify(body) };
    if (options?.signal) request.signal = options.signal;
    const send = this.options.fetch ?? fetch;
    const response = await send(this.options.url.replace(/\/+$/, "") + "/rpc", request);
    const text = await response.text();
    let answer: unknown;
    try {
      answer = JSON.parse(text);
    } catch {
      answer = null;
    }
    if (typeof answer !== "object" || answer === null) {
      throw new TransportError(method, response.status, `no JSON-RPC answer, but HTTP ${response.status}`);
    }
    return answer;
  }

  /** Every record of a list, page after page. */
  protected async *pages<T>(
    list: (after: string | null) => Promise<Page<T>>,
  ): AsyncGenerator<T, void, undefined> {
    let after: string | null = null;
    for (;;) {
      const page: Page<T> = await list(after);
      yield* page.items;
      if (!page.has_next_page) return;
      after = page.end_cursor;
    }
  }
}
