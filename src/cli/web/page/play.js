// Games with people: the board, the actions, the log.

import { SetupForm, call, draw, faultLine, inWords, make, onRoute, onTheme, showError, sleep, theme } from "./common.js";

const main = document.getElementById("play");
const $ = selector => main.querySelector(selector);
const MOST_SHOWN = 200;

let game = null; // The last answer of the server.
let id = null;
let log = [];
let paused = false;
let run = 0; // Incremented to make pending requests for bot moves obsolete.
let marks = []; // The clickable places of the board.
let chosen = []; // The clicked places.
let placed = new Set(); // The keys of all places, as comparable strings.
let bottom = 0; // Lowest coordinate of the drawing and its places so far.
let focus = null; // Finds the element to focus after the next drawing; null if there is none.

const form = new SetupForm($(".setup"), { people: true, begin, resume, mayLeave });

async function begin(setup) {
  const answer = await call("POST", `/api/games?theme=${theme()}`, setup);
  open(answer.id, answer);
  return answer.id;
}

async function resume(known) {
  open(known, await call("GET", `/api/games/${known}?theme=${theme()}`));
}

function open(known, answer) {
  id = known;
  log = [];
  bottom = 0;
  focus = null;
  paused = false;
  $(".adviser").value = "";
  $(".stage").hidden = false;
  $(".record").href = `/api/games/${id}/record`;
  show(answer);
  bots();
}

/** True if a person has moved in an unfinished game. */
const inPlay = () => game?.status === "running" && log.some(line => game.seats[line.player].bot === null);

function mayLeave() {
  return !inPlay() || confirm("The current game is not finished. Start a new one? The Back button returns to this one.");
}
addEventListener("beforeunload", event => { if (inPlay() && !main.hidden) event.preventDefault(); });

/** Requests the position or a change of it; with several people in the game, the whole log each time. */
function ask(method, what, body, { whole = false } = {}) {
  const people = game.seats.filter(s => s.bot === null).length;
  const from = whole || people > 1 ? 0 : log.length;
  return call(method, `/api/games/${id}${what}?from=${from}&theme=${theme()}`, body);
}

async function change(what, body = {}, options) {
  run++;
  focus = focused();
  showError();
  try {
    show(await ask("POST", what, { revision: game.revision, ...body }, options));
  } catch (error) {
    const before = game.revision;
    if (error.status === 409) await refresh();
    showError(game.revision === before ? error : new Error("the game has changed, perhaps in another tab: this is its current position"));
  }
  bots();
}

async function refresh() {
  if (game) show(await ask("GET", "", undefined, { whole: true }));
}

/** Refreshes when the tab becomes visible: the game may have continued in another one. */
document.addEventListener("visibilitychange", async () => {
  if (document.hidden || main.hidden || !game?.person) return;
  const asked = id;
  try {
    const answer = await ask("GET", "", undefined, { whole: true });
    if (asked !== id || answer.revision === game.revision) return;
    show(answer);
    bots();
  } catch (error) {
    showError(error);
  }
});

/** Requests bot moves until a person is the current player. */
async function bots() {
  const mine = ++run;
  while (true) {
    const goesOn = () => run === mine && !main.hidden && !paused && game.status === "running" && !game.person;
    if (!goesOn()) return;
    await sleep(Number($(".delay").value));
    if (!goesOn()) return;
    try {
      const answer = await ask("POST", "/bot", { revision: game.revision });
      if (run !== mine) return;
      show(answer);
    } catch (error) {
      if (run !== mine) return;
      if (error.status !== 409) return showError(error);
      // An earlier bot request is still running, or the game has changed.
      await sleep(500);
      await refresh().catch(showError);
    }
  }
}

function show(answer) {
  game = answer;
  chosen = [];
  log = [...log.slice(0, game.log.from), ...game.log.lines];
  $(".status").textContent = statusLine();
  $(".faults").textContent = faultLine(game.faults);
  $(".scores").replaceChildren(...game.seats.map(scoreRow));
  $(".undo").disabled = game.steps === 0;
  $(".pause").hidden = game.status !== "running" || game.seats.every(s => s.bot === null);
  $(".pause").textContent = paused ? "Resume" : "Pause";
  $(".log").replaceChildren(...log.map(line => make("li", {}, make("b", { textContent: game.seats[line.player].name }), line.text)));
  $(".log").scrollTop = $(".log").scrollHeight;
  $(".filter").value = "";
  $(".choose").hidden = !game.person;
  $(".said").hidden = true;
  $(".advice").hidden = game.status !== "running" || !(game.person || game.viewer === null);
  $("#advisers").replaceChildren(...game.advisers.map(value => make("option", { value })));
  $(".adviser").value ||= game.advisers[0];
  const held = focus ?? focused();
  makeRoom(paint(game.svg));
  showActions();
  giveFocus(held);
  document.title = `${game.person ? "Your turn: " : ""}${envName()} - Ludovec`;
}

