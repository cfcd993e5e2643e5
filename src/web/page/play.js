// Games with people: the board, the actions, the log.

import { SetupForm, call, draw, faultLine, make, onRoute, onTheme, showError, sleep, theme } from "./common.js";

const main = document.getElementById("play");
const $ = selector => main.querySelector(selector);
const MOST_SHOWN = 200;

let game = null; // What the server said last.
let id = null;
let log = [];
let paused = false;
let run = 0; // Counts up when the bots that were asked to move no longer matter.
let marks = []; // The clickable places of the board.
let chosen = []; // The places that were clicked.
let bottom = 0; // How far down the drawing and all of its places have reached.

const form = new SetupForm($(".setup"), { people: true, begin });

async function begin(setup) {
  const answer = await call("POST", `/api/games?theme=${theme()}`, setup);
  if (id) call("DELETE", `/api/games/${id}`).catch(() => {});
  id = answer.id;
  log = [];
  bottom = 0;
  paused = false;
  $(".stage").hidden = false;
  $(".record").href = `/api/games/${id}/record`;
  show(answer);
  bots();
}

/** Asks for the position, or for a change of it. The whole log again when somebody else looks at it. */
function ask(method, what, body, { whole = false } = {}) {
  const people = game.seats.filter(s => s.bot === null).length;
  const from = whole || people > 1 ? 0 : log.length;
  return call(method, `/api/games/${id}${what}?from=${from}&theme=${theme()}`, body);
}

async function change(what, body = {}, options) {
  run++;
  showError();
  try {
    show(await ask("POST", what, { revision: game.revision, ...body }, options));
  } catch (error) {
    showError(error);
    if (error.status === 409) await refresh();
  }
  bots();
}

async function refresh() {
  if (game) show(await ask("GET", "", undefined, { whole: true }));
}

/** Lets bots move until it is a person's turn. */
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
      // A bot that was asked before still thinks, or the game has moved on.
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
  $(".pause").textContent = paused ? "Go on" : "Pause";
  $(".log").replaceChildren(...log.map(line => make("li", {}, make("b", { textContent: line.player }), line.text)));
  $(".log").scrollTop = $(".log").scrollHeight;
  $(".filter").value = "";
  $(".choose").hidden = !game.person;
  const svg = draw($(".board"), game.svg).querySelector("svg");
  marks = game.places.map(place => markPlace(svg, place));
  makeRoom(svg);
  showActions();
}

function statusLine() {
  if (game.status === "truncated") return `Stopped without a result after ${game.steps} steps.`;
  if (game.status === "terminated") {
    const best = Math.max(...game.returns);
    const winners = game.returns.flatMap((r, i) => r === best ? [i] : []);
    const names = winners.map(i => game.seats[i].name).join(", ");
    return winners.length === game.seats.length ? "The game is drawn." : `Won by ${names}.`;
  }
  const mover = game.seats[game.player];
  return game.person ? `${mover.name}: your turn` : `${mover.name} (${mover.bot}) is to move`;
}

function scoreRow(seat, i) {
  const score = game.scores[i];
  const result = game.returns ? ` (${game.returns[i] > 0 ? "+" : ""}${Number(game.returns[i].toFixed(2))})` : "";
  const row = make("tr", {}, make("td", {}, colourOf(seat), ` ${i}`), make("td", { textContent: seat.bot ?? "human" }),
    make("td", { textContent: score === null ? "hidden" : Number(score.toFixed(2)) + result }));
  row.classList.toggle("now", game.status === "running" && i === game.player);
  return row;
}

const colourOf = seat => {
  const swatch = make("span", { className: "swatch" });
  swatch.style.background = seat.colour;
  return swatch;
};

const pair = ([key, value]) => `${key}=${JSON.stringify(value)}`;

/** What an action mentions, and what a place stands for, as comparable texts. */
const mentions = action => Object.entries(action.move).map(pair);
const refersTo = (action, place) => mentions(action).some(m => place.includes(m));

/** Lays a clickable outline over a part of the drawing. */
function markPlace(svg, { means, outline, after }) {
  const mark = document.createElementNS("http://www.w3.org/2000/svg", "path");
  mark.setAttribute("d", outline);
  mark.classList.add("place");
  mark.place = means.map(pair);
  mark.after = after && pair(after);
  mark.onclick = () => clickPlace(mark.place);
  svg.append(mark);
  return mark;
}

/** Shows what lies below the drawing too, from then on: a board that changes its size is hard to point at. */
function makeRoom(svg) {
  const box = svg.viewBox.baseVal;
  const bottoms = marks.map(mark => mark.getBBox()).map(place => place.y + place.height);
  bottom = Math.max(bottom, box.y + box.height, ...bottoms);
  box.height = bottom - box.y;
}

function remaining() {
  const words = $(".filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  return game.legal.filter(action =>
    words.every(word => action.label.toLowerCase().includes(word))
    && chosen.every(place => refersTo(action, place)));
}

function showActions() {
  const left = remaining();
  const button = action => make("button", {
    type: "button", textContent: action.label, title: `action ${action.action}`, className: left.length === 1 ? "main" : "",
    onclick: () => change("/action", { action: action.action }),
  });
  $(".actions").replaceChildren(...left.slice(0, MOST_SHOWN).map(a => make("li", {}, button(a))));
  const more = left.length - MOST_SHOWN;
  $(".more").textContent = more > 0 ? `and ${more} more: search to narrow them down`
    : `${left.length} of ${game.legal.length} actions`;
  $(".clear").hidden = chosen.length === 0;
  const live = new Set(left.flatMap(mentions));
  for (const mark of marks) {
    const isLive = mark.place.some(m => live.has(m));
    mark.classList.toggle("live", isLive);
    mark.classList.toggle("offered", mark.after !== undefined);
    mark.classList.toggle("absent", Boolean(mark.after) && !(isLive && chosen.some(place => place.includes(mark.after))));
    mark.classList.toggle("chosen", chosen.includes(mark.place));
  }
}

/** Narrows the actions down to those that refer to the place; plays what is left when it is clear. */
function clickPlace(place) {
  if (!game.person) return;
  const again = chosen.includes(place);
  if (!again) chosen.push(place);
  if (remaining().length === 0) {
    // Another beginning.
    chosen = [place];
    if (remaining().length === 0) chosen = [];
  }
  const left = remaining();
  if (left.length === 1 && (again || chosen.length > 1)) change("/action", { action: left[0].action });
  else showActions();
}

$(".filter").oninput = showActions;
$(".filter").onkeydown = event => {
  if (event.key !== "Enter") return;
  const left = remaining();
  const text = event.target.value.trim();
  const exact = game.legal.find(a => a.label === text || String(a.action) === text);
  const action = exact ?? (left.length === 1 ? left[0] : null);
  if (action) change("/action", { action: action.action });
};
$(".clear").onclick = () => { chosen = []; showActions(); };
$(".undo").onclick = () => change("/undo", {}, { whole: true });
$(".pause").onclick = () => {
  paused = !paused;
  $(".pause").textContent = paused ? "Go on" : "Pause";
  bots();
};
onTheme(() => refresh().catch(showError));
onRoute("play",
  (env, query) => env ? form.follow(env, query).catch(showError) : game && bots(),
  () => { run++; });
