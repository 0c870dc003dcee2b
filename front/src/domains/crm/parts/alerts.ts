// Says when other people change sessions: in the app, or by a notification of the system while the app is in the background.

import { effect, scope, untracked } from "view";
import { say } from "../../../parts/notices";
import { go } from "../../../parts/place";
import { account, ask, client } from "../../../store";
import { addressed } from "../../../store/company";
import { deed } from "../../../words/history";

interface News { text: string; href: string }

/** What others have done to sessions since an instant, the latest first. */
async function newsSince(since: string): Promise<{ news: News[]; latest: string }> {
  const { items } = await client.sessions.list({
    first: 5, where: { updated_at: { gt: since } }, order_by: ["-updated_at"], select: "{ id module updated_at }",
  });
  const news: News[] = [];
  for (const { id, module } of items) {
    const last = (await client.sessions.history({ id, first: 1 })).items[0];
    if (!last || (last.actor as { id?: unknown }).id === untracked(account)?.id || last.at <= since) continue;
    news.push({ text: `${deed(last)} la session «\u00a0${module}\u00a0»`, href: `/sessions/${id}` });
  }
  return { news, latest: items[0]?.updated_at ?? since };
}

async function tell({ text, href }: News): Promise<void> {
  if (document.hidden && "Notification" in window && Notification.permission === "granted") {
    const worker = await navigator.serviceWorker?.getRegistration();
    if (worker) return worker.showNotification("LearnTrack", { body: text, tag: addressed(href), data: addressed(href), lang: "fr" });
  }
  say(text, { label: "Voir", run: () => void go(href) });
}

/** The instant of the last change, on the clock of the service. */
async function lastChange(): Promise<string> {
  const { items } = await client.sessions.list({ first: 1, order_by: ["-updated_at"], select: "{ updated_at }" });
  return items[0]?.updated_at ?? new Date(0).toISOString();
}

let watches = 0;

/** Watches the sessions until the answer is called. */
export function watch(): () => void {
  let since: string | null = null;
  return scope(() => {
    const answer = ask(`alerts ${++watches}`, async () => {
      const found = since === null ? { news: [], latest: await lastChange() } : await newsSince(since);
      since = found.latest;
      return found.news;
    }, ["sessions"]);
    effect(() => {
      const latest = answer.value()?.[0];
      if (latest) untracked(() => void tell(latest));
    });
  }).stop;
}
