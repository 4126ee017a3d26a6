// Rooms that the server draws whole: buttons, forms and fields in them are told to it, and it answers with the room.
"use strict";

window.utataneShelves = (element, trigger, watch) => {
  const PATIENCE_MS = 15_000;
  const MOMENT_MS = 200;
  const LONGER_MS = 2_500;
  let shown = "";
  let last = "";

  // One thing after the other: what is asked for next begins where the answer to the last left one.
  const waiting = [];
  let busy = 0;
  let asked = 0;
  function tell(told) {
    const { persona, seen } = element.querySelector("[data-sight]")?.dataset || {};
    waiting.push({ ...told, persona, seen }); // meant for what one sees now, whatever is shown when its turn comes
    if (!busy) next();
  }
  function next() {
    clearTimeout(busy);
    busy = 0;
    if (!waiting.length) return;
    busy = setTimeout(next, PATIENCE_MS); // should an answer get lost
    asked += 1;
    trigger("select", { told: { ...waiting.shift(), number: asked } });
  }
  function again() {
    const pause = busy ? LONGER_MS : MOMENT_MS;
    clearTimeout(busy);
    busy = setTimeout(() => {
      waiting.unshift({ action: "show" });
      next();
    }, pause);
  }
  const unsaved = () => element.querySelector("form.unsaved");

  // Leaving a field that was written in is asked about, whatever button leads away.
  element.addEventListener("click", (event) => {
    const button = event.target.closest("[data-action]");
    if (button && unsaved() && !button.dataset.ask) button.dataset.ask = (window.utataneTexts || {}).unsaved;
  }, true);

  utatane.clicks(element, (_, told) => tell(told), (button) => {
    if (button.dataset.action !== "room") return true;
    utatane.openRoom(button.dataset.room);
    return false;
  });

  element.addEventListener("submit", (event) => {
    const form = event.target.closest("form[data-submit]");
    if (!form) return;
    event.preventDefault();
    const fields = new FormData(form);
    const told = { ...form.dataset, action: form.dataset.submit };
    for (const key of new Set(fields.keys())) {
      const values = fields.getAll(key);
      told[key] = values.length > 1 ? values : values[0];
    }
    tell(told);
  });

  element.addEventListener("change", (event) => {
    const field = event.target.closest("[data-change]");
    if (!field) return;
    const value = field.type === "checkbox" ? field.checked : field.value;
    tell({ ...field.dataset, action: field.dataset.change, [field.dataset.as || "value"]: value });
  });

  // The one who works with the keyboard stays where they were, or comes to the heading of what was opened.
  element.addEventListener("focusin", (event) => {
    last = event.target.id || "";
  });

  utatane.showsWhose?.(element);
  watch("value", () => {
    const answer = element.querySelector("[data-answer]")?.dataset.answer;
    if (answer === String(asked)) next();
    // The room was drawn by another hand (one has just come in): perhaps from before our answer, perhaps over it.
    else if (!answer && asked) again();
  });
  // A field shows what holds: one in which somebody wrote or clicked keeps that otherwise, whatever the server says.
  watch("value", () => {
    for (const field of element.querySelectorAll("[data-change]")) {
      if (field.type === "checkbox") field.checked = field.hasAttribute("checked");
      else if (field === document.activeElement) continue;
      else if (field.tagName === "SELECT") field.value = field.querySelector("option[selected]")?.value ?? field.value;
      else if (field.hasAttribute("value")) field.value = field.getAttribute("value");
    }
  });
  watch("value", () => requestAnimationFrame(() => {
    if (!unsaved()) utatane.markDirty("memory-editor", false);
    const place = element.querySelector("[data-place]")?.dataset.place || "";
    const moved = shown && place !== shown;
    shown = place;
    if (moved) element.closest(".tabitem")?.scrollTo(0, 0);
    const target = moved ? element.querySelector("[data-focus]") : document.getElementById(last || "-");
    target?.focus({ preventScroll: true });
  }));
};

// Where documents are dropped: one after the other is sent, and each has a row that says how far it is.
window.utataneDrop = (element, trigger, props, upload, watch) => {
  const zone = element.querySelector(".drop");
  const picker = element.querySelector('input[type="file"]');
  const rows = element.querySelector(".uploads");
  const waiting = [];
  let count = 0;
  let busy = null;

  function take(files) {
    for (const file of files) {
      const row = document.createElement("li");
      row.dataset.persona = document.querySelector("#knowledge [data-sight]")?.dataset.persona || "";
      const name = document.createElement("b");
      name.textContent = file.name;
      const state = document.createElement("span");
      row.append(name, state);
      row.dataset.number = String((count += 1));
      rows.prepend(row);
      waiting.push({ file, row });
    }
    next();
  }

  async function next() {
    if (busy || !waiting.length) return;
    busy = waiting.shift();
    const { file, row } = busy;
    row.className = "busy";
    row.lastChild.textContent = zone.dataset.sending;
    const told = { name: file.name, number: row.dataset.number, persona: row.dataset.persona, path: "" };
    try {
      if (file.size <= Number(zone.dataset.largest)) told.path = (await upload(file)).path;
    } catch (error) {
      finish(row, zone.dataset.failed, true);
      return;
    }
    trigger("submit", { told });
  }

  function finish(row, sentence, wrong) {
    row.className = wrong ? "wrong" : "right";
    row.lastChild.textContent = sentence;
    busy = null;
    next();
  }

  watch("value", () => {
    const value = props.value || {};
    if (!busy || value.number !== busy.row.dataset.number) return;
    if (value.over) finish(busy.row, value.state, value.wrong);
    else busy.row.lastChild.textContent = value.state;
  });

  element.querySelector("button").addEventListener("click", () => picker.click());
  picker.addEventListener("change", () => {
    take([...picker.files]);
    picker.value = "";
  });
  for (const kind of ["dragenter", "dragover"]) {
    element.addEventListener(kind, (event) => {
      event.preventDefault();
      zone.classList.add("over");
    });
  }
  element.addEventListener("dragleave", (event) => {
    if (!element.contains(event.relatedTarget)) zone.classList.remove("over");
  });
  element.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    take([...event.dataTransfer.files]);
  });
};

// The tab of the room that one is in stays in sight where there are more tabs than fit.
document.addEventListener("click", (event) => {
  event.target.closest?.('#rooms [role="tab"]')?.scrollIntoView({ inline: "center", block: "nearest" });
});
