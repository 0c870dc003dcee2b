// The service worker: it keeps the files of the front, and no answer of the service.

declare const self: ServiceWorkerGlobalScope;

const prefix = "learntrack-";
const cacheName = prefix + SHELL.version;
const files = new Set(SHELL.files);
const routes = SHELL.routes.map((route) => new RegExp(`^${route.replace(/\{id\}/g, "-?\\d+")}$`));

/** The addresses of domains and their entities: "/bookshop", "/bookshop/books/12/modifier". */
const declared = /^\/[a-z]\w*(\/[a-z]\w*(\/(nouveau|-?\d+(\/modifier)?))?)?$/;

/** How an address begins that names its company. */
const company = /^\/s\/[1-9]\d*(?=\/|$)/;

/** The file as it is now. Files below /app/ have their contents in their names and never change. */
async function load(path: string): Promise<Response> {
  const kept = path.startsWith("/app/") ? await caches.match(path) : undefined;
  return kept ?? fetch(path, { cache: path.startsWith("/app/") ? "default" : "no-cache" });
}

async function install(): Promise<void> {
  const cache = await caches.open(cacheName);
  await Promise.all(SHELL.files.map(async (path) => {
    const response = await load(path);
    if (!response.ok) throw new Error(`${path} was answered ${response.status}`);
    await cache.put(path, response);
  }));
}

/** Deletes old versions but the last one: open pages may still load its parts. */
async function activate(): Promise<void> {
  const others = (await caches.keys()).filter((name) => name.startsWith(prefix) && name !== cacheName);
  await Promise.all(others.slice(0, -1).map((name) => caches.delete(name)));
  await self.clients.claim();
}

async function answer(path: string, request: Request): Promise<Response> {
  const cache = await caches.open(cacheName);
  return (await cache.match(path)) ?? (await caches.match(path)) ?? fetch(request);
}

/** Browsers that take such rules send calls past the worker, so that the last ones of a page that is closed are not lost in it. */
interface Routing { addRoutes?(rule: { condition: { requestMethod: string }; source: "network" }): Promise<void> }

self.addEventListener("install", (event) => {
  event.waitUntil((event as Routing).addRoutes?.({ condition: { requestMethod: "POST" }, source: "network" }) ?? Promise.resolve());
  event.waitUntil(install());
});
self.addEventListener("activate", (event) => event.waitUntil(activate()));

// A new version waits until the reader wants it.
self.addEventListener("message", (event) => {
  if (event.data === "take over") void self.skipWaiting();
  if (event.data === "claim") event.waitUntil(self.clients.claim());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  if (request.mode === "navigate") {
    const path = pathname.replace(company, "") || "/";
    if (routes.some((route) => route.test(path))) event.respondWith(answer("/", request));
    // Which domains there are, the server knows: without it the page says what it has of an address that may be one of theirs.
    else if (declared.test(path)) event.respondWith(fetch(request).catch(() => answer("/", request)));
  } else if (pathname.startsWith("/app/") || (pathname !== "/" && files.has(pathname))) {
    event.respondWith(answer(pathname, request));
  }
});

/** Shows a page of the front in a window that is open, or in a new one. */
async function show(path: string): Promise<void> {
  const windows = await self.clients.matchAll({ type: "window" });
  const open = windows.find((one) => one.visibilityState === "visible") ?? windows[0];
  if (open === undefined) await self.clients.openWindow(path);
  else await (await open.focus()).navigate(path);
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  if (typeof event.notification.data === "string") event.waitUntil(show(event.notification.data));
});

export {};
