// Comforts only: every page works without this file. Single keys (with an off switch in Settings),
// the service worker, and sending answers that were given offline.
"use strict";
(() => {
  const typing = (node) => node.closest("input, select, textarea, [contenteditable]") !== null;
  const pages = { 1: "/", 2: "/you", 3: "/data", 4: "/settings" };
  if (document.body.dataset.shortcuts === "on") {
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || typing(event.target)) return;
      const key = event.key.toLowerCase();
      if (pages[key]) { location.assign(pages[key]); return; }
      const button = document.querySelector(`[data-key="${CSS.escape(key)}"]`);
      if (button) { event.preventDefault(); button.click(); }
    });
  }
  if (!("serviceWorker" in navigator)) return;
  const line = document.getElementById("offline");
  let refused = 0;
  navigator.serviceWorker.addEventListener("message", (event) => {
    const told = event.data || {};
    const said = [];
    refused += told.refused || 0;
    if (told.waiting > 0) said.push(`${told.waiting} answer(s) wait on this device until your Rhythm takes them.`);
    if (refused > 0) {
      said.push(`${refused} answer(s) that you gave offline were refused and are not kept, ` +
        "since the suggestion has another answer, cannot be moved there any more or is gone. Open Today to see what holds.");
    }
    if (said.length > 0) {
      line.hidden = false;
      line.textContent = said.join(" ");
    } else if (told.sent > 0) {
      location.reload();
    }
  });
  navigator.serviceWorker.register("/sw.js").catch(() => {});
  navigator.serviceWorker.ready.then((registration) => {
    const send = () => registration.active && registration.active.postMessage("send");
    const { person } = document.body.dataset;
    if (person && registration.active) registration.active.postMessage({ person });
    send();
    addEventListener("online", send);
    setInterval(() => { if (!line.hidden) send(); }, 15000);
  });
})();
