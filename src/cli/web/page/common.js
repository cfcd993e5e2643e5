// Shared by all views of the page: requests, theme, boards, the setup form.

import { request } from "./server.js";

export const theme = () => document.documentElement.dataset.theme;

const themeListeners = [];
export const onTheme = listener => themeListeners.push(listener);

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  for (const listener of themeListeners) listener();
}
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
setTheme(prefersDark.matches ? "dark" : "light");
prefersDark.addEventListener("change", () => setTheme(prefersDark.matches ? "dark" : "light"));
document.getElementById("theme").onclick = () => setTheme(theme() === "dark" ? "light" : "dark");

export function showError(error) {
  const line = document.getElementById("error");
  line.hidden = !error;
  line.textContent = error ? error.message : "";
}

/** Calls the server; throws an error with the server's message and `status` for a 4xx or 5xx answer. */
export async function call(method, path, body) {
  const answer = await request(method, path, body);
  if (answer.status >= 400) throw Object.assign(new Error(answer.body.error), { status: answer.status });
  return answer.body;
}

/** A message about moves lost by bots. */
export const faultLine = ({ count, last }) =>
  count === 0 ? "" : `bots lost ${count} ${count === 1 ? "move" : "moves"}; the last one: ${last}`;

export const sleep = ms => new Promise(done => setTimeout(done, ms));

/** An element with properties and children. */
export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

const BOARD_STYLE = `<style>
  svg { display: block; width: 100%; height: auto; max-height: var(--board-height); margin: auto; }
  .place { fill: transparent; outline: none; stroke: none; }
  .place.live { cursor: pointer; }
  .place.next { stroke: #d96b00; stroke-opacity: .9; stroke-width: 2; stroke-dasharray: 4 3; vector-effect: non-scaling-stroke; }
  .place.live:hover { stroke: #d96b00; stroke-opacity: 1; stroke-width: 3; stroke-dasharray: none; vector-effect: non-scaling-stroke; }
  .place:focus-visible { stroke: #2f62b0; stroke-opacity: 1; stroke-width: 4; stroke-dasharray: none; vector-effect: non-scaling-stroke; }
  .quiet .place.next, .advised .place.next { stroke: none; }
  .place.absent { display: none; }
  .place.chosen { stroke: #d96b00; stroke-opacity: 1; stroke-width: 4; stroke-dasharray: none; vector-effect: non-scaling-stroke; }
  .target { pointer-events: none; fill: #d96b00; fill-opacity: .85; stroke: #fff; stroke-width: 1; }
  .target.taken { fill: none; stroke: #d96b00; stroke-width: 3; }
  .preview { pointer-events: none; fill: #ff9d00; fill-opacity: .55; stroke: #a85400; stroke-width: 1.5; }
  .preview.fits { fill-opacity: .8; stroke: #14161a; stroke-width: 2; }
  .preview.misfits { fill: #8a8a8a; fill-opacity: .45; stroke: #c22f2f; stroke-dasharray: 5 4; }
  .place.pointed { stroke: #d96b00; stroke-opacity: 1; stroke-width: 4; stroke-dasharray: none; vector-effect: non-scaling-stroke; }
  .advice { pointer-events: none; }
  .dragged { pointer-events: none; opacity: .85; }
</style>`;

/** Shows a drawing isolated from the page's styles; returns its shadow root. */
export function draw(host, svg) {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  root.innerHTML = BOARD_STYLE + svg;
  // The drawing fills the available space instead of using its own size.
  const drawing = root.querySelector("svg");
  drawing.removeAttribute("width");
  drawing.removeAttribute("height");
  // What a drawing has beside its view box would show where the element is wider than the drawing.
  const { width, height } = drawing.viewBox.baseVal;
  drawing.style.maxWidth = `calc(var(--board-height) * ${(width / height).toFixed(4)})`;
  // A picture would hide the places on it from screen readers.
  drawing.setAttribute("role", "group");
  return root;
}

/**
 * Parses the address: `#play/chess?seed=1&seats=human,random&flags=a,b` starts a game with these settings;
 * with `id=...` it is an existing game of the server.
 */
export function route() {
  const at = location.hash.indexOf("?");
  const [path, query] = at < 0 ? [location.hash.slice(1), ""] : [location.hash.slice(1, at), location.hash.slice(at + 1)];
  const [view, env] = path.split("/");
  const known = ["watch", "live"].includes(view) ? view : "play";
  return { view: known, env, fresh: view === "new", query: new URLSearchParams(query) };
}

/** A name such as SmallWorld as words. */
export const inWords = name => name.replace(/([a-z])([A-Z])/g, "$1 $2");

/**
 * The form that starts a game or a batch. `begin(setup)` starts one and returns its id; `resume(id)` shows an
 * existing one; `mayLeave()` returns false to keep the one on the screen.
 */
