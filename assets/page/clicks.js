// Whatever is clicked in a list or a head: the action and its data go to the server.
"use strict";

(() => {
  function clicks(element, trigger, before) {
    element.addEventListener("click", async (event) => {
      const button = event.target.closest("[data-action]");
      if (!button) return;
      if (button.dataset.ask && !(await utatane.ask(button.dataset.ask, button.dataset.yes))) return;
      if (before && before(button) === false) return;
      trigger("select", { ...button.dataset });
    });
  }

  // The second click of a double click says nothing new where a deed would be done twice. (Turning pages is none.)
  const DEEDS = ["duplicate", "undo", "redo", "undo_rest", "redo_rest", "restore", "remember", "mend", "retry", "resolve", "complete", "abandon"];
  const ONCE = ["#main .buttons button", "#new-persona-create", "#welcome-begin", "#composer .topic", ...DEEDS.map((deed) => `[data-action="${deed}"]`)];
  document.addEventListener("click", (event) => {
    if (event.detail < 2 || !event.target.closest?.(ONCE.join())) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);

  Object.assign(utatane, { clicks });
})();
