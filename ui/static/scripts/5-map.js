// The map of memory and the network of entities. Their dots, lines and names are links; this makes each picture one stop of
// the tab key, lets arrow keys go to what lies in a direction, and lets what lies outside of the chosen days fade.
(() => {
  const NEAR = 22;
  const POINTS = ".star, .tie, .place";

  const visible = (sky, kind = POINTS) => [...sky.querySelectorAll(kind)].filter((one) => !one.classList.contains("faded"));
  const stopAt = (sky, stop) => utatane.stopAt([...sky.querySelectorAll(POINTS)], stop);

  // --- what is chosen lies open beside the picture, where whoever chose it goes on; Escape closes it, and leads back
  let opener = ""; // the address that was chosen in a picture
  let isOpening = false;
  on("click", (event) => {
    const link = event.target.closest?.(".charted a[data-here]");
    if (!link) return;
    isOpening = true;
    if (!link.matches("[data-close]")) opener = link.closest("svg") ? link.getAttribute("href") : "";
  });
  const isShown = (one) => one.getClientRects().length > 0;
  function arrive() {
    isOpening = false;
    const panel = document.getElementById("panel");
    const came = [...document.querySelectorAll(".sky a")].find((one) => isShown(one) && one.getAttribute("href") === opener);
    const isOpen = panel?.querySelector("[data-close]");
    if (came) stopAt(came.ownerSVGElement, came);
    (isOpen ? panel.querySelector("h2") : came || panel)?.focus({ preventScroll: true });
    if (isOpen && panel.getBoundingClientRect().top > innerHeight * 0.75) panel.scrollIntoView({ block: "start" });
  }

  // A dot is small: whoever points beside one means it.
  on("click", (event) => {
    const sky = event.target.closest?.("svg.sky");
    if (!sky || !event.isTrusted || event.detail === 0) return;
    const one = event.target.closest(POINTS);
    const near = one && !one.matches(".place") ? one : nearest(sky, event) || one;
    if (near === one && !one?.classList.contains("faded")) return;
    event.preventDefault();
    event.stopPropagation();
    if (near && !near.classList.contains("faded")) near.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  }, true);

  function nearest(sky, event) {
    let [best, far] = [null, NEAR];
    for (const star of visible(sky, ".star")) {
      const [x, y] = middle(star);
      const distance = Math.hypot(x - event.clientX, y - event.clientY);
      if (distance < far) [best, far] = [star, distance];
    }
    return best;
  }

  function middle(one) {
    const box = (one.querySelector(".seen, text") || one).getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  }

  // --- the arrow keys go to what lies there, page keys from name to name or from line to line; Enter follows the link
  const WAYS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
  on("keydown", (event) => {
    if (utatane.modified(event)) return;
    if (event.key === "Escape") event.target.closest?.("#panel")?.querySelector("[data-close]")?.click();
    const here = event.target.closest?.(".sky a");
    const next = here ? nextTo(here, event.key) : undefined;
    if (next === undefined) return; // no key of ours; null: nothing lies there
    event.preventDefault();
    if (!next) return;
    stopAt(here.ownerSVGElement, next);
    next.focus();
  });

  function nextTo(here, key) {
    const sky = here.ownerSVGElement;
    const stars = visible(sky, ".star");
    if (WAYS[key]) return towards(here, stars, WAYS[key]);
    if (key === "Home" || key === "End") return stars.at(key === "Home" ? 0 : -1);
    if (key !== "PageDown" && key !== "PageUp") return undefined;
    const others = visible(sky, ".place, .tie");
    const at = others.indexOf(here);
    return others.at(key === "PageDown" ? (at + 1) % others.length : at > 0 ? at - 1 : -1) || null;
  }

  function towards(here, stars, [right, down]) {
    const [x, y] = middle(here);
    let [best, least] = [null, Infinity];
    for (const star of stars) {
      if (star === here) continue;
      const [sx, sy] = middle(star);
      const along = (sx - x) * right + (sy - y) * down;
      const aside = Math.abs((sx - x) * down) + Math.abs((sy - y) * right);
      const cost = along + 2.2 * aside;
      if (along > 0.5 && cost < least) [best, least] = [star, cost];
    }
    return best;
  }

  // --- what a dot is, while the mouse rests on it or the keyboard has come to it
  const tip = utatane.element("div", { className: "sky-tip" });
  tip.setAttribute("aria-hidden", "true");
  function tell(one) {
    if (!one) return void tip.remove();
    if (!tip.isConnected) document.body.append(tip);
    tip.textContent = one.getAttribute("aria-label");
    const [x, y] = middle(one);
    const box = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(8, Math.min(x - box.width / 2, innerWidth - box.width - 8))}px`;
    tip.style.top = `${y - box.height - 14 > 8 ? y - box.height - 14 : y + 16}px`;
  }
  on("pointerover", (event) => {
    if (event.pointerType === "mouse") tell(event.target.closest?.(".sky .star:not(.faded), .sky .tie"));
  });
  const tellFocused = () => tell(document.activeElement?.closest(".sky a:focus-visible"));
  on("focusin", tellFocused);
  on("scroll", tellFocused, true); // to focus a dot may scroll to it

  // --- the time: what lies outside of the chosen days fades
  function say(day) {
    const moment = new Date(Date.UTC(2000, 0, 1));
    moment.setUTCFullYear(1);
    moment.setUTCDate(day); // days are counted from the first of the year 1
    const lang = document.documentElement.lang;
    return moment.toLocaleDateString(lang === "en" ? "en-GB" : lang, { dateStyle: "long", timeZone: "UTC" });
  }
  on("input", (event) => {
    const field = event.target.closest?.(".when input");
    if (!field) return;
    const when = field.closest(".when");
    const other = when.querySelector(field.matches(".from") ? ".until" : ".from");
    const ahead = Number(field.value) - Number(other.value);
    // One handle pushes the other.
    if (field.matches(".from") ? ahead > 0 : ahead < 0) other.value = field.value;
    choose(when);
  });
  function choose(when) {
    const fields = ["from", "until"].map((name) => when.querySelector(`.${name}`));
    const [from, until] = fields.map((field) => Number(field.value));
    const [first, last] = [Number(fields[0].min), Number(fields[0].max)];
    when.querySelectorAll("output").forEach((output, at) => {
      output.textContent = say([from, until][at]);
      fields[at].setAttribute("aria-valuetext", output.textContent);
    });
    when.style.setProperty("--from", `${(100 * (from - first)) / (last - first || 1)}%`);
    when.style.setProperty("--until", `${(100 * (last - until)) / (last - first || 1)}%`);
    const isAll = from === first && until === last;
    const chart = when.closest(".charted");
    for (const star of chart.querySelectorAll(".star")) {
      star.classList.toggle("faded", !isAll && (Number(star.dataset.until) < from || Number(star.dataset.from) > until));
    }
    for (const sky of chart.querySelectorAll(".sky")) {
      if (sky.querySelector('.star[tabindex="0"]')?.classList.contains("faded")) stopAt(sky, visible(sky, ".star")[0]);
    }
  }

  utatane.always(() => {
    for (const sky of document.querySelectorAll("svg.sky")) {
      const points = visible(sky);
      const stop = points.find((one) => one === document.activeElement || one.hasAttribute("aria-current"));
      stopAt(sky, stop || points.find((one) => one.matches(".star")));
    }
    document.querySelectorAll(".when").forEach(choose);
    tellFocused();
    if (isOpening) arrive();
  });
})();
