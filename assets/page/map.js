// Pictures whose points open something beside them: the map of memory, the network of entities.
"use strict";

(() => {
  const NEAR = 22;
  const WATCH_MS = 700;
  const MOST_TRIES = 600;

  const visible = (sky) => [...sky.querySelectorAll(".star, .place, .tie")].filter((one) => !one.classList.contains("faded"));

  // --- what is chosen is told beside the picture; nothing is drawn anew
  async function open(chosen) {
    const chart = chosen.closest(".charted");
    const beside = chart.querySelector(".beside");
    const address = new URL(chart.dataset.look, location.href);
    const data = chosen.dataset;
    if (data.key) {
      address.searchParams.set("key", data.key);
      address.searchParams.set("size", chosen.closest("svg")?.classList.contains("narrow") ? "narrow" : "wide");
    } else if (data.name) address.searchParams.set("entity", data.name);
    else for (const key of ["one", "other"]) address.searchParams.set(key, data[key]);
    const answer = await fetch(address).catch(() => null);
    if (!answer?.ok || !chart.isConnected) return;
    beside.kept ??= beside.innerHTML;
    beside.innerHTML = await answer.text();
    beside.opener = chosen.closest("svg") ? chosen : null;
    mark(chart, chosen);
    beside.querySelector("h4")?.focus({ preventScroll: true });
    if (beside.getBoundingClientRect().top > innerHeight * 0.75) beside.scrollIntoView({ block: "start" });
  }

  function mark(chart, chosen) {
    for (const one of chart.querySelectorAll("[aria-pressed]")) one.removeAttribute("aria-pressed");
    const data = chosen.dataset;
    const same = (one) => (data.key && one.dataset.key === data.key) || (data.name && one.dataset.name === data.name)
      || (data.one && one.dataset.one === data.one && one.dataset.other === data.other);
    for (const one of chart.querySelectorAll(".star, .tie")) if (same(one)) one.setAttribute("aria-pressed", "true");
  }

  function close(beside) {
    const chart = beside.closest(".charted");
    for (const one of chart.querySelectorAll("[aria-pressed]")) if (one.closest("svg")) one.removeAttribute("aria-pressed");
    beside.innerHTML = beside.kept ?? "";
    (beside.opener?.isConnected ? beside.opener : beside).focus({ preventScroll: true });
  }

  function choose(one) {
    if (!one.classList.contains("place")) {
      open(one);
      return;
    }
    // The list of places may have given way to a memory: it comes back, and the place in it is chosen.
    const beside = one.closest(".charted").querySelector(".beside");
    const row = () => beside.querySelector(`[data-place-row="${one.dataset.placeNumber}"]`);
    if (!row() && beside.kept !== undefined) beside.innerHTML = beside.kept;
    row()?.click();
  }

  document.addEventListener("click", (event) => {
    const sky = event.target.closest?.("svg.sky");
    if (sky) {
      const one = event.target.closest(".star, .place, .tie");
      const near = one && !one.classList.contains("place") ? one : nearest(sky, event) || one;
      if (near && !near.classList.contains("faded")) choose(near);
      return;
    }
    const listed = event.target.closest?.(".beside button[data-one]");
    if (listed) open(listed);
    const closing = event.target.closest?.(".beside [data-close]");
    if (closing) close(closing.closest(".beside"));
  });

  function nearest(sky, event) {
    let best = null;
    let far = NEAR;
    for (const star of sky.querySelectorAll(".star:not(.faded)")) {
      const box = star.querySelector(".seen").getBoundingClientRect();
      const distance = Math.hypot(box.x + box.width / 2 - event.clientX, box.y + box.height / 2 - event.clientY);
      if (distance < far) [best, far] = [star, distance];
    }
    return best;
  }

  // --- one stop of the tab key for a picture; the arrow keys go to what lies there, page keys from name to name
  const WAYS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
  document.addEventListener("keydown", (event) => {
    const here = event.target.closest?.(".sky [role=button]");
    if (!here) {
      if (event.key === "Escape") {
        const beside = event.target.closest?.(".beside");
        if (beside?.querySelector("[data-close]")) close(beside);
      }
      return;
    }
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      choose(here);
      return;
    }
    const sky = here.ownerSVGElement;
    const all = visible(sky);
    const other = sky.querySelector(".place") ? ".place" : ".tie";
    let next;
    if (WAYS[event.key]) next = towards(here, all.filter((one) => one.classList.contains("star")), WAYS[event.key]);
    else if (event.key === "Home") next = all.find((one) => one.classList.contains("star"));
    else if (event.key === "End") next = all.filter((one) => one.classList.contains("star")).at(-1);
    else if (event.key === "PageDown" || event.key === "PageUp") {
      const some = all.filter((one) => one.matches(other));
      const at = some.indexOf(here);
      next = some.at(event.key === "PageDown" ? (at + 1) % some.length : at > 0 ? at - 1 : -1);
    } else return;
    event.preventDefault();
    if (!next) return;
    for (const one of sky.querySelectorAll('[tabindex="0"]')) one.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  });

  function middle(one) {
    const box = (one.querySelector(".seen, text") || one).getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  }

  function towards(here, stars, [right, down]) {
    const [x, y] = middle(here);
    let best = null;
    let least = Infinity;
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
  const tip = document.createElement("div");
  tip.className = "sky-tip";
  tip.setAttribute("aria-hidden", "true");
  function tell(one) {
    if (!one) {
      tip.remove();
      return;
    }
    if (!tip.isConnected) document.body.append(tip);
    tip.textContent = one.getAttribute("aria-label");
    const [x, y] = middle(one);
    const box = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(8, Math.min(x - box.width / 2, innerWidth - box.width - 8))}px`;
    tip.style.top = `${y - box.height - 14 > 8 ? y - box.height - 14 : y + 16}px`;
  }
  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "mouse") tell(event.target.closest?.(".sky .star:not(.faded), .sky .tie"));
  });
  document.addEventListener("focusin", (event) => {
    const one = event.target.closest?.(".sky [role=button]");
    tell(one?.matches(":focus-visible") ? one : null);
  });
  document.addEventListener("scroll", () => tell(null), true);

  // --- the time: what lies outside of the chosen days fades
  const say = (day, field) => {
    const moment = new Date(Date.UTC(1, 0, 1));
    moment.setUTCFullYear(1);
    moment.setUTCDate(day);
    const names = field.closest(".when").dataset.months.split("|");
    const facts = { year: moment.getUTCFullYear(), month: moment.getUTCMonth() + 1, day: moment.getUTCDate(), name: names[moment.getUTCMonth()] };
    return field.dataset.says.replace(/\[(\w+)\]/g, (_, key) => facts[key]);
  };
  document.addEventListener("input", (event) => {
    const field = event.target.closest?.(".when input");
    if (!field) return;
    const when = field.closest(".when");
    const [from, until] = ["from", "until"].map((name) => when.querySelector(`.${name}`));
    if (Number(from.value) > Number(until.value)) (field === from ? until : from).value = field.value;
    const days = [Number(from.value), Number(until.value)];
    const outputs = when.querySelectorAll("output");
    [from, until].forEach((one, at) => {
      outputs[at].textContent = say(days[at], one);
      one.setAttribute("aria-valuetext", outputs[at].textContent);
    });
    const span = Number(from.max) - Number(from.min) || 1;
    when.style.setProperty("--from", `${(100 * (days[0] - Number(from.min))) / span}%`);
    when.style.setProperty("--until", `${(100 * (Number(from.max) - days[1])) / span}%`);
    const isAll = days[0] === Number(from.min) && days[1] === Number(from.max);
    for (const star of when.closest(".charted").querySelectorAll(".star")) {
      const isIn = isAll || (Number(star.dataset.until) >= days[0] && Number(star.dataset.from) <= days[1]);
      star.classList.toggle("faded", !isIn);
    }
    for (const sky of when.closest(".charted").querySelectorAll(".sky")) {
      if (!sky.querySelector('.star[tabindex="0"]:not(.faded)')) {
        for (const one of sky.querySelectorAll('[tabindex="0"]')) one.setAttribute("tabindex", "-1");
        sky.querySelector(".star:not(.faded)")?.setAttribute("tabindex", "0");
      }
    }
  });

  // --- while a picture is being drawn, the page looks again by itself
  const watched = new WeakSet();
  new MutationObserver(() => {
    if (tip.isConnected && !document.querySelector("svg.sky")) tip.remove();
    for (const sign of document.querySelectorAll("[data-watch]")) {
      if (watched.has(sign)) continue;
      watched.add(sign);
      watch(sign, 0);
    }
  }).observe(document.documentElement, { childList: true, subtree: true });

  async function watch(sign, tries) {
    if (!sign.isConnected || tries > MOST_TRIES) return;
    const answer = await fetch(sign.dataset.watch).catch(() => null);
    const state = answer?.ok ? await answer.json() : { drawing: true };
    if (!state.drawing) {
      if (sign.isConnected) sign.querySelector("button").click();
      return;
    }
    const bar = sign.querySelector("progress");
    if (state.done) {
      bar.max = state.total;
      bar.value = state.done;
    }
    setTimeout(() => watch(sign, tries + 1), WATCH_MS);
  }
})();
