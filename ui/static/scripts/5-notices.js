// Notices above a room: each is said once, to screen readers as well, can be dismissed by keyboard, and no more than a few
// stand in the way at a time. What was dismissed stays away; of what passes, the next one is another.
(() => {
  const MOST = 2;
  const KEPT = 50;
  const texts = utatane.texts.notices;
  const announced = new Set();
  let isOpen = false;

  const place = () => document.getElementById("notices");
  const rows = () => [...place().querySelectorAll("[data-notice]")];
  const dismissed = () => utatane.kept(localStorage, "utatane.dismissed").split("\n").filter(Boolean);
  const keep = (keys) => utatane.keep(localStorage, "utatane.dismissed", [...keys].slice(-KEPT).join("\n"));

  function dismiss(some) {
    keep(new Set([...dismissed(), ...some.map((row) => row.dataset.notice)]));
    show();
  }

  function show() {
    const here = rows().map((row) => row.dataset.notice);
    // What passed is forgotten.
    const gone = dismissed().filter((key) => key.includes(":") || here.includes(key));
    if (gone.length < dismissed().length) keep(gone);
    const waiting = rows().filter((row) => !gone.includes(row.dataset.notice));
    const shown = isOpen ? waiting : waiting.slice(0, MOST);
    for (const row of rows()) row.hidden = !shown.includes(row);
    const fresh = waiting.filter((row) => !announced.has(row.dataset.notice));
    for (const row of fresh) announced.add(row.dataset.notice);
    if (fresh.length) announce(fresh.map((row) => row.querySelector("span").textContent).join(" "));
    more(waiting, waiting.length - shown.length);
  }

  // What is announced stands in a region that was there before: one that comes with its words is often passed over.
  const region = document.body.appendChild(utatane.element("div", { className: "visually-hidden" }));
  region.setAttribute("role", "status");
  const announce = (words) => region.replaceChildren(words);

  function more(waiting, hidden) {
    place().querySelector(".more-notices")?.remove();
    if (waiting.length <= MOST) return;
    const button = (textContent, onclick) => utatane.element("button", { type: "button", textContent, onclick });
    const row = utatane.element("p", { className: "more-notices" });
    row.dataset.added = "";
    if (hidden) {
      row.append(button(texts.more.replace("{count}", hidden), () => {
        isOpen = true;
        show();
        rows()[MOST]?.querySelector("button").focus();
      }));
    }
    row.append(button(texts.dismiss_all, () => {
      dismiss(waiting);
      stay(null);
    }));
    place().append(row);
  }

  // Whoever dismisses by keyboard stays among the notices, or comes back to where one writes.
  function stay(next) {
    const button = next?.querySelector("button") || place().querySelector("[data-notice]:not([hidden]) button");
    (button || document.querySelector("#composer textarea") || document.getElementById("room")).focus();
  }
  function away(row) {
    const all = rows().filter((one) => !one.hidden);
    const next = all[all.indexOf(row) + 1];
    dismiss([row]);
    stay(next);
  }
  on("click", (event) => {
    const row = event.target.closest?.("[data-dismiss]")?.closest("[data-notice]");
    if (row) away(row);
  });
  on("keydown", (event) => {
    const row = event.target.closest?.("[data-notice]");
    if (!row || event.key !== "Escape") return;
    event.preventDefault();
    away(row);
  });
  if (place()) utatane.always(show);
})();
