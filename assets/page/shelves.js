// Rooms that the server draws whole: buttons, forms and fields in them are told to it, and it answers with the room.
"use strict";

window.utataneShelves = (element, trigger, watch) => {
  let shown = "";
  let last = "";

  const tell = (told) => trigger("select", { told });
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

  watch("value", () => requestAnimationFrame(() => {
    if (!unsaved()) utatane.markDirty("memory-editor", false);
    const place = element.querySelector("[data-place]")?.dataset.place || "";
    const moved = shown && place !== shown;
    shown = place;
    if (moved) element.closest(".tabitem")?.scrollTo(0, 0);
    const target = moved ? element.querySelector("[data-focus]") : last && document.getElementById(last);
    target?.focus({ preventScroll: true });
  }));
};