export class SetupForm {
  constructor(details, { people, begin, resume, mayLeave = () => true }) {
    Object.assign(this, { details, people, begin, resume, mayLeave, seats: [], bots: [], shown: null });
    this.env = make("select", { onchange: () => this.choose(this.env.value), ariaLabel: "game" });
    this.about = make("small");
    this.rules = make("details", { className: "rules" });
    this.options = make("div", { className: "options", onchange: () => this.check() });
    this.seatRow = make("div", { className: "row" });
    this.seed = make("input", { type: "number", min: 0, max: Number.MAX_SAFE_INTEGER, placeholder: "random" });
    this.games = make("input", { type: "number", min: 1, max: 64, value: 16 });
    this.problem = make("p", { className: "problem" });
    this.start = make("button", { className: "main", textContent: "Begin" });
    const row = make("div", { className: "row" }, make("label", {}, "seed ", this.seed));
    if (!people) row.append(make("label", {}, "games ", this.games));
    row.append(this.start);
    const form = make("form", { onsubmit: event => { event.preventDefault(); this.submit(); } },
      make("div", {}, this.env, " ", this.about), this.rules, this.seatRow,
      make("details", {}, make("summary", { textContent: "Options" }), this.options), row, this.problem);
    details.append(form);
    this.ready = this.load();
  }

  async load() {
    this.environments = await call("GET", "/api/environments");
    this.env.append(...this.environments.map(e => make("option", { value: e.id, textContent: inWords(e.name) })));
    await this.choose(this.environments[0].id);
  }

  /** Shows the options of an environment, with the given values. */
  async choose(id, given = new URLSearchParams()) {
    const environment = this.environments.find(e => e.id === id);
    if (!environment) throw new Error(`there is no environment ${id}`);
    this.env.value = id;
    this.about.textContent = environment.summary;
    this.showRules(environment);
    this.fields = environment.options.map(option => field(option, given.get(option.name)));
    this.options.replaceChildren(...this.fields.map(f => f.element));
    await this.check(given.get("seats")?.split(",") ?? [], given.get("names")?.split(","));
  }

  showRules({ rules, rules_link: link }) {
    this.rules.hidden = !rules;
    const more = link ? [" ", make("a", { href: link, target: "_blank", rel: "noreferrer", textContent: "more" })] : [];
    this.rules.replaceChildren(make("summary", { textContent: "Rules in short" }), make("p", {}, rules, ...more));
  }

  optionValues() {
    const set = this.fields.map(f => [f.name, f.read()]).filter(([, value]) => value !== undefined);
    return Object.fromEntries(set);
  }

  /** Validates the options on the server, and shows one input per seat of the resulting game. */
  async check(players, names) {
    const rules = { env: this.env.value, options: this.optionValues() };
    const wanted = this.asked = JSON.stringify(rules);
    try {
      const { seats, bots, levels } = await call("POST", "/api/rules", rules);
      if (wanted !== this.asked) return;
      this.problem.textContent = "";
      const before = players ?? this.seats.map(s => s.read());
      const called = names ?? this.seats.map(s => s.name());
      this.seats = seats.map((title, i) => seat(i, title, { bots, levels, people: this.people }, before[i], called[i]));
      this.seatRow.replaceChildren(...this.seats.map(s => s.element));
    } catch (error) {
      this.problem.textContent = error.message;
    }
  }

  /** Follows the address: shows an existing game, or fills the form and starts one. */
  async follow(env, query) {
    await this.ready;
    const id = query.get("id");
    if (id !== null && id === this.shown) return;
    await this.choose(env, query);
    this.seed.value = query.get("seed") ?? "";
    if (query.has("games")) this.games.value = query.get("games");
    const actions = readActions(query.get("actions"));
    if (id === null) return this.submit({ replace: true, actions });
    showError();
    this.shown = id;
    try {
      await this.resume(id, query);
      this.details.open = false;
    } catch (error) {
      this.shown = null;
      if (error.status !== 404) throw error;
      // The server has forgotten the game: the address begins it again, and plays its actions.
      if (!query.has("seed")) throw new Error(`${error.message}. Its address has no seed: load its record instead`);
      await this.submit({ replace: true, actions });
    }
  }

  /** Starts a game or batch with the settings of the form. */
  async submit({ replace = false, actions = [] } = {}) {
    await this.ready;
    if (!this.mayLeave()) return;
    const names = this.seats.map(s => s.name());
    const setup = {
      env: this.env.value,
      options: this.optionValues(),
      seats: this.seats.map(s => s.read()),
      seed: this.seed.value === "" ? newSeed() : Number(this.seed.value),
    };
    if (this.people && names.some(Boolean)) setup.names = names;
    if (this.people && actions.length) setup.actions = actions;
    if (!this.people) setup.games = Number(this.games.value);
    await this.launch(setup, { replace });
  }

