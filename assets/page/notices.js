// Notices above the conversation, and the passing ones in the corner: each is said once, to screen readers as well, can
// be dismissed by keyboard, and no more than a few stand in the way at a time.
"use strict";

(() => {
  const MOST_NOTICES = 2;
  const MOST_TOASTS = 3;
  const KEPT = 50;
  const texts = () => utatane.texts().notices;

  // --- what is announced stands in a region that was there before (one that comes with its words is often passed over)
  const said = {};
  function announce(words, urgent = false) {
    const region = (said[urgent] ??= document.body.appendChild(Object.assign(document.createElement("div"), { className: "visually-hidden" })));
    region.setAttribute("role", urgent ? "alert" : "status");
    region.replaceChildren(Object.assign(document.createElement("p"), { textContent: words }));
  }

  // --- notices stay away once they were dismissed; of what passes, the next one is another
  function notices(element, watch) {
    const announced = new Set();
    let isOpen = false;

    const dismissed = () => utatane.kept(localStorage, "utatane.dismissed").split("\n").filter(Boolean);
    const rows = () => [...element.querySelectorAll("[data-notice]")];

    function dismiss(some) {
      const gone = new Set([...dismissed(), ...some.map((row) => row.dataset.notice)]);
      utatane.keep(localStorage, "utatane.dismissed", [...gone].slice(-KEPT).join("\n"));
      show();
    }

    function letPassedGo() {
      const here = rows().map((row) => row.dataset.notice);
      const kept = dismissed().filter((key) => key.includes(":") || here.includes(key));
      if (kept.length < dismissed().length) utatane.keep(localStorage, "utatane.dismissed", kept.join("\n"));
    }

    function show() {
      letPassedGo();
      const gone = dismissed();
      const waiting = rows().filter((row) => !gone.includes(row.dataset.notice));
      const shown = isOpen ? waiting : waiting.slice(0, MOST_NOTICES);
      for (const row of rows()) row.hidden = !shown.includes(row);
      const fresh = waiting.filter((row) => !announced.has(row.dataset.notice));
      for (const row of fresh) announced.add(row.dataset.notice);
      if (fresh.length) announce(fresh.map((row) => row.querySelector("span").textContent).join(" "));
      more(waiting, waiting.length - shown.length);
    }

    // The row below them: how many more there are, and all of them away at once.
    function more(waiting, hidden) {
      element.querySelector(".more-notices")?.remove();
      if (waiting.length <= MOST_NOTICES) return;
      const row = Object.assign(document.createElement("p"), { className: "more-notices" });
      const button = (words, action) => row.append(Object.assign(document.createElement("button"), { type: "button", textContent: words, onclick: action }));
      if (hidden) {
        button(texts().more.replace("{count}", hidden), () => {
          isOpen = true;
          show();
          rows()[MOST_NOTICES]?.querySelector("button").focus();
        });
      }
      button(texts().dismiss_all, () => {
        dismiss(waiting);
        stay(null);
      });
      element.querySelector("ul").after(row);
    }

    // Whoever dismisses by keyboard stays among the notices, or comes back to where one writes.
    function stay(next) {
      const button = next?.querySelector("button") || element.querySelector("[data-notice]:not([hidden]) button");
      (button || document.querySelector("#composer textarea"))?.focus();
    }

    function away(row) {
      const all = rows().filter((one) => !one.hidden);
      const next = all[all.indexOf(row) + 1];
      dismiss([row]);
      stay(next);
    }

    element.addEventListener("click", (event) => {
      const row = event.target.closest('[data-action="dismiss"]')?.closest("[data-notice]");
      if (row) away(row);
    });
    element.addEventListener("keydown", (event) => {
      const row = event.target.closest("[data-notice]");
      if (!row || event.key !== "Escape") return;
      event.preventDefault();
      away(row);
    });
    watch("value", show);
    show();
  }

  // What Gradio says by itself, in its own language only. The text is changed where it stands: the nodes are Gradio's.
  const GONE = /^\s*Connection (to the server was lost|errored out)/;
  function say(line, words) {
    const nodes = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    for (let first = true; nodes.nextNode(); first = false) nodes.currentNode.nodeValue = first ? words : "";
  }

  // --- the passing ones are Gradio's: each sentence once, the newest few, with our words, and Escape sends them away
  function tidy(wrap) {
    for (const toast of wrap.querySelectorAll(".toast-body")) {
      toast.removeAttribute("aria-live");
      toast.setAttribute("role", "group");
      for (const head of toast.querySelectorAll('.toast-header[role="button"]')) {
        head.removeAttribute("role"); // a button with a button in it is none; its lines are always unfolded
        head.removeAttribute("tabindex");
      }
      toast.querySelector(".toast-close")?.setAttribute("aria-label", texts().close);
      const told = new Set();
      for (const line of [...toast.querySelectorAll(".toast-message-item")].reverse()) {
        if (GONE.test(line.textContent)) say(line, texts().gone);
        const words = line.textContent.trim();
        const isOver = told.has(words) || told.size === MOST_TOASTS;
        told.add(words);
        line.hidden = isOver;
        if (!line.said && !isOver) announce(words, !toast.classList.contains("info"));
        line.said = true;
      }
    }
  }
  const toasts = () => [...document.querySelectorAll(".toast-wrap .toast-close")];
  addEventListener("DOMContentLoaded", () => {
    new MutationObserver(() => {
      const wrap = document.querySelector(".toast-wrap");
      if (wrap?.firstElementChild) tidy(wrap);
    }).observe(document.body, { childList: true, subtree: true });
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || utatane.composing(event) || document.querySelector("dialog[open]") || !toasts().length) return;
    event.preventDefault();
    event.stopPropagation();
    for (const close of toasts()) close.click();
  }, true);

  Object.assign(utatane, { notices, announce });
})();
