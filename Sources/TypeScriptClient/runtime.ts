// The type of a selection's result, which the compiler reads from the text of the selection.

/** A record of unknown shape: the result of a selection that is composed at run time. */
export type Loose = { [key: string]: any };

type EntityName = keyof Entities;
type Columns<E extends EntityName> = Entities[E]["columns"];
type Scalars<E extends EntityName> = Entities[E]["columns"] & Entities[E]["derived"];
type One<E extends EntityName> = Entities[E]["one"];
type Many<E extends EntityName> = Entities[E]["many"];

/** A mistake in a selection. The compiler shows M in its error message. */
type Wrong<M extends string> = { error: M };
/** Whether S is a literal type: for `string`, and for a template with a `string` in it, the mapped type is empty. */
type IsKnown<S extends string> = {} extends { [K in S]: 1 } ? false : true;

// Tokens. Comments and the contents of strings are removed first, so that they are not taken for fields.

type Blank = " " | "\n" | "\r" | "\t" | "," | "\uFEFF";
type Letter =
  | "a" | "b" | "c" | "d" | "e" | "f" | "g" | "h" | "i" | "j" | "k" | "l" | "m" | "n" | "o" | "p" | "q" | "r" | "s"
  | "t" | "u" | "v" | "w" | "x" | "y" | "z" | "A" | "B" | "C" | "D" | "E" | "F" | "G" | "H" | "I" | "J" | "K" | "L"
  | "M" | "N" | "O" | "P" | "Q" | "R" | "S" | "T" | "U" | "V" | "W" | "X" | "Y" | "Z" | "_";
type Digit = "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9";

type Trim<S extends string> = S extends `${infer C}${infer R}` ? (C extends Blank ? Trim<R> : S) : S;
/** The name at the start of S, and the rest of S. */
type Name<S extends string, N extends string = ""> =
  S extends `${infer C}${infer R}` ? (C extends Letter | Digit ? Name<R, `${N}${C}`> : [N, S]) : [N, S];

/** S without comments and with empty strings; null if a string is not closed. */
type Plain<S extends string, O extends string = ""> =
  S extends `${infer A}"${infer R}`
    ? A extends `${infer B}#${string}`
      ? S extends `${B}#${infer Q}` ? Plain<AfterLine<Q>, `${O}${B} `> : never
      : AfterString<R> extends infer Q extends string ? Plain<Q, `${O}${A}""`> : null
    : S extends `${infer A}#${infer R}` ? Plain<AfterLine<R>, `${O}${A} `> : `${O}${S}`;
type AfterLine<S extends string> =
  S extends `${infer A}\n${infer R}` ? (A extends `${string}\r${infer Q}` ? `${Q}\n${R}` : R)
  : S extends `${string}\r${infer R}` ? R : "";
type AfterString<S extends string> = S extends `""${infer R}` ? AfterBlock<R> : AfterQuote<S>;
type AfterBlock<S extends string> =
  S extends `${infer A}"""${infer R}` ? (A extends `${string}\\` ? AfterBlock<R> : R) : null;
type AfterQuote<S extends string> =
  S extends `${infer A}"${infer R}`
    ? A extends `${string}${"\n" | "\r"}${string}` ? null
    : A extends `${infer B}\\${string}` ? (S extends `${B}\\${string}${infer Q}` ? AfterQuote<Q> : null)
    : R
    : null;

// Fields: a union of [key, field, selection of the field], in which fields of the same key are merged.

type Picked = [string, string, any];

/** P and the fields at the start of S, and the rest of S after their closing brace. D contains the fragments. */
type Fields<E extends EntityName, S extends string, D, P = never> =
  Trim<S> extends `${infer C}${infer R}`
    ? C extends Letter
      ? Name<R, C> extends [infer K extends string, infer Q extends string]
        ? Trim<Q> extends `:${infer A}`
          ? Name<Trim<A>> extends [infer F extends string, infer B extends string]
            ? F extends "" ? Wrong<`Le champ que renomme « ${K} » manque`> : Field<E, K, F, Trim<B>, D, P>
            : never
          : Field<E, K, K, Trim<Q>, D, P>
        : never
    : C extends "}" ? ([P] extends [never] ? Wrong<"Une sélection vide « { } » n’est pas admise"> : [P, R])
    : `${C}${R}` extends `...${infer Q}` ? Spread<E, Name<Trim<Q>>, D, P>
    : Wrong<`« ${C} » n’a pas de sens ici`>
    : Wrong<"Une accolade « } » manque à la fin de la sélection">;

