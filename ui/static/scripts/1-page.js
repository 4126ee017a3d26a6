// What the page's scripts share. Without scripts every page works by itself: links, plain forms, new pages. The files of
// this folder are joined in the order of their names; each adds what it offers to `utatane`.
"use strict";

const utatane = {};
const on = document.addEventListener.bind(document);

(() => {
  document.documentElement.classList.add("scripted");
  utatane.texts = JSON.parse(document.getElementById("texts")?.textContent || "{}");

  // Storage that may be refused (private windows): the page works without it.
  utatane.keep = (store, key, value) => {
    try {
      if (value) store.setItem(key, value);
      else store.removeItem(key);
    } catch (error) {
      console.info("utatane: nothing can be kept in this browser", error.name);
    }
  };
  utatane.kept = (store, key) => {
    try {
      return store.getItem(key) || "";
    } catch {
      return "";
    }
  };

  // Enter that confirms a Japanese conversion is no Enter. Safari reports it with key code 229 only.
  utatane.composing = (event) => event.isComposing || event.keyCode === 229;

  // Keys by which a browser opens a link elsewhere, or does something of its own.
  utatane.modified = (event) => event.ctrlKey || event.metaKey || event.altKey;

  // Something to be done to the page now, and again after each swap.
  utatane.always = (work) => {
    work();
    on("utatane:swapped", work);
  };

  // What nobody waits for: begun when the page stands and there is nothing else to do.
  const SETTLED_MS = 200;
  utatane.later = (work) => {
    const begin = () => setTimeout(work, SETTLED_MS);
    if (document.readyState === "complete") begin();
    else addEventListener("load", begin);
  };

  utatane.element = (tag, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };

  // Files that are dropped anywhere in a room that has a place for them: beside it they must not take the page's place.
  utatane.onDrop = (place, take) => {
    for (const kind of ["dragover", "dragleave", "drop"]) {
      on(kind, (event) => {
        if (!place() || !event.dataTransfer?.types.includes("Files")) return;
        event.preventDefault();
        place().classList.toggle("over", kind === "dragover");
        if (kind === "drop" && event.dataTransfer.files.length) take(event.dataTransfer.files, event.dataTransfer);
      });
    }
  };

  // A question with two answers, reachable by keyboard; resolves to whether it was a yes.
  utatane.ask = (question, yes) => new Promise((answer) => {
    const button = (value, label) => utatane.element("button", { value, textContent: label, className: `small ${value}` });
    const row = utatane.element("div", {}, button("no", utatane.texts.cancel), button("yes", yes || utatane.texts.ok));
    const form = utatane.element("form", { method: "dialog" }, utatane.element("p", {}, question), row);
    const dialog = utatane.element("dialog", { className: "ask" }, form);
    document.body.append(dialog);
    dialog.onclose = () => {
      answer(dialog.returnValue === "yes");
      dialog.remove();
    };
    dialog.showModal();
  });

  // A sentence in the corner, said to screen readers too; problems stay until they are closed.
  const SHOWN_MS = 5_000;
  utatane.tell = (sentence, level = "done", ...ways) => {
    const place = document.getElementById("told");
    if ([...place.children].some((one) => one.firstChild?.textContent === sentence)) return;
    place.append(utatane.element("p", { className: `told ${level}` }, sentence, ...ways));
    dress();
  };
  function dress() {
    for (const one of document.querySelectorAll("#told .told:not([data-dressed])")) {
      one.dataset.dressed = "yes";
      if (one.classList.contains("problem")) one.setAttribute("role", "alert");
      else setTimeout(() => one.remove(), one.querySelector("a") ? 4 * SHOWN_MS : SHOWN_MS);
      const [ariaLabel, onclick] = [utatane.texts.notices.close, () => one.remove()];
      one.append(utatane.element("button", { type: "button", className: "icon close", ariaLabel, onclick }));
    }
  }
  utatane.always(dress);
  on("keydown", (event) => {
    const told = document.querySelectorAll("#told .told");
    if (event.key !== "Escape" || !told.length || utatane.composing(event) || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    for (const one of told) one.remove();
  }, true);
})();
