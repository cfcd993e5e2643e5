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

/** Clocks of a game of two: the time left of each, in milliseconds, and an increment after every move. */
export class Clocks {
  /** `show(seat, words)` is called for every change, `over(seat)` when a time is over. */
  constructor({ show, over }) {
    Object.assign(this, { show, over, left: null, increment: 0, mover: null, since: 0 });
    setInterval(() => this.tick(), 200);
  }

  /** Sets the clocks to minutes and seconds such as "5+3"; none for an empty text. */
  set(control) {
    const [minutes, increment] = control.split("+").map(Number);
    this.left = control ? [minutes * 60000, minutes * 60000] : null;
    this.increment = (increment || 0) * 1000;
    this.mover = null;
  }

  /** Lets the clock of a seat run, null for none; the seat that has `moved` gets the increment. */
  run(mover, moved = null) {
    if (!this.left) return;
    this.tick();
    if (moved !== null) this.left[moved] += this.increment;
    Object.assign(this, { mover, since: performance.now() });
    this.showAll();
  }

  tick() {
    if (!this.left || this.mover === null) return;
    const now = performance.now();
    this.left[this.mover] -= now - this.since;
    this.since = now;
    const { mover } = this;
    if (this.left[mover] <= 0) {
      this.left[mover] = 0;
      this.mover = null;
      this.over(mover);
    }
    this.showAll();
  }

  showAll() {
    this.left.forEach((left, seat) => {
      const seconds = Math.ceil(left / 1000);
      this.show(seat, `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`);
    });
  }
}

/** What the names of a game mean. */
const MEANINGS = {
  smallworld: {
    Amazons: "4 more tokens for conquests each turn; they go back before the troops are spread.",
    Dwarves: "1 more coin for every mine, in decline too.",
    Elves: "lose no token when a region of theirs is conquered.",
    Ghouls: "all tokens stay in decline, and go on conquering there.",
    Giants: "1 token less for a region beside a mountain that they hold.",
    Halflings: "may begin anywhere; holes keep their first two regions safe.",
    Humans: "1 more coin for every farmland.",
    Orcs: "1 more coin for every region conquered this turn that was not empty.",
    Ratmen: "no gift but their number.",
    Skeletons: "1 more token for every two conquered regions that were not empty.",
    Sorcerers: "once a turn and opponent, replace a lone token beside their regions by one of their own.",
    Tritons: "1 token less for a region beside a sea or a lake.",
    Trolls: "a lair in every region: it costs attackers 1 token more, in decline too.",
    Wizards: "1 more coin for every magic source.",
    Alchemist: "2 more coins every turn.",
    Berserk: "the die is rolled before every conquest, and lowers its price.",
    Bivouacking: "5 encampments: each adds 1 to the defence of its region; placed again every turn.",
    Commando: "1 token less for every region.",
    Diplomat: "after a turn, peace with one opponent that was not attacked.",
    "Dragon Master": "once a turn, a region for a single token; the dragon keeps it safe.",
    Flying: "any region is in reach, not only neighbours.",
    Forest: "1 more coin for every forest.",
    Fortified: "a fortress each turn: 1 more defence, and 1 more coin while active.",
    Heroic: "two heroes keep two regions safe.",
    Hill: "1 more coin for every hill.",
    Merchant: "1 more coin for every region.",
    Mounted: "1 token less for hills and farmlands.",
    Pillaging: "1 more coin for every region conquered this turn that was not empty.",
    Seafaring: "seas and lakes can be conquered, and are kept in decline.",
    Spirit: "in decline it takes no place: another race can be in decline beside it.",
    Stout: "may go into decline at the end of a turn, after its coins.",
    Swamp: "1 more coin for every swamp.",
    Underworld: "1 token less for caverns, and all caverns are neighbours.",
    Wealthy: "7 coins once, after the first turn.",
  },
  starwars_risk: {
    "X-wing": "a ship that hits with 3 or more; as an icon: move a group of them one space, then attack a neighbouring space.",
    "Y-wing": "a ship that hits with 4 or more; as an icon: move a group of them one space, then attack.",
    "B-wing": "a ship that hits with 5 or more; as an icon: move a group of them one space, then attack.",
    Falcon: "moves up to two spaces and attacks with 2 dice, hits with 5 or more; 6 hit points.",
    "TIE": "a ship that hits with 3 or more; with the Executor in play the icon adds 4 of them beside it.",
    Executor: "moves up to two spaces and attacks with 4 dice, hits with 5 or more; 8 hit points.",
    lightsaber: "4 dice in the throne room: every 4 or more takes 1 from the opponent's counter.",
    lightning: "takes 2 from the Rebels' counter in the throne room.",
    hat: "ends the duel if the Empire's counter is 3 or less.",
    shield: "runs along the track on Endor with 5 dice; at its end the Death Star can be attacked.",
    "Death Star": "the Rebels win with one 6 against it; its fire destroys the ships of a space with a 5 or 6 of two dice.",
  },
  empires: {
    land: "conquered for 1 gold; for 25 beside a fort or castle of its owner.",
    farm: "built for 5 gold; 5 gold in every harvest; conquered for 2, or 25 if it is defended.",
    fort: "built for 25 gold; its owner's land and farms beside it cost 25 to conquer; it costs 50 itself.",
    castle: "built for 75 gold; earns like a farm and defends like a fort; costs 100 to conquer. Without castles a player is out.",
    Harvest: "5 gold from every farm and castle.",
  },
};

/** The names with a meaning in a text: pairs of a name and what it means. */
export function meaningsIn(text, env) {
  const words = Object.entries(MEANINGS[env] ?? {});
  return words.filter(([name]) => new RegExp(`(?<![\\w-])${name}(s|ies)?(?![\\w-])`).test(text));
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