/** A field F with the key K. Its arguments contain no parenthesis, because strings are empty at this point. */
type Field<E extends EntityName, K extends string, F extends string, S extends string, D, P> =
  F extends keyof Scalars<E> | "__typename"
    ? S extends `(${string}` ? Wrong<`« ${F} » ne prend pas d’argument`>
    : S extends `{${string}` ? Wrong<`« ${F} » est une valeur simple : retirez la sélection entre accolades`>
    : Fields<E, S, D, P | [K, F, never]>
  : F extends keyof (One<E> & Many<E>)
    ? S extends `(${infer A}`
      ? F extends keyof One<E> ? Wrong<`« ${F} » mène à un seul enregistrement et ne prend pas d’argument`>
      : A extends `${string})${infer R}` ? Field<E, K, F, Trim<R>, D, P>
      : Wrong<`Une parenthèse « ) » manque après les arguments de « ${F} »`>
    : S extends `{${infer R}`
      ? Fields<Target<E, F>, R, D> extends infer Q
        ? Q extends [infer I, infer O extends string] ? Fields<E, O, D, P | [K, F, I]> : Q
        : never
    : Wrong<`« ${F} » est une relation : nommez entre accolades les champs voulus`>
  : Wrong<`« ${F} » n’existe pas sur ${E}`>;

type Target<E extends EntityName, F> = Extract<(One<E> & Many<E>)[F & keyof (One<E> & Many<E>)], EntityName>;

type Spread<E extends EntityName, N, D, P> =
  N extends [infer F extends string, infer R extends string]
    ? F extends "" | "on" ? Wrong<"Les fragments en ligne ne sont pas admis">
    : F extends keyof D
      ? D[F] extends [infer O extends string, infer S]
        ? O extends E
          ? S extends string
            ? Fields<E, S, Within<D, F>> extends infer Q
              ? Q extends [infer I, string] ? Fields<E, R, D, P | I> : Q
              : never
            : Wrong<`Le fragment « ${F} » finit par se contenir lui-même`>
          : Wrong<`Le fragment « ${F} » est pour ${O}, pas pour ${E}`>
        : never
      : Wrong<`Le fragment « ${F} » n’est pas défini`>
    : never;
/** The fragments as visible inside of the fragment F, which must not contain itself. */
type Within<D, F> = { [N in keyof D]: N extends F ? [D[N] extends [infer O, any] ? O : never, null] : D[N] };

/** The fragments that S defines: for each its table, and the text after its opening brace. */
type Fragments<S extends string, D = {}> =
  Trim<S> extends ""
    ? D
    : Name<Trim<S>> extends ["fragment", infer A extends string]
      ? Name<Trim<A>> extends [infer N extends string, infer B extends string]
        ? Name<Trim<B>> extends ["on", infer C extends string]
          ? Name<Trim<C>> extends [infer O extends string, infer Q extends string]
            ? Trim<Q> extends `{${infer R}`
              ? Closed<R> extends infer T extends string ? Fragments<T, D & { [K in N]: [O, R] }>
                : Wrong<`Une accolade « } » manque à la fin du fragment « ${N} »`>
              : Wrong<`Une accolade « { » manque au début du fragment « ${N} »`>
            : never
          : Wrong<`« on » et la table du fragment « ${N} » manquent`>
        : never
      : Wrong<"Après la sélection ne viennent que des « fragment »">;
/** The rest of S after the brace that closes the one before S; null if there is none. */
type Closed<S extends string, D extends 1[] = []> =
  S extends `${infer A}}${infer R}` ? (Opened<A, D> extends [1, ...infer I extends 1[]] ? Closed<R, I> : R) : null;
type Opened<S extends string, D extends 1[]> = S extends `${string}{${infer R}` ? Opened<R, [...D, 1]> : D;

/** The fields that S selects of E, or the mistake in S. */
type Read<E extends EntityName, S extends string> =
  Plain<S> extends infer T extends string
    ? Trim<T> extends `{${infer R}`
      ? T extends `${string}...${string}`
        ? Closed<R> extends infer Q extends string
          ? Fragments<Q> extends infer D ? (D extends Wrong<string> ? D : Root<Fields<E, R, D>>) : never
          : Wrong<"Une accolade « } » manque à la fin de la sélection">
        : Whole<Fields<E, R, {}>>
      : Wrong<"La sélection commence par « { »">
    : Wrong<"Une chaîne n’est pas fermée">;
/** The fields of a selection. Root: fragments may follow. Whole: none may, because the selection uses none. */
type Root<Q> = Q extends [infer P, string] ? P : Q;
type Whole<Q> =
  Q extends [infer P, infer R extends string]
    ? Trim<R> extends "" ? P
    : Trim<R> extends `fragment${string}` ? Wrong<"Un fragment n’est pas utilisé : retirez-le">
    : Wrong<"Après la sélection ne viennent que des « fragment »">
    : Q;

/** A record of E with the fields P. A key that occurs twice has the fields of both. */
type Shaped<E extends EntityName, P> =
  [P] extends [Picked] ? { [F in P as F[0]]: Value<E, F[1], F[2]> } : Loose;
type Value<E extends EntityName, F, P> =
  F extends keyof Scalars<E> ? Scalars<E>[F]
  : F extends "__typename" ? E
  : F extends keyof One<E> ? Shaped<Target<E, F>, P> | null
  : Shaped<Target<E, F>, P>[];

