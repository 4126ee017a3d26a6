// Installable as an app: the worker that says so when the server sleeps, and the button that installs.
(() => {
  let offer = null; // the browser's own offer to install, kept until it is asked for

  utatane.later(() => {
    // Only where nobody can listen in: loopback, or https. Elsewhere the page works without.
    navigator.serviceWorker?.register("/worker.js", { updateViaCache: "none" }).catch((error) => {
      console.info("utatane: no page for when the server sleeps", error.name);
    });
  });

  // The page for when the server sleeps speaks the language that was read last, and looks as this one does.
  utatane.always(() => {
    const { lang, dataset } = document.documentElement;
    utatane.keep(localStorage, "utatane.language", lang);
    utatane.keep(localStorage, "utatane.look", dataset.look);
  });

  addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault();
    offer = event;
    show();
  });
  addEventListener("appinstalled", () => {
    offer = null;
    show();
  });

  const isInstalled = () => matchMedia("(display-mode: standalone)").matches || navigator.standalone === true;

  // In the settings, an element with `data-install`.
  function show() {
    const place = document.querySelector("[data-install]");
    if (!place) return;
    const texts = utatane.texts.app;
    const words = isInstalled() ? texts.installed : offer ? texts.offer : texts.how;
    const all = [utatane.element("p", { className: "quiet" }, words)];
    if (offer && !isInstalled()) all.push(utatane.element("button", { type: "button", className: "small", onclick: install }, texts.install));
    place.dataset.mine = "yes";
    place.replaceChildren(...all);
  }
  utatane.always(show);

  async function install() {
    const asked = offer;
    offer = null; // it can be used once
    await asked?.prompt();
    show();
  }
})();
