// Offline: the last pages that were seen, and answers kept until they can be sent. Each answer carries its
// own key, so one that arrives twice is recorded once.
"use strict";
const CACHE = "rhythm-1";
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

async function tell(message) {
  for (const client of await self.clients.matchAll()) client.postMessage(message);
}

let sending = null;
function send() {
  sending = sending || sendAll().finally(() => { sending = null; });
  return sending;
}

async function sendAll() {
  const database = await queue();
  const keys = await within(database, "readonly", (store) => store.getAllKeys());
  let sent = 0;
  for (const key of keys) {
    const kept = await within(database, "readonly", (store) => store.get(key));
    let answer;
    try {
      answer = await fetch(kept.url, { method: "POST", body: new URLSearchParams(kept.fields), redirect: "manual" });
    } catch (error) {
      break;
    }
    if (answer.status >= 500) break;
    await within(database, "readwrite", (store) => store.delete(key));
    sent += 1;
  }
  const waiting = (await within(database, "readonly", (store) => store.getAllKeys())).length;
  database.close();
  await tell({ waiting, sent });
}

async function keep(request, fields) {
  fields.push(["at", new Date().toISOString()]);
  const database = await queue();
  await within(database, "readwrite", (store) => store.add({ url: request.url, fields }));
  database.close();
  const page = await caches.match("/");
  setTimeout(() => tell({ waiting: 1, sent: 0 }), 500);
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
    if (page.ok && !page.redirected && path !== "/data") cache.put(path, page.clone());
    return page;
  } catch (error) {
    return (await cache.match(path)) || (await cache.match("/")) || Response.error();
  }
}

self.addEventListener("message", (event) => { if (event.data === "send") event.waitUntil(send()); });
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
