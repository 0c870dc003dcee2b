import { kept, port, service, until, type Answer } from "./device";
import "./page";
import assert from "node:assert/strict";
import test from "node:test";
import { account, followNetwork, signIn, signOut } from "../src/store/account";
import { untracked } from "../src/view";

const busy: Answer = { error: { code: 503, message: "Plus tard.", data: { code: "unavailable" } } };
/** What answers the calls to sign out. */
let ended: Answer = { result: {} };

service.answer = ({ method }) => {
  if (method === "auth.logout") return ended;
  return { result: { access_token: "t", user: { id: 1, email: "a@exemple.fr", username: null, role: "admin" }, company: port, companies: [port] } };
};

followNetwork();

const logouts = (): number => service.of("auth.logout").length;
const isPending = (): boolean => kept.has("learntrack.deconnexion");

async function begin(): Promise<void> {
  ended = { result: {} };
  await signIn("a@exemple.fr", "secret", true);
  service.calls.length = 0;
}

for (const [name, answer] of [["without a network", "lost"], ["while the service is busy", busy]] as const) {
  test(`a sign-out ${name} ends the sign-in at the service as soon as it answers, on the page to sign in`, async () => {
    await begin();
    ended = answer;
    await signOut();
    assert.equal(untracked(account), null);
    assert.ok(isPending());
    ended = { result: {} };
    const before = logouts();
    dispatchEvent(new Event("online"));
    await until(() => !isPending());
    assert.equal(logouts(), before + 1);
  });
}

test("a sign-out without a network is tried again by itself", async () => {
  await begin();
  ended = "lost";
  const real = globalThis.setTimeout;
  globalThis.setTimeout = ((work: () => void, time = 0) => real(work, /^(2|4|8|16|30)000$/u.test(String(time)) ? 1 : time)) as typeof setTimeout;
  await signOut();
  await until(() => logouts() > 2);
  ended = { result: {} };
  await until(() => !isPending());
  globalThis.setTimeout = real;
});

test("the next sign-in first ends the last one, and is not ended with it", async () => {
  await begin();
  ended = "lost";
  await signOut();
  ended = { result: {} };
  service.calls.length = 0;
  await signIn("b@exemple.fr", "secret", true);
  assert.deepEqual(service.calls.map(({ method }) => method), ["auth.logout", "auth.login"]);
  dispatchEvent(new Event("online"));
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(logouts(), 1);
  assert.equal(untracked(account)?.id, 1);
  await signOut();
});
