// The side of the page and its head: who is here, which room, which mind.
"use strict";

(() => {
  function openRoom(room, part) {
    document.getElementById(`${room}-room-button`)?.click();
    closeRail();
    if (part) showPart(part, 50);
  }

  // The room may still have to be drawn.
  function showPart(id, tries) {
    const part = document.getElementById(id);
    if (part?.offsetParent) part.scrollIntoView({ block: "start" });
    else if (tries) setTimeout(() => showPart(id, tries - 1), 100);
  }

  function rail(element, trigger) {
    utatane.clicks(element, trigger, (button) => {
      if (button.dataset.action === "persona") openRoom("talk");
      if (button.dataset.action !== "create") return true;
      openRoom("persona");
      setTimeout(openNewPersona, 300);
      return false;
    });
  }

  function openNewPersona() {
    const fold = document.querySelector("#persona-new button");
    const name = () => document.querySelector("#new-persona-name input, #new-persona-name textarea");
    if (!name()?.offsetParent) fold?.click();
    setTimeout(() => {
      document.getElementById("persona-new")?.scrollIntoView({ block: "center" });
      name()?.focus();
    }, 200);
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
