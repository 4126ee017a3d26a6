// Charts: points by keyboard, and charts that are saved as images.
(() => {
  // --- a curve is one stop of the tab key; the arrow keys go from point to point. Enter follows the link.
  const pointsOf = (svg) => [...svg.querySelectorAll(".point")];
  const stopAt = (utatane.stopAt = (points, stop) => points.forEach((one) => one.setAttribute("tabindex", one === stop ? "0" : "-1")));
  utatane.always(() => {
    for (const svg of document.querySelectorAll(".chart svg:has(.point)")) {
      const points = pointsOf(svg);
      stopAt(points, points.find((one) => one === document.activeElement || one.hasAttribute("aria-current")) || points.at(-1));
    }
  });
  on("keydown", (event) => {
    const point = event.target.closest?.(".chart .point");
    if (!point || utatane.modified(event)) return;
    const points = pointsOf(point.ownerSVGElement);
    const at = points.indexOf(point);
    const next = points[{ ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: points.length - 1 }[event.key]];
    if (!next) return;
    event.preventDefault();
    stopAt(points, next);
    next.focus();
  });

  // --- a chart becomes a picture here: nothing is sent anywhere
  on("click", async (event) => {
    const button = event.target.closest?.("[data-export]");
    if (!button) return;
    const figure = button.closest("[data-name]");
    const svg = figure.querySelector("svg.wide") || figure.querySelector("svg");
    const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
    const picture = new Blob([standalone(svg, width, height)], { type: "image/svg+xml" });
    save(button.dataset.export === "svg" ? picture : await asPng(picture, width, height), `${figure.dataset.name}.${button.dataset.export}`);
    button.closest("details").open = false;
  });

  // The picture by itself: with its paper, its font, and the colours that the page's variables have now.
  function standalone(svg, width, height) {
    const copy = svg.cloneNode(true);
    for (const [key, value] of Object.entries({ xmlns: "http://www.w3.org/2000/svg", width, height })) copy.setAttribute(key, value);
    copy.setAttribute("font-family", getComputedStyle(svg).fontFamily.replaceAll('"', "'"));
    for (const link of copy.querySelectorAll("a")) link.removeAttribute("href");
    const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    for (const [key, value] of Object.entries({ width, height, fill: "var(--surface)" })) paper.setAttribute(key, value);
    copy.prepend(paper);
    const probe = document.body.appendChild(utatane.element("span", { hidden: true }));
    const colour = (_, key) => {
      probe.style.color = `var(${key})`;
      return getComputedStyle(probe).color;
    };
    const text = new XMLSerializer().serializeToString(copy).replace(/var\((--[\w-]+)\)/g, colour);
    probe.remove();
    return text;
  }

  async function asPng(picture, width, height) {
    const address = URL.createObjectURL(picture);
    const image = new Image();
    image.src = address;
    await image.decode();
    const scale = 2;
    const canvas = Object.assign(document.createElement("canvas"), { width: width * scale, height: height * scale });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    URL.revokeObjectURL(address);
    return new Promise((done) => canvas.toBlob(done, "image/png"));
  }

  function save(blob, download) {
    const link = utatane.element("a", { href: URL.createObjectURL(blob), download });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }
})();
