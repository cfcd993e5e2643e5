// What the drawing shows beside the board, as HTML: on small screens, where the drawing shows the board alone.

import { make } from "./common.js";

const SVG = "http://www.w3.org/2000/svg";

export class Panels {
  /** `click(place)` is called for a chosen row. */
  constructor(host, { click }) {
    Object.assign(this, { host, click, rows: [] });
  }

  /** Shows the panels, or nothing; rows that actions refer to are places like those of the board. */
  show(panels, seats) {
    this.rows = [];
    this.host.hidden = panels.length === 0;
    this.host.replaceChildren(...panels.map(({ title, rows }) => make("section", {},
      make("h3", { textContent: title }),
      make("ul", {}, ...rows.map(row => make("li", {}, this.row(row, seats)))))));
  }

  row({ text, value, seat, outline, means }, seats) {
    const element = make(means ? "button" : "span", means ? { type: "button" } : {});
    const colour = seat === null ? "" : seats[seat].colour;
    if (outline) element.append(shape(outline, colour));
    else if (colour) {
      const swatch = make("span", { className: "swatch" });
      swatch.style.background = colour;
      element.append(swatch);
    }
    element.append(make("span", { textContent: text }));
    if (value) element.append(make("b", { textContent: value }));
    if (means) {
      const row = { element, means: [means], place: [`${means[0]}=${JSON.stringify(means[1])}`] };
      element.onclick = () => this.click(row.place);
      this.rows.push(row);
    }
    return element;
  }

  /** Marks the rows for the current selection: `left` are the mentions of the actions that agree with it. */
  update(live, chosen) {
    for (const { element, place } of this.rows) {
      element.classList.toggle("live", place.some(mention => live.has(mention)));
      element.setAttribute("aria-pressed", chosen.includes(place));
    }
  }
}

/** A shape at the size of a line of text and a half. */
function shape(outline, colour) {
  const svg = document.createElementNS(SVG, "svg");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", outline);
  path.setAttribute("fill", colour || "currentColor");
  svg.append(path);
  svg.setAttribute("aria-hidden", true);
  svg.classList.add("outline");
  // The size of a path is known once it is drawn; pieces have at most five tiles of 6 units.
  svg.setAttribute("viewBox", "-1 -1 32 32");
  return svg;
}
