// Games with people: the board, the actions, the log, the positions before.

import { packed, stepOf, textOf, withText } from "./address.js";
import { Board, mentions, narrow, refersTo } from "./board.js";
import { shares } from "./server.js";
import { SetupForm, call, faultLine, inWords, make, onRoute, onTheme, route, showError, sleep, theme } from "./common.js";
import { Curtain } from "./curtain.js";
import { Home } from "./home.js";
import { Clocks, Panels, fitOutline, meaningsIn, outlineOf } from "./panels.js";
import { Review } from "./review.js";
import { brief, inGameWords, isElsewhere, kindOf, material, prices, scoreRow, statusLine } from "./standing.js";

const main = document.getElementById("play");
const $ = selector => main.querySelector(selector);
const MOST_SHOWN = 200;
/** Milliseconds between two looks at a game in which a person at another screen is to move. */
const LISTENS_EVERY = 500;
/** Most actions in the chooser on the board, for example promotions. */
const MOST_CHOICES = 8;
/** Most actions of a hint on the board, and in the list before the others are asked for. */
const MOST_ADVISED = 5;

let game = null; // The last answer of the server, for the current position.
let id = null;
let log = [];
let paused = false;
let skipping = false;
let busy = false; // Whether a move is on its way.
let run = 0; // Incremented to make pending requests for bot moves obsolete.
let loaded = null; // The number of steps of the text in the address.
let at = null; // The position shown instead of the current one: the number of steps before it.
let flipped = false;
let chosen = []; // The clicked places.
let lastLength = 0; // The length of the log at the last drawing.
let ended = null; // The end of a game that the rules do not end, such as a resignation: words, and a result for PGN.
let focus = null; // Finds the element to focus after the next drawing; null if there is none.

const board = new Board($(".board"), {
  click: clickPlace,
  clear: () => $(".clear").onclick(),
  play: action => action ? play(action) : say("it does not fit here: R turns it, F flips it, Escape puts it back"),
  zoomed: () => {
    $(".zoom").hidden = !(narrow.matches && (board.legible > 1 || board.zoom > 1));
    $(".zoom").textContent = board.zoom > 1 ? "Whole board" : "Enlarge";
    placeBar();
  },
  choose: (piece, orientation) => { chosen = [...piece, orientation]; say(""); showActions(); },
});
const panels = new Panels($(".beside"), $(".far"), { click: clickPlace });
const curtain = new Curtain($(".curtain"), $(".stage"));
const review = new Review($(".review"), { seek: step => seek(step) });
const form = new SetupForm($(".setup"), { people: true, begin, resume, mayLeave });
const clocks = new Clocks({
  show: (seat, words) => { const cell = $(`.scores tr:nth-child(${seat + 1}) .time`); if (cell) cell.textContent = words; },
  over: seat => end(`${game.seats[seat].name}'s time is over: ${game.seats[1 - seat].name} wins`, 1 - seat),
});
const home = new Home($(".home"), { form, load });

async function begin(setup) {
  const answer = await call("POST", `/api/games?${view()}`, setup);
  await open(answer.id, answer);
  return answer.id;
}

async function resume(known) {
  const answer = await call("GET", `/api/games/${known}?${view()}`);
  loaded = answer.steps;
  await open(known, answer);
}

/** Opens the game of a text: a record, or a game of another program. A finished game begins at its first position. */
async function load(text, { step = null, replace = false } = {}) {
  if (!mayLeave()) return;
  const answer = await call("POST", `/api/load?${view()}`, { text });
  const query = new URLSearchParams({ id: answer.id, ...await withText(text.trim()) });
  form.shown = answer.id;
  history[replace ? "replaceState" : "pushState"](null, "", `#play/${answer.env}?${query}`);
  loaded = answer.steps;
  await open(answer.id, answer);
  if (step !== null) await seek(step);
  else if (game.status !== "running") await seek(0);
}

async function open(known, answer) {
  run++;
  id = known;
  log = [];
  at = null;
  focus = null;
  ended = null;
  paused = skipping = busy = false;
  curtain.reset();
  board.reset();
  board.arrows = answer.sides ? [] : null;
  $(".clock").value = sessionStorage.getItem("clock") ?? "";
  clocks.set(answer.env === "chess" && !answer.shared ? $(".clock").value : "");
  review.reset();
  $(".adviser").value = "";
  $(".record").href = `/api/games/${id}/record`;
  // The only person at the screen sits below.
  const people = answer.seats.flatMap(({ bot }, seat) => bot === null ? [seat] : []);
  flipped = answer.sides && people.length === 1 && people[0] === 1;
  stage(true);
  await show(flipped ? await call("GET", `/api/games/${id}?${view()}`) : answer);
  // The form sets the address after the game has begun.
  setTimeout(() => remember().catch(showError));
  bots();
}

