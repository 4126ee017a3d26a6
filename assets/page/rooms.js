// What the rooms "Heart" and "Dreams" do by themselves: charts reached by keyboard, and saved as images.
"use strict";

(() => {
  // --- a curve is one stop of the tab key; the arrow keys go from point to point
  document.addEventListener("keydown", (event) => {
    const point = event.target.closest?.(".point[data-action]");
    if (!point) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      point.dispatchEvent(new MouseEvent("click", { bubbles: true }));
      return;
    }
    const points = [...point.ownerSVGElement.querySelectorAll(".point")];
    const at = points.indexOf(point);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: points.length - 1 }[event.key];
    if (next === undefined || !points[next]) return;
    event.preventDefault();
    point.setAttribute("tabindex", "-1");
    points[next].setAttribute("tabindex", "0");
    points[next].focus();
  });

  document.addEventListener("click", (event) => {
    const point = event.target.closest?.(".point");
    for (const other of point?.ownerSVGElement.querySelectorAll(".point[aria-pressed]") || []) other.removeAttribute("aria-pressed");
    point?.setAttribute("aria-pressed", "true");
    for (const fold of document.querySelectorAll("details.export[open]")) {
      if (!fold.contains(event.target)) fold.open = false;
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const fold of document.querySelectorAll("details.export[open]")) {
      fold.open = false;
      fold.querySelector("summary").focus();
    }
  });

  // --- whoever pressed a button by keyboard stays where they were when the list is written anew
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.(".heart [data-action], .dreams [data-action]");
    const list = button?.closest(".html-container");
    if (!list || event.detail !== 0) return;
    const at = [...list.querySelectorAll("button[data-action], .point")].indexOf(button);
    const watching = new MutationObserver(() => {
      if (document.activeElement !== document.body) return;
      const there = [...list.querySelectorAll("button[data-action], .point")];
      there[Math.min(at, there.length - 1)]?.focus();
      watching.disconnect();
    });
    watching.observe(list, { childList: true, subtree: true });
    setTimeout(() => watching.disconnect(), 10_000);
  });

  // --- a chart becomes a picture here: nothing is sent anywhere
  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("[data-export]");
    if (!button) return;
    const figure = button.closest("figure");
    const svg = figure.querySelector("svg.wide") || figure.querySelector("svg");
    const name = figure.dataset.name;
    const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
    const picture = new Blob([standalone(svg, width, height)], { type: "image/svg+xml" });
    save(button.dataset.export === "svg" ? picture : await asPng(picture, width, height), `${name}.${button.dataset.export}`);
    button.closest("details").open = false;
  });

  function standalone(svg, width, height) {
    const copy = svg.cloneNode(true);
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("width", width);
    copy.setAttribute("height", height);
    copy.removeAttribute("class");
    const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    for (const [key, value] of Object.entries({ width, height, style: "fill:var(--surface)" })) paper.setAttribute(key, value);
    copy.prepend(paper);
    const variables = getComputedStyle(document.body);
    return new XMLSerializer().serializeToString(copy)
      .replace(/var\((--[\w-]+)\)/g, (_, key) => variables.getPropertyValue(key).trim().replaceAll('"', "'"));
  }

  async function asPng(picture, width, height) {
    const address = URL.createObjectURL(picture);
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    const scale = 2;
    canvas.width = width * scale;
    canvas.height = height * scale;
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    URL.revokeObjectURL(address);
    return new Promise((done) => canvas.toBlob(done, "image/png"));
  }

  function save(blob, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }
})();