/** The keys that are used for more than one field, at any depth. */
type Doubled<P extends Picked> = Members<{ [F in P as F[0]]: IsOne<F[1]> extends true ? Doubled<F[2]> : F[0] }>;
type Members<T> = T[keyof T];
type IsOne<F, G = F> = F extends unknown ? ([G] extends [F] ? true : false) : never;

/** The result of `select: S` for a record of E; without a selection, all columns. */
export type Selected<E extends EntityName, S extends string> =
  S extends "" ? Columns<E>
  : IsKnown<S> extends false ? Loose
  : Shaped<E, Read<E, S>>;

/** S, if the compiler finds no mistake in it as a selection of E. */
export type Selection<E extends EntityName, S extends string> =
  S extends "" ? S
  : IsKnown<S> extends false ? S
  : Checked<Read<E, S>, S>;
/** S, unless its fields P contain a mistake. */
type Checked<P, S> =
  [P] extends [Picked] ? ([Doubled<P>] extends [never] ? S : Wrong<Twice<Doubled<P>>>) : P;
type Twice<K> = `La clé « ${K & string} » est demandée deux fois avec des sens différents`;

/** A page of a list. */
export interface Page<T> {
  items: T[];
  /** The parameter `after` of the next page; null if this page is empty. */
  end_cursor: string | null;
  has_next_page: boolean;
  /** The number of records on all pages, if the call has `count: true`. */
  total?: number;
}

/** A page of a list that was counted. */
export interface CountedPage<T> extends Page<T> {
  total: number;
}

/** A page of a call with `count: C`. */
export type PageOf<T, C> = [C] extends [true] ? CountedPage<T> : Page<T>;

// The type of an aggregate's result.

/** The type of a field, or of a field of a related record: `client.ville`. */
type Path<E extends EntityName, P extends string> =
  P extends keyof Scalars<E> ? Scalars<E>[P]
  : P extends `${infer R}.${infer Q}`
    ? R extends keyof One<E> ? Path<Extract<One<E>[R], EntityName>, Q> | null : unknown
    : unknown;
type GroupValue<E extends EntityName, K extends string> =
  K extends `${string}(${infer P})` ? Path<E, P> : Path<E, K>;

/** P and the aggregates at the start of S: [key, `count`, never] or [key, function, fields]. */
type Aggregates<E extends EntityName, S extends string, P = never> =
  Trim<S> extends `${infer C}${infer R}`
    ? C extends Letter
      ? Name<R, C> extends [infer K extends string, infer Q extends string]
        ? Trim<Q> extends `:${infer A}`
          ? Name<Trim<A>> extends [infer F extends string, infer B extends string]
            ? F extends "" ? Wrong<`L’agrégat que renomme « ${K} » manque`> : Aggregate<E, K, F, Trim<B>, P>
            : never
          : Aggregate<E, K, K, Trim<Q>, P>
        : never
    : C extends "}" ? ([P] extends [never] ? Wrong<"Une sélection vide « { } » n’est pas admise"> : [P, R])
    : Wrong<`« ${C} » n’a pas de sens ici`>
    : Wrong<"Une accolade « } » manque à la fin de la sélection">;

type Aggregate<E extends EntityName, K extends string, F extends string, S extends string, P> =
  F extends "count"
    ? S extends `{${string}` ? Wrong<"« count » ne prend pas de sélection"> : Aggregates<E, S, P | [K, F, never]>
  : F extends "sum" | "avg" | "min" | "max"
    ? S extends `{${infer R}`
      ? Operands<E, F, R> extends infer Q
        ? Q extends [infer I, infer O extends string] ? Aggregates<E, O, P | [K, F, I]> : Q
        : never
      : Wrong<`Nommez entre accolades les champs de « ${F} »`>
  : Wrong<`« ${F} » n’est pas un agrégat ; les agrégats sont count, sum, avg, min, max`>;

/** The fields of the function C, each as [key, field, never]. */
type Operands<E extends EntityName, C extends string, S extends string, P = never> =
  Trim<S> extends `${infer L}${infer R}`
    ? L extends Letter
      ? Name<R, L> extends [infer K extends string, infer Q extends string]
        ? Trim<Q> extends `:${infer A}`
          ? Name<Trim<A>> extends [infer F extends string, infer B extends string]
            ? F extends "" ? Wrong<`Le champ que renomme « ${K} » manque`> : Operand<E, C, K, F, B, P>
            : never
          : Operand<E, C, K, K, Q, P>
        : never
    : L extends "}" ? ([P] extends [never] ? Wrong<"Une sélection vide « { } » n’est pas admise"> : [P, R])
    : Wrong<`« ${L} » n’a pas de sens ici`>
    : Wrong<"Une accolade « } » manque à la fin de la sélection">;