/** Shows the game, or the first screen. */
function stage(playing) {
  $(".home").hidden = playing;
  $(".stage").hidden = !playing;
  if (!playing) $(".curtain").hidden = true;
}

/** True if a person has moved in an unfinished game. */
const inPlay = () => game?.status === "running" && log.some(line => game.seats[line.player].bot === null);

function mayLeave() {
  return !inPlay() || confirm("The current game is not finished. Start a new one? The Back button returns to this one.");
}

/** Keeps the actions of the game in the address, so that it can be shared and begun again. */
async function remember() {
  const shown = id;
  const { env, query } = route();
  if (!env || query.get("id") !== id) return;
  query.delete("at");
  if (game.shared) {
    // The address has the secret id alone: it neither tells the seed nor begins another game.
    for (const key of [...query.keys()]) if (key !== "id") query.delete(key);
  } else if (query.has("seed")) {
    const actions = log.map(line => line.action.toString(36)).join(".");
    if (actions) query.set("actions", actions); else query.delete("actions");
  } else if (loaded !== game.steps) {
    // The game of a text has gone on: its record replaces the text.
    const { steps } = game;
    const { text } = await call("GET", `/api/games/${id}/record/text`);
    query.delete("text");
    query.set("packed", await packed(text));
    if (shown !== id || game.steps !== steps) return;
    loaded = steps;
  }
  const address = `#play/${env}?${String(query).replaceAll("%2C", ",")}`;
  if (address !== location.hash) history.replaceState(history.state, "", address);
  try {
    sessionStorage.setItem("game", location.hash);
  } catch { /* Without storage, a reload of "#play" shows the first screen. */ }
}

const people = () => game.seats.filter(s => s.bot === null).length;
const view = () => `theme=${theme()}${flipped ? "&flipped=true" : ""}${narrow.matches ? "&narrow=true" : ""}`;

/** Draws a position: on a small screen the board alone, with the rest as text. */
function showBoard(svg, places, beside) {
  const alone = narrow.matches ? beside : null;
  panels.show(alone?.panels ?? [], game.seats, new Set(game.legal.flatMap(mentions)));
  board.show(svg, places, alone?.board, at === null && places.length ? panels.rows : [], at !== null);
}

/** Requests the position or a change of it; with several people in the game, the whole log each time. */
function ask(method, what, body, { whole = false } = {}) {
  const from = whole || people() > 1 ? 0 : log.length;
  return call(method, `/api/games/${id}${what}?from=${from}&${view()}`, body);
}

async function change(what, body = {}, options) {
  // The second click of a double click arrives while the move is on its way.
  if (busy) return;
  busy = true;
  run++;
  at = null;
  focus = focused();
  showError();
  say("");
  try {
    await show(await ask("POST", what, { revision: game.revision, ...body }, options));
  } catch (error) {
    const before = game.revision;
    if (error.status === 409) await refresh().catch(() => {});
    showError(game.revision === before ? error : new Error("the game has changed, perhaps in another tab: this is its current position"));
  } finally {
    busy = false;
  }
  bots();
}

async function refresh() {
  if (game) await show(await ask("GET", "", undefined, { whole: true }));
}

/** Refreshes when the tab becomes visible: the game may have continued in another one. */
document.addEventListener("visibilitychange", async () => {
  if (document.hidden || main.hidden || !game?.person) return;
  const asked = id;
  try {
    const answer = await ask("GET", "", undefined, { whole: true });
    if (asked !== id || answer.revision === game.revision) return;
    await show(answer);
    bots();
  } catch (error) {
    showError(error);
  }
});

/** Requests bot moves until a person is the current player. */
async function bots() {
  const mine = ++run;
  const goesOn = () => run === mine && !main.hidden && !paused && !ended && at === null && game?.status === "running" && !game.person;
  while (true) {
    if (!goesOn()) break;
    if (isElsewhere(game.seats[game.player])) {
      await sleep(LISTENS_EVERY);
      if (goesOn()) await listen();
      continue;
    }
    await sleep(skipping ? 0 : Number($(".delay").value));
    if (!goesOn()) break;
    const clock = startClock();
    try {
      const answer = await ask("POST", "/bot", { revision: game.revision });
      if (run !== mine) return;
      await show(answer);
    } catch (error) {
      if (run !== mine) return;
      if (error.status !== 409) return showError(error);
      // An earlier bot request is still running, or the game has changed.
      await sleep(500);
      await refresh().catch(showError);
    } finally {
      clearInterval(clock);
    }
  }
  if (run === mine) skipping = false;
}

/** Shows the game again if a person at another screen has moved. */
async function listen() {
  const asked = id;
  try {
    const { revision } = await call("GET", `/api/games/${asked}/revision`);
    showError();
    if (asked === id && revision !== game.revision) await refresh();
  } catch (error) {
    // The server may be back in a moment.
    showError(error);
    if (error.status === 404) paused = true;
  }
}

