// The side of the page and its head: who is here, which room, which mind.
"use strict";

(() => {
  const MOMENT_MS = 100;
  const MOST_TRIES = 150;

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

  // The room may still have to be drawn, and Gradio folds up whatever was unfolded before it has drawn it.
  async function openNewPersona() {
    const fold = await utatane.arrival("#persona-new > button");
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      if (!fold?.classList.contains("open")) fold?.click();
      else if (!document.documentElement.hasAttribute("data-asking")) break;
      await new Promise((go) => setTimeout(go, MOMENT_MS));
    }
    const field = await utatane.arrival("#new-persona-name :is(input, textarea)");
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
