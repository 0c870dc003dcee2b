// Signs in by cookie against a running server, as a page does: `node cookie.js URL EMAIL PASSWORD SECRET`.
import { Client, may, rights, ServiceError, Tokens } from "./client";

declare const process: { argv: string[]; exitCode: number };
declare function require(name: string): any;

const [url = "", email = "", password = "", secret = ""] = process.argv.slice(2);

function expect(what: string, holds: boolean): void {
  if (!holds) throw new Error(`does not hold: ${what}`);
}

/** What a browser keeps: a cookie, which no script of the page reads. */
let cookie = "";

/** A page that has just been loaded: it knows what the browser has kept, and these tokens. */
function page(tokens?: Tokens | {}): { client: Client; sent: string[]; changes: (Tokens | null)[] } {
  const sent: string[] = [], changes: (Tokens | null)[] = [];
  const client = new Client({
    url, tokens, onTokens: (now) => { changes.push(now); },
    fetch: async (input, init) => {
      sent.push(String(init?.body));
      expect("cookies of this site alone", init?.credentials === "same-origin");
      const response = await fetch(input, { ...init, headers: { ...init?.headers, Cookie: cookie } });
      const set = response.headers.get("set-cookie");
      if (set !== null) cookie = set.split(";")[0] ?? "";
      return response;
    },
  });
  return { client, sent, changes };
}

/** The same access token, but expired an hour ago. */
function expired(token: string): string {
  const { createHmac } = require("crypto");
  const { Buffer } = require("buffer");
  const [head = "", payload = ""] = token.split(".");
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
  const hour = Math.floor(Date.now() / 1000) - 3600;
  const text = `${head}.${Buffer.from(JSON.stringify({ ...claims, iat: hour - 900, exp: hour })).toString("base64url")}`;
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}

async function main(): Promise<void> {
  const first = page();
  expect("without a cookie there is no sign-in", !(await first.client.refresh()) && !first.client.isSignedIn);
  expect("which is no change", first.changes.length === 0);
  const session = await first.client.auth.login({ email, password, cookie: "persistent" });
  expect("no script has the refresh token", session.refresh_token === undefined && !JSON.stringify(first.changes).includes("refresh"));
  expect("the page has an access token", first.changes[0]?.access_token === session.access_token);
  expect("the cookie is kept", cookie.startsWith("refresh_token=persistent."));

  const before = cookie;
  const reloaded = page();
  const renewals = await Promise.all(Array.from({ length: 5 }, () => reloaded.client.refresh()));
  expect("a loaded page continues the sign-in", renewals.every((isSignedIn) => isSignedIn) && reloaded.client.isSignedIn);
  expect("by one renewal", reloaded.sent.length === 1 && cookie !== before);
  expect("as the same account", (await reloaded.client.auth.me({ select: "{ email }" })).email === email);

  const aged = page({ access_token: expired(session.access_token) });
  const answers = await Promise.all(Array.from({ length: 7 }, () => aged.client.auth.me({ select: "{ email }" })));
  expect("an expired token is renewed", answers.every((one) => one.email === email));
  const refreshes = aged.sent.filter((body) => body.includes("auth.refresh"));
  expect("once, by the cookie", refreshes.length === 1 && refreshes[0]?.includes('"params":{}') === true);

  const lazy = page({});
  expect("without any token", (await lazy.client.auth.me({ select: "{ email }" })).email === email);
  await lazy.client.signOut();
  expect("signed out", !lazy.client.isSignedIn && cookie === "refresh_token=");
  const later = page();
  expect("for every page", !(await later.client.refresh()));
  const refused = await reloaded.client.auth.me().catch((error: unknown) => error);
  expect("and at once", refused instanceof ServiceError && refused.is("unauthenticated") && !reloaded.client.isSignedIn);
  await later.client.auth.logout();

  expect("who may delete", may("admin", "sessions.delete") && !may("user", "sessions.delete"));
  expect("one of several roles", may(["user", "admin"], "users.list") && !may([], "sessions.list"));
  expect("everyone signs in", may([], "auth.login") && rights.auth.login === null);
  console.log("done");
}

main().catch((error) => { console.error(error); process.exitCode = 1; });
