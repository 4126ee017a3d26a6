// The side of the page and its head: who is here, which room, which mind.
"use strict";

(() => {
  function openRoom(room, part) {
    document.getElementById(`${room}-room-button`)?.click();
    closeRail();
    if (part) utatane.arrival(`#${part}`).then((there) => there?.scrollIntoView({ block: "start" }));
  }

  function rail(element, trigger) {
    utatane.clicks(element, trigger, (button) => {
      if (button.dataset.action === "persona") openRoom("talk");
      if (button.dataset.action !== "create") return true;
      openRoom("persona");
      openNewPersona();
      return false;
    });
  }

  async function openNewPersona() {
    const [fold, name] = ["#persona-new button", "#new-persona-name :is(input, textarea)"];
    const button = await utatane.arrival(fold); // the room may still have to be drawn
    if (!document.querySelector(name)?.offsetParent) button?.click();
    const field = await utatane.arrival(name);
    document.getElementById("persona-new")?.scrollIntoView({ block: "center" });
    field?.focus();
  }

  function head(element) {
    element.addEventListener("click", (event) => {
      const button = event.target.closest("[data-action]");
      if (button?.dataset.action === "mind") openRoom("settings");
      if (button?.dataset.action === "menu") document.body.classList.toggle("rail-open");
    });
  }

  const closeRail = () => document.body.classList.remove("rail-open");
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") closeRail();
  });

  Object.assign(utatane, { rail, head, openRoom, closeRail });
})();
