// What the drawing shows beside the board, as HTML: on small screens, where the drawing shows the board alone.

import { make } from "./common.js";

const SVG = "http://www.w3.org/2000/svg";

/** Screen pixels per unit of a shape in front of a text. */
const SCALE = .9;

export class Panels {
  /** `near` is below the board, `far` below the actions; `click(place)` is called for a chosen row. */
  constructor(near, far, { click }) {
    Object.assign(this, { near, far, click, rows: [] });
  }

  /**
   * Shows the panels, or nothing: those with rows that legal actions refer to next to the board. Such rows are places
   * like those of the board.
   */
  show(panels, seats, legal) {
    this.rows = [];
    const wanted = ({ rows }) => rows.some(({ means }) => means && legal.has(mention(means)));
    const section = ({ title, rows }) => make("section", {},
      make("h2", { textContent: title }),
      make("ul", {}, ...rows.map(row => make("li", {}, this.row(row, seats)))));
    for (const [host, shown] of [[this.near, panels.filter(wanted)], [this.far, panels.filter(p => !wanted(p))]]) {
      host.hidden = shown.length === 0;
      host.replaceChildren(...shown.map(section));
      for (const svg of host.querySelectorAll(".outline")) fitOutline(svg);
    }
  }

  row({ text, value, seat, outline, means }, seats) {
    const element = make(means ? "button" : "span", means ? { type: "button" } : {});
    const colour = seat === null ? "" : seats[seat].colour;
    if (outline) element.append(outlineOf(outline, colour));
    else if (colour) {
      const swatch = make("span", { className: "swatch" });
      swatch.style.background = colour;
      element.append(swatch);
    }
    element.append(make("span", { textContent: text }));
    if (value) element.append(make("b", { textContent: value, className: value.length < 12 ? "short" : "" }));
    if (means) {
      const row = { element, means: [means], place: [mention(means)] };
      element.onclick = () => this.click(row.place);
      this.rows.push(row);
    }
    return element;
  }

  /** Marks the rows for the current selection: `live` are the mentions of the actions that agree with it. */
  update(live, chosen) {
    for (const { element, place } of this.rows) {
      element.classList.toggle("live", place.some(mention => live.has(mention)));
      element.setAttribute("aria-pressed", chosen.includes(place));
    }
  }
}

const mention = ([key, value]) => `${key}=${JSON.stringify(value)}`;

/** Gives a shape the size of its path, in pixels per unit. */
export function fitOutline(svg, scale = SCALE) {
  const { x, y, width, height } = svg.firstChild.getBBox();
  svg.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
  svg.style.width = `${scale * width}px`;
  svg.style.height = `${scale * height}px`;
}

/** A picture of an outline. */
export function outlineOf(outline, colour) {
  const svg = document.createElementNS(SVG, "svg");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", outline);
  path.setAttribute("fill", colour || "currentColor");
  svg.append(path);
  svg.setAttribute("aria-hidden", true);
  svg.classList.add("outline");
  return svg;
}
