// Installable as an app: the worker that says so when the server sleeps, and the button that installs.
"use strict";

(() => {
  const version = new URL(document.currentScript.src).search;
  let offer = null; // the browser's own offer to install, kept until it is asked for

  addEventListener("load", () => {
    // Only where nobody can listen in: loopback, or https. Elsewhere the page works without.
    navigator.serviceWorker?.register(`/worker.js${version}`, { updateViaCache: "none" }).catch((error) => {
      console.info("utatane: no page for when the server sleeps", error.name);
    });
  });

  // The page for when the server sleeps speaks the language that was read last.
  utatane.keep(localStorage, "utatane.language", window.utataneLanguage);

  // A shortcut of the app may lead into a room.
  document.addEventListener("utatane:persona", () => {
    const address = new URL(location.href);
    const room = address.searchParams.get("room");
    if (!room) return;
    address.searchParams.delete("room");
    history.replaceState(null, "", address);
    utatane.openRoom(room);
  });

  addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault();
    offer = event;
    refresh();
  });
  addEventListener("appinstalled", () => {
    offer = null;
    refresh();
  });

  const installed = () => matchMedia("(display-mode: standalone)").matches || navigator.standalone === true;
  const refresh = () => document.querySelectorAll("utatane-install").forEach(show);

  async function install() {
    const asked = offer;
    offer = null; // it can be used once
    await asked?.prompt();
    refresh();
  }

  function show(element) {
    const texts = utatane.texts().app;
    const words = document.createElement("p");
    words.className = "quiet";
    words.textContent = installed() ? texts.installed : offer ? texts.offer : texts.how;
    const all = [words];
    if (offer && !installed()) {
      const button = Object.assign(document.createElement("button"), { type: "button", className: "small", textContent: texts.install });
      button.addEventListener("click", install);
      all.push(button);
    }
    element.replaceChildren(...all);
  }
  utatane.place("utatane-install", show);
})();
