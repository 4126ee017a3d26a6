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

  const watched = new WeakSet();
  function lookWhenever(element) {
    if (!element || watched.has(element)) return;
    watched.add(element);
    new MutationObserver(look).observe(element, { attributes: true, attributeFilter: ["aria-current"], childList: true, subtree: true });
  }

  // What the server draws whole says itself whose it is.
  function showsWhose(element) {
    lookWhenever(document.getElementById("personas"));
    lookWhenever(element);
  }

  function sight(element, props, watch) {
    lookWhenever(document.getElementById("personas"));
    element.toggleAttribute("data-sight", true);
    const note = () => {
      element.dataset.persona = (props.value || {}).persona || "";
      look();
    };
    watch("value", note);
    note();
  }

  Object.assign(utatane, { sight, showsWhose });
})();