type Operand<E extends EntityName, C extends string, K extends string, F extends string, S extends string, P> =
  `${C}.${F}` extends Entities[E]["numbers"] ? Operands<E, C, S, P | [K, F, never]>
  : F extends keyof Scalars<E> ? Wrong<`« ${C} » ne vaut pas pour « ${F} »`>
  : Wrong<`« ${F} » n’existe pas sur ${E}`>;

type ReadAggregates<E extends EntityName, S extends string> =
  Plain<S> extends infer T extends string
    ? Trim<T> extends `{${infer R}` ? Whole<Aggregates<E, R>> : Wrong<"La sélection commence par « { »">
    : Wrong<"Une chaîne n’est pas fermée">;

/** One group: the keys G and the numbers P. */
type Group<E extends EntityName, P, G extends string> =
  [P] extends [Picked]
    ? { [F in G | P[0]]: F extends G ? GroupValue<E, F> : Numbers<E, Extract<P, [F, any, any]>> }
    : Loose;
type Numbers<E extends EntityName, P extends Picked> =
  P[1] extends "count" ? number : { [F in P[2] as F[0]]: Calculated<E, P[1], F[1]> };
type Calculated<E extends EntityName, C, F extends string> =
  C extends "sum" ? number : C extends "avg" ? number | null : Path<E, F> | null;

/** One group of an aggregate over E: the keys G and the numbers that S selects. */
export type Aggregated<E extends EntityName, S extends string, G extends string> =
  S extends "" ? Loose
  : IsKnown<S> extends false ? Loose
  : Group<E, ReadAggregates<E, S>, G>;

/** S, if the compiler finds no mistake in it as a selection of numbers over E. */
export type Aggregation<E extends EntityName, S extends string> =
  IsKnown<S> extends false ? S : Checked<ReadAggregates<E, S>, S>;

/** The groups of an aggregate. */
export interface Groups<T> {
  items: T[];
  has_next_page: boolean;
}

// Rights

/** The roles in the words of a method, behind the first; null for everyone. */
type Allowed<W> = W extends `${string} *` ? null : W extends `${string} ${infer R}` ? Split<R> : never;
type Split<W extends string> = W extends `${infer A} ${infer B}` ? readonly [A, ...Split<B>] : readonly [W];

type MethodTable = typeof methods;
type Rights = {
  readonly [G in keyof MethodTable]: { readonly [M in keyof MethodTable[G]]: Allowed<MethodTable[G][M]> };
};

/** The words about the method in the table; none if it is not there. */
function wordsOf(method: string): string[] {
  const [group = "", name = ""] = method.split(".");
  return (methods as { [group: string]: { [name: string]: string } })[group]?.[name]?.split(" ") ?? [];
}

function rolesOf(method: string): string[] | null {
  const roles = wordsOf(method).slice(1);
  return roles[0] === "*" ? null : roles;
}

/** An object for each group of the table. `add` gives it what belongs to each of the group's methods. */
function groupsOf(add: (group: { [name: string]: unknown }, name: string, method: string) => void): object {
  const groups: { [group: string]: object } = {};
  for (const [title, names] of Object.entries(methods)) {
    const group = (groups[title] = {});
    for (const name of Object.keys(names)) add(group, name, `${title}.${name}`);
  }
  return groups;
}

/** The roles that may call each method; null: everyone, also without an account. */
export const rights = /* @__PURE__ */ groupsOf((group, name, method) => { group[name] = rolesOf(method); }) as Rights;

/** Whether a caller with these roles, one or several, may call the method; to which rows, the service decides. */
export function may(roles: string | readonly string[], method: keyof Methods): boolean {
  const allowed = rolesOf(method);
  const held = typeof roles === "string" ? [roles] : roles;
  return allowed === null || allowed.some((role) => held.includes(role));
}

// Transactions

/** The id that an earlier call of the transaction writes, in the place of a number: `idOf("a")`. */
export function idOf(name: string): number {
  return { $ref: `${name}.id` } as unknown as number;
}

// Errors

/** The service answered a call with an error. `message` is for people; `code` and `data` are for programs. */
export class ServiceError extends Error {
  readonly method: string;
  readonly code: number;
  readonly data: ErrorData;

  constructor(method: string, code: number, message: string, data: ErrorData) {
    super(message);
    this.name = "ServiceError";
    this.method = method;
    this.code = code;
    this.data = data;
  }

  /** Whether the error has this code. Narrows `data`: `if (error.is("conflict")) error.data.reason …` */
  is<C extends ErrorData["code"]>(code: C): this is ServiceError & { data: Extract<ErrorData, { code: C }> } {
    return this.data.code === code;
  }

  /**
   * The record of the table as it is now, if the call failed because it has changed since (409 with the reason
   * `version`): `error.current("books")?.title`. After a transaction that has changed the record itself, it has only
   * `id` and `version`.
   */
  current<E extends EntityName>(table: E): Columns<E> | undefined {
    void table;
    if (!this.is("conflict") || this.data.reason !== "version") return undefined;
    return this.data.current as Columns<E>;
  }