/** Gives a seat to a person at another screen, and copies the address of the game there. */
async function invite() {
  showError();
  try {
    const own = game.person ? game.player : game.seats.findIndex(seat => seat.bot === null);
    const seat = invitable(own);
    if (game.seats[seat].bot !== null) {
      // A person takes the place of the bot.
      const seats = game.seats.map(({ bot }, i) => i === seat ? "human" : bot ?? "human");
      await show(await ask("POST", "/fork", { revision: game.revision, at: game.steps, seats }, { whole: true }));
    }
    const answer = await ask("POST", "/invite", { revision: game.revision, seat }, { whole: true });
    await show(answer);
    bots();
    const address = new URL(`#play/${game.env}?id=${answer.invited}`, location.href).href;
    const name = game.seats[seat].name;
    const where = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname)
      ? "; other machines reach the server that `ludovec web --host 0.0.0.0` starts" : "";
    try {
      await navigator.clipboard.writeText(address);
      say(`the secret address for ${name} is copied: send it to the person who plays there${where}`);
    } catch {
      say(`the secret address for ${name} is ${address}${where}`);
    }
  } catch (error) {
    showError(error);
  }
}

/** The seat to give to a person elsewhere: another person at this screen, or else a bot; -1 if there is none. */
function invitable(own) {
  const others = game.seats.map((seat, i) => ({ ...seat, i })).filter(({ i }) => i !== own);
  const found = others.find(({ bot }) => bot === null) ?? (game.shared ? null : others.find(({ bot }) => bot !== null));
  return own < 0 || !found ? -1 : found.i;
}

/** Shows how long a bot has been thinking, after the first half second. */
function startClock() {
  const begun = performance.now();
  return setInterval(() => {
    const seconds = (performance.now() - begun) / 1000;
    if (seconds > .5) $(".status").textContent = `${statusLine(game)}, thinking for ${seconds.toFixed(0)} s`;
  }, 250);
}

async function show(answer) {
  const shown = id;
  await curtain.fallFor(answer);
  if (shown !== id) return;
  game = answer;
  chosen = [];
  log = [...log.slice(0, game.log.from), ...game.log.lines];
  review.cut(game.steps);
  if (ended && ended.steps !== game.steps) ended = null;
  if (ended) Object.assign(game, { person: false, legal: [], places: [] });
  board.clearArrows();
  showStatus();
  $(".opening").textContent = game.opening ?? "";
  const latest = game.status === "running" ? log.at(-1) : null;
  $(".latest").textContent = latest ? `last: ${nameOf(latest)}, ${latest.text}` : "";
  $(".faults").textContent = faultLine(game.faults);
  const withBots = game.status === "running" && game.seats.some(s => s.bot !== null && !isElsewhere(s));
  $(".undo").disabled = game.steps === 0 || game.shared;
  $(".share").hidden = game.shared;
  $(".invite").hidden = !shares || game.status !== "running" || ended !== null
    || invitable(game.person ? game.player : game.seats.findIndex(seat => seat.bot === null)) < 0;
  $(".pause").hidden = !withBots;
  $(".pause").textContent = paused ? "Resume" : "Pause";
  $(".skip").hidden = !withBots;
  $(".skip").textContent = people() ? "Skip to my turn" : "Skip to the end";
  $(".flip").hidden = !game.sides;
  $(".filter").value = "";
  $("#advisers").replaceChildren(...game.advisers.map(value => make("option", { value })));
  $(".adviser").value ||= game.advisers[0];
  const held = focus ?? focused();
  showBoard(game.svg, game.places, game.beside);
  showScores();
  const moved = log.length === lastLength + 1 ? log.at(-1).player : null;
  lastLength = log.length;
  clocks.run(game.status === "running" && !ended && game.steps > 0 ? game.player : null, moved);
  showMeanings();
  showLog();
  showPosition();
  showActions();
  giveFocus(held);
  if (game.person || game.status !== "running") remember().catch(showError);
  document.title = `${game.person ? "Your turn: " : ""}${envName()} - Ludovec`;
}

/** Shows what depends on the position on the screen: the current one, or an earlier one. */
function showPosition() {
  const step = at ?? game.steps;
  $(".said").hidden = true;
  $(".choose").hidden = !game.person || at !== null;
  $(".advice").hidden = !(at === null ? game.analyses : game.pastAnalyses) || (step === game.steps && game.status !== "running");
  $(".at").textContent = `${step} of ${game.steps}`;
  for (const name of [".first", ".back"]) $(name).disabled = step === 0;
  for (const name of [".on", ".last"]) $(name).disabled = step === game.steps;
  $(".judge").disabled = game.steps === 0;
  $(".past").hidden = at === null;
  showFork();
  $(".past").textContent = at === null ? "" : `You see an earlier position${log[at] ? `; ${nameOf(log[at])} played: ${log[at].text}` : ""}`;
  // One line of the log is a tab stop; arrows lead to the others.
  [...$(".log").querySelectorAll("li:not(.variation)")].forEach(({ firstChild: button }, i) => {
    button.setAttribute("aria-current", i === step - 1);
    button.tabIndex = i === Math.max(0, step - 1) ? 0 : -1;
  });
  $(".review .told").textContent = review.describe(step);
  showBar(review.chances(step));
  if (!$(".review").hidden) review.draw(step);
  if (at !== null) board.advise(review.marks(step));
}

