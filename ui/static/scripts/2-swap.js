// Fetch and swap: a form is sent, or the page asked for again, and of the page that comes back only what differs is laid
// over this one: focus, scroll, open folds and unsaved words stay. The server knows nothing of this: it answers as it
// would a browser without scripts.
(() => {
  const HEADERS = { "x-utatane": "swap" };
  const FIELDS = "input, textarea, select";
  let asked = 0; // requests so far
  let taken = 0; // the newest one whose answer is on the page
  let sent = 0; // forms whose answer is on the page

  const isTyped = (field) => {
    if (field.type === "hidden" || field.type === "file") return false;
    if ("draft" in field.dataset) return field.value !== ""; // nothing but sending it takes it away
    const options = [...(field.options || [])];
    if (options.length) return field.selectedIndex !== -1 && options.some((one) => one.defaultSelected) && options.some((one) => one.selected !== one.defaultSelected);
    return field.type === "checkbox" || field.type === "radio" ? field.checked !== field.defaultChecked : field.value !== field.defaultValue;
  };
  const isUnsaved = (form) => form.querySelector("[data-conflict]") || [...form.elements].some((one) => one.matches(FIELDS) && isTyped(one));
  utatane.isUnsaved = () => [...document.querySelectorAll("form[data-keep]")].some(isUnsaved) || Boolean(utatane.isUnsent?.());

  // --- laying a new tree over an old one
  function morph(old, fresh, own = null) {
    if (old.nodeType !== Node.ELEMENT_NODE) {
      if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
      return;
    }
    if (old.matches("form[data-keep]") && old !== own && isUnsaved(old)) return;
    if (old.matches("[data-mine]")) return; // a script fills it
    // More of it is shown.
    if (old.dataset.turn && old.dataset.turn === fresh.dataset.turn && Number(old.dataset.step) > Number(fresh.dataset.step)) return;
    const typed = old.matches(FIELDS) && isTyped(old);
    for (const { name, value } of fresh.attributes) {
      if (old.getAttribute(name) !== value && !(name === "value" && typed)) old.setAttribute(name, value);
    }
    for (const { name } of [...old.attributes]) {
      if (!fresh.hasAttribute(name) && !(name === "open" && old.matches("details")) && !["style", "data-filled"].includes(name)) old.removeAttribute(name);
    }
    if (old.matches("textarea")) {
      if (old.defaultValue !== fresh.defaultValue) old.defaultValue = fresh.defaultValue;
      if (!typed) old.value = fresh.value;
    } else if (old.matches("input:not([type=file])") && !typed) {
      old.value = fresh.value;
      old.checked = fresh.checked;
    } else if (old.matches("[data-filled]")) {
      if (old.matches("details")) morph(old.querySelector("summary"), fresh.querySelector("summary"));
    } else if (!old.isEqualNode(fresh)) morphChildren(old, fresh, own);
    if (old.matches("select") && !typed) old.selectedIndex = fresh.selectedIndex;
  }

  const keyOf = (node) => (node.nodeType === Node.ELEMENT_NODE ? node.id || node.dataset.key || "" : "");
  // What a page that is asked for again does not hold, and what stays nevertheless: what a script has added, and what a form
  // was answered with, until the next form.
  const stays = (node, own) => node?.dataset && ("added" in node.dataset || (!own && "answer" in node.dataset));
  const isAlike = (one, other) => one.nodeType === other.nodeType && one.nodeName === other.nodeName && keyOf(one) === keyOf(other);

  function morphChildren(old, fresh, own) {
    const keyed = new Map([...old.children].filter(keyOf).map((child) => [keyOf(child), child]));
    let cursor = old.firstChild;
    for (const child of [...fresh.childNodes]) {
      while (stays(cursor, own)) cursor = cursor.nextSibling;
      const key = keyOf(child);
      const same = key ? keyed.get(key) : cursor && isAlike(cursor, child) ? cursor : null;
      if (same && same.nodeName === child.nodeName) {
        if (same === cursor) cursor = cursor.nextSibling;
        else old.insertBefore(same, cursor);
        morph(same, child, own);
      } else old.insertBefore(document.importNode(child, true), cursor);
    }
    while (cursor) {
      const next = cursor.nextSibling;
      if (!stays(cursor, own)) cursor.remove();
      cursor = next;
    }
  }
  Object.assign(utatane, { morph });

  // --- taking an answer
  function swap(page, own = null) {
    for (const part of document.querySelectorAll("[data-swap]")) {
      // Who compares two texts goes on comparing them; what stands in a form that is kept is kept with it.
      if (!own && [...part.querySelectorAll("[data-conflict]")].some((one) => !one.closest("form[data-keep]"))) continue;
      const fresh = page.getElementById(part.id);
      if (fresh && part.id === "told") part.append(...document.importNode(fresh, true).childNodes);
      else if (fresh) morph(part, fresh, own);
    }
    const isOther = document.body.dataset.room !== page.body.dataset.room || document.body.dataset.persona !== page.body.dataset.persona;
    for (const name of ["room", "persona", "live"]) {
      if (name in page.body.dataset) document.body.dataset[name] = page.body.dataset[name];
      else delete document.body.dataset[name];
    }
    document.title = page.title;
    document.documentElement.lang = page.documentElement.lang;
    document.documentElement.dataset.look = page.documentElement.dataset.look;
    document.dispatchEvent(new CustomEvent("utatane:swapped", { detail: { isOther } }));
    return isOther;
  }

  async function answerTo(address, options = {}) {
    asked += 1;
    const number = asked;
    const response = await fetch(address, { ...options, headers: HEADERS, credentials: "same-origin" });
    // Another token or password: the door says what opens it now.
    if (response.status === 401) location.reload();
    const text = await response.text();
    const isLate = number < taken; // a newer answer is shown already
    if (!isLate && response.ok) taken = number;
    return { response, isLate, page: new DOMParser().parseFromString(text, "text/html") };
  }

  const sentences = (page) => [...page.querySelectorAll("#told .told, #room > .room > .problem")].map((one) => one.textContent.trim());

  // The page as it is now, without leaving it. Returns whether it could be had. While a form is on its way, its answer is
  // waited for: it may lead elsewhere (somebody is renamed, something is forgotten), and nothing be left at this address.
  let sending = Promise.resolve();
  let onTheWay = 0; // forms, but for what is said: a talk stays at its address
  utatane.refresh = async () => {
    if (onTheWay) return sending.then(utatane.refresh);
    const [address, before] = [location.href, sent];
    const { response, isLate, page } = await answerTo(address).catch(() => ({}));
    if (!response || isLate) return Boolean(response);
    // Something was sent, or opened, meanwhile.
    if (address !== location.href || before !== sent) return utatane.refresh();
    if (!response.ok && onTheWay) return sending.then(utatane.refresh);
    // Renamed or gone: the words stay.
    if (!response.ok && (utatane.isUnsaved() || utatane.hasDraft?.())) for (const sentence of sentences(page)) utatane.tell(sentence, "problem");
    else if (page.getElementById("room")) swap(page);
    return response.ok;
  };

  // --- sending a form; who presses a button twice in a breath asks once, another button of the form waits its turn, and so
  // does what is changed once more where changes are saved at once. Who goes elsewhere meanwhile is heard nevertheless (of
  // what is small: browsers see 64 KB to its end). Returns whether it was heard, null where that is not known.
  const isSmall = (body) => new Blob([...body.values()]).size < 50_000;
  const addressOf = (form, button) => (button?.hasAttribute("formaction") ? button.formAction : form.getAttribute("action") || location.href);
  const underWay = new WeakMap(); // forms: the button, when its turn is over, and the buttons that wait
  // What a form is about: a row that goes may leave its place, with form and button, to the next one.
  const subjectOf = (form, button) => JSON.stringify([addressOf(form, button), [...form.elements].filter(({ type, name }) => type === "hidden" && name !== "based_on").map(({ name, value }) => [name, value])]);
  utatane.send = async (form, button = null) => {
    const before = form.dataset.sending && underWay.get(form);
    if (before) {
      if (before.waiting.has(button) || (before.button === button && !form.hasAttribute("data-at-once"))) return false;
      const subject = subjectOf(form, button);
      before.waiting.add(button);
      await before.over;
      return form.isConnected && (!button || button.form === form) && subject === subjectOf(form, button) ? utatane.send(form, button) : false;
    }
    const question = button?.dataset.ask || form.dataset.ask;
    if (question && !(await utatane.ask(question, button?.dataset.yes || form.dataset.yes))) return false;
    const body = new FormData(form, button);
    const values = new Map([...form.elements].filter((one) => one.matches(FIELDS)).map((one) => [one, one.value]));
    const address = addressOf(form, button);
    // One tries again, or something else.
    for (const old of document.querySelectorAll("#told .problem")) old.remove();
    form.dataset.sending = "yes";
    form.setAttribute("aria-busy", "true");
    let over;
    const leads = form.id !== "composer";
    onTheWay += leads;
    const turn = new Promise((answer) => (over = answer));
    underWay.set(form, { button, over: turn, waiting: new Set() });
    sending = Promise.all([sending, turn]);
    try {
      const { response, isLate, page } = await answerTo(address, { method: "post", body, keepalive: isSmall(body) });
      const isShown = response.ok || page.querySelector("[data-conflict]");
      if (!isShown) {
        for (const sentence of sentences(page)) utatane.tell(sentence, "problem");
        return false;
      }
      for (const [field, value] of values) {
        // Written in since: it stays.
        if (field.value !== value || field.type === "file" || field.type === "hidden") continue;
        field.defaultValue = field.value;
        field.defaultChecked = field.checked;
        for (const one of field.options || []) one.defaultSelected = one.selected;
      }
      delete form.dataset.sending;
      form.closest("[data-added]")?.dispatchEvent(new CustomEvent("utatane:saved", { bubbles: true }));
      sent += 1;
      const at = response.redirected && arrive(new URL(response.url));
      if (swap(page, form)) scrollTo(0, 0);
      document.getElementById(at)?.scrollIntoView({ block: "nearest" });
      if (!response.ok) document.querySelector("[data-conflict]").scrollIntoView({ block: "center" });
      document.querySelectorAll("details[data-filled][open]").forEach(refill);
      // Something newer was shown meanwhile: it is asked for again.
      if (isLate && response.ok) utatane.refresh();
      return true;
    } catch {
      utatane.tell(utatane.texts.notices.gone, "problem");
      return null;
    } finally {
      delete form.dataset.sending;
      form.removeAttribute("aria-busy");
      onTheWay -= leads;
      over();
    }
  };

  function arrive(address) { // returns what is to be in view there
    const at = address.searchParams.get("said")?.split(".")[1];
    address.searchParams.delete("said");
    const there = `${address.pathname}${address.search}`;
    if (there !== `${location.pathname}${location.search}`) history.pushState(null, "", there);
    return at;
  }

  on("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || form.method !== "post") return;
    if (form.hasAttribute("data-plain")) { // it leads to a page of another kind: the browser takes it there
      form.setAttribute("aria-busy", "true");
      return;
    }
    event.preventDefault();
    utatane.send(form, event.submitter);
  });
  on("change", (event) => { // a switch, a choice: saved as soon as it is changed
    const form = event.target.form;
    if (form?.hasAttribute("data-at-once")) utatane.send(form);
  });
  // A choice among links that leads away from unsaved words.
  on("click", async (event) => {
    const link = event.target.closest?.("a[href]");
    if (!link || link.target || event.defaultPrevented || utatane.modified(event) || event.shiftKey || link.hash && link.pathname === location.pathname && link.search === location.search) return;
    // What leads out of a conflict is an answer to it.
    link.closest("[data-conflict]")?.removeAttribute("data-conflict");
    if (link.hasAttribute("download") || !utatane.isUnsaved()) return;
    event.preventDefault();
    if (await utatane.ask(utatane.texts.unsaved, utatane.texts.leave)) {
      for (const form of document.querySelectorAll("form[data-keep], #composer")) form.reset();
      location.assign(link.href);
    }
  });
  addEventListener("beforeunload", (event) => {
    if (utatane.isUnsaved()) event.preventDefault();
  });
  // One of its own asks for itself (ui/server/window.py).
  const tellWindow = () => window.pywebview?.api?.ask_before_closing?.(utatane.isUnsaved());
  on("input", tellWindow);
  addEventListener("pywebviewready", tellWindow);
  utatane.always(tellWindow);
  addEventListener("popstate", () => location.reload());
  addEventListener("pageshow", () => document.querySelectorAll("form[aria-busy]").forEach((form) => form.removeAttribute("aria-busy")));
  const shown = new URL(location.href);
  if (shown.searchParams.has("said")) {
    shown.searchParams.delete("said");
    history.replaceState(null, "", shown);
  }

  // --- folds whose inside is fetched when they are opened; what is no fold is fetched at once, after the page
  async function fill(fold) {
    if (fold.open === false || !fold.dataset.src || fold.dataset.filled) return;
    fold.dataset.filled = "yes";
    const response = await fetch(fold.dataset.src, { headers: HEADERS }).catch(() => null);
    // Only a part of this page is laid into it.
    if (!response?.ok || !response.headers.get("content-type")?.startsWith("text/html")) return delete fold.dataset.filled;
    const inside = fold.querySelector(".fetched");
    const fresh = inside.cloneNode();
    fresh.innerHTML = await response.text();
    morphChildren(inside, fresh, null);
  }
  function refill(fold) { // things have changed since
    delete fold.dataset.filled;
    fill(fold);
  }
  on("toggle", (event) => fill(event.target), true);
  utatane.always(() => document.querySelectorAll("[data-src]:not(details)").forEach(fill));
  utatane.always(() => document.querySelectorAll("details[data-filled]:not([open])").forEach(refill));
  Object.assign(utatane, { fill, HEADERS });
})();
