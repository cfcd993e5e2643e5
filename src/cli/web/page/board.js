// The board of a game with people: clickable places, drag and drop, keys, targets, previews, marks of a hint, and pieces
// that are turned before they are placed.

import { draw } from "./common.js";

const SVG = "http://www.w3.org/2000/svg";
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
/** Pixels that a pointer moves before a click becomes a drag. */
const DRAG = 6;
/** The screens on which the drawing shows the board alone. */
export const narrow = matchMedia("(max-width: 55rem)");
/** Least size of text and of targets on small screens, in pixels. */
const [LEAST_TEXT, LEAST_TARGET] = [11, 24];
const MOST_ZOOM = 4;

const pair = ([key, value]) => `${key}=${JSON.stringify(value)}`;

/** The keys of an action as comparable strings. */
export const mentions = action => Object.entries(action.move).map(pair);
export const refersTo = (action, place) => mentions(action).some(m => place.includes(m));

/** The squares of an outline as "x,y" of their corners, and their side. */
function squares(outline) {
  const corners = [...outline.matchAll(/M([\d.]+) ([\d.]+)h([\d.]+)/g)].map(found => found.slice(1).map(Number));
  return { side: corners[0]?.[2] ?? 0, corners: corners.map(([x, y]) => [x, y]) };
}

/** The form of a piece: its squares from the left upper corner of its box, sorted. */
function form({ side, corners }) {
  const [left, top] = [0, 1].map(axis => Math.min(...corners.map(corner => corner[axis])));
  return corners.map(([x, y]) => [Math.round((x - left) / side), Math.round((y - top) / side)])
    .sort(([a, b], [c, d]) => b - d || a - c);
}
const turned = cells => form({ side: 1, corners: cells.map(([x, y]) => [-y, x]) });
const mirrored = cells => form({ side: 1, corners: cells.map(([x, y]) => [-x, y]) });

