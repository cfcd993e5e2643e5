// The board of a game with people: clickable places, drag and drop, keys, targets, previews.

import { draw } from "./common.js";

const SVG = "http://www.w3.org/2000/svg";
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
/** Pixels that a pointer moves before a click becomes a drag. */
const DRAG = 6;
/** The screens on which the drawing shows the board alone. */
export const narrow = matchMedia("(max-width: 55rem)");
/** Least size of text and of targets on small screens, in pixels. */
const [LEAST_TEXT, LEAST_TARGET] = [11, 24];

const pair = ([key, value]) => `${key}=${JSON.stringify(value)}`;

/** The keys of an action as comparable strings. */
export const mentions = action => Object.entries(action.move).map(pair);
export const refersTo = (action, place) => mentions(action).some(m => place.includes(m));

function shape(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

export class Board {
  /** `click(place)` is called for a chosen place, `clear()` for Escape. */
  constructor(host, { click, clear }) {
    Object.assign(this, { host, click, clear, marks: [], rows: [], svg: null, bottom: 0, crop: null, dragged: null });
    // After a drag, the browser sends a click, too.
    host.addEventListener("pointermove", event => this.drag(event));
    host.addEventListener("pointerup", event => this.drop(event));
    host.addEventListener("pointercancel", () => this.forgetDrag());
    new ResizeObserver(() => this.fit()).observe(host.parentElement);
  }

  /** Forgets the size of the last game's drawing. */
  reset() {
    this.bottom = 0;
  }

  /**
   * Draws the board with its places. `crop` is the part of the drawing to show, if it is not the whole one; `rows` are
   * the places outside it, which the page shows as text.
   */
  show(drawing, places, crop = null, rows = []) {
    this.forgetDrag();
    this.svg = draw(this.host, drawing).querySelector("svg");
    if (String(crop) !== String(this.crop)) this.bottom = 0;
    this.crop = crop;
    this.rows = rows;
    if (crop) {
      this.svg.setAttribute("viewBox", crop.join(" "));
      const [left, top, width, height] = crop;
      const inside = ({ centre: [x, y], after }) =>
        after || (x >= left && x <= left + width && y >= top && y <= top + height);
      places = places.filter(inside);
    }
    this.targets = shape("g", {});
    this.svg.append(this.targets);
    this.marks = places.map(place => this.mark(place));
    this.placed = new Set([...this.marks, ...rows].flatMap(mark => mark.place));
    this.end = this.svg.viewBox.baseVal.y + this.svg.viewBox.baseVal.height;
    if (crop) for (const mark of this.marks) mark.classList.toggle("absent", Boolean(mark.after));
    this.makeRoom();
    this.fit();
  }

  /** Adds a clickable outline over a part of the drawing. */
  mark({ means, outline, centre, room, after }) {
    const mark = shape("path", { d: outline, role: "button" });
    mark.classList.add("place");
    Object.assign(mark, { place: means.map(pair), means, centre, room, after: after && pair(after) });
    mark.onclick = () => this.press(mark);
    mark.onkeydown = event => this.key(mark, event);
    mark.onpointerdown = event => this.grab(mark, event);
    mark.onpointerenter = () => this.showPreview(mark);
    mark.onpointerleave = () => this.showPreview(null);
    this.svg.append(mark);
    return mark;
  }

  press(mark) {
    if (this.dropped) return;
    this.click(mark.place, mark);
  }

  /** Enter and Space select a place, arrows move to the nearest one, Escape clears the selection. */
  key(mark, event) {
    const way = WAYS[event.key];
    if (way) this.nearest(mark, way)?.focus();
    else if (event.key === "Enter" || event.key === " ") this.press(mark);
    else if (event.key === "Escape") this.clear();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  selectable(mark) {
    return mark.classList.contains("live") && !mark.classList.contains("absent");
  }

  /** The nearest selectable place in a direction; sideways distance counts double. */
  nearest(mark, [dx, dy]) {
    const middle = ({ x, y, width, height }) => [x + width / 2, y + height / 2];
    const [x, y] = middle(mark.getBBox());
    let [best, least] = [null, Infinity];
    for (const other of this.marks) {
      if (other === mark || !this.selectable(other)) continue;
      const [ox, oy] = middle(other.getBBox());
      const along = (ox - x) * dx + (oy - y) * dy, aside = Math.abs((ox - x) * dy) + Math.abs((oy - y) * dx);
      if (along > 0 && along + 2 * aside < least) [best, least] = [other, along + 2 * aside];
    }
    return best;
  }

  /**
   * Marks the places for the current selection: `left` are the actions that agree with it, `chosen` the chosen places.
   * Returns the missing places of an action.
   */
  update(left, chosen) {
    const missing = action =>
      mentions(action).filter(m => this.placed.has(m) && !chosen.some(place => place.includes(m)));
    const live = this.live = new Set(left.flatMap(mentions));
    // The next places to select: the first missing one of each action.
    const next = new Set(left.flatMap(action => missing(action).slice(0, 1)));
    const byMention = new Map([...live].map(m => [m, []]));
    for (const action of left) for (const m of mentions(action)) byMention.get(m).push(action);
    // In games of moves, all of a player's pieces can move: outlines of all would hide the position.
    const moves = left.length > 0 && left.filter(action => "from" in action.move).length * 2 > left.length;
    this.svg.classList.toggle("quiet", moves);
    this.targets.replaceChildren();
    for (const mark of this.marks) {
      const isLive = mark.place.some(m => live.has(m));
      const isNext = mark.place.some(m => next.has(m));
      const isChosen = chosen.includes(mark.place);
      const actions = [...new Set(mark.place.flatMap(m => byMention.get(m) ?? []))];
      mark.actions = actions;
      mark.classList.toggle("live", isLive);
      mark.classList.toggle("next", isNext);
      mark.setAttribute("tabindex", isLive ? 0 : -1);
      const name = String(mark.means[0][1]).toLowerCase().replaceAll("_", " ");
      const said = actions.length === 1 ? actions[0].words : actions.length ? `${actions.length} actions` : "no action";
      mark.setAttribute("aria-label", `${mark.means[0][0].replace(/^(from|to)$/, "").replaceAll("_", " ")} ${name}: ${said}`.trim());
      mark.setAttribute("aria-disabled", !isLive);
      mark.setAttribute("aria-pressed", isChosen);
      mark.classList.toggle("offered", mark.after !== undefined);
      mark.classList.toggle("absent", Boolean(mark.after) && !(isLive && chosen.some(place => place.includes(mark.after))));
      mark.classList.toggle("chosen", isChosen);
      if (moves && chosen.length && isNext && !isChosen) this.target(mark);
    }
    if (this.crop) {
      this.makeRoom();
      this.reveal();
    }
    this.showPreview(null);
    return missing;
  }

  /** A spot on a square that the chosen piece can reach; a ring if the square is taken. */
  target(mark) {
    const [cx, cy] = mark.centre;
    const taken = [...this.svg.querySelectorAll("use")].some(piece => {
      const box = piece.getBBox();
      return Math.hypot(box.x + box.width / 2 - cx, box.y + box.height / 2 - cy) < mark.room;
    });
    const spot = shape("circle", { cx, cy, r: mark.room * (taken ? .9 : .28) });
    spot.setAttribute("class", taken ? "target taken" : "target");
    this.targets.append(spot);
  }

  /** Outlines what the only action of a place would put on the board. */
  showPreview(mark) {
    this.preview?.remove();
    this.preview = null;
    const prints = new Set((mark?.actions ?? []).map(action => action.footprint));
    const [only] = prints;
    if (prints.size !== 1 || !only) return;
    this.preview = shape("path", { d: only, class: "preview" });
    this.targets.append(this.preview);
  }

  /** Begins a drag with a mouse or a pen, from a place where an action begins; fingers scroll. */
  grab(mark, event) {
    this.dropped = false;
    if (event.pointerType === "touch" || event.button !== 0 || !this.selectable(mark)) return;
    if (!mark.actions?.some(action => mark.means.some(([key, value]) => key === "from" && action.move.from === value))) return;
    this.dragged = { mark, x: event.clientX, y: event.clientY, piece: null };
  }

  drag(event) {
    const drag = this.dragged;
    if (!drag) return;
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.piece) {
      if (Math.hypot(dx, dy) < DRAG) return;
      if (!drag.mark.classList.contains("chosen")) this.click(drag.mark.place, drag.mark);
      const [cx, cy] = drag.mark.centre;
      const under = [...this.svg.querySelectorAll("use")].filter(piece => {
        const box = piece.getBBox();
        return Math.hypot(box.x + box.width / 2 - cx, box.y + box.height / 2 - cy) < drag.mark.room;
      });
      drag.original = under.at(-1);
      drag.piece = drag.original?.cloneNode() ?? shape("circle", { cx, cy, r: drag.mark.room / 2, fill: "#d96b00" });
      drag.piece.classList.add("dragged");
      if (drag.original) drag.original.style.opacity = .25;
      this.svg.append(drag.piece);
    }
    const scale = this.svg.getScreenCTM().a;
    drag.piece.setAttribute("transform", `translate(${dx / scale} ${dy / scale})`);
  }

  drop(event) {
    const drag = this.dragged;
    const moved = drag?.piece;
    this.forgetDrag();
    if (!moved) return;
    this.dropped = true;
    setTimeout(() => { this.dropped = false; });
    const under = this.host.shadowRoot.elementsFromPoint(event.clientX, event.clientY);
    const target = under.find(element => this.marks.includes(element));
    if (target && target !== drag.mark) this.click(target.place, target);
  }

  forgetDrag() {
    this.dragged?.piece?.remove();
    if (this.dragged?.original) this.dragged.original.style.opacity = "";
    this.dragged = null;
  }

  /**
   * Extends the drawing to places below it. It never shrinks, because a board of changing size is hard to click; a board
   * alone is as wide as the screen, and gets longer only while there are such places.
   */
  makeRoom() {
    const box = this.svg.viewBox.baseVal;
    const shown = this.marks.filter(mark => !mark.classList.contains("absent"));
    const bottoms = shown.map(mark => mark.getBBox()).map(place => place.y + place.height);
    this.bottom = Math.max(this.crop ? 0 : this.bottom, this.end, ...bottoms);
    box.height = this.bottom - box.y;
  }

  /** On a small screen, enlarges the drawing until its text can be read and its places can be touched; it scrolls. */
  fit() {
    const frame = this.host.parentElement;
    const { scrollLeft } = frame;
    this.host.style.width = "";
    if (!this.svg || !frame.clientWidth || !narrow.matches) return;
    const scale = this.svg.getScreenCTM()?.a;
    if (!scale) return;
    let factor = 1;
    for (const text of this.svg.querySelectorAll("text")) {
      if (!text.textContent.trim() || !this.isShown(text)) continue;
      const size = parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a;
      factor = Math.max(factor, LEAST_TEXT / size);
    }
    for (const mark of this.marks) {
      if (mark.classList.contains("absent")) continue;
      const box = mark.getBoundingClientRect();
      const size = Math.min(box.width, box.height);
      if (size > 0) factor = Math.max(factor, LEAST_TARGET / size);
    }
    if (factor > 1) this.host.style.width = `${Math.ceil(this.host.clientWidth * factor) + 1}px`;
    // The measurement has scrolled the board back.
    frame.scrollLeft = scrollLeft;
  }

  /** Scrolls an enlarged board to a place of a legal action, if none is in view. */
  reveal() {
    const frame = this.host.parentElement;
    const view = frame.getBoundingClientRect();
    const lefts = this.marks.filter(mark => this.selectable(mark)).map(mark => mark.getBoundingClientRect())
      .map(({ left, width }) => left + width / 2 - view.left);
    if (lefts.length === 0 || lefts.some(left => left >= 0 && left <= view.width)) return;
    const nearest = lefts.reduce((best, left) => Math.abs(left) < Math.abs(best) ? left : best);
    frame.scrollLeft += nearest - view.width / 2;
  }

  /** Whether a text is in the part of the drawing that is shown. */
  isShown(text) {
    if (!this.crop) return true;
    const box = this.svg.getBoundingClientRect(), at = text.getBoundingClientRect();
    const [x, y] = [at.left + at.width / 2, at.top + at.height / 2];
    return x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
  }

  /** The place under the keyboard focus. */
  focused() {
    const mark = this.host.shadowRoot?.activeElement;
    return mark?.place ? mark : null;
  }

  /** A function that finds a place again in the next drawing, or else the first selectable one. */
  finder(mark) {
    const place = mark.place.join();
    return () => {
      const shown = this.marks.filter(other => this.selectable(other));
      return shown.find(other => other.place.join() === place) ?? shown[0];
    };
  }
}
