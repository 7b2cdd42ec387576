// Offline: the last pages that were seen, and answers kept until they can be sent. Each answer carries its
// own key, so one that arrives twice is recorded once.
"use strict";
const CACHE = "rhythm-1";
const PERSON = "/whose";
const SHELL = ["/static/rhythm.css", "/static/rhythm.js", "/static/icon.svg"];

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(SHELL)).then(() => self.skipWaiting()));
});
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

function queue() {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open("rhythm", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("answers", { autoIncrement: true });
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });
}

function within(database, mode, work) {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction("answers", mode);
    const request = work(transaction.objectStore("answers"));
    transaction.oncomplete = () => resolve(request.result);
    transaction.onerror = () => reject(transaction.error);
  });
}

// The pages that are kept are one person's: once somebody else's are open in this browser, those go.
async function keepFor(person) {
  const cache = await caches.open(CACHE);
  const known = await cache.match(PERSON);
  if (known && (await known.text()) === person) return;
  for (const kept of await cache.keys()) {
    if (!SHELL.includes(new URL(kept.url).pathname)) await cache.delete(kept);
  }
  await cache.put(PERSON, new Response(person));
}

async function tell(message) {
  const pages = await self.clients.matchAll();
  for (const page of pages) page.postMessage(message);
  return pages.length > 0;
}

let sending = null;
function send() {
  sending = sending || sendAll().finally(() => { sending = null; });
  return sending;
}

// An answer leaves the queue when it was taken, which is when Rhythm leads on, and when Rhythm refused it, which a
// later try could not change; a page is told of that first. Whatever else is said, by a locked or busy Rhythm or by
// another program on this port, the answer waits.
async function sendAll() {
  const database = await queue();
  const keys = await within(database, "readonly", (store) => store.getAllKeys());
  const drop = (key) => within(database, "readwrite", (store) => store.delete(key));
  const refused = [];
  let sent = 0;
  for (const key of keys) {
    const kept = await within(database, "readonly", (store) => store.get(key));
    let answer;
    try {
      answer = await fetch(kept.url, { method: "POST", body: new URLSearchParams(kept.fields), redirect: "manual" });
    } catch (error) {
      break;
    }
    if (answer.type === "opaqueredirect") {
      await drop(key);
      sent += 1;
    } else if (answer.status === 400 || answer.status === 410) {
      refused.push(key);
    }
  }
  const left = await within(database, "readonly", (store) => store.count());
  if (await tell({ waiting: left - refused.length, sent, refused: refused.length })) {
    for (const key of refused) await drop(key);
  }
  database.close();
}

async function keep(request, fields) {
  fields.push(["at", new Date().toISOString()]);
  const database = await queue();
  await within(database, "readwrite", (store) => store.add({ url: request.url, fields }));
  const waiting = await within(database, "readonly", (store) => store.count());
  database.close();
  const page = await caches.match("/");
  setTimeout(() => tell({ waiting, sent: 0, refused: 0 }), 500);
  return page || new Response("Kept. It is sent when Rhythm is reachable.", { headers: { "Content-Type": "text/plain" } });
}

async function answerOrKeep(request) {
  const fields = [...(await request.clone().formData()).entries()].map(([name, value]) => [name, String(value)]);
  try {
    return await fetch(request);
  } catch (error) {
    return keep(request, fields);
  }
}

async function pageOrLast(request) {
  const cache = await caches.open(CACHE);
  const path = new URL(request.url).pathname;
  try {
    const page = await fetch(request);
    const person = page.headers.get("X-Rhythm-Person");
    if (person) {
      await keepFor(person);
      if (page.ok && !page.redirected && path !== "/data") await cache.put(path, page.clone());
    }
    return page;
  } catch (error) {
    return (await cache.match(path)) || (await cache.match("/")) || Response.error();
  }
}

self.addEventListener("message", (event) => {
  if (event.data === "send") event.waitUntil(send());
  if (event.data && event.data.person) event.waitUntil(keepFor(event.data.person));
});
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (url.origin !== location.origin) return;
  if (request.method === "POST" && /^\/suggestions\/\d+\/answer$/.test(url.pathname)) {
    event.respondWith(answerOrKeep(request));
  } else if (request.method === "GET" && request.mode === "navigate" && !url.searchParams.has("token")) {
    event.respondWith(pageOrLast(request));
  } else if (request.method === "GET" && SHELL.includes(url.pathname)) {
    event.respondWith(fetch(request).catch(() => caches.match(request)));
  }
});