  /** The identifier of the request in the service's log, for support. */
  get requestID(): string | undefined {
    return this.data.request_id;
  }
}

/** The answer did not come from the service, but from a proxy for instance. `status` is the HTTP status. */
export class TransportError extends Error {
  readonly method: string;
  readonly status: number;
  /** The seconds after which the request may be repeated, if the answer says so. */
  readonly retryAfter: number | undefined;

  constructor(method: string, status: number, message: string, retryAfter?: number) {
    super(message);
    this.name = "TransportError";
    this.method = method;
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

// Calls

/** The tokens of a sign-in. */
export interface Tokens {
  /** Sent with every call. It is short-lived. */
  access_token: string;
  /** Exchanged for new tokens. Each is valid for one exchange. Absent if the browser keeps it in a cookie. */
  refresh_token?: string;
}

/** How a client reaches the service. */
export interface ClientOptions {
  /** The address of the service, such as `https://example.org`. The client appends `/rpc`. */
  url: string;
  /** The tokens of an earlier sign-in. The refresh token is sufficient; `{}` stands for that of the cookie. */
  tokens?: { refresh_token?: string | undefined; access_token?: string | null | undefined } | null | undefined;
  /** Called after every change of the tokens, with null after a sign-out. Store the refresh token safely. */
  onTokens?: ((tokens: Tokens | null) => void) | undefined;
  /** Used instead of the global `fetch`. */
  fetch?: typeof fetch | undefined;
  /** Further headers of every request, such as `Authorization` with an access key instead of tokens. */
  headers?: { [name: string]: string } | undefined;
  /** The `retries` of calls that do not say it. Without it, 0. */
  retries?: number | undefined;
}

/** Options of one call. */
export interface CallOptions {
  /** Cancels the call, which then fails with the signal's reason. */
  signal?: AbortSignal | undefined;
  /**
   * How often a call is repeated when its answer is lost, or when the service cannot execute it now. A write is
   * repeated under one idempotency key, which the client makes if `params` has none, so that it is executed once. Calls
   * that neither only read nor take a key are not repeated.
   */
  retries?: number | undefined;
}

/** A file that the service keeps. */
export interface UploadedFile {
  /** The value of a column that names the file. The same bytes of one account have the same id. */
  id: number;
  /** The format, which the service recognises by the content. */
  media_type: string;
  /** In bytes. */
  size: number;
  /** Of the bytes, in hexadecimal. */
  sha256: string;
}

/** A JSON-RPC 2.0 response of the service, with either `result`, which is an object, or `error`. */
interface Answer {
  id: unknown;
  result?: object;
  error?: { code: number; message: string; data: ErrorData };
}

function isObject(value: unknown): value is { [member: string]: unknown } {
  return typeof value === "object" && value !== null;
}

function isAnswer(value: unknown): value is Answer {
  if (!isObject(value) || value["jsonrpc"] !== "2.0") return false;
  const error = value["error"];
  if (error === undefined) return isObject(value["result"]);
  return value["result"] === undefined && isObject(error) && typeof error["code"] === "number"
    && typeof error["message"] === "string" && isObject(error["data"]) && typeof error["data"]["code"] === "string";
}

function isUploaded(value: unknown): value is UploadedFile {
  return isObject(value) && typeof value["id"] === "number" && typeof value["media_type"] === "string"
    && typeof value["size"] === "number" && typeof value["sha256"] === "string";
}

function reasonOf(signal: AbortSignal): unknown {
  return signal.reason ?? Object.assign(new Error("the call was aborted"), { name: "AbortError" });
}

/** The value of a JSON text; undefined for other texts. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The seconds of the header `Retry-After`; undefined without it, and for a date. */
function retryAfter(response: Response): number | undefined {
  const text = response.headers.get("Retry-After") ?? "";
  return /^[0-9]+$/.test(text) ? Number(text) : undefined;
}

// Repetitions

/** Whether a request that failed with `error` may succeed later. Errors of `fetch` are failures of the network. */
function isPassing(error: unknown): boolean {
  if (error instanceof TransportError) return error.status >= 500 || error.status === 408 || error.status === 429;
  if (!(error instanceof ServiceError)) return true;
  if (error.is("conflict")) return error.data.reason === "idempotency" && error.data.retryable === true;
  return error.is("rate_limited") || error.is("unavailable") || error.is("timeout") || error.is("outcome_unknown");
}

/**
 * The milliseconds to wait after `failures` further failures. They are random, so that clients that failed together do
 * not return together.
 */
function backOff(first: number, failures: number, error: unknown): number {
  const seconds =
    error instanceof TransportError ? error.retryAfter
    : error instanceof ServiceError && error.is("rate_limited") ? error.data.retry_after
    : undefined;
  return (seconds ?? 0) * 1_000 + Math.min(30_000, first * 2 ** failures) * (0.5 + Math.random());
}

/** Ends after some milliseconds, or when the signal is aborted. */
function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    if (signal?.aborted) end();
    else signal?.addEventListener("abort", end);
  });
}

