// A question with two answers, reachable by keyboard.
"use strict";

(() => {
  function ask(question, yes) {
    return new Promise((answer) => {
      const dialog = document.createElement("dialog");
      dialog.className = "ask";
      const form = document.createElement("form");
      form.method = "dialog";
      const words = document.createElement("p");
      words.textContent = question;
      const row = document.createElement("div");
      for (const [value, label] of [["no", utatane.texts().cancel], ["yes", yes || utatane.texts().ok]]) {
        const button = document.createElement("button");
        button.value = value;
        button.textContent = label;
        button.className = value;
        row.append(button);
      }
      form.append(words, row);
      dialog.append(form);
      document.body.append(dialog);
      dialog.addEventListener("close", () => {
        answer(dialog.returnValue === "yes");
        dialog.remove();
      });
      dialog.showModal();
    });
  }

  Object.assign(utatane, { ask });
})();
