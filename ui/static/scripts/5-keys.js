// The keyboard: from anywhere with a modifier, with one key outside of fields; and the list of all of it.
//
// What is left alone: whatever belongs to a Japanese conversion, to AltGr, to the browser (tabs, history, tools) and to
// screen readers. Keys without a modifier can be switched off (WCAG 2.1.4).
(() => {
  const MAC = /Mac|iPhone|iPad/.test(navigator.platform);
  const SECOND_KEY_MS = 1500;
  const t = utatane.texts.keys;
  const chosen = (key) => utatane.kept(localStorage, `utatane.${key}`) === "yes";

  const rooms = () => [...document.querySelectorAll("#rooms a")];
  const roomOf = (tab) => tab.id.replace("-tab", "");
  const personas = () => [...document.querySelectorAll("#personas [data-persona]")];
  const here = (all) => all.findIndex((one) => one.hasAttribute("aria-current"));
  const step = (all, by) => all.at((here(all) + by) % all.length)?.click();

  // Each thing that can be done: the key that does it with the modifier (as its code), and the one without.
  const COMMANDS = {
    next_persona: { code: "ArrowDown", key: "j", run: () => step(personas(), 1) },
    previous_persona: { code: "ArrowUp", key: "k", run: () => step(personas(), -1) },
    next_room: { code: "PageDown", key: "n", run: () => step(rooms(), 1) },
    previous_room: { code: "PageUp", key: "p", run: () => step(rooms(), -1) },
    search: { code: "Slash", key: "/", run: () => toField("memories", "#memory-query") },
    write: { code: "Period", key: "c", run: () => toField("talk", "#composer textarea") },
    list: { key: "?", run: list },
  };

  function toField(room, selector) {
    const field = document.querySelector(selector);
    const tab = document.getElementById(`${room}-tab`);
    if (field) return field.focus();
    if (tab && !selector.includes(" ")) tab.hash = selector; // the browser gives it the focus there
    tab?.click();
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
  on("keydown", (event) => {
    if (event.defaultPrevented || utatane.composing(event) || document.querySelector("dialog[open]")) return;
    if (isModified(event) ? modified(event) : single(event)) event.preventDefault();
  });

  function modified(event) {
    if (event.target.closest?.("select")) return false; // there Alt+arrow opens the list
    if ((event.shiftKey || MAC) && byNumber(event)) return true;
    return !event.shiftKey && runs(({ code }) => code && code === event.code);
  }

  function single(event) {
    if (utatane.modified(event)) return false;
    if (event.key === "Escape" && event.target.closest?.("#composer")) {
      event.target.blur(); // out of the field: from here single keys work
      return true;
    }
    if (isField(event.target) || chosen("no-single-keys")) return false;
    const follows = Date.now() - waitingSince < SECOND_KEY_MS;
    waitingSince = 0;
    if (follows && letters().has(event.key)) {
      letters().get(event.key).click();
      return true;
    }
    if (event.key === "g") {
      waitingSince = Date.now();
      return true;
    }
    if (!event.shiftKey && byNumber(event)) return true;
    return runs(({ key }) => key === event.key);
  }

  function runs(fits) {
    const command = Object.values(COMMANDS).find(fits);
    command?.run();
    return Boolean(command);
  }

  // --- what sends: Enter, or Ctrl+Enter for those who like Enter to begin a line
  function sends(event) {
    if (event.key !== "Enter" || utatane.composing(event)) return false;
    return chosen("enter-breaks") ? event.ctrlKey || event.metaKey : !event.shiftKey && !event.altKey;
  }
  const whatSends = () => (chosen("enter-breaks") ? t.sends_with_ctrl.replace("Ctrl", MAC ? "⌘" : "Ctrl") : "");

  // --- the list of it all
  const { element } = utatane;
  const NAMES = { ArrowUp: "↑", ArrowDown: "↓", PageUp: "Page Up", PageDown: "Page Down", Slash: "/", Period: "." };
  const keyboard = (...keys) => element("span", {}, ...keys.map((textContent) => element("kbd", { textContent })));
  const chord = (code) => keyboard(...(MAC ? ["⌥", "⌘"] : ["Alt"]), NAMES[code]);
  const row = (words, ...ways) => [
    element("dt", {}, words),
    element("dd", {}, ...ways.flatMap((way, at) => (at ? [element("i", {}, t.or), way] : [way]))),
  ];
  const part = (title, rows) => [element("h3", {}, title), element("dl", {}, ...rows.flat())];

  function choice(key, words) {
    const box = element("input", { type: "checkbox", checked: chosen(key) });
    box.onchange = () => {
      utatane.keep(localStorage, `utatane.${key}`, box.checked ? "yes" : "");
      document.dispatchEvent(new CustomEvent("utatane:keys"));
    };
    return element("label", {}, box, words);
  }

  function list() {
    const breaks = chosen("enter-breaks");
    const form = element("form", { method: "dialog" },
      element("h2", { id: "shortcuts-title" }, t.title),
      ...part(t.writing, [
        row(t.send, breaks ? keyboard(MAC ? "⌘" : "Ctrl", "Enter") : keyboard("Enter")),
        row(t.newline, breaks ? keyboard("Enter") : keyboard("Shift", "Enter")),
        row(t.leave, keyboard("Esc")),
      ]),
      ...part(t.everywhere, [
        ...Object.entries(COMMANDS).map(([name, { code, key }]) => row(t[name], ...(code ? [chord(code)] : []), keyboard(key))),
        row(t.numbered_persona, keyboard(...(MAC ? ["⌥", "⌘"] : ["Alt", "Shift"]), "1–9"), keyboard("1–9")),
      ]),
      ...part(t.to_rooms, [...letters()].map(([letter, tab]) => row(tab.textContent.trim(), keyboard("g", letter)))),
      element("p", { className: "quiet" }, t.about),
      choice("no-single-keys", t.no_single_keys),
      choice("enter-breaks", t.enter_breaks),
      element("div", {}, element("button", { className: "small yes", autofocus: true }, t.close)),
    );
    const dialog = element("dialog", { className: "ask shortcuts" }, form);
    dialog.setAttribute("aria-labelledby", "shortcuts-title");
    document.body.append(dialog);
    dialog.onclose = () => dialog.remove();
    dialog.onclick = ({ target }) => {
      if (target === dialog) dialog.close();
    };
    dialog.showModal();
  }
  on("click", (event) => event.target.closest?.("[data-keys]") && list());

  Object.assign(utatane, { sends, whatSends });
})();
