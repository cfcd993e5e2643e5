// What goes on elsewhere, a fleet or a tournament: a table, and boards of which one can be enlarged.

import { call, draw, make, onRoute, onTheme, route, showError, sleep, theme } from "./common.js";

const main = document.getElementById("live");
const link = document.querySelector('nav a[href="#live"]');
const $ = selector => main.querySelector(selector);

let large = null; // The number of the game that is enlarged.
let paused = false;
let run = 0; // Counts up when the pictures that were asked for no longer matter.

async function look() {
  const query = new URLSearchParams({ theme: theme(), first: $(".first").value || 0, count: $(".count").value });
  if (large !== null) query.set("large", large);
  const scene = await call("GET", `/api/live?${query}`);
  if (!scene) throw new Error("nothing goes on here to be looked at");
  return scene;
}

/** Asks again and again, as long as it is looked at and goes on. */
async function follow() {
  const mine = ++run;
  while (run === mine && !main.hidden && !paused) {
    try {
      const scene = await look();
      if (run !== mine) return;
      showError();
      show(scene);
      if (!scene.running) return;
    } catch (error) {
      if (run !== mine) return;
      showError(error);
    }
    await sleep(Number($(".delay").value));
  }
}

function show(scene) {
  document.title = `${scene.title} - Ludovec`;
  $("h2").textContent = scene.title;
  $(".summary").textContent = scene.progress + (scene.running ? "" : ", ended");
  $(".first").max = Math.max(0, scene.total - 1);
  const [heads = [], ...rows] = scene.table;
  const row = (tag, cells) => make("tr", {}, ...cells.map(textContent => make(tag, { textContent })));
  $(".standings").replaceChildren(...heads.length ? [row("th", heads)] : [], ...rows.map(cells => row("td", cells)));
  // Cards stay where they are, so that one can be pointed at while games move.
  const grid = $(".grid");
  while (grid.children.length > scene.games.length) grid.lastChild.remove();
  while (grid.children.length < scene.games.length) grid.append(card());
  scene.games.forEach((game, i) => {
    const [head, board, foot] = grid.children[i].children;
    Object.assign(grid.children[i], { number: game.number, title: game.label });
    const isLarge = game.number === large;
    grid.children[i].classList.toggle("large", isLarge);
    grid.children[i].setAttribute("aria-expanded", isLarge);
    grid.children[i].classList.toggle("over", game.status !== "running");
    head.textContent = game.label;
    foot.textContent = `${game.standing}; scores ${game.scores.map(s => Number(s.toFixed(2))).join(", ")}`;
    draw(board, game.svg);
  });
}

/** A board; a click or Enter enlarges it, another one or Escape puts it back. */
function card() {
  const element = make("div", { className: "card", tabIndex: 0, role: "button" },
    make("p"), make("div", { className: "board" }), make("p"));
  element.onclick = () => enlarge(element.number === large ? null : element.number);
  element.onkeydown = event => {
    if (event.key === "Enter" || event.key === " ") element.onclick();
    else if (event.key === "Escape") enlarge(null);
    else return;
    event.preventDefault();
  };
  return element;
}

function enlarge(number) {
  large = number;
  look().then(show).catch(showError);
}

$(".pause").onclick = () => {
  paused = !paused;
  $(".pause").textContent = paused ? "Go on" : "Pause";
  follow();
};
for (const input of [".first", ".count"]) $(input).onchange = () => look().then(show).catch(showError);
onTheme(() => { if (!main.hidden) look().then(show).catch(showError); });

// Where nothing goes on there is no link; where something does, it is what people came for.
call("GET", "/api/live?count=0").then(scene => {
  if (!scene) return;
  link.hidden = false;
  if (!route().env && location.hash === "") location.replace("#live");
}).catch(() => {});
onRoute("live", follow, () => { run++; });
