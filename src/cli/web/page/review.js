// Review of a game: the value of every position as a curve, and the price of every action.

import { call, make } from "./common.js";
import { brief, inGameWords } from "./standing.js";

const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT] = [600, 120];
const COLOURS = { best: "#1c7c3c", blunder: "#c22f2f", mistake: "#c96a00", inaccuracy: "#8a7a00", doubt: "#7d7d7d" };

export class Review {
  /** `seek(step)` shows a position. */
  constructor(element, { seek }) {
    Object.assign(this, { element, seek });
    this.chart = element.querySelector(".curve");
    this.summary = element.querySelector(".summary");
    const at = event => {
      const box = this.chart.getBoundingClientRect();
      return Math.round(Math.max(0, Math.min(1, (event.clientX - box.left) / box.width)) * this.steps);
    };
    this.chart.onpointerdown = event => { if (this.steps) this.seek(at(event)); };
    this.chart.onpointermove = event => { if (this.steps && event.buttons) this.seek(at(event)); };
    this.reset();
  }

  reset() {
    Object.assign(this, { positions: [], prices: [], steps: 0, unit: null, words: "", run: (this.run ?? 0) + 1, player: "" });
    this.element.hidden = true;
  }

  /** Keeps what still holds after the game has `steps` steps; the last position may have got its action since. */
  cut(steps) {
    if (this.positions.length === 0 || steps === this.steps) return;
    this.reset();
  }

  /** Reviews the whole game, a part of it per request. `changed()` is called with every part. */
  async start(path, player, { revision, seats, env }, changed) {
    this.reset();
    const mine = this.run;
    this.player = player;
    this.element.hidden = false;
    Object.assign(this, { seats, env });
    do {
      const from = Math.max(0, this.positions.length - 1);
      const part = await call("POST", `${path}/review`, { player, revision, from });
      if (mine !== this.run) return;
      Object.assign(this, { steps: part.steps, unit: part.unit, words: part.unit_words });
      this.positions.splice(from, Infinity, ...part.positions);
      this.prices.splice(from, Infinity, ...part.prices);
      this.draw(0);
      changed();
    } while (this.positions.length <= this.steps);
  }

  /** Whether the whole game is reviewed. */
  get isComplete() {
    return this.positions.length > this.steps && this.steps > 0;
  }

  /**
   * The mark of a step, such as `??`, with its price in words; null for a good one or without a review. A doubt is a price
   * that a deeper search does not confirm.
   */
  verdict(step) {
    const price = this.prices[step];
    if (!price || !price.mark) return null;
    const { mark, grade, loss, confirmed } = price;
    return confirmed ? { mark, words: `${grade}: ${this.loss(loss)}` }
      : { mark: "", words: `perhaps ${this.loss(loss)}; a deeper search sees no loss`, doubt: true };
  }

  /** The best action of a position and the one that was played, with prices for the board; nothing without a review. */
  marks(step) {
    const { best, played } = this.positions[step] ?? {};
    if (!best) return [];
    const marked = [{ action: best, short: "best", colour: COLOURS.best }];
    const price = this.prices[step];
    if (played && played.action !== best.action) {
      const colour = price?.mark && price.confirmed ? COLOURS[price.grade] : COLOURS.doubt;
      marked.push({ action: played, short: price?.mark && price.confirmed ? price.mark : "played", colour });
    }
    return marked;
  }

  loss(loss) {
    if (this.unit === "outcome") return `costs ${Math.round(50 * loss)} % of the win`;
    return `costs ${brief(loss)} ${this.unit === "lead" ? "of the lead" : "points"}`;
  }

  /** The values of a position, if they are chances to win. */
  chances(step) {
    return this.unit === "outcome" ? this.positions[step]?.values ?? null : null;
  }

  /** A position in words: its value, the best action and its line. */
  describe(step) {
    const position = this.positions[step];
    if (!position) return "";
    const { values } = position;
    const hidden = values.map(() => null);
    const said = [inGameWords({ values, forecast: this.unit, seats: this.seats, scores: hidden, env: this.env })];
    said.push(`${this.words}: ${values.map((value, seat) => `${this.seats[seat].name} ${brief(value)}`).join(", ")}`);
    if (position.best) said.push(`best: ${position.line.join(", ")}`);
    const verdict = this.verdict(step);
    if (position.played && verdict) said.push([position.played.words, verdict.mark, verdict.words].filter(Boolean).join(" "));
    return `${said.join(". ")}.`;
  }

