// The conversation and where one writes: growing fields, drafts, files, keys that send, the end that stays in view.
(() => {
  const NEAR_END = 160;
  const page = document.scrollingElement;
  const composer = () => document.getElementById("composer");
  const area = () => composer()?.querySelector("textarea");
  const isVeiled = () => Boolean(composer()?.elements.off_record?.value);

  // --- who reads the end stays at the end, whatever grows, and however the window turns
  let atEnd = true;
  const toEnd = () => page.scrollTo({ top: page.scrollHeight, behavior: "instant" });
  addEventListener("scroll", () => {
    atEnd = page.scrollHeight - page.scrollTop - innerHeight < NEAR_END;
  }, { passive: true });
  const stay = () => document.getElementById("conversation") && atEnd && toEnd();
  new ResizeObserver(stay).observe(document.body);
  addEventListener("resize", stay);
  on("utatane:grown", stay);
  on("load", stay, true); // pictures arrive after the words
  if (document.getElementById("conversation") && ["", "#latest"].includes(location.hash) && !performance.getEntriesByType("navigation")[0]?.type.startsWith("back")) toEnd();

  // --- the field grows with its words; unsent ones are kept by the browser until they are heard, off the record by nobody
  const grow = (field) => {
    if (CSS.supports("field-sizing", "content")) return; // it does so by itself
    field.style.height = "auto";
    field.style.height = `${field.scrollHeight + field.offsetHeight - field.clientHeight}px`;
  };
  const draftKey = () => `utatane.draft.${composer().dataset.persona}`;
  const sentKey = () => `utatane.sent.${composer().dataset.persona}`;
  const keepDraft = () => utatane.keep(sessionStorage, draftKey(), isVeiled() ? "" : area().value);
  utatane.hasDraft = () => Boolean(area()?.value.trim());
  // No draft keeps these.
  utatane.isUnsent = () => Boolean(area() && (isVeiled() && area().value.trim() || composer().elements.files.files.length));

  // Words that went out and were never acknowledged stand in the field again, unless they were heard after all.
  const COMPARED = 1_000; // characters: longer ones are not shown to their end
  let unheard = null;
  let isPressed = false; // once more, while words are on their way
  const plain = (words) => words.replace(/\s+/g, " ").trim().slice(0, COMPARED);
  const mine = () => [...document.querySelectorAll("#conversation article.user")];
  const isHeard = ({ text, after }) => {
    const since = mine().slice(mine().findIndex((one) => one.dataset.id === after) + 1);
    return since.some((one) => plain(one.querySelector(".bubble")?.textContent ?? "") === plain(text));
  };
  const keepSent = (said) => utatane.keep(sessionStorage, sentKey(), said && !isVeiled() ? JSON.stringify(said) : "");
  const takeBack = (text) => {
    if (!area().value.startsWith(text)) area().value = [text, area().value].filter(Boolean).join("\n");
    keepDraft();
  };
  function takeBackUnheard() { // what is known of them outlasts the page, so that a later one does not say them twice
    const kept = utatane.kept(sessionStorage, sentKey());
    unheard = kept ? JSON.parse(kept) : null;
    if (unheard) takeBack(unheard.text);
  }
  function letGoOfHeard() {
    if (!unheard || !isHeard(unheard)) return;
    if (area().value.startsWith(unheard.text)) area().value = area().value.slice(unheard.text.length).replace(/^\n/, "");
    keepDraft();
    keepSent((unheard = null));
  }

  const takeFocus = () => {
    if (area() && document.activeElement === document.body && matchMedia("(hover: hover)").matches && !location.hash.startsWith("#m-")) area().focus({ preventScroll: true });
  };
  // Who comes to #latest loses it to the browser's own jump; who has pressed a key since has it where they want it.
  let isAtKeys = false;
  addEventListener("keydown", () => (isAtKeys = true));
  addEventListener("load", () => requestAnimationFrame(() => isAtKeys || takeFocus()));
  let whose = "";
  utatane.always(() => {
    const field = area();
    if (!field) {
      whose = "";
      return;
    }
    if (whose !== composer().dataset.persona) { // another persona's field, or the first one
      whose = composer().dataset.persona;
      field.value = field.value || utatane.kept(sessionStorage, draftKey());
      takeBackUnheard();
      showFiles();
      takeFocus();
    }
    letGoOfHeard();
    grow(field);
    sayWhatSends();
  });
  on("input", (event) => {
    if (event.target === area()) {
      keepDraft();
      if (unheard && !event.target.value.startsWith(unheard.text)) keepSent((unheard = null)); // other words by now
    }
    if (event.target.matches("#composer textarea, .editing textarea")) grow(event.target);
  });

  // --- sending
  const isSending = (event) => utatane.sends?.(event) ?? (event.key === "Enter" && !event.shiftKey && !utatane.composing(event));
  on("keydown", (event) => {
    if (!event.target.matches?.("#composer textarea, .editing textarea")) return;
    if (isSending(event)) {
      event.preventDefault();
      const form = event.target.form;
      const button = form.id === "composer" ? form.querySelector(".send:not([hidden])") : form.querySelector(".yes");
      if (button) form.requestSubmit(button);
    } else if (event.key === "Escape" && event.target.closest(".editing") && !utatane.composing(event)) cancelEdit(event.target.form);
  });
  on("submit", async (event) => {
    const form = event.target;
    if (form.id !== "composer" || event.submitter?.classList.contains("send") === false) return;
    event.preventDefault();
    const field = area();
    const text = field.value;
    if (!text.trim() && !form.elements.files.files.length) return;
    if (form.dataset.sending) { // said as soon as the words before are heard, if nobody is speaking then
      isPressed = true;
      return;
    }
    isPressed = false;
    if (document.body.classList.contains("server-away")) { // it stays until it can be heard whole
      utatane.tell(utatane.texts.notices.gone, "problem");
      return;
    }
    const again = unheard?.text === text ? unheard : null; // the server may have heard it: it says it once
    const nonce = (form.elements.nonce.value = again?.nonce ?? crypto.randomUUID?.() ?? String(Math.random()));
    const said = { text, nonce, after: again ? again.after : mine().at(-1)?.dataset.id };
    keepSent(said);
    const sending = utatane.send(form, event.submitter);
    field.value = "";
    keepDraft();
    grow(field);
    atEnd = true;
    const went = await sending;
    if (field !== area()) return; // somebody else's field stands here by now
    unheard = went === null ? said : null; // whether it was heard is not known
    keepSent(unheard);
    if (went) {
      form.elements.files.value = "";
      showFiles();
    } else takeBack(text);
    grow(field);
    field.focus({ preventScroll: true });
    stay();
    const button = form.querySelector(".send:not([hidden])");
    if (isPressed && went && button) form.requestSubmit(button);
  }, true); // before the script that sends all other forms

  // --- files: chosen, dropped or pasted; each a chip that can be taken away; what cannot be read is said at once
  function showFiles() {
    const form = composer();
    const input = form.elements.files;
    const chip = (file) => {
      const ariaLabel = `${utatane.texts.remove_file}: ${file.name}`;
      const onclick = () => setFiles([...input.files].filter((other) => other !== file));
      return utatane.element("span", { className: "chip" }, file.name, utatane.element("button", { type: "button", ariaLabel, onclick }, "×"));
    };
    const tray = form.querySelector(".tray");
    tray.dataset.mine = "yes";
    tray.replaceChildren(...[...input.files].map(chip));
  }
  function setFiles(files) {
    const input = composer().elements.files;
    const kinds = input.accept.split(",");
    const all = new DataTransfer();
    for (const file of files) {
      const suffix = `.${file.name.split(".").at(-1).toLowerCase()}`;
      const wrong = !kinds.includes(suffix) ? "file_kind" : file.size > Number(input.dataset.largest) ? "file_size" : "";
      const way = document.getElementById("knowledge-tab"); // none where several talk
      const ways = way ? [utatane.element("a", { href: way.href, className: "small", textContent: way.textContent })] : [];
      if (wrong) utatane.tell(utatane.texts[wrong].replace("{name}", file.name), "problem", ...ways);
      else all.items.add(file);
    }
    input.files = all.files;
    showFiles();
  }
  on("change", (event) => event.target.matches("#composer input[type=file]") && setFiles([...event.target.files]));
  on("paste", (event) => {
    if (event.target !== area() || !event.clipboardData?.files.length) return;
    event.preventDefault();
    setFiles([...composer().elements.files.files, ...event.clipboardData.files]);
  });
  utatane.onDrop(area, (files) => setFiles([...composer().elements.files.files, ...files]));

  // --- what can be done with a message stands beside it as soon as one is there, and beside the newest two
  function offer(link) {
    const form = link.nextElementSibling || link.parentElement.appendChild(document.getElementById("actions").content.firstElementChild.cloneNode(true));
    for (const one of form.querySelectorAll("[data-deed]")) {
      one.setAttribute(one.matches("a") ? "href" : "formaction", new URL(one.dataset.deed + link.search, link.href));
    }
    return form;
  }
  for (const kind of ["pointerover", "focusin"]) {
    on(kind, ({ target, pointerType }) => {
      const link = target.closest?.("article")?.querySelector(".deeds");
      if (link && pointerType !== "touch") offer(link);
    });
  }
  const offerAll = () => document.querySelectorAll(".entry:nth-last-child(-n+2) .deeds, .deeds:has(+ .actions)").forEach(offer);
  requestAnimationFrame(() => utatane.always(offerAll)); // the first sight of the page does not wait for it

  // --- in place: copy it, write it anew
  async function copy(button, text) {
    try {
      await navigator.clipboard.writeText(text.trim());
    } catch {
      utatane.tell(utatane.texts.not_copied, "problem");
      return;
    }
    button.classList.add("done");
    setTimeout(() => button.classList.remove("done"), 1_200);
  }
  async function edit(link) {
    const words = link.closest(".words");
    if (words.querySelector(".editing")) return;
    const response = await fetch(link.href, { headers: utatane.HEADERS }).catch(() => null);
    if (!response?.ok) return;
    const place = utatane.element("div");
    place.dataset.added = "yes";
    place.innerHTML = await response.text();
    words.prepend(place);
    words.classList.add("in-edit");
    const field = place.querySelector("textarea");
    grow(field);
    field.focus();
  }
  function cancelEdit(form) {
    const place = form?.closest("[data-added]");
    place?.parentElement.classList.remove("in-edit");
    place?.remove();
  }
  const WAYS = {
    ".deeds": (link) => offer(link).querySelector("button").focus(),
    "[data-copy]": (button) => copy(button, button.closest("article").querySelector(".bubble")?.innerText || ""),
    "[data-copy-code]": (button) => copy(button, button.previousElementSibling.innerText),
    '.message [data-deed="edit"]': edit,
    "[data-cancel]": (button) => cancelEdit(button.form),
    "[data-older]:not([data-older=''])": (link) => showOlder(link.dataset.older),
  };
  on("click", (event) => {
    for (const [selector, work] of Object.entries(WAYS)) {
      const one = event.target.closest?.(`#room ${selector}`);
      if (one?.href) event.preventDefault();
      if (one) work(one);
    }
  });
  async function showOlder(address) { // above what one reads, which stays where it is
    const first = document.querySelector("#conversation .entry:has(article)");
    const { top } = first.getBoundingClientRect();
    atEnd = false;
    history.replaceState(null, "", address);
    await utatane.refresh();
    page.scrollBy({ top: first.getBoundingClientRect().top - top, behavior: "instant" });
  }
  on("utatane:saved", ({ target }) => cancelEdit(target.querySelector(".editing")));
  utatane.always(() => {
    for (const block of document.querySelectorAll("#conversation pre")) {
      if (block.nextElementSibling?.matches("[data-copy-code]")) continue;
      const button = utatane.element("button", { type: "button", className: "icon copy", ariaLabel: utatane.texts.copy_code });
      Object.assign(button.dataset, { copyCode: "", added: "" });
      block.after(button);
    }
  });

  function sayWhatSends() {
    const hint = document.querySelector("[data-keys-hint]");
    if (hint) hint.textContent = utatane.whatSends?.() || hint.dataset.keysHint;
  }
  on("utatane:keys", sayWhatSends);
  Object.assign(utatane, { grow });
})();