/** An idempotency key. It has to be unlike the account's other keys of a day, and need not be secret. */
function newKey(): string {
  const part = (): string => Math.random().toString(36).slice(2);
  return `${Date.now().toString(36)}-${part()}${part()}`;
}

function noAnswer(method: string, response: Response): TransportError {
  const { status } = response;
  return new TransportError(method, status, `HTTP ${status} without an answer of the service`, retryAfter(response));
}

/** The error that a response without what was asked for stands for. */
function refusalIn(body: unknown, method: string, response: Response): ServiceError | TransportError {
  const error = isAnswer(body) ? body.error : undefined;
  return error ? new ServiceError(method, error.code, error.message, error.data) : noAnswer(method, response);
}

/** A pending call. It is settled once: by its response, by a failure of the transport, or by a signal. */
class Call {
  readonly id: number;
  readonly method: string;
  readonly params: object;
  readonly result: Promise<any>;
  isOver = false;
  private resolve: (result: object) => void = () => undefined;
  private reject: (reason: unknown) => void = () => undefined;

  constructor(id: number, method: string, params: object) {
    this.id = id;
    this.method = method;
    this.params = params;
    this.result = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  end(answer: Answer): void {
    this.isOver = true;
    const { error, result } = answer;
    if (error) this.reject(new ServiceError(this.method, error.code, error.message, error.data));
    else if (result) this.resolve(result);
  }

  fail(reason: unknown): void {
    this.isOver = true;
    this.reject(reason);
  }

  /** Fails the call when the signal is aborted. */
  follow(signal: AbortSignal | undefined): void {
    if (!signal || this.isOver) return;
    const stop = (): void => this.fail(reasonOf(signal));
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop);
    const leave = (): void => signal.removeEventListener("abort", stop);
    this.result.then(leave, leave);
  }

  /** Whether the service refused the access token, so that the call may succeed with a new one. */
  isRefused(answer: Answer | undefined): boolean {
    return answer?.error?.data.code === "unauthenticated" && this.method !== "auth.refresh";
  }
}

/** The state that a client shares with its batches. */
interface SignIn {
  /** Null if signed out. The access token is empty until the first renewal. */
  tokens: Tokens | null;
  renewal: Promise<boolean> | null;
  count: number;
}

function kept(access_token: string, refresh_token: string | undefined): Tokens {
  return refresh_token === undefined ? { access_token } : { access_token, refresh_token };
}

/** The parameter of a call that uses the refresh token; none if a cookie has it. */
function refreshing(tokens: Tokens | null): { refresh_token?: string } {
  return tokens?.refresh_token === undefined ? {} : { refresh_token: tokens.refresh_token };
}

/** The methods that answer tokens. */
const signing: ReadonlySet<string> = new Set(["auth.login", "auth.login_with_passkey", "auth.refresh"]);

/** The number of calls that the service accepts in one request. */
const batchSize = 50;

/** Sends calls, keeps the tokens, and renews the access token when the service refuses it. */
class Connection {
  private readonly options: ClientOptions;
  private signIn: SignIn;
  private waiting: Call[] | null = null;
  /** The options of the batch, for the calls of a client that `batch` made. */
  private whole: CallOptions | undefined;

  constructor(options: ClientOptions) {
    this.options = options;
    const given = options.tokens;
    const tokens = given ? kept(given.access_token ?? "", given.refresh_token) : null;
    this.signIn = { tokens, renewal: null, count: 0 };
  }

  get isSignedIn(): boolean {
    return this.signIn.tokens !== null;
  }

  /** Calls any method by its name. */
  call<M extends keyof Methods>(
    method: M, params: Methods[M]["params"], options?: CallOptions,
  ): Promise<Methods[M]["result"]> {
    return this.invoke(method, params, options);
  }