/** The seat that plays on from the position on the screen, as a person. */
const forker = () => at === null ? game.player : log[at]?.player;

/** At an earlier position, and in a game of people alone: who plays on from there. */
function showFork() {
  const loaded = game.status === "running" && game.seats.every(({ bot }) => bot === null);
  $(".fork").hidden = game.shared ? true : at === null ? !loaded || Boolean(ended) : !log[at];
  if ($(".fork").hidden) return;
  const { levels } = form.environments.find(({ id }) => id === game.env);
  const chosen = $(".against").value;
  $(".against").replaceChildren(...[["", "with the same players"], ["human", "by hand"],
    ...levels.map(({ name, player }) => [player, `against ${name}`])]
    .map(([value, textContent]) => make("option", { value, textContent })));
  $(".against").value = chosen;
  if ($(".against").selectedIndex < 0) $(".against").value = "";
}

/** Plays on from the earlier position on the screen; its current player is the person. What was played stays as a variation. */
async function fork() {
  const [step, other, own] = [at ?? game.steps, $(".against").value, forker()];
  const seats = other ? { seats: game.seats.map((_, seat) => seat === own ? "human" : other) } : {};
  review.reset();
  loaded = null;
  await change("/fork", { at: step, ...seats }, { whole: true });
}
$(".fork button").onclick = fork;

function showStatus() {
  $(".status").textContent = ended ? `${ended.words}.` : statusLine(game);
}

/** The players, in chess with captured pieces and clocks. */
function showScores() {
  const pieces = game.env === "chess" ? material(board.svg) : null;
  $(".scores tbody").replaceChildren(...game.seats.map((_, i) => {
    const row = scoreRow(game, i);
    if (pieces) {
      const { taken, lead } = pieces[i];
      const cell = make("td", { className: "taken", title: "captured pieces, and the lead in material" }, taken);
      if (lead) cell.append(make("b", { textContent: `+${lead}` }));
      row.append(cell, make("td", { className: "time" }));
    }
    return row;
  }));
  $(".chess").hidden = game.env !== "chess";
  // A clock, a resignation and a draw are known to one screen alone.
  for (const selector of ["label", ".resign", ".draw"]) $(`.chess ${selector}`).hidden = game.shared;
  const over = game.status !== "running" || ended !== null || people() === 0;
  $(".resign").disabled = $(".draw").disabled = over;
}

/** Ends a game of chess that the rules do not end. */
function end(words, winner) {
  run++;
  ended = { words, steps: game.steps, result: winner === null ? "1/2-1/2" : ["1-0", "0-1"][winner] };
  clocks.run(null);
  show(game).catch(showError);
}

/** The seat of the person at the screen: the current player, or else the only one or the first. */
const own = () => game.person ? game.player : game.seats.findIndex(seat => seat.bot === null);

$(".resign").onclick = () => {
  const seat = own();
  const { name } = game.seats[seat];
  if (confirm(`${name}: resign?`)) end(`${name} resigns: ${game.seats[1 - seat].name} wins`, 1 - seat);
};

/** Offers a draw: a person is asked, a bot accepts if its analysis does not see it ahead. */
$(".draw").onclick = async () => {
  const [seat, { revision }, asked] = [own(), game, id];
  const other = game.seats[1 - seat];
  if (other.bot === null) {
    if (confirm(`${other.name}: ${game.seats[seat].name} offers a draw. Accept?`)) end("Drawn by agreement", null);
    return;
  }
  if (!game.person) return say("a draw is offered at your turn");
  try {
    const player = game.advisers[0];
    const { values, forecast } = await call("POST", `/api/games/${id}/analysis?${view()}`, { player, revision });
    if (asked !== id || revision !== game.revision) return;
    if (kindOf(forecast) === "outcome" && values[1 - seat] < .05) end("Drawn by agreement", null);
    else say(`${other.name} declines the draw`);
  } catch (error) {
    showError(error);
  }
};

$(".clock").onchange = () => {
  sessionStorage.setItem("clock", $(".clock").value);
  clocks.set($(".clock").value);
  showScores();
  clocks.run(game.status === "running" && !ended && game.steps > 0 ? game.player : null);
};

