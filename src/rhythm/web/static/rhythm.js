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
  navigator.serviceWorker.addEventListener("message", (event) => {
    if (event.data && event.data.waiting > 0) {
      line.hidden = false;
      line.textContent = `${event.data.waiting} answer(s) wait on this device and are sent when Rhythm is reachable.`;
    } else if (event.data && event.data.sent > 0) {
      location.reload();
    }
  });
  navigator.serviceWorker.register("/sw.js").catch(() => {});
  navigator.serviceWorker.ready.then((registration) => {
    const send = () => registration.active && registration.active.postMessage("send");
    send();
    addEventListener("online", send);
    setInterval(() => { if (!line.hidden) send(); }, 15000);
  });
})();
