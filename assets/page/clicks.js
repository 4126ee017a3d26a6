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

  Object.assign(utatane, { clicks });
})();
