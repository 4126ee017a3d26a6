// The conversation as it is shown.
"use strict";

(() => {
  const NEAR_BOTTOM = 120;

  function transcript(element, trigger, props, watch) {
    const list = element.querySelector(".transcript");
    let shown = null;
    let known = "";
    const tell = (event, told) => trigger(event, { ...told, persona: (props.value || {}).persona });

    function update() {
      const value = props.value || {};
      const changed = shown !== value.key;
      const atBottom = changed || list.scrollHeight - list.scrollTop - list.clientHeight < NEAR_BOTTOM;
      const anchor = [...list.children].find((child) => child.querySelector("article") && child.offsetTop + child.offsetHeight > list.scrollTop);
      const before = anchor ? anchor.offsetTop - list.scrollTop : 0;
      if (changed) list.replaceChildren();
      reconcile(list, value.items || []);
      shown = value.key;
      list.setAttribute("aria-busy", String(Boolean(value.busy)));
      if (atBottom || value.jump) list.scrollTop = list.scrollHeight;
      else if (anchor?.isConnected) list.scrollTop = anchor.offsetTop - before;
      document.body.classList.toggle("off-record", Boolean(value.off_record));
      if (value.persona) remember(value.persona);
    }

    function remember(persona) {
      if (persona === known) return;
      known = persona;
      utatane.keep(localStorage, "utatane.persona", persona);
      const address = new URL(location.href);
      if (address.searchParams.get("persona") !== persona) {
        address.searchParams.set("persona", persona);
        history.replaceState(null, "", address);
      }
      document.dispatchEvent(new CustomEvent("utatane:persona", { detail: persona }));
    }

    // Who reads the end stays at the end when the window turns, or a phone's keyboard takes half of it.
    let atEnd = true;
    list.addEventListener("scroll", () => {
      atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < NEAR_BOTTOM;
    });
    new ResizeObserver(() => {
      if (atEnd) list.scrollTop = list.scrollHeight;
    }).observe(list);

    // Pictures arrive after the words and push them up.
    list.addEventListener("load", () => {
      if (list.scrollHeight - list.scrollTop - list.clientHeight < 600) list.scrollTop = list.scrollHeight;
    }, true);

    list.addEventListener("click", async (event) => {
      const button = event.target.closest("[data-action]");
      if (!button) return;
      const article = button.closest("article");
      const action = button.dataset.action;
      if (action === "copy") utatane.copyMessage?.(button, article.querySelector(".bubble"));
      else if (action === "retry") tell("retry", { by: button.dataset.by || "" });
      else if (action === "caps") utatane.openRoom("settings", "usage-caps");
      else if (action === "older") tell("older");
      else if (action === "delete" && (await utatane.ask(utatane.texts().delete_last, utatane.texts().delete))) tell("delete");
      else if (action === "edit") utatane.editMessage?.(article, (text) => tell("edit", { text }));
    });

    utatane.followServer?.(props, trigger);
    watch("value", update);
    update();
  }

  function reconcile(list, items) {
    const existing = new Map([...list.children].map((child) => [child.dataset.key, child]));
    let cursor = list.firstElementChild;
    for (const { id, html } of items) {
      let node = existing.get(id);
      existing.delete(id);
      if (!node) {
        node = document.createElement("div");
        node.dataset.key = id;
      }
      if (node.source !== html && !node.querySelector(".editing")) {
        const open = [...node.querySelectorAll("details[open]")].map((fold) => fold.className);
        node.innerHTML = html;
        node.source = html;
        for (const fold of node.querySelectorAll("details")) fold.open = open.includes(fold.className);
      }
      if (node === cursor) cursor = cursor.nextElementSibling;
      else list.insertBefore(node, cursor);
    }
    for (const gone of existing.values()) gone.remove();
  }

  Object.assign(utatane, { transcript });
})();
