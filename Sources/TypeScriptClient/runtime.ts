// What a selection answers, read off its text.

/** Any record whose shape the compiler cannot know: a computed selection, one with fragments or comments. */
export type Loose = { [key: string]: any };

type EntityName = keyof Entities;
type Columns<E extends EntityName> = Entities[E]["columns"];
type Scalars<E extends EntityName> = Entities[E]["columns"] & Entities[E]["derived"];
type One<E extends EntityName> = Entities[E]["one"];
type Many<E extends EntityName> = Entities[E]["many"];

type Space = " " | "\n" | "\r" | "\t" | ",";
type Trim<S extends string> = S extends `${Space}${infer R}` ? Trim<R> : S;
type Letter =
  | "a" | "b" | "c" | "d" | "e" | "f" | "g" | "h" | "i" | "j" | "k" | "l" | "m" | "n" | "o" | "p" | "q" | "r" | "s"
  | "t" | "u" | "v" | "w" | "x" | "y" | "z" | "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "_";
/** The name at the start of S, and what follows it. */
type Name<S extends string, N extends string = ""> =
  S extends `${infer C}${infer R}` ? (Lowercase<C> extends Letter ? Name<R, `${N}${C}`> : [N, S]) : [N, S];

type Unreadable = "unreadable";
/** Whether every quotation that begins in S ends in it. */
type IsQuoted<S extends string> =
  S extends `${string}"${string}"${infer R}` ? IsQuoted<R> : S extends `${string}"${string}` ? false : true;
type WithoutArguments<S extends string> =
  S extends `(${infer A})${infer R}` ? (IsQuoted<A> extends true ? Trim<R> : Unreadable) : S;

type Fields<E extends EntityName, S extends string, A = {}> =
  Trim<S> extends `}${infer R}` ? [A, R]
  : Name<Trim<S>> extends [infer K extends string, infer R extends string]
    ? K extends "" ? Unreadable
      : Trim<R> extends `:${infer Q}`
        ? Name<Trim<Q>> extends [infer F extends string, infer P extends string]
          ? Field<E, K, F, WithoutArguments<Trim<P>>, A>
          : Unreadable
        : Field<E, K, K, WithoutArguments<Trim<R>>, A>
    : Unreadable;

type Field<E extends EntityName, K extends string, F extends string, S extends string, A> =
  S extends `{${infer R}`
    ? F extends keyof One<E>
      ? Fields<Extract<One<E>[F], EntityName>, R> extends [infer T, infer Q extends string]
        ? Fields<E, Q, A & { [P in K]: Flat<T> | null }>
        : Unreadable
      : F extends keyof Many<E>
        ? Fields<Extract<Many<E>[F], EntityName>, R> extends [infer T, infer Q extends string]
          ? Fields<E, Q, A & { [P in K]: Flat<T>[] }>
          : Unreadable
        : Unreadable
    : F extends keyof Scalars<E> ? Fields<E, S, A & { [P in K]: Scalars<E>[F] }>
      : F extends "__typename" ? Fields<E, S, A & { [P in K]: E }>
        : Unreadable;

type Flat<T> = { [K in keyof T]: T[K] };

/** What `select: S` answers for a record of E; all columns without one. */
export type Selected<E extends EntityName, S extends string> =
  S extends "" ? Columns<E>
  : string extends S ? Loose
  : Trim<S> extends `{${infer R}`
    ? Fields<E, R> extends [infer T, infer Q extends string] ? (Trim<Q> extends "" ? Flat<T> : Loose) : Loose
    : Loose;

export interface Page<T> {
  items: T[];
  /** For `after` of the next page. */
  end_cursor: string | null;
  has_next_page: boolean;
  /** With `count: true`. */
  total?: number;
}

// Errors

/** The service refused a call; `data` says why, for programs. */
export class ServiceError extends Error {
  constructor(readonly method: string, readonly code: number, message: string, readonly data: ErrorData) {
    super(message);
    this.name = "ServiceError";
  }

  /** Narrows `data`: `if (error.is("conflict")) error.data.reason …` */
  is<C extends ErrorData["code"]>(code: C): this is ServiceError & { data: Extract<ErrorData, { code: C }> } {
    return this.data?.code === code;
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
  result?: any;
  error?: { code: number; message: string; data: ErrorData };
}

/** Sends calls, keeps tokens, and renews the access token once it has expired. */
class Connection {
  private tokens: Tokens | null;
  private renewal: Promise<boolean> | null = null;
  private count = 0;

  constructor(private readonly options: ClientOptions) {
    this.tokens = options.tokens ?? null;
  }

  get isSignedIn(): boolean {
    return this.tokens !== null;
  }

  /** Any method by its name. */
  call<M extends keyof Methods>(
    method: M, params: Methods[M]["params"], options?: CallOptions,
  ): Promise<Methods[M]["result"]> {
    return this.invoke(method, params, options);
  }

  protected async invoke(method: string, params: object, options?: CallOptions): Promise<any> {
    const used = this.tokens;
    let answer = await this.send(method, params, used, options);
    const data = answer.error?.data;
    if (used && data?.code === "unauthenticated" && data.reason === "expired" && (await this.renew(used))) {
      answer = await this.send(method, params, this.tokens, options);
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
    if (this.tokens) await this.invoke("auth.logout", { refresh_token: this.tokens.refresh_token, everywhere });
  }

  /** One renewal at a time, whoever needs it: a refresh token is good for one use. */
  private renew(used: Tokens): Promise<boolean> {
    if (this.tokens !== used) return Promise.resolve(this.tokens !== null);
    this.renewal ??= this.refresh(used).finally(() => { this.renewal = null; });
    return this.renewal;
  }

  private async refresh(used: Tokens): Promise<boolean> {
    const answer = await this.send("auth.refresh", { refresh_token: used.refresh_token }, null);
    if (answer.result) this.keep(answer.result);
    else if (answer.error?.data?.code === "unauthenticated") this.keep(null);
    return answer.result !== undefined;
  }

  private keep(tokens: Tokens | null): void {
    this.tokens = tokens && { access_token: tokens.access_token, refresh_token: tokens.refresh_token };
    this.options.onTokens?.(this.tokens);
  }

  private async send(
    method: string, params: object, tokens: Tokens | null, options?: CallOptions,
  ): Promise<Answer> {
    const headers: { [name: string]: string } = { ...this.options.headers, "Content-Type": "application/json" };
    if (tokens) headers["Authorization"] = `Bearer ${tokens.access_token}`;
    this.count += 1;
    const request: RequestInit = {
      method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", id: this.count, method, params }),
    };
    if (options?.signal) request.signal = options.signal;
    const send = this.options.fetch ?? fetch;
    const response = await send(this.options.url.replace(/\/+$/, "") + "/rpc", request);
    const text = await response.text();
    let answer: Answer | null;
    try {
      answer = JSON.parse(text);
    } catch {
      answer = null;
    }
    if (typeof answer !== "object" || answer === null || (answer.result === undefined && !answer.error)) {
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