  /** Starts a game or batch, and sets the address to it. */
  async launch(setup, { replace = false } = {}) {
    showError();
    try {
      this.shown = await this.begin(setup);
      this.details.open = false;
      history[replace ? "replaceState" : "pushState"](null, "", addressOf(setup, this.shown));
    } catch (error) {
      showError(error);
    }
  }
}

export const newSeed = () => crypto.getRandomValues(new Uint32Array(1))[0];

/** The address of a game or batch: its settings, its id, and its actions so far. */
export function addressOf(setup, id, actions = setup.actions ?? []) {
  const query = new URLSearchParams({ id, seed: setup.seed, seats: setup.seats, ...setup.options });
  if (setup.names) query.set("names", setup.names);
  if (setup.games) query.set("games", setup.games);
  if (actions.length) query.set("actions", actions.map(action => action.toString(36)).join("."));
  return `#${route().view}/${setup.env}?${String(query).replaceAll("%2C", ",")}`;
}

const readActions = text => text ? text.split(".").map(action => parseInt(action, 36)) : [];

/** The input of one option; `read()` returns undefined for the default. */
function field(option, given) {
  const { name, type } = option;
  const standard = option.default;
  const title = make("span", { textContent: name });
  const help = make("small", { textContent: option.help });
  let input, read;
  if (type === "bool") {
    input = make("input", { type: "checkbox", checked: given ? given === "true" : standard });
    read = () => input.checked === standard ? undefined : input.checked;
  } else if (type === "choice") {
    input = make("select", {}, ...option.values.map(value => make("option", { value, textContent: value })));
    input.value = given ?? standard;
    read = () => input.value === standard ? undefined : input.value;
  } else if (type === "flags") {
    const on = given ? given.split(",") : standard;
    const boxes = option.values.map(value => make("input", { type: "checkbox", value, checked: on.includes(value) }));
    input = make("div", { className: "flags" }, ...boxes.map(box => make("label", {}, box, " ", box.value)));
    read = () => {
      const chosen = boxes.filter(box => box.checked).map(box => box.value);
      return chosen.join() === standard.join() ? undefined : chosen;
    };
  } else {
    const number = type === "int";
    input = make("input", { type: number ? "number" : "text", placeholder: standard ?? "none", value: given ?? "" });
    if (number) Object.assign(input, { min: option.min, max: option.max, step: 1 });
    read = () => input.value === "" ? undefined : number ? Number(input.value) : input.value;
  }
  return { name, read, element: make(type === "flags" ? "div" : "label", { className: "option" }, title, input, help) };
}

/** The level of opponents without a choice: the middle one. */
export const usual = levels => levels[(levels.length - 1) >> 1];

/** The inputs of a seat: a person, a listed bot or the text of another one, and the name of the player. */
function seat(index, title, { bots, levels, people }, before, called) {
  const other = "other";
  const ranked = levels.map(level => [level.player, level.help, `${level.name} (${level.player})`]);
  const others = bots.filter(b => levels.every(level => level.player !== b.name)).map(b => [b.name, b.help, b.name]);
  const choices = [...(people ? [["human", "you", "human"]] : []), ...ranked, ...others];
  const option = ([value, title, textContent]) => make("option", { value, title, textContent });
  const select = make("select", { ariaLabel: `player of ${title}` }, ...choices.map(option),
    make("option", { value: other, textContent: "other bot..." }));
  const text = make("input", { placeholder: "bot", size: 14, ariaLabel: `bot for ${title}` });
  const name = make("input", {
    placeholder: "name", size: 10, maxLength: 60, value: called ?? "", ariaLabel: `name for ${title}`, hidden: !people,
  });
  name.oninput = () => { name.value = name.value.replaceAll(",", ""); };
  const show = () => { text.hidden = select.value !== other; };
  const wanted = before ?? (people && index === 0 ? "human" : usual(levels).player);
  select.value = choices.some(([value]) => value === wanted) ? wanted : other;
  if (select.value === other) text.value = wanted;
  select.onchange = show;
  show();
  return {
    read: () => select.value === other ? text.value.trim() : select.value,
    name: () => name.value.trim(),
    element: make("label", { className: "seat" }, make("span", { textContent: title }), select, " ", text, " ", name),
  };
}

/** Shows the view of the address, and calls `enter` or `leave`. */
export function onRoute(view, enter, leave) {
  const follow = () => {
    const { view: now, env, query, fresh } = route();
    document.getElementById(view).hidden = now !== view;
    for (const link of document.querySelectorAll("nav a")) {
      const isNow = link.hash === `#${now}`;
      link.classList.toggle("now", isNow);
      if (isNow) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
    }
    if (now === view) enter(env, query, fresh); else leave();
  };
  addEventListener("hashchange", follow);
  follow();
}
