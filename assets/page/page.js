// What the page does by itself: everything else is asked of the server through Gradio's events.
// One namespace; each function is given the element of one component (see the Python module of the same name).
"use strict";

window.utatane = (() => {
  const texts = () => window.utataneTexts || {};
  const POLL_MS = 2000;
  const NEAR_BOTTOM = 120;

  // --- storage that may be refused (private windows): the page works without it
  const keep = (store, key, value) => {
    try {
      if (value === null || value === "") store.removeItem(key);
      else store.setItem(key, value);
    } catch (error) {
      console.info("utatane: nothing can be kept in this browser", error.name);
    }
  };
  const kept = (store, key) => {
    try {
      return store.getItem(key) || "";
    } catch (error) {
      return "";
    }
  };

  // Enter that confirms a Japanese conversion is no Enter. Safari reports it with key code 229 only.
  const composing = (event) => event.isComposing || event.keyCode === 229;

  // --- a question with two answers, reachable by keyboard
  function ask(question, yes) {
    return new Promise((answer) => {
      const dialog = document.createElement("dialog");
      dialog.className = "ask";
      const form = document.createElement("form");
      form.method = "dialog";
      const words = document.createElement("p");
      words.textContent = question;
      const row = document.createElement("div");
      for (const [value, label] of [["no", texts().cancel], ["yes", yes || texts().ok]]) {
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

  // --- unsaved changes: asked before anything that would lose them
  const dirty = new Set();
  const isDirty = () => dirty.size > 0;
  window.addEventListener("beforeunload", (event) => {
    if (isDirty()) event.preventDefault();
  });
  document.addEventListener("click", async (event) => {
    const leaving = event.target.closest?.('#rooms [role="tab"], #rail [data-persona], a[data-language], .guarded label');
    if (!leaving || !isDirty() || leaving.matches('[aria-selected="true"], .selected')) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (await ask(texts().unsaved, texts().leave)) {
      dirty.clear();
      leaving.click();
    }
  }, true);
  document.addEventListener("input", (event) => {
    const editor = event.target.closest?.("[data-editor], .editor");
    if (editor && event.isTrusted) markDirty(editor.id, true);
  });
  function markDirty(id, is) {
    if (is) dirty.add(id);
    else dirty.delete(id);
    document.getElementById(id)?.classList.toggle("unsaved", is);
  }

  // --- folds whose inside is fetched when they are opened: why an answer, what a change changed
  document.addEventListener("toggle", async (event) => {
    const fold = event.target;
    if (!fold.open || !fold.dataset?.fetch || fold.dataset.filled) return;
    fold.dataset.filled = "yes";
    const answer = await fetch(fold.dataset.fetch).catch(() => null);
    if (answer?.ok) fold.querySelector(".fetched").innerHTML = await answer.text();
    else delete fold.dataset.filled;
  }, true);

  // --- the conversation
  function transcript(element, trigger, props, watch) {
    const list = element.querySelector(".transcript");
    let shown = null;

    function update() {
      const value = props.value || {};
      const changed = shown !== value.key;
      const atBottom = changed || list.scrollHeight - list.scrollTop - list.clientHeight < NEAR_BOTTOM;
      const anchor = [...list.children].find((child) => child.offsetTop + child.offsetHeight > list.scrollTop);
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
      keep(localStorage, "utatane.persona", persona);
      const address = new URL(location.href);
      if (address.searchParams.get("persona") !== persona) {
        address.searchParams.set("persona", persona);
        history.replaceState(null, "", address);
      }
    }

    // Pictures arrive after the words and push them up.
    list.addEventListener("load", () => {
      if (list.scrollHeight - list.scrollTop - list.clientHeight < 600) list.scrollTop = list.scrollHeight;
    }, true);

    list.addEventListener("click", async (event) => {
      const button = event.target.closest("[data-action]");
      if (!button) return;
      const article = button.closest("article");
      const action = button.dataset.action;
      if (action === "copy") copy(button, article.querySelector(".bubble"));
      else if (action === "retry") trigger("retry", {});
      else if (action === "older") trigger("older", {});
      else if (action === "delete" && (await ask(texts().delete_last, texts().delete))) trigger("delete", {});
      else if (action === "edit") edit(article, (text) => trigger("edit", { text }));
    });

    setInterval(async () => {
      const value = props.value || {};
      if (document.hidden || !value.persona || value.busy) return;
      const answer = await fetch(`${value.address}/revision`).catch(() => null);
      setOnline(Boolean(answer));
      if (!answer?.ok) return;
      const { revision, boot } = await answer.json();
      if (isAnotherServer(boot)) return;
      if (revision && revision !== props.value.revision && !props.value.busy && value.persona === props.value.persona) {
        trigger("stale", {});
      }
    }, POLL_MS);

    watch("value", update);
    update();
  }

  // After a restart the server knows nothing of this window: load anew (drafts are kept), unless that loses words.
  let firstBoot = null;
  function isAnotherServer(boot) {
    firstBoot ??= boot;
    if (boot === firstBoot) return false;
    if (!isDirty()) location.reload();
    return true;
  }

  function setOnline(is) {
    document.body.classList.toggle("server-away", !is);
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

  async function copy(button, bubble) {
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

  function edit(article, save) {
    const bubble = article.querySelector(".bubble");
    const words = article.querySelector(".words");
    const form = document.createElement("form");
    form.className = "editing";
    const area = document.createElement("textarea");
    area.value = bubble ? bubble.textContent : "";
    area.setAttribute("aria-label", texts().edit_message);
    const cancel = document.createElement("button");
    cancel.type = "button";
    cancel.textContent = texts().cancel;
    const done = document.createElement("button");
    done.textContent = texts().send_again;
    done.className = "yes";
    form.append(area, cancel, done);
    const close = () => {
      form.remove();
      article.classList.remove("in-edit");
    };
    cancel.addEventListener("click", close);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = area.value.trim();
      close();
      if (text) save(text);
    });
    area.addEventListener("keydown", (event) => {
      if (event.key === "Escape") close();
      if (event.key === "Enter" && !event.shiftKey && !composing(event)) {
        event.preventDefault();
        form.requestSubmit();
      }
    });
    article.classList.add("in-edit");
    words.prepend(form);
    grow(area);
    area.focus();
  }

  function grow(area) {
    area.style.height = "auto";
    area.style.height = `${Math.min(area.scrollHeight + 2, innerHeight * 0.4)}px`;
  }

  // --- where one writes
  function composer(element, trigger, props, upload, watch) {
    const area = element.querySelector("textarea");
    const picker = element.querySelector('input[type="file"]');
    const tray = element.querySelector(".tray");
    const send = element.querySelector(".send");
    const stop = element.querySelector(".stop");
    const veil = element.querySelector(".veil");
    let files = [];
    let persona = null;
    let restored = 0;

    const draftKey = () => `utatane.draft.${persona}`;
    const offRecord = () => Boolean((props.value || {}).off_record);

    function update() {
      const value = props.value || {};
      if (value.persona !== persona) {
        persona = value.persona;
        area.value = kept(sessionStorage, draftKey());
        area.placeholder = value.placeholder || "";
        files = [];
        showFiles();
      }
      if (value.restore && value.restore.count !== restored) {
        restored = value.restore.count;
        area.value = value.restore.text;
      }
      area.placeholder = value.placeholder || area.placeholder;
      send.hidden = Boolean(value.busy);
      stop.hidden = !value.busy;
      veil.setAttribute("aria-pressed", String(offRecord()));
      grow(area);
    }

    function submit() {
      const text = area.value;
      if ((props.value || {}).busy || (!text.trim() && !files.length)) return;
      trigger("submit", { text, files: files.map((file) => file.path), off_record: offRecord() });
      area.value = "";
      files = [];
      showFiles();
      keep(sessionStorage, draftKey(), "");
      grow(area);
      area.focus();
    }

    async function take(chosen) {
      for (const file of chosen) {
        const entry = { name: file.name, path: "" };
        files.push(entry);
        showFiles();
        try {
          entry.path = (await upload(file)).path;
        } catch (error) {
          files = files.filter((other) => other !== entry);
          trigger("refused", { name: file.name });
        }
        showFiles();
      }
    }

    function showFiles() {
      tray.replaceChildren(...files.map((file) => {
        const chip = document.createElement("span");
        chip.className = file.path ? "chip" : "chip loading";
        chip.textContent = file.name;
        const remove = document.createElement("button");
        remove.type = "button";
        remove.textContent = "×";
        remove.setAttribute("aria-label", `${texts().remove_file}: ${file.name}`);
        remove.addEventListener("click", () => {
          files = files.filter((other) => other !== file);
          showFiles();
        });
        chip.append(remove);
        return chip;
      }));
      send.disabled = files.some((file) => !file.path);
    }

    area.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || composing(event)) return;
      event.preventDefault();
      submit();
    });
    area.addEventListener("input", () => {
      grow(area);
      // Off the record not even the unsent words are kept by the browser.
      keep(sessionStorage, draftKey(), offRecord() ? "" : area.value);
    });
    area.addEventListener("paste", (event) => {
      if (event.clipboardData?.files.length) {
        event.preventDefault();
        take([...event.clipboardData.files]);
      }
    });
    element.addEventListener("dragover", (event) => event.preventDefault());
    element.addEventListener("drop", (event) => {
      event.preventDefault();
      take([...event.dataTransfer.files]);
    });
    picker.addEventListener("change", () => {
      take([...picker.files]);
      picker.value = "";
    });
    element.querySelector(".attach").addEventListener("click", () => picker.click());
    send.addEventListener("click", submit);
    stop.addEventListener("click", () => trigger("stop", {}));
    veil.addEventListener("click", () => trigger("veil", { off_record: !offRecord() }));
    element.querySelector(".topic").addEventListener("click", () => trigger("topic", {}));
    watch("value", update);
    update();
  }

  // --- whatever is clicked in a list or a head: the action and its data go to the server
  function clicks(element, trigger, before) {
    element.addEventListener("click", async (event) => {
      const button = event.target.closest("[data-action]");
      if (!button) return;
      if (button.dataset.ask && !(await ask(button.dataset.ask, button.dataset.yes))) return;
      if (before && before(button) === false) return;
      trigger("select", { ...button.dataset });
    });
  }

  function openRoom(room) {
    document.getElementById(`${room}-room-button`)?.click();
    closeRail();
  }

  function rail(element, trigger) {
    clicks(element, trigger, (button) => {
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

  // --- notices stay away once they were dismissed
  function notices(element, watch) {
    const hide = () => {
      const gone = kept(localStorage, "utatane.dismissed").split("\n");
      for (const row of element.querySelectorAll("[data-notice]")) row.hidden = gone.includes(row.dataset.notice);
    };
    element.addEventListener("click", (event) => {
      const row = event.target.closest('[data-action="dismiss"]')?.closest("[data-notice]");
      if (!row) return;
      const gone = kept(localStorage, "utatane.dismissed").split("\n").filter(Boolean).slice(-50);
      keep(localStorage, "utatane.dismissed", [...gone, row.dataset.notice].join("\n"));
      hide();
    });
    watch("value", hide);
    hide();
  }

  // --- an editor's state as the server knows it: whatever it shows is saved
  function editorState(element, editor, watch) {
    watch("value", () => markDirty(editor, Boolean(element.querySelector("[data-unsaved]"))));
  }

  // --- light, dark, or as the system has it
  function applyLook() {
    const look = kept(localStorage, "utatane.look") || "auto";
    const dark = look === "dark" || (look === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
    document.body.classList.toggle("dark", dark);
    document.documentElement.style.colorScheme = dark ? "dark" : "light";
    for (const button of document.querySelectorAll("[data-look]")) {
      button.setAttribute("aria-pressed", String(button.dataset.look === look));
    }
  }
  function look(element) {
    element.addEventListener("click", (event) => {
      const button = event.target.closest("[data-look]");
      if (!button) return;
      keep(localStorage, "utatane.look", button.dataset.look);
      applyLook();
    });
    applyLook();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", applyLook);
  }

  const wantedPersona = () =>
    new URLSearchParams(location.search).get("persona") || kept(localStorage, "utatane.persona");

  return { transcript, composer, rail, head, clicks, notices, editorState, look, openRoom, wantedPersona, markDirty };
})();
