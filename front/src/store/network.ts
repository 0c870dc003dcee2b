// Every request goes through here: it carries the access token, renews it, and says whether there is a network.

import { signal } from "view";

/** Whether the last request reached the service. `fetch` alone says so. */
export const isOnline = signal(true);

/** How often the service was not reached. An answer to what was asked before the last time does not say that it is reached again. */
let losses = 0;

function noteReached(is: boolean, lossesBefore: number): void {
  if (!is) losses += 1;
  else if (lossesBefore !== losses) return;
  isOnline.set(is);
}

/** Whether the last call was answered with a failure of the service. What failed is asked for again within half a minute. */
export const isUnavailable = signal(false);
let forgotten: ReturnType<typeof setTimeout> | undefined;

function noteFailure(isFailure: boolean): void {
  isUnavailable.set(isFailure);
  clearTimeout(forgotten);
  if (isFailure) forgotten = setTimeout(() => isUnavailable.set(false), 40_000);
}

/** What renews the access token; false if the sign-in has ended. Rejects if the service does not answer. */
interface Tokens {
  current(): string | null;
  renew(refused: string | null): Promise<boolean>;
  /** The company is suspended in which the token acts, or has moved. */
  closed(by: Closure): void;
}

/** That a company is suspended, or has moved, and to which address. */
export type Closure = readonly ["suspended" | "moved", string | undefined];

let tokens: Tokens = { current: () => null, renew: () => Promise.resolve(false), closed: () => undefined };

export function useTokens(given: Tokens): void {
  tokens = given;
}

/** The methods that a token does not change; they must not wait for one. */
const open =
  /"method":"auth\.(?:login|login_with_passkey|refresh|logout|request_password_reset|reset_password|create_first_admin|invitation)"/;

/** The service answers each call within ten seconds, or says that it could not. */
const longestCall = 20_000;

/** How the service refuses a token in an answer to a call. */
const refusal = /"error":\s*\{\s*"code":\s*401,[^]*"unauthenticated"/;
const unavailable = /"error":\s*\{\s*"code":\s*503/;
const closure = /"error":\s*\{\s*"code":\s*403,[^]*"reason":\s*"(suspended|moved)"(?:,\s*"moved_to":\s*"([^"]+))?/;

let settle: () => void;

/** Ends when the first screen has its answer. What can wait leaves the network and the processor to it. */
export const rested = new Promise<void>((resolve) => {
  settle = resolve;
  setTimeout(resolve, 5_000);
});

/** A screen has its answer, which is painted in the next moment. */
export function rest(): void {
  setTimeout(settle, 200);
}

interface Reached {
  readonly response: Response;
  /** Whether the service refused the token. */
  readonly isRefused: boolean;
  /** Whether the company is suspended in which it acts, or has moved. */
  readonly closedBy?: Closure | null;
}

async function reach(input: RequestInfo | URL, init: RequestInit, isCall: boolean): Promise<Reached> {
  const limit = new AbortController();
  const stop = (): void => limit.abort();
  init.signal?.addEventListener("abort", stop);
  if (init.signal?.aborted) stop();
  const timer = isCall ? setTimeout(stop, longestCall) : undefined;
  const before = losses;
  try {
    // What a page sends that is hidden goes on when it is closed.
    const response = await fetch(input, { ...init, signal: limit.signal, keepalive: isCall && document.hidden });
    const { status, statusText, headers } = response;
    const isProxy = status === 502 || status === 504;
    if (!isCall) {
      if (!isProxy) noteReached(true, before);
      return { response, isRefused: status === 401 };
    }
    // A call is answered when its answer is there as a whole.
    const text = await response.text();
    noteReached(!isProxy, before);
    // What refuses a call is short.
    const short = text.length < 20_000 ? text : "";
    const found = closure.exec(short);
    noteFailure(status >= 500 || unavailable.test(short));
    return {
      response: new Response(text, { status, statusText, headers }), isRefused: status === 401 || refusal.test(short),
      closedBy: found && [found[1] as Closure[0], found[2]],
    };
  } catch (error) {
    // Some networks refuse the stream of changes alone, and let the calls pass.
    if (isCall && !init.signal?.aborted) noteReached(false, before);
    throw error;
  } finally {
    clearTimeout(timer);
    if (isCall) init.signal?.removeEventListener("abort", stop);
  }
}

function withToken(init: RequestInit, token: string | null): RequestInit {
  const headers = new Headers(init.headers);
  if (token) headers.set("Authorization", `Bearer ${token}`);
  return { ...init, headers };
}

let sign = 0;

/** Another account may sign in from now on: what is still asked for the last one is not sent, and not answered. */
export function endCalls(): void {
  sign += 1;
}

function checked(mine: number): void {
  if (mine !== sign) throw new DOMException("", "AbortError");
}

/** What the service would answer without a token. */
function signedOut(): Response {
  const data = { code: "unauthenticated", reason: "missing", request_id: "" };
  const error = { code: 401, message: "Connectez-vous pour continuer.", data };
  return new Response(JSON.stringify({ jsonrpc: "2.0", id: null, error }), { status: 401 });
}

/** `fetch` for the client of the service. */
export const send: typeof fetch = async (input, init = {}) => {
  const mine = sign;
  const isCall = String(input).endsWith("/rpc");
  const isOpen = isCall && typeof init.body === "string" && open.test(init.body);
  if (isOpen) return (await reach(input, init, isCall)).response;
  const isFree = isCall && typeof init.body === "string" && /"auth\.(passkey_options|accept_invitation)"/.test(init.body);
  if (tokens.current() === null && !(await tokens.renew(null)) && !isFree) return signedOut();
  checked(mine);
  const used = tokens.current();
  const { response, isRefused, closedBy } = await reach(input, withToken(init, used), isCall);
  checked(mine);
  if (closedBy) tokens.closed(closedBy);
  if (!isRefused || init.signal?.aborted || !(await tokens.renew(used))) return response;
  checked(mine);
  const again = await reach(input, withToken(init, tokens.current()), isCall);
  checked(mine);
  return again.response;
};