/** Draws the board with its places. */
function paint(drawing) {
  const svg = draw($(".board"), drawing).querySelector("svg");
  marks = game.places.map(place => markPlace(svg, place));
  placed = new Set(marks.flatMap(mark => mark.place));
  return svg;
}

/** Requests an analysis of the position and shows it in words and over the board. */
async function hint() {
  if ($(".advice").hidden || $(".hint").disabled) return;
  const { revision } = game;
  $(".hint").disabled = true;
  showError();
  try {
    const player = $(".adviser").value.trim();
    const answer = await call("POST", `/api/games/${id}/analysis?theme=${theme()}`, { player, revision });
    if (answer.revision === game.revision) advise(answer);
  } catch (error) {
    showError(error);
  } finally {
    $(".hint").disabled = false;
  }
}

function advise({ best, values, forecast, svg }) {
  const held = focused();
  // The class removes the highlight of places under a hint.
  paint(svg).classList.add("advised");
  showActions();
  held?.()?.focus();
  const button = ({ action, label, words, share }) => make("button", {
    type: "button", title: `${label}, action ${action}`, disabled: !game.person, onclick: () => change("/action", { action }),
  }, make("b", { textContent: `${Math.round(100 * share)} %` }), words);
  $(".best").replaceChildren(...best.map(action => make("li", {}, button(action))));
  const expected = values.map((value, i) => `${game.seats[i].name} ${brief(value)}`).join(", ");
  $(".expected").textContent = `expected: ${expected} (${forecast})`;
  $(".said").hidden = false;
}

const envName = () => inWords(form.environments?.find(e => e.id === game.env)?.name ?? game.env);

/** A function that finds the focused element in the next drawing; null if none of ours has the focus. */
function focused() {
  const mark = $(".board").shadowRoot?.activeElement;
  if (mark?.place) {
    const place = mark.place.join();
    const shown = () => marks.filter(m => m.classList.contains("live") && !m.classList.contains("absent"));
    return () => shown().find(m => m.place.join() === place) ?? shown()[0];
  }
  const active = document.activeElement;
  if (active?.closest(".actions")) {
    const label = active.textContent;
    return () => [...$(".actions").querySelectorAll("button")].find(b => b.textContent === label)
      ?? $(".actions button");
  }
  return null;
}

/** Restores the focus once a person is the current player again. */
function giveFocus(held) {
  focus = held;
  if (!held || !(game.person || game.status !== "running")) return;
  focus = null;
  const lost = document.activeElement === document.body || document.activeElement === $(".board");
  if (lost) held()?.focus();
}

const brief = number => String(Number(number.toFixed(2)));

function statusLine() {
  if (game.result) return `${game.result[0].toUpperCase()}${game.result.slice(1)}.`;
  const mover = game.seats[game.player];
  return game.person ? `${mover.name}: your turn` : `${mover.name} (${mover.bot}) is to move`;
}

function scoreRow(seat, i) {
  const score = game.scores[i];
  const outcome = game.returns ? ` (${game.returns[i] > 0 ? "+" : ""}${brief(game.returns[i])})` : "";
  const row = make("tr", {}, make("td", {}, colourOf(seat), ` ${seat.name}`),
    make("td", { textContent: seat.bot ?? "you" }),
    make("td", { textContent: score === null ? "hidden" : brief(score) + outcome }));
  row.classList.toggle("now", game.status === "running" && i === game.player);
  return row;
}

const colourOf = seat => {
  const swatch = make("span", { className: "swatch" });
  swatch.style.background = seat.colour;
  return swatch;
};

const pair = ([key, value]) => `${key}=${JSON.stringify(value)}`;

/** The keys of an action, and whether it refers to a place, as comparable strings. */
const mentions = action => Object.entries(action.move).map(pair);
const refersTo = (action, place) => mentions(action).some(m => place.includes(m));

/** Adds a clickable outline over a part of the drawing. */
function markPlace(svg, { means, outline, after }) {
  const mark = document.createElementNS("http://www.w3.org/2000/svg", "path");
  mark.setAttribute("d", outline);
  mark.classList.add("place");
  mark.place = means.map(pair);
  mark.after = after && pair(after);
  mark.onclick = () => clickPlace(mark.place);
  mark.onkeydown = event => pressPlace(mark, event);
  mark.setAttribute("role", "button");
  svg.append(mark);
  return mark;
}

const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Enter and Space select a place, arrows move to the nearest one, Escape clears the selection. */
function pressPlace(mark, event) {
  const way = WAYS[event.key];
  if (way) nearest(mark, way)?.focus();
  else if (event.key === "Enter" || event.key === " ") mark.onclick();
  else if (event.key === "Escape") $(".clear").onclick();
  else return;
  event.preventDefault();
}

function middle(mark) {
  const box = mark.getBBox();
  return [box.x + box.width / 2, box.y + box.height / 2];
}