  draw(at) {
    const svg = this.chart;
    svg.replaceChildren();
    const part = (tag, attributes) => {
      const element = document.createElementNS(SVG, tag);
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
      svg.append(element);
      return element;
    };
    const values = this.positions.flatMap(position => position.values);
    const two = this.seats.length === 2 && this.positions.every(({ values: [one, other] }) => Math.abs(one + other) < 1e-3);
    let [low, high] = this.unit === "outcome" ? [-1, 1] : [Math.min(0, ...values), Math.max(...values)];
    if (low === high) high = low + 1;
    const x = step => WIDTH * step / Math.max(1, this.steps);
    const y = value => HEIGHT - 4 - (HEIGHT - 8) * (value - low) / (high - low);
    const still = { "vector-effect": "non-scaling-stroke" };
    // For two players one area: below the curve the first one's, above it the other's.
    if (two) {
      const curve = this.positions.map(({ values }, step) => `L${x(step).toFixed(1)} ${y(values[0]).toFixed(1)}`).join("");
      const end = x(this.positions.length - 1).toFixed(1);
      part("rect", { width: end, height: HEIGHT, fill: this.seats[1].colour });
      part("path", { d: `M0 ${HEIGHT}${curve}L${end} ${HEIGHT}Z`, fill: this.seats[0].colour });
      part("path", { d: curve.replace("L", "M"), fill: "none", stroke: "#14161a", "stroke-width": 1.5, ...still });
    }
    if (low < 0) part("path", { d: `M0 ${y(0)}H${WIDTH}`, stroke: two ? "#14161a" : "currentColor", "stroke-opacity": .45, ...still });
    if (!two) this.seats.forEach(({ colour }, seat) => {
      const d = this.positions.map(({ values }, step) => `${step ? "L" : "M"}${x(step).toFixed(1)} ${y(values[seat]).toFixed(1)}`);
      // A wide line in the ink below keeps light colours visible.
      part("path", { d: d.join(""), fill: "none", stroke: "currentColor", "stroke-width": 3.4, "stroke-opacity": .55, ...still });
      part("path", { d: d.join(""), fill: "none", stroke: colour, "stroke-width": 2, ...still });
    });
    this.prices.forEach((price, step) => {
      if (!price?.mark) return;
      // On the curve, at the position that the action led to.
      const seat = two ? 0 : this.positions[step].player;
      const d = `M${x(step + 1).toFixed(1)} ${y(this.positions[step + 1].values[seat]).toFixed(1)}h.01`;
      part("path", { d, stroke: "#fff", "stroke-width": 12, "stroke-linecap": "round", ...still });
      part("path", { d, stroke: COLOURS[price.confirmed ? price.grade : "doubt"], "stroke-width": price.confirmed ? 9 : 5, "stroke-linecap": "round", ...still });
    });
    part("path", { d: `M${x(at)} 0V${HEIGHT}`, stroke: "currentColor", "stroke-dasharray": "4 3", ...still });
    svg.setAttribute("aria-label", `${this.words} by step, ${two ? `the area of ${this.seats[0].name} below that of ${this.seats[1].name}` : "one line per player"}`);
    const rows = this.seats.map((seat, i) => {
      const own = this.prices.filter((price, step) => price && this.positions[step].player === i);
      const count = grade => own.filter(price => price.confirmed && price.grade === grade).length;
      const mean = own.length ? own.reduce((sum, price) => sum + price.loss, 0) / own.length : 0;
      const told = [["blunder", "blunders"], ["mistake", "mistakes"], ["inaccuracy", "inaccuracies"]]
        .map(([one, many]) => `${count(one)} ${count(one) === 1 ? one : many}`);
      return `${seat.name}: ${told.join(", ")}; a move ${this.loss(mean)} on average`;
    });
    const going = this.isComplete ? "" : `reviewed ${this.positions.length} of ${this.steps + 1} positions`;
    this.summary.replaceChildren(...[...rows, going].filter(Boolean).map(textContent => make("li", { textContent })));
  }
}
