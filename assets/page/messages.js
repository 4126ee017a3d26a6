// What can be done with a message in place: copy it, write it anew.
"use strict";

(() => {
  async function copyMessage(button, bubble) {
    try {
      await navigator.clipboard.writeText(bubble.innerText.trim());
    } catch (error) {
      const range = document.createRange();
      range.selectNodeContents(bubble);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      return;
    }
    button.classList.add("done");
    setTimeout(() => button.classList.remove("done"), 1200);
  }

  const begun = new Map(); // by message: what was being made of it; whoever turned away, or came too early, finds it again

  function editMessage(article, save) {
    const id = article.dataset.id;
    const bubble = article.querySelector(".bubble");
    const words = article.querySelector(".words");
    const form = document.createElement("form");
    form.className = "editing";
    const area = document.createElement("textarea");
    const before = bubble ? bubble.textContent : "";
    area.value = begun.get(id)?.before === before ? begun.get(id).text : before;
    area.setAttribute("aria-label", utatane.texts().edit_message);
    const cancel = document.createElement("button");
    cancel.type = "button";
    cancel.textContent = utatane.texts().cancel;
    const done = document.createElement("button");
    done.textContent = utatane.texts().send_again;
    done.className = "yes";
    form.append(area, cancel, done);
    const close = () => {
      form.remove();
      article.classList.remove("in-edit");
    };
    const giveUp = () => {
      begun.delete(id);
      close();
    };
    area.addEventListener("input", () => {
      begun.set(id, { before, text: area.value });
      utatane.grow(area);
    });
    cancel.addEventListener("click", giveUp);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = area.value.trim();
      close();
      if (text) save(text);
    });
    area.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !utatane.composing(event)) giveUp();
      if (utatane.isSending(event)) {
        event.preventDefault();
        form.requestSubmit();
      }
    });
    article.classList.add("in-edit");
    words.prepend(form);
    utatane.grow(area);
    area.focus();
  }

  Object.assign(utatane, { copyMessage, editMessage });
})();