/** The nearest selectable place in a direction; sideways distance counts double. */
function nearest(mark, [dx, dy]) {
  const [x, y] = middle(mark);
  let [best, least] = [null, Infinity];
  for (const other of marks) {
    if (other === mark || !other.classList.contains("live") || other.classList.contains("absent")) continue;
    const [ox, oy] = middle(other);
    const along = (ox - x) * dx + (oy - y) * dy, aside = Math.abs((ox - x) * dy) + Math.abs((oy - y) * dx);
    if (along > 0 && along + 2 * aside < least) [best, least] = [other, along + 2 * aside];
  }
  return best;
}

/** Extends the drawing to places below it, and never shrinks it: a board of changing size is hard to click. */
function makeRoom(svg) {
  const box = svg.viewBox.baseVal;
  const bottoms = marks.map(mark => mark.getBBox()).map(place => place.y + place.height);
  bottom = Math.max(bottom, box.y + box.height, ...bottoms);
  box.height = bottom - box.y;
}

function remaining() {
  const words = $(".filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  return game.legal.filter(action =>
    words.every(word => action.words.toLowerCase().includes(word) || action.label.toLowerCase().includes(word))
    && chosen.every(place => refersTo(action, place)));
}

/** The places that an action refers to and that are not selected yet. */
const missing = action => mentions(action).filter(m => placed.has(m) && !chosen.some(place => place.includes(m)));

function showActions() {
  const left = remaining();
  const button = action => make("button", {
    type: "button", textContent: action.words, title: `${action.label}, action ${action.action}`, className: left.length === 1 ? "main" : "",
    onclick: () => change("/action", { action: action.action }),
  });
  $(".actions").replaceChildren(...left.slice(0, MOST_SHOWN).map(a => make("li", {}, button(a))));
  const more = left.length - MOST_SHOWN;
  $(".more").textContent = more > 0 ? `and ${more} more: search to narrow them down`
    : `${left.length} of ${game.legal.length} actions`;
  $(".clear").hidden = chosen.length === 0;
  const live = new Set(left.flatMap(mentions));
  // The next places to select: the first missing one of each action.
  const next = new Set(left.flatMap(action => missing(action).slice(0, 1)));
  const byMention = new Map([...live].map(m => [m, []]));
  for (const action of left) for (const m of mentions(action)) byMention.get(m).push(action);
  for (const mark of marks) {
    const isLive = mark.place.some(m => live.has(m));
    const actions = [...new Set(mark.place.flatMap(m => byMention.get(m) ?? []))];
    mark.classList.toggle("live", isLive);
    mark.classList.toggle("next", mark.place.some(m => next.has(m)));
    mark.setAttribute("tabindex", isLive ? 0 : -1);
    mark.setAttribute("aria-label", actions.length === 1 ? actions[0].words
      : `${mark.place[0].replaceAll('"', "").replace("=", " ")}: ${actions.length} actions`);
    mark.setAttribute("aria-disabled", !isLive);
    mark.classList.toggle("offered", mark.after !== undefined);
    mark.classList.toggle("absent", Boolean(mark.after) && !(isLive && chosen.some(place => place.includes(mark.after))));
    mark.classList.toggle("chosen", chosen.includes(mark.place));
  }
}

/** Filters the actions by a place; plays the action if only one is left and its places are selected. */
function clickPlace(place) {
  if (!game.person) return;
  const again = chosen.includes(place);
  if (!again) chosen.push(place);
  if (remaining().length === 0) {
    // Start a new selection.
    chosen = [place];
    if (remaining().length === 0) chosen = [];
  }
  const left = remaining();
  const clear = left.length === 1 && (again || chosen.length > 1 || missing(left[0]).length === 0);
  if (clear) change("/action", { action: left[0].action });
  else showActions();
}

$(".filter").oninput = showActions;
$(".filter").onkeydown = event => {
  if (event.key !== "Enter") return;
  const left = remaining();
  const text = event.target.value.trim();
  const exact = game.legal.find(a => a.label === text || a.words === text || String(a.action) === text);
  const action = exact ?? (left.length === 1 ? left[0] : null);
  if (action) change("/action", { action: action.action });
};
$(".hint").onclick = hint;
addEventListener("keydown", event => {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (event.key === "h" && !typing && !main.hidden && !event.ctrlKey && !event.metaKey && !event.altKey) hint();
});
$(".clear").onclick = () => { chosen = []; showActions(); };
$(".undo").onclick = () => change("/undo", {}, { whole: true });
$(".pause").onclick = () => {
  paused = !paused;
  $(".pause").textContent = paused ? "Resume" : "Pause";
  bots();
};
onTheme(() => refresh().catch(showError));
onRoute("play",
  (env, query) => {
    document.title = game ? document.title : "Ludovec";
    return env ? form.follow(env, query).then(() => game && bots()).catch(showError) : game && bots();
  },
  () => { run++; document.title = "Ludovec"; });