function shape(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

/** The square of a form that is nearest to its middle. */
function middleOf(cells) {
  const [cx, cy] = [0, 1].map(axis => cells.reduce((sum, cell) => sum + cell[axis], 0) / cells.length);
  const far = ([x, y]) => (x - cx) ** 2 + (y - cy) ** 2;
  return cells.reduce((best, cell) => far(cell) < far(best) - 1e-9 ? cell : best);
}

function middlePoint({ corners, side }) {
  const cells = form({ corners, side });
  const [left, top] = [0, 1].map(axis => Math.min(...corners.map(corner => corner[axis])));
  const [x, y] = middleOf(cells);
  return [left + (x + .5) * side, top + (y + .5) * side];
}

const keyOf = corners => corners.map(corner => corner.map(Math.round).join()).sort().join(" ");

/** An arrow between two points, for places of a size. */
function arrow([x, y], [toX, toY], room, colour, kind) {
  const length = Math.hypot(toX - x, toY - y) || 1;
  const [u, v] = [(toX - x) / length, (toY - y) / length];
  const width = room * .13, head = room * .55;
  const at = (along, aside) => `${(x + u * along - v * aside).toFixed(1)} ${(y + v * along + u * aside).toFixed(1)}`;
  const neck = Math.max(0, length - head);
  const d = `M${at(0, width)}L${at(neck, width)}L${at(neck, width * 2.8)}L${at(length, 0)}L${at(neck, -width * 2.8)}L${at(neck, -width)}L${at(0, -width)}Z`;
  return shape("path", { d, fill: colour, "fill-opacity": .85, stroke: "#fff", "stroke-width": room * .05, "stroke-linejoin": "round", class: `arrow ${kind}` });
}

export class Board {
  /**
   * `click(place)` is called for a chosen place, `clear()` for Escape, `play(action)` for a piece put down, and
   * `choose(piece, orientation)` for the selection of a piece in hand; `zoomed()` after a change of the size.
   */
  constructor(host, { click, clear, play, choose, zoomed }) {
    Object.assign(this, { host, click, clear, play, choose, zoomed, marks: [], rows: [], svg: null, bottom: 0, crop: null, dragged: null, hand: null, zoom: 1, legible: 1 });
    // After a drag, the browser sends a click, too.
    host.addEventListener("pointermove", event => { this.drag(event); this.carry(event); });
    host.addEventListener("pointerup", event => this.drop(event));
    host.addEventListener("pointerleave", () => this.carry(null));
    host.addEventListener("wheel", event => {
      if (!this.hand) return;
      event.preventDefault();
      this.turn(event.deltaY < 0 ? -1 : 1);
    }, { passive: false });
    for (const kind of ["touchstart", "touchmove", "touchend"]) {
      host.parentElement.addEventListener(kind, event => this.pinch(event), { passive: false });
    }
    host.addEventListener("contextmenu", event => { if (this.arrows) event.preventDefault(); });
    host.addEventListener("pointercancel", () => this.forgetDrag());
    new ResizeObserver(() => this.fit()).observe(host.parentElement);
  }

  /** Forgets the size of the last game's drawing. */
  reset() {
    this.bottom = 0;
    this.zoom = 1;
    this.clearArrows();
  }

  /**
   * Draws the board with its places. `crop` is the part of the drawing to show, if it is not the whole one; `rows` are
   * the places outside it, which the page shows as text. Of an `earlier` position the places only say where marks are.
   */
  show(drawing, places, crop = null, rows = [], earlier = false) {
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
    this.hand = this.ghost = null;
    this.marks = places.map(place => this.mark(place, earlier));
    this.placed = new Set([...this.marks, ...rows].flatMap(mark => mark.place));
    this.end = this.svg.viewBox.baseVal.y + this.svg.viewBox.baseVal.height;
    for (const mark of this.marks) mark.classList.toggle("absent", Boolean(mark.after));
    this.drawArrows();
    this.makeRoom();
    this.fit();
  }

  /** Adds a clickable outline over a part of the drawing. */
  mark({ means, outline, centre, room, after }, earlier) {
    const mark = shape("path", { d: outline, ...earlier ? { "aria-hidden": true } : { role: "button" } });
    mark.classList.add("place");
    Object.assign(mark, { place: means.map(pair), means, outline, centre, room, after: after && pair(after) });
    if (earlier) {
      this.svg.append(mark);
      return mark;
    }
    mark.onclick = event => this.press(mark, event);
    mark.onkeydown = event => this.key(mark, event);
    mark.onpointerdown = event => this.grab(mark, event);
    mark.onpointerenter = () => this.showPreview(mark);
    mark.onpointerleave = () => this.showPreview(null);
    mark.onfocus = () => { if (this.hand && mark.matches(":focus-visible")) this.showGhost(this.nearestFit(mark.centre)); };
    this.svg.append(mark);
    return mark;
  }

  press(mark, event) {
    if (this.dropped) return;
    if (this.hand && mark.means[0][0] === "to_tile") return this.put(mark.centre, event);
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

  /** The places of an action that are not chosen yet. */
  missing(action, chosen) {
    return mentions(action).filter(m => this.placed.has(m) && !chosen.some(place => place.includes(m)));
  }

  /**
   * Marks the places for the current selection: `left` are the actions that agree with it, `chosen` the chosen places,
   * `legal` all actions. Returns whether the board has changed the selection.
   */
  update(left, chosen, legal) {
    const missing = action => this.missing(action, chosen);
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
      mark.classList.toggle("chosen", isChosen);
      if (moves && chosen.length && isNext && !isChosen) this.target(mark);
    }
    if (this.crop) {
      this.makeRoom();
      this.reveal();
    }
    this.showPreview(null);
    return this.take(left, chosen, legal);
  }

  /**
   * Takes a chosen piece in hand, if it has orientations: it follows the pointer, and a click puts it down. `left` are
   * the actions of the selection. Returns whether it chose an orientation.
   */
  take(left, chosen, legal) {
    const at = this.hand?.at;
    this.hand = null;
    this.showGhost(null);
    const ways = this.marks.filter(mark => mark.after && chosen.some(place => place.includes(mark.after)));
    if (ways.length === 0 || left.length === 0) return false;
    const of = legal.filter(action => mentions(action).includes(ways[0].after));
    const fits = way => of.some(action => mentions(action).includes(way.place[0]));
    const orientation = ways.find(mark => chosen.includes(mark.place));
    if (!orientation) {
      // The piece is free: a square chosen before only narrowed the list down.
      this.choose(chosen.filter(place => place.includes(ways[0].after)), ways.find(fits).place);
      return true;
    }
    const options = left.filter(action => action.footprint).map(action => ({ action, ...squares(action.footprint) }));
    if (options.length === 0) return false;
    this.hand = { ways, orientation, options, fits, piece: chosen.filter(place => place.includes(orientation.after)) };
    if (at) this.moveHand(at);
    return false;
  }

  /** The orientations of the piece in hand: their places, whether each fits anywhere and is chosen. */
  get orientations() {
    const { ways = [], orientation, fits } = this.hand ?? {};
    return ways.map(mark => ({ mark, fits: fits(mark), chosen: mark === orientation }));
  }

  orient(mark) {
    this.choose(this.hand.piece, mark.place);
  }

  /** Rotates the piece in hand clockwise (1) or back (-1), or flips it, to the next orientation that fits anywhere. */
  turn(by, { flip = false } = {}) {
    if (!this.hand) return;
    const { ways, orientation, fits } = this.hand;
    let cells = form(squares(orientation.outline));
    if (flip) cells = mirrored(cells);
    for (let quarter = flip ? 0 : 1; quarter < 5; quarter++) {
      if (quarter > 0) for (let once = 0; once < (by < 0 ? 3 : 1); once++) cells = turned(cells);
      const next = ways.find(way => String(form(squares(way.outline))) === String(cells));
      if (next && next !== orientation && fits(next)) return this.orient(next);
      if (flip && next === orientation) return;
    }
  }

  /** The point of the drawing under an event. */
  pointAt({ clientX, clientY }) {
    return new DOMPoint(clientX, clientY).matrixTransform(this.svg.getScreenCTM().inverse());
  }

  /** Moves the piece in hand with a mouse or a pen. */
  carry(event) {
    if (!this.hand || event?.pointerType === "touch") return;
    if (event) {
      const { x, y } = this.pointAt(event);
      this.moveHand([x, y]);
    } else this.showGhost(null);
  }

  /** Shows the piece in hand with its middle square under a point: where it fits, or as misplaced. */
  moveHand(at) {
    this.hand.at = at;
    const tile = this.marks.find(({ means, centre, room }) =>
      means[0][0] === "to_tile" && Math.max(Math.abs(centre[0] - at[0]), Math.abs(centre[1] - at[1])) <= room);
    if (!tile) return this.showGhost(null);
    const { side } = this.hand.options[0];
    const cells = form(squares(this.hand.orientation.outline));
    const [mx, my] = middleOf(cells);
    const corners = cells.map(([x, y]) =>
      [tile.centre[0] - side / 2 + (x - mx) * side, tile.centre[1] - side / 2 + (y - my) * side]);
    const key = keyOf(corners);
    const fit = this.hand.options.find(option => keyOf(option.corners) === key);
    this.showGhost(fit ?? { corners, side });
  }

  /** The option of the piece in hand with its middle nearest to a point. */
  nearestFit([x, y]) {
    const { side } = this.hand.options[0];
    const [mx, my] = middleOf(form(squares(this.hand.orientation.outline)));
    const distance = ({ corners }) => {
      const [left, top] = [0, 1].map(axis => Math.min(...corners.map(corner => corner[axis])));
      return Math.hypot(left + (mx + .5) * side - x, top + (my + .5) * side - y);
    };
    const [best] = this.hand.options.map(option => [distance(option), option]).sort(([a], [b]) => a - b);
    return best && best[0] < 4 * side ? best[1] : null;
  }

  /**
   * Puts the piece in hand down. With a mouse it is where the pointer is; a finger or a key first shows the nearest
   * place, and plays it with the second click on it.
   */
  put(centre, event) {
    if (event?.pointerType === "mouse" || event?.pointerType === "pen") {
      this.moveHand(centre);
      return this.play(this.ghost?.action ?? null);
    }
    const shown = this.ghost;
    const { side } = this.hand.options[0];
    const again = shown?.action && shown.corners.some(([x, y]) =>
      centre[0] > x && centre[0] < x + side && centre[1] > y && centre[1] < y + side);
    if (again && this.offered === shown.action) return this.play(shown.action);
    this.showGhost(this.nearestFit(centre));
    this.offered = this.ghost?.action;
    if (!this.offered) return this.play(null);
    // The next click belongs on the piece.
    const inside = ({ centre: [x, y] }) => this.ghost.corners.some(([left, top]) =>
      x > left && x < left + side && y > top && y < top + side);
    for (const mark of this.marks) {
      if (mark.means[0][0] !== "to_tile") continue;
      mark.classList.toggle("next", inside(mark));
      if (inside(mark)) mark.classList.add("live");
    }
  }

  /** Draws the piece in hand; without an action it is misplaced. */
  showGhost(ghost) {
    this.ghost = ghost;
    this.drawnGhost?.remove();
    if (!ghost) return;
    const d = ghost.corners.map(([x, y]) => `M${x} ${y}h${ghost.side}v${ghost.side}h${-ghost.side}z`).join("");
    this.drawnGhost = shape("path", { d, class: ghost.action ? "preview fits" : "preview misfits" });
    this.svg.append(this.drawnGhost);
  }

  /** Shows where an action of the list happens. */
  pointOut(action) {
    this.showPreview(action ? { actions: [action] } : null);
    const named = action ? mentions(action) : [];
    for (const mark of this.marks) mark.classList.toggle("pointed", mark.place.some(mention => named.includes(mention)));
  }

  /** The centre of the place that an action names by a key. */
  placeOf(action, keys) {
    const named = mentions(action).filter(mention => keys.some(key => mention.startsWith(`${key}=`)));
    return this.marks.find(mark => mark.place.some(mention => named.includes(mention)));
  }

  /**
   * Draws the actions of a hint, or of a review, the last one first: `action`, its price in `short`, and its colour.
   * Earlier marks go.
   */
  advise(options) {
    this.advice?.remove();
    const layer = this.advice = shape("g", { class: "advice" });
    const labels = [];
    const { x: left, width } = this.svg.viewBox.baseVal, height = width * .021;
    for (const { action, short: text, colour } of [...options].reverse()) {
      const from = this.placeOf(action, ["from"]), to = this.placeOf(action, ["to"]);
      const print = action.footprint && squares(action.footprint);
      const place = to ?? this.placeOf(action, ["region", "cell", "space", "index", "card", "ship", "to_tile", "piece", "type"])
        ?? this.marks.find(mark => !mark.after && mark.place.some(mention => mentions(action).includes(mention)));
      if (from && to) layer.append(arrow(from.centre, to.centre, Math.min(from.room, to.room), colour, "hint"));
      else if (print) layer.append(shape("path", { d: action.footprint, fill: colour, "fill-opacity": .6, stroke: "#14161a", "stroke-width": 1.5 }));
      else if (place) layer.append(shape("path", { d: place.outline, fill: colour, "fill-opacity": .28, stroke: colour, "stroke-width": width * .005 }));
      else continue;
      const [x, y] = print ? middlePoint(print) : place.centre;
      const size = Math.min(height, print ? print.side * .55 : place.room * .9);
      // At the lower edge of a card, below the pieces of a region, over a small cell.
      let down = 0;
      const inPlace = !print && !(from && to);
      if (inPlace && place.room > height && place.outline.includes("h")) down = Math.max(0, place.getBBox().y + place.getBBox().height + size * .6 - y);
      if (inPlace && place.room * .8 > height) down = Math.max(down, place.room * .5, height * 1.05);
      labels.unshift({ x, y: y + down, text, colour, size });
    }
    const taken = [];
    for (const { x, y, text, colour, size } of labels) {
      const wide = (text.length * .58 + .8) * size, high = size * 1.4;
      const at = Math.max(left, Math.min(left + width - wide, x - wide / 2));
      // Labels that would lie over each other go below each other, the best one on top.
      let top = y - high / 2;
      const over = () => taken.find(other => at < other.at + other.wide && other.at < at + wide && top < other.top + other.high && other.top < top + high);
      for (let hit = over(); hit; hit = over()) top = hit.top + hit.high + size * .08;
      taken.push({ at, wide, top, high });
      layer.append(shape("rect", { x: at, y: top, width: wide, height: high, rx: size * .4, fill: "#fff", stroke: colour, "stroke-width": size * .14 }));
      const words = shape("text", { x: at + wide / 2, y: top + size * 1.06, "text-anchor": "middle", "font-size": size, "font-weight": "bold", fill: "#14161a", "font-family": "Arial, Helvetica, sans-serif" });
      words.textContent = text;
      layer.append(words);
    }
    this.svg.append(layer);
  }

  /** The texts of the drawing under an event, and those in its place. */
  textAt({ clientX, clientY }) {
    const under = this.host.shadowRoot?.elementsFromPoint(clientX, clientY) ?? [];
    const area = under.find(element => this.marks.includes(element))?.getBoundingClientRect();
    const inside = element => {
      const box = element.getBoundingClientRect();
      const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
      return area && x > area.left && x < area.right && y > area.top && y < area.bottom;
    };
    const texts = this.svg ? [...this.svg.querySelectorAll("text")] : [];
    return texts.filter(text => under.includes(text) || inside(text)).map(text => text.textContent).join(" ");
  }

  /** Starts or ends an arrow of the right button; the same square twice gets a ring. */
  drawArrow(from, to) {
    const same = ([a, b]) => a === from.place[0] && b === to.place[0];
    const had = this.arrows.some(same);
    this.arrows = this.arrows.filter(other => !same(other));
    if (!had) this.arrows.push([from.place[0], to.place[0]]);
    this.drawArrows();
  }

  drawArrows() {
    this.arrowLayer?.remove();
    this.arrowLayer = shape("g", { class: "advice" });
    for (const ends of this.arrows ?? []) {
      const [from, to] = ends.map(name => this.marks.find(mark => mark.place[0] === name));
      if (!from || !to) continue;
      this.arrowLayer.append(from === to
        ? shape("circle", { cx: from.centre[0], cy: from.centre[1], r: from.room * .86, fill: "none", stroke: "#1c7c3c", "stroke-width": from.room * .16 })
        : arrow(from.centre, to.centre, from.room, "#1c7c3c", "own"));
    }
    this.svg.append(this.arrowLayer);
  }

  clearArrows() {
    if (!this.arrows?.length) return;
    this.arrows = [];
    this.drawArrows();
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
    this.drawn = null;
    if (event.pointerType === "touch") return;
    if (event.button === 2 && this.arrows) this.drawn = mark;
    if (event.button !== 0) return;
    this.clearArrows();
    if (!this.selectable(mark)) return;
    if (mark.means[0][0] === "piece") {
      this.dragged = { mark, x: event.clientX, y: event.clientY, piece: null };
      return;
    }
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
      if (drag.mark.means[0][0] === "piece") {
        // The piece in hand follows the pointer.
        drag.piece = shape("g", {});
        return;
      }
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
    if (event.button === 2 && this.drawn) {
      const from = this.drawn;
      this.drawn = null;
      const to = this.host.shadowRoot.elementsFromPoint(event.clientX, event.clientY).find(element => this.marks.includes(element));
      if (to) this.drawArrow(from, to);
      return;
    }
    const drag = this.dragged;
    const moved = drag?.piece;
    this.forgetDrag();
    if (!moved) return;
    this.dropped = true;
    setTimeout(() => { this.dropped = false; });
    if (this.hand && drag.mark.means[0][0] === "piece") {
      this.carry(event);
      if (this.ghost) this.play(this.ghost.action ?? null);
      return;
    }
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

  /**
   * On a small screen, the drawing fits the width; it is enlarged by two fingers, and by a button until its text can be
   * read and its places can be touched. Then it scrolls.
   */
  fit() {
    const frame = this.host.parentElement;
    const { scrollLeft, scrollTop } = frame;
    this.host.style.width = "";
    this.legible = 1;
    if (!this.svg || !frame.clientWidth || !narrow.matches) return this.zoomed();
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
    this.legible = factor;
    this.enlarge(Math.min(this.zoom, Math.max(MOST_ZOOM, factor)));
    // The measurement has scrolled the board back.
    Object.assign(frame, { scrollLeft, scrollTop });
  }

  /** Enlarges the drawing by a factor; the point of the frame stays where it is. */
  enlarge(factor, { x, y } = { x: 0, y: 0 }) {
    const frame = this.host.parentElement;
    const before = this.host.clientWidth;
    this.zoom = factor;
    this.host.style.width = factor > 1 ? `${Math.ceil(frame.clientWidth * factor) + 1}px` : "";
    const grown = this.host.clientWidth / before;
    frame.scrollLeft = (frame.scrollLeft + x) * grown - x;
    frame.scrollTop = (frame.scrollTop + y) * grown - y;
    this.zoomed();
  }

  /** The button's change between the whole board and one with legible text. */
  toggleZoom() {
    this.enlarge(this.zoom > 1 ? 1 : Math.max(1.5, this.legible));
    this.reveal();
  }

  /** Two fingers enlarge the drawing. */
  pinch(event) {
    if (event.touches.length !== 2 || !narrow.matches) {
      this.pinched = null;
      return;
    }
    event.preventDefault();
    const [a, b] = event.touches;
    const apart = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
    this.pinched ??= { apart, zoom: this.zoom };
    const box = this.host.parentElement.getBoundingClientRect();
    const middle = { x: (a.clientX + b.clientX) / 2 - box.left, y: (a.clientY + b.clientY) / 2 - box.top };
    this.enlarge(Math.max(1, Math.min(MOST_ZOOM, this.pinched.zoom * apart / this.pinched.apart)), middle);
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
