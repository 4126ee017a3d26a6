// The keyboard: from anywhere with a modifier, with one key outside of fields; and the list of all of it.
//
// What is left alone: whatever belongs to a Japanese conversion, to AltGr, to the browser (tabs, history, tools) and to
// screen readers. Keys without a modifier can be switched off (WCAG 2.1.4).
"use strict";

(() => {
  const MAC = /Mac|iPhone|iPad/.test(navigator.platform);
  const SECOND_KEY_MS = 1500;
  const texts = () => utatane.texts().keys;
  const chosen = (key) => utatane.kept(localStorage, `utatane.${key}`) === "yes";

  const rooms = () => [...document.querySelectorAll('#rooms [role="tab"][id$="-room-button"]')];
  const roomOf = (tab) => tab.id.replace("-room-button", "");
  const personas = () => [...document.querySelectorAll("#personas [data-persona]")];

  // Each thing that can be done: the key that does it with the modifier (as its code), and the one without.
  const COMMANDS = {
    next_persona: { code: "ArrowDown", key: "j", run: () => stepTo(personas(), here(personas()), 1) },
    previous_persona: { code: "ArrowUp", key: "k", run: () => stepTo(personas(), here(personas()), -1) },
    next_room: { code: "PageDown", key: "n", run: () => enter(stepFrom(rooms(), openTab(), 1)) },
    previous_room: { code: "PageUp", key: "p", run: () => enter(stepFrom(rooms(), openTab(), -1)) },
    search: { code: "Slash", key: "/", run: search },
    write: { code: "Period", key: "c", run: write },
    list: { key: "?", run: list },
  };

  const here = (buttons) => buttons.find((button) => button.hasAttribute("aria-current"));
  const openTab = () => rooms().find((tab) => tab.getAttribute("aria-selected") === "true");
  function stepFrom(all, one, by) {
    return all[(all.indexOf(one) + by + all.length) % all.length];
  }
  const stepTo = (all, one, by) => stepFrom(all, one, by)?.click();

  function enter(tab) {
    if (!tab) return;
    tab.click();
    tab.focus({ preventScroll: true }); // a screen reader says where one is
  }

  async function search() {
    enter(document.getElementById("memories-room-button"));
    const shelf = await utatane.arrival('#memories-room [data-shelf="search"], #memory-query');
    if (!document.getElementById("memory-query")) shelf?.click();
    (await utatane.arrival("#memory-query"))?.focus();
  }

  function write() {
    utatane.openRoom("talk");
    requestAnimationFrame(() => document.querySelector("#composer textarea")?.focus());
  }

  // Each room's letter after "g": the first of its name that no room before it has.
  function letters() {
    const taken = new Map();
    for (const tab of rooms()) {
      const letter = [...roomOf(tab)].find((one) => !taken.has(one));
      if (letter) taken.set(letter, tab);
    }
    return taken;
  }

  const isField = (element) =>
    element.isContentEditable || Boolean(element.closest?.('textarea, select, input:not([type="checkbox"], [type="radio"], [type="button"], [type="file"])'));

  const isCovered = () => Boolean(document.querySelector("dialog[open]") || document.querySelector("#onboarding")?.offsetParent);

  // The modifier: Alt, on a Mac ⌥⌘ (⌥ alone writes signs there). AltGr is none.
  function isModified(event) {
    if (event.ctrlKey || event.getModifierState("AltGraph") || !event.altKey) return false;
    return event.metaKey === MAC;
  }

  function byNumber(event) {
    const number = /^Digit([1-9])$/.exec(event.code)?.[1];
    if (!number) return false;
    personas()[number - 1]?.click();
    return true;
  }

  let waitingSince = 0; // the moment of the "g"
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || utatane.composing(event) || isCovered()) return;
    if (isModified(event) ? modified(event) : single(event)) event.preventDefault();
  });

  function modified(event) {
    if (event.target.closest?.("select")) return false; // there Alt+arrow opens the list
    if (event.shiftKey || MAC) {
      if (byNumber(event)) return true;
    }
    const command = event.shiftKey ? null : Object.values(COMMANDS).find(({ code }) => code && code === event.code);
    command?.run();
    return Boolean(command);
  }

  function single(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return false;
    if (event.key === "Escape" && event.target.closest?.("#composer")) {
      document.querySelector(".transcript")?.focus(); // out of the field: from here single keys work
      return true;
    }
    if (isField(event.target) || chosen("no-single-keys")) return false;
    const follows = Date.now() - waitingSince < SECOND_KEY_MS;
    waitingSince = 0;
    if (follows && letters().has(event.key)) {
      enter(letters().get(event.key));
      return true;
    }
    if (event.key === "g") {
      waitingSince = Date.now();
      return true;
    }
    if (!event.shiftKey && byNumber(event)) return true;
    const command = Object.values(COMMANDS).find(({ key }) => key === event.key);
    command?.run();
    return Boolean(command);
  }

  // --- what sends: Enter, or Ctrl+Enter for those who like Enter to begin a line
  function sends(event) {
    if (event.key !== "Enter" || utatane.composing(event)) return false;
    return chosen("enter-breaks") ? event.ctrlKey || event.metaKey : !event.shiftKey && !event.altKey;
  }
  function sayWhatSends() {
    const hint = document.querySelector("#composer .keys");
    if (hint) hint.textContent = chosen("enter-breaks") ? texts().sends_with_ctrl.replace("Ctrl", MAC ? "⌘" : "Ctrl") : (hint.dataset.usual ??= hint.textContent);
  }
  document.addEventListener("utatane:persona", sayWhatSends);

  // --- the list of it all
  const NAMES = { ArrowUp: "↑", ArrowDown: "↓", PageUp: "Page Up", PageDown: "Page Down", Slash: "/", Period: "." };
  const keyboard = (...keys) => keys.map((key) => Object.assign(document.createElement("kbd"), { textContent: key }));
  const chord = (code) => keyboard(...(MAC ? ["⌥", "⌘"] : ["Alt"]), NAMES[code]);

  function row(words, ...ways) {
    const term = Object.assign(document.createElement("dt"), { textContent: words });
    const keys = document.createElement("dd");
    ways.filter((way) => way.length).forEach((way, number) => {
      if (number) keys.append(Object.assign(document.createElement("i"), { textContent: texts().or }));
      const span = document.createElement("span");
      span.append(...way);
      keys.append(span);
    });
    return [term, keys];
  }

  function part(title, rows) {
    const heading = Object.assign(document.createElement("h3"), { textContent: title });
    const all = document.createElement("dl");
    all.append(...rows.flat());
    return [heading, all];
  }

  function choice(key, words) {
    const label = document.createElement("label");
    const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: chosen(key) });
    box.addEventListener("change", () => {
      utatane.keep(localStorage, `utatane.${key}`, box.checked ? "yes" : "");
      sayWhatSends();
    });
    label.append(box, words);
    return label;
  }

  function list() {
    const t = texts();
    const control = MAC ? "⌘" : "Ctrl";
    const dialog = document.createElement("dialog");
    dialog.className = "ask shortcuts";
    dialog.setAttribute("aria-labelledby", "shortcuts-title");
    const title = Object.assign(document.createElement("h2"), { id: "shortcuts-title", textContent: t.title });
    const close = Object.assign(document.createElement("button"), { className: "yes", textContent: t.close, autofocus: true });
    const form = Object.assign(document.createElement("form"), { method: "dialog" });
    const foot = document.createElement("div");
    foot.append(close);
    form.append(
      title,
      ...part(t.writing, [
        row(t.send, chosen("enter-breaks") ? keyboard(control, "Enter") : keyboard("Enter")),
        row(t.newline, chosen("enter-breaks") ? keyboard("Enter") : keyboard("Shift", "Enter")),
        row(t.leave, keyboard("Esc")),
      ]),
      ...part(t.everywhere, [
        ...Object.entries(COMMANDS).map(([name, { code, key }]) => row(t[name], code ? chord(code) : [], keyboard(key))),
        row(t.numbered_persona, keyboard(...(MAC ? ["⌥", "⌘"] : ["Alt", "Shift"]), "1–9"), keyboard("1–9")),
      ]),
      ...part(t.to_rooms, [...letters()].map(([letter, tab]) => row(tab.textContent.trim(), keyboard("g", letter)))),
      Object.assign(document.createElement("p"), { className: "quiet", textContent: t.about }),
      choice("no-single-keys", t.no_single_keys),
      choice("enter-breaks", t.enter_breaks),
      foot,
    );
    dialog.append(form);
    document.body.append(dialog);
    dialog.addEventListener("close", () => dialog.remove());
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    dialog.showModal();
  }

  utatane.place("utatane-keys", (element) => {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: texts().title });
    button.addEventListener("click", list);
    element.replaceChildren(button);
  });

  Object.assign(utatane, { sends });
})();