$(".pgn").onclick = async () => {
  try {
    const { pgn } = await call("GET", `/api/games/${id}/record/text`);
    // A result that the rules do not give, such as a resignation, is known to the page alone.
    const text = ended ? pgn.replace('[Result "*"]', `[Result "${ended.result}"]`).replace(/\*\s*$/, `${ended.result}\n`) : pgn;
    const file = new Blob([text], { type: "application/x-chess-pgn" });
    const link = make("a", { href: URL.createObjectURL(file), download: "game.pgn" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  } catch (error) {
    showError(error);
  }
};

/** What the races, cards or structures of the position do. */
function showMeanings() {
  const drawn = [...board.svg.querySelectorAll("text")].map(text => text.textContent).join(" ");
  const found = meaningsIn(`${drawn} ${game.legal.map(action => action.words).join(" ")}`, game.env);
  $(".meanings").hidden = found.length === 0;
  $(".meanings dl").replaceChildren(...found.flatMap(([name, meaning]) =>
    [make("dt", { textContent: name }), make("dd", { textContent: meaning })]));
}

const tip = document.querySelector(".tip");

/** Shows what the names in a text mean, at a point of the screen. */
function showTip(text, { clientX, clientY } = {}) {
  const found = text && game ? meaningsIn(text, game.env) : [];
  tip.hidden = found.length === 0;
  if (tip.hidden) return;
  tip.replaceChildren(...found.map(([name, meaning]) => make("p", {}, make("b", { textContent: name }), ` ${meaning}`)));
  tip.style.left = `${Math.max(4, Math.min(innerWidth - tip.offsetWidth - 4, clientX + 14))}px`;
  tip.style.top = `${clientY + 18 + tip.offsetHeight < innerHeight ? clientY + 18 : clientY - tip.offsetHeight - 10}px`;
}
for (const kind of ["pointermove", "click"]) $(".frame").addEventListener(kind, event => showTip(board.textAt(event), event));
$(".frame").addEventListener("pointerleave", () => showTip(""));
for (const selector of [".actions", ".best", ".beside", ".far"]) {
  $(selector).addEventListener("pointermove", event => showTip(event.target.closest("li")?.textContent ?? "", event));
  $(selector).addEventListener("pointerleave", () => showTip(""));
}

const nameOf = line => game.seats[line.player].name;

function showLog() {
  const pairs = game.env === "chess";
  $(".log").replaceChildren(...log.flatMap((line, i) => {
    const verdict = review.verdict(i);
    const button = make("button", { type: "button", onclick: () => seek(i + 1) },
      make("b", { textContent: nameOf(line) }), line.text);
    // Notation in two columns, with the numbers of moves.
    const ply = i + (log[0].player === 1 ? 1 : 0);
    if (pairs && (ply % 2 === 0 || i === 0)) button.dataset.number = Math.floor(ply / 2) + 1;
    if (verdict) button.append(" ", make("em", { textContent: [verdict.mark, verdict.words].filter(Boolean).join(" "), className: verdict.doubt ? "doubt" : "" }));
    const lines = game.variations.flatMap(({ from, words }, number) => from === i ? [make("li", { className: "variation" },
      make("button", { type: "button", title: "show this variation; the game becomes one", tabIndex: 0,
        onclick: () => { review.reset(); loaded = null; change("/switch", { variation: number }, { whole: true }); } },
        `instead: ${words.slice(0, 8).join(", ")}${words.length > 8 ? ", ..." : ""}`))] : []);
    return [make("li", { className: pairs && line.player === 1 ? "black" : "" }, button), ...lines];
  }));
  $(".log").classList.toggle("pairs", pairs);
  $(".log").scrollTop = $(".log").scrollHeight;
}

$(".log").onkeydown = event => {
  const way = { ArrowUp: "previousElementSibling", ArrowDown: "nextElementSibling" }[event.key];
  const next = way && event.target.closest("li")?.[way]?.firstChild;
  if (!next) return;
  event.preventDefault();
  next.focus();
  next.click();
};

/** Shows the position after some steps. */
async function seek(step) {
  if (!game || busy) return;
  step = Math.max(0, Math.min(game.steps, step));
  const asked = id;
  say("");
  try {
    if (step === game.steps) {
      at = null;
      showBoard(game.svg, game.places, game.beside);
      showPosition();
      showActions();
      if (!paused) bots();
    } else {
      at = step;
      run++;
      const answer = await call("GET", `/api/games/${id}?from=${log.length}&at=${step}&${view()}`);
      if (asked !== id || at !== step) return;
      game.pastAnalyses = answer.analyses;
      game.pastBeside = answer.beside;
      game.pastScores = answer.scores;
      Object.assign(game, { pastSvg: answer.svg, pastPlaces: answer.places });
      showBoard(answer.svg, answer.places, answer.beside);
      showPosition();
    }
    $(".log").querySelectorAll("li:not(.variation)")[step - 1]?.scrollIntoView({ block: "nearest" });
  } catch (error) {
    showError(error);
  }
}

/** Requests an analysis of the position on the screen and shows it in words and over the board. */
async function hint() {
  if ($(".advice").hidden || $(".hint").disabled) return;
  const { revision } = game;
  const step = at;
  $(".hint").disabled = true;
  showError();
  try {
    const player = $(".adviser").value.trim();
    const which = step === null ? "" : `&at=${step}`;
    const answer = await call("POST", `/api/games/${id}/analysis?${view()}${which}`, { player, revision });
    if (answer.revision === game.revision && step === at) advise(answer);
  } catch (error) {
    showError(error);
  } finally {
    $(".hint").disabled = false;
  }
}

function advise({ best, line, values, forecast, simulations, mover }) {
  const held = focused();
  const options = prices(best, forecast, game.env).map(option => {
    const legal = at === null && game.legal.find(({ action }) => action === option.action);
    return { ...option, shown: legal || option };
  });
  const [svg, places, beside] = at === null ? [game.svg, game.places, game.beside] : [game.pastSvg, game.pastPlaces, game.pastBeside];
  showBoard(svg, places, beside);
  // An action without a value has no price that the board could show.
  const priced = options.filter(option => option.text !== "?").slice(0, MOST_ADVISED);
  board.advise(priced.map(({ shown, short, colour }) => ({ action: shown, short, colour })));
  // The class removes the highlight of places under a hint.
  board.svg.classList.add("advised");
  if (at === null) showActions();
  held?.()?.focus();
  const searched = ({ visits, value }) => [value === null ? "" : `value ${brief(value)}`,
    visits === null ? "" : visits === 0 ? "one look" : `${visits} of ${simulations} visits`].filter(Boolean).join(", ");
  const button = option => {
    const element = make("button", {
      type: "button", title: `${option.label}, action ${option.action}`, disabled: at === null && !game.person,
      onclick: async () => {
        if (at !== null) await fork();
        if (game.person) await change("/action", { action: option.action });
      },
      onmouseenter: () => board.pointOut(option.shown), onmouseleave: () => board.pointOut(null),
    }, make("b", { textContent: option.text }), option.words, " ", make("small", { textContent: searched(option) }));
    element.style.setProperty("--price", option.colour);
    return make("li", {}, element);
  };
  const rest = options.slice(MOST_ADVISED);
  const more = make("button", { type: "button", className: "rest", textContent: `all ${options.length} actions`,
    onclick: event => event.target.closest("li").replaceWith(...rest.map(button)) });
  $(".best").replaceChildren(...options.slice(0, MOST_ADVISED).map(button), ...rest.length ? [make("li", {}, more)] : []);
  $(".line").textContent = line.length > 1 ? `best line: ${line.join(", ")}` : "";
  const { seats, env } = game;
  const scores = at === null ? game.scores : game.pastScores;
  const expected = values.map((value, i) => `${seats[i].name} ${brief(value)}`).join(", ");
  $(".expected").replaceChildren(make("b", { textContent: inGameWords({ values, forecast, seats, scores, env }) }),
    make("small", { textContent: `${expected}: ${forecast}; values of the list are ${seats[mover].name}'s` }));
  showBar(kindOf(forecast) === "outcome" ? values : null);
  $(".said").hidden = false;
  if (narrow.matches) $(".said").scrollIntoView({ block: "nearest" });
}

/** The bar is at the left edge of the drawing. */
function placeBar() {
  const drawing = board.svg?.getBoundingClientRect(), table = $(".table").getBoundingClientRect();
  if ($(".bar").hidden || !drawing) return;
  $(".bar").style.left = `${drawing.left - table.left - 14}px`;
  $(".bar").style.height = narrow.matches ? "" : `${drawing.height}px`;
}
addEventListener("resize", placeBar);

/** The bar beside the board of a game of two: how likely each one wins. */
function showBar(values) {
  const bar = $(".bar");
  bar.hidden = values?.length !== 2;
  if (bar.hidden) return;
  const share = 50 * (1 + values[0]);
  // The player below has the lower part of an upright bar.
  const below = flipped ? 1 : 0;
  bar.style.background = game.seats[1 - below].colour;
  bar.firstElementChild.style.background = game.seats[below].colour;
  bar.style.setProperty("--share", `${below ? 100 - share : share}%`);
  placeBar();
  const words = `${game.seats[0].name} ${Math.round(share)} %, ${game.seats[1].name} ${Math.round(100 - share)} %`;
  bar.title = words;
  bar.setAttribute("aria-label", words);
}

/** Reviews the game: every part of the answer is shown at once. */
async function judge() {
  const asked = id;
  $(".judge").disabled = true;
  showError();
  try {
    await review.start(`/api/games/${id}`, $(".adviser").value.trim(), game, () => {
      if (asked !== id) return;
      showLog();
      showPosition();
      $(".judge").disabled = true;
    });
  } catch (error) {
    showError(error);
    if (review.positions.length === 0) review.reset();
  }
  if (asked === id) $(".judge").disabled = false;
}

const envName = () => inWords(form.environments?.find(e => e.id === game.env)?.name ?? game.env);

/** Says why a click did nothing. */
function say(words) {
  $(".why").textContent = words;
}

async function sayWhy(places) {
  const asked = id;
  try {
    const keys = place => place.map(mention => {
      const split = mention.indexOf("=");
      return [mention.slice(0, split), JSON.parse(mention.slice(split + 1))];
    });
    const { why } = await call("POST", `/api/games/${id}/why`, { places: places.map(keys) });
    if (asked === id) say(why);
  } catch (error) {
    showError(error);
  }
}

/** A function that finds the focused element in the next drawing; null if none of ours has the focus. */
function focused() {
  const mark = board.focused();
  if (mark) return board.finder(mark);
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

function remaining() {
  const words = $(".filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  return game.legal.filter(action =>
    words.every(word => action.words.toLowerCase().includes(word) || action.label.toLowerCase().includes(word))
    && chosen.every(place => refersTo(action, place)));
}

const play = action => change("/action", { action: action.action });

function showActions() {
  const left = remaining();
  const button = action => make("button", {
    type: "button", textContent: action.words, title: `${action.label}, action ${action.action}`, className: left.length === 1 ? "main" : "",
    onclick: () => play(action), onmouseenter: () => board.pointOut(action), onmouseleave: () => board.pointOut(null),
    onfocus: () => board.pointOut(action), onblur: () => board.pointOut(null),
  });
  $(".actions").replaceChildren(...left.slice(0, MOST_SHOWN).map(a => make("li", {}, button(a))));
  const more = left.length - MOST_SHOWN;
  $(".more").textContent = more > 0 ? `and ${more} more: search to narrow them down`
    : `${left.length} of ${game.legal.length} actions`;
  $(".clear").hidden = chosen.length === 0;
  if (board.update(left, chosen, game.legal)) return;
  panels.update(board.live, chosen);
  showOrientations();
  choose(left);
}

/** The orientations of the piece in hand, as buttons below the board. */
function showOrientations() {
  const shown = board.orientations;
  $(".orientations").hidden = shown.length === 0;
  const turn = (textContent, title, by, how) => make("button", { type: "button", textContent, title, onclick: () => board.turn(by, how) });
  const one = ({ mark, fits, chosen }) => {
    const name = orientationName(mark.means[0][1]);
    const button = make("button", { type: "button", disabled: !fits, title: fits ? name : `${name}: fits nowhere`, onclick: () => board.orient(mark) },
      outlineOf(mark.outline, game.seats[game.player].colour), make("small", { textContent: name }));
    button.setAttribute("aria-pressed", chosen);
    return button;
  };
  $(".orientations").replaceChildren(...shown.length ? [
    turn("Rotate (R)", "R or the wheel: a quarter to the right", 1), turn("Flip (F)", "F: the other side", 1, { flip: true }),
    ...shown.map(one)] : []);
  for (const svg of $(".orientations").querySelectorAll("svg")) fitOutline(svg, 1);
}

/** An orientation such as "ef" in words: the side to which the top has turned, and the side that is up. */
function orientationName(name) {
  const turned = { n: "as printed", e: "quarter right", s: "half", w: "quarter left" }[name[0]] ?? name;
  return name.endsWith("f") ? `flipped, ${turned}` : turned;
}

/** The actions that differ in nothing on the board, such as promotions, next to the last chosen place. */
function choose(left) {
  const chooser = $(".chooser");
  const wanted = chosen.length > 0 && left.length > 1 && left.length <= MOST_CHOICES && !board.hand
    && left.every(a => board.missing(a, chosen).length === 0);
  chooser.hidden = !wanted;
  if (!wanted) return;
  chooser.replaceChildren(...left.map(action =>
    make("button", { type: "button", className: "main", textContent: action.words, onclick: () => play(action) })),
    make("button", { type: "button", textContent: "cancel", onclick: () => $(".clear").onclick() }));
  const place = chosen.at(-1);
  const mark = board.marks.find(mark => mark.place === place) ?? panels.rows.find(row => row.place === place).element;
  const last = mark.getBoundingClientRect();
  const table = chooser.offsetParent.getBoundingClientRect();
  chooser.style.left = `${Math.max(0, Math.min(table.width - chooser.offsetWidth, last.left - table.left))}px`;
  chooser.style.top = `${last.bottom - table.top + 4}px`;
  chooser.firstChild.focus({ preventScroll: true });
}

/** Filters the actions by a place; plays the action if only one is left and its places are selected. */
function clickPlace(place) {
  if (busy) return;
  if (!game.person || at !== null) return;
  const before = chosen;
  const again = chosen.includes(place);
  if (!again) chosen = [...chosen, place];
  say("");
  if (remaining().length === 0) {
    // Start a new selection.
    chosen = [place];
    if (remaining().length === 0) {
      chosen = [];
      sayWhy(before.length ? [...before, place] : [place]);
    }
  }
  const left = remaining();
  const clear = left.length === 1 && (again || chosen.length > 1 || board.missing(left[0], chosen).length === 0);
  if (clear) play(left[0]);
  else showActions();
}

/** A click beside all places, or while others move. */
$(".frame").onclick = () => {
  if (!game || board.dropped) return;
  if (at !== null) say("this is an earlier position: the last button below the board leads back to the game");
  else if (game.status !== "running" || ended) say("the game is over: click a line of the log to see its position");
  else if (!game.person) say(`${game.seats[game.player].name} is to move`);
};

$(".filter").oninput = showActions;
$(".filter").onkeydown = event => {
  if (event.key !== "Enter") return;
  const left = remaining();
  const text = event.target.value.trim();
  const exact = game.legal.find(a => a.label === text || a.words === text || String(a.action) === text);
  const action = exact ?? (left.length === 1 ? left[0] : null);
  if (action) play(action);
  else say(left.length ? `${left.length} actions match: type more` : `no action matches ${JSON.stringify(text)}`);
};
$(".hint").onclick = hint;
$(".judge").onclick = judge;
$(".first").onclick = () => seek(0);
$(".back").onclick = () => seek((at ?? game.steps) - 1);
$(".on").onclick = () => seek((at ?? game.steps) + 1);
$(".last").onclick = () => seek(game.steps);
$(".flip").onclick = async () => {
  flipped = !flipped;
  board.reset();
  const step = at;
  try {
    await refresh();
    if (step !== null) await seek(step);
  } catch (error) {
    showError(error);
  }
};
$(".skip").onclick = () => {
  skipping = true;
  paused = false;
  if (at !== null) seek(game.steps); else bots();
};
$(".invite").onclick = invite;
$(".share").onclick = async () => {
  const step = at;
  try {
    await remember();
  } catch (error) {
    return showError(error);
  }
  const address = step === null ? location.href : `${location.href}&at=${step}`;
  const what = step === null ? "game" : "position";
  try {
    await navigator.clipboard.writeText(address);
    say(`the address of this ${what} is copied`);
  } catch {
    say(`the address of this ${what} is ${address}`);
  }
};
const KEYS = {
  h: hint, r: () => board.turn(1), R: () => board.turn(-1),
  f: () => board.hand ? board.turn(1, { flip: true }) : game.sides && $(".flip").onclick(),
  ArrowLeft: () => $(".back").onclick(), ArrowRight: () => $(".on").onclick(),
  Home: () => $(".first").onclick(), End: () => $(".last").onclick(), Escape: () => $(".clear").onclick(),
};
addEventListener("keydown", event => {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (!KEYS[event.key] || typing || main.hidden || $(".stage").hidden || !game) return;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  KEYS[event.key]();
});
$(".zoom").onclick = () => board.toggleZoom();
$(".clear").onclick = () => { chosen = []; say(""); if (game && at === null) showActions(); };
$(".undo").onclick = () => change("/undo", {}, { whole: true });
$(".pause").onclick = () => {
  paused = !paused;
  $(".pause").textContent = paused ? "Resume" : "Pause";
  bots();
};
narrow.addEventListener("change", () => refresh().catch(showError));
onTheme(async () => {
  const step = at;
  try {
    if (!game || $(".stage").hidden) return;
    await refresh();
    if (step !== null) await seek(step);
  } catch (error) {
    showError(error);
  }
});

async function enter(env, query, fresh) {
  try {
    const text = query.has("id") ? null : await textOf(query);
    if (text !== null) {
      await form.ready;
      await load(text, { step: stepOf(query), replace: true });
    } else if (env) {
      if (form.shown !== query.get("id")) at = null;
      await follow(env, query);
    } else if (fresh || !(game || await reopen())) {
      stage(false);
    }
    if (game && !$(".stage").hidden) bots();
  } catch (error) {
    showError(error);
    if (!game) stage(false);
  }
}

/** Opens the game of the address; a text in the address opens it again if the server has forgotten it. */
async function follow(env, query) {
  try {
    await form.follow(env, query);
    if (game && form.shown === query.get("id")) stage(true);
    if (game && stepOf(query) !== null) await seek(stepOf(query));
  } catch (error) {
    const text = await textOf(query);
    if (text === null) throw error;
    await load(text, { step: stepOf(query), replace: true });
  }
}

/** Goes back to the last game of this tab, if the address names none. */
async function reopen() {
  const last = location.hash === "#play" ? sessionStorage.getItem("game") : null;
  if (!last) return false;
  history.replaceState(null, "", last);
  const { env, query } = route();
  await follow(env, query);
  return true;
}

onRoute("play",
  (env, query, fresh) => {
    document.title = game && !fresh ? document.title : "Ludovec";
    return enter(env, query, fresh);
  },
  () => { run++; document.title = "Ludovec"; });
