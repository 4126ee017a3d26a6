// The app's service worker. It does one thing: where the server does not answer, a page is opened that says so and
// wakes by itself. Nothing else passes through here, and nothing else is kept: no conversation, no answer, no script.
"use strict";

const ASLEEP = "/asleep";
const KEPT = "utatane-asleep";

self.addEventListener("install", (event) => {
  event.waitUntil((async () => {
    await (await caches.open(KEPT)).add(new Request(ASLEEP, { cache: "reload" }));
    await self.skipWaiting();
  })());
});

self.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) if (name !== KEPT) await caches.delete(name);
    await self.registration.navigationPreload?.enable(); // the page is asked for while this script wakes up
    await self.clients.claim();
  })());
});

async function open(event) {
  try {
    return (await event.preloadResponse) || (await fetch(event.request));
  } catch (error) {
    return (await caches.match(ASLEEP)) || Response.error();
  }
}

self.addEventListener("fetch", (event) => {
  if (event.request.mode !== "navigate") return;
  event.respondWith(open(event));
});
