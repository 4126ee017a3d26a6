// Gradio gives each button of a choice a name of its own, so that the arrow keys find no other one. Here they are a group,
// as browsers and screen readers know it, from the moment that somebody comes to one of them.
"use strict";

document.addEventListener("focusin", ({ target }) => {
  const group = target.type === "radio" && target.closest("fieldset");
  for (const one of group ? group.querySelectorAll('input[type="radio"]') : []) one.name = group.id || target.name;
});
