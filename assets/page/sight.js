// Whose things a room shows (`ui/sight.py`). While it still shows somebody else's than those of whom one talks to, there
// is nothing to be seen in it: nobody's memories stand under another's name, and nothing that is clicked is mistaken.
"use strict";

(() => {
  const chosen = () => document.querySelector("#personas [aria-current]")?.dataset.persona || "";
  const isOfAnother = (one) => Boolean(one.dataset.persona) && Boolean(chosen()) && one.dataset.persona !== chosen();

  function look() {
    for (const room of document.querySelectorAll("#rooms .room")) {
      room.classList.toggle("of-another", [...room.querySelectorAll("[data-sight]")].some(isOfAnother));
    }
    for (const row of document.querySelectorAll(".uploads li")) row.hidden = isOfAnother(row);
  }

  let watched = null;
  function watchWhoIsChosen() {
    const list = document.getElementById("personas");
    if (!list || list === watched) return;
    watched = list;
    new MutationObserver(look).observe(list, { attributes: true, attributeFilter: ["aria-current"], childList: true, subtree: true });
  }

  function sight(element, props, watch) {
    watchWhoIsChosen();
    element.toggleAttribute("data-sight", true);
    const note = () => {
      element.dataset.persona = (props.value || {}).persona || "";
      look();
    };
    watch("value", note);
    note();
  }

  Object.assign(utatane, { sight, seeWhose: look });
})();
