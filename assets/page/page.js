// What the page does by itself: everything else is asked of the server through Gradio's events.
// This file comes first and holds what the others share; each of them adds its own part to the namespace, and may be
// deleted with it. A function that is given an element belongs to one component (see the Python module of that name).
"use strict";

(() => {
  const PATIENCE_MS = 15_000; // a room has to be drawn, on a machine that may be busy
  window.utatane = {};
  const texts = () => window.utataneTexts || {};

  // --- storage that may be refused (private windows): the page works without it
  const keep = (store, key, value) => {
    try {
      if (value === null || value === "") store.removeItem(key);
      else store.setItem(key, value);
    } catch (error) {
      console.info("utatane: nothing can be kept in this browser", error.name);
    }
  };
  const kept = (store, key) => {
    try {
      return store.getItem(key) || "";
    } catch (error) {
      return "";
    }
  };

  // Enter that confirms a Japanese conversion is no Enter. Safari reports it with key code 229 only.
  const composing = (event) => event.isComposing || event.keyCode === 229;

  // A place in the server's HTML that a script fills: `fill` is given the element, and again whenever the server's HTML
  // was laid over it and left it empty.
  const place = (name, fill) => customElements.define(name, class extends HTMLElement {
    connectedCallback() {
      fill(this);
      new MutationObserver(() => this.firstChild || fill(this)).observe(this, { childList: true });
    }
  });

  // The element, as soon as it can be seen; nothing, should it never come.
  function arrival(selector) {
    const seen = () => [...document.querySelectorAll(selector)].find((one) => one.offsetParent) || null;
    const found = seen();
    if (found) return Promise.resolve(found);
    return new Promise((done) => {
      const watching = new MutationObserver(() => seen() && finish());
      const giveUp = setTimeout(() => finish(), PATIENCE_MS);
      function finish() {
        clearTimeout(giveUp);
        watching.disconnect();
        done(seen());
      }
      watching.observe(document.body, { attributes: true, childList: true, subtree: true });
    });
  }

  const wantedPersona = () =>
    new URLSearchParams(location.search).get("persona") || kept(localStorage, "utatane.persona");

  Object.assign(utatane, { texts, keep, kept, composing, place, arrival, wantedPersona });
})();