  /**
   * Sends several calls in one request:
   * `const [me, page] = await client.batch((b) => [b.auth.me(), b.sessions.list()])`.
   * Each succeeds or fails independently. The batch fails with its first failed call; add `.catch` to a call to ignore
   * its failure.
   */
  async batch<T extends readonly unknown[] | []>(
    calls: (client: this) => T, options?: CallOptions,
  ): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
    const one: this = new (this.constructor as any)(this.options);
    one.signIn = this.signIn;
    one.whole = options;
    const waiting: Call[] = (one.waiting = []);
    const results = Promise.all(calls(one));
    one.waiting = null;
    void this.deliverBatch(waiting, options?.signal);
    return (await results) as any;
  }

  private async deliverBatch(waiting: Call[], signal: AbortSignal | undefined): Promise<void> {
    const calls = waiting.filter((call) => !call.isOver);
    for (let start = 0; start < calls.length; start += batchSize) {
      await this.deliver(calls.slice(start, start + batchSize), true, signal);
    }
  }

  protected async invoke(method: string, params: object, options?: CallOptions): Promise<any> {
    const [behaviour = ""] = wordsOf(method);
    const isKeyed = behaviour.startsWith("keyed");
    const wanted = options?.retries ?? this.whole?.retries ?? this.options.retries ?? 0;
    const retries = behaviour.startsWith("once") ? 0 : wanted;
    const given: { idempotency_key?: string | null; dry_run?: boolean | null } = params;
    const needsKey = isKeyed && retries > 0 && typeof given.idempotency_key !== "string" && given.dry_run !== true;
    const sent = needsKey ? { ...params, idempotency_key: newKey() } : params;
    return this.repeat(() => this.attempt(method, sent, options), retries, options?.signal ?? this.whole?.signal);
  }

  /** The result of `attempt`, which is made again up to `retries` times while it fails for a reason that may pass. */
  private async repeat<T>(
    attempt: () => Promise<T>, retries: number, signal: AbortSignal | undefined,
  ): Promise<T> {
    for (let failures = 0; ; failures += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (failures >= retries || signal?.aborted || !isPassing(error)) throw error;
        await pause(backOff(500, failures, error), signal);
        if (signal?.aborted) throw reasonOf(signal);
      }
    }
  }

  private async attempt(method: string, params: object, options: CallOptions | undefined): Promise<any> {
    const call = this.newCall(method, params);
    call.follow(options?.signal);
    call.follow(this.whole?.signal);
    if (this.waiting) this.waiting.push(call);
    else void this.deliver([call], false, options?.signal ?? this.whole?.signal);
    const result = await call.result;
    if (signing.has(method)) this.keep(result);
    if (method === "auth.logout") this.keep(null);
    return result;
  }

  private newCall(method: string, params: object): Call {
    this.signIn.count += 1;
    return new Call(this.signIn.count, method, params);
  }

  /** Signs out: revokes the sign-in, or all of the account's if `everywhere`, and forgets the tokens. */
  async signOut(everywhere = false): Promise<void> {
    const tokens = this.signIn.tokens;
    if (tokens) await this.invoke("auth.logout", { ...refreshing(tokens), everywhere });
  }

  /**
   * Renews the tokens, and says whether the client is signed in then. A page that has just been loaded calls it to
   * continue the sign-in of the browser's cookie. Calls renew an expired access token by themselves.
   */
  refresh(): Promise<boolean> {
    return this.renew(this.signIn.tokens);
  }

  /** Sends calls and settles each. Those with a refused access token are sent once more, with renewed tokens. */
  private async deliver(calls: Call[], isBatch: boolean, signal: AbortSignal | undefined): Promise<void> {
    const used = this.signIn.tokens;
    try {
      const answers = await this.exchange(calls, isBatch, used, signal);
      const refused: Call[] = [];
      for (const [call, answer] of answers) {
        if (used && call.isRefused(answer)) refused.push(call);
        else call.end(answer);
      }
      if (!used || refused.length === 0) return;
      const renewed = await this.renew(used);
      const last = renewed ? await this.exchange(refused, isBatch, this.signIn.tokens, signal) : answers;
      for (const [call, answer] of last) call.end(answer);
    } catch (reason) {
      for (const call of calls) call.fail(reason);
    }
  }

  /** Renews the tokens. Concurrent callers share one renewal, because a refresh token is valid for one use. */
  private renew(used: Tokens | null): Promise<boolean> {
    const signIn = this.signIn;
    if (signIn.tokens !== used) return Promise.resolve(signIn.tokens !== null);
    signIn.renewal ??= this.exchangeTokens(used).finally(() => { signIn.renewal = null; });
    return signIn.renewal;
  }

  /** Whether the renewal succeeded. Rejects if that is unknown, and keeps the tokens, which may still be valid. */
  private async exchangeTokens(used: Tokens | null): Promise<boolean> {
    const call = this.newCall("auth.refresh", refreshing(used));
    let tokens: Tokens | null;
    try {
      for (const [, answer] of await this.exchange([call], false, null, undefined)) call.end(answer);
      tokens = await call.result;
    } catch (error) {
      const isRefused = error instanceof ServiceError && error.is("unauthenticated");
      if (!isRefused && this.signIn.tokens === used) throw error;
      tokens = null;
    }
    // A sign-in or sign-out in the meantime takes precedence.
    if (this.signIn.tokens === used && (used || tokens)) this.keep(tokens);
    return this.signIn.tokens !== null;
  }

  private keep(tokens: Tokens | null): void {
    this.signIn.tokens = tokens && kept(tokens.access_token, tokens.refresh_token);
    this.options.onTokens?.(this.signIn.tokens);
  }

  /**
   * Sends the calls that are not settled in one request, and returns their responses. Calls without one are failed.
   */
  private async exchange(
    calls: Call[], isBatch: boolean, tokens: Tokens | null, signal: AbortSignal | undefined,
  ): Promise<Map<Call, Answer>> {
    const found = new Map<Call, Answer>();
    const open = calls.filter((call) => !call.isOver);
    if (open.length === 0) return found;
    const requests = open.map(({ id, method, params }) => ({ jsonrpc: "2.0", id, method, params }));
    const { response, body } = await this.post(isBatch ? requests : requests[0], tokens, signal);
    const all: unknown[] = Array.isArray(body) ? (isBatch ? body : []) : (isBatch ? [] : [body]);
    const answers = all.filter(isAnswer);
    // A response without an id is about the request as a whole, and thus about every call.
    const whole = isAnswer(body) && body.id === null && body.error ? body : undefined;
    for (const call of open) {
      const answer = answers.find((one) => one.id === call.id) ?? whole;
      if (answer) found.set(call, answer);
      else call.fail(noAnswer(call.method, response));
    }
    return found;
  }

  /** The response, and the JSON of its body; undefined if the body is not JSON. */
  private async post(
    body: unknown, tokens: Tokens | null, signal: AbortSignal | undefined,
  ): Promise<{ response: Response; body: unknown }> {
    const request: RequestInit = { method: "POST", body: JSON.stringify(body) };
    if (signal) request.signal = signal;
    const response = await this.send("/rpc", request, { "Content-Type": "application/json" }, tokens);
    return { response, body: parsed(await response.text()) };
  }

  private send(
    path: string, request: RequestInit, further: { [name: string]: string }, tokens: Tokens | null,
  ): Promise<Response> {
    const headers: { [name: string]: string } = { ...this.options.headers, ...further };
    if (tokens?.access_token) headers["Authorization"] = `Bearer ${tokens.access_token}`;
    const send = this.options.fetch ?? fetch;
    return send(this.options.url.replace(/\/+$/, "") + path, { credentials: "same-origin", ...request, headers });
  }

  /**
   * Listens to the change feed: `for await (const change of client.events())`. Connects again after every failure that
   * may pass, and continues where it was. Leaving the loop, or the signal, closes the connection.
   */
  events<T extends FeedTable = FeedTable>(options: EventOptions<T> = {}): Events<T> {
    return new Events(options, (path, headers, signal) => this.listen(path, headers, signal));
  }

  private listen(path: string, headers: { [name: string]: string }, signal: AbortSignal): Promise<Response> {
    return this.authorised(path, { method: "GET", cache: "no-store", signal }, headers);
  }

  /** Sends a request, and once more with renewed tokens if the service refuses the access token. */
  private async authorised(
    path: string, request: RequestInit, headers: { [name: string]: string },
  ): Promise<Response> {
    const used = this.signIn.tokens;
    const response = await this.send(path, request, headers, used);
    if (response.status !== 401 || !used || !(await this.renew(used)) || request.signal?.aborted) return response;
    response.body?.cancel().catch(() => undefined);
    return this.send(path, request, headers, this.signIn.tokens);
  }

  /**
   * Gives a file to the service: `const { id } = await client.upload(file)`. The id is the value of a column that names
   * a file. It may always be repeated, because the same bytes have the same id. In a batch it is a request of its own.
   */
  upload(file: Blob | Uint8Array, options?: CallOptions): Promise<UploadedFile> {
    const signal = options?.signal ?? this.whole?.signal;
    const retries = options?.retries ?? this.whole?.retries ?? this.options.retries ?? 0;
    return this.repeat(() => this.put(file, signal), retries, signal);
  }

  private async put(file: Blob | Uint8Array, signal: AbortSignal | undefined): Promise<UploadedFile> {
    if (signal?.aborted) throw reasonOf(signal);
    const request: RequestInit = { method: "PUT", body: file as BodyInit };
    if (signal) request.signal = signal;
    const response = await this.authorised("/files", request, {});
    const body = parsed(await response.text());
    if (response.ok && isUploaded(body)) return body;
    throw refusalIn(body, "upload", response);
  }

  /** All records of a list, requested page by page. */
  protected async *pages(
    method: string, params: object, options: CallOptions | undefined,
  ): AsyncGenerator<unknown, void, undefined> {
    let after: string | null = null;
    for (;;) {
      const page: Page<unknown> = await this.invoke(method, after === null ? params : { ...params, after }, options);
      yield* page.items;
      if (!page.has_next_page) return;
      after = page.end_cursor;
    }
  }
}

/** The methods of the table: what they take and answer is declared in the interface of the same name. */
export class Client extends Connection {
  constructor(options: ClientOptions) {
    super(options);
    Object.assign(this, groupsOf((group, name, method) => {
      const [behaviour = ""] = wordsOf(method);
      const hasNoParameters = behaviour.endsWith("()");
      group[name] = (...given: [object?, CallOptions?]) => {
        const [params = {}, options] = hasNoParameters ? [{}, given[0]] : given;
        return this.invoke(method, params, options);
      };
      if (!behaviour.startsWith("pages")) return;
      group[`${name}All`] = (params = {}, options?: CallOptions) => this.pages(method, params, options);
    }));
  }
}
