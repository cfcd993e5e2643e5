// Live view of a fleet or a tournament: a table, and boards of which one can be enlarged.

import { call, draw, make, onRoute, onTheme, route, showError, sleep, theme } from "./common.js";

const main = document.getElementById("live");
const link = document.querySelector('nav a[href="#live"]');
const $ = selector => main.querySelector(selector);

let large = null; // The number of the enlarged game.
let paused = false;
let run = 0; // Incremented to make pending requests obsolete.

async function look() {
  const query = new URLSearchParams({ theme: theme(), first: $(".first").value || 0, count: $(".count").value });
  if (large !== null) query.set("large", large);
  const scene = await call("GET", `/api/live?${query}`);
  if (!scene) throw new Error("this server has no live view");
  return scene;
}

/** Polls while the view is visible and the games are running. */
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
  if (scene.table.length === 0 && scene.games.length === 0 && scene.running) {
    $(".summary").textContent = [scene.progress, "boards and results appear here"].filter(Boolean).join(": ");
  }
  // Columns without data are left out.
  const filled = (scene.table[0] ?? []).map((_, i) => scene.table.slice(1).some(row => !["", "-"].includes(row[i])));
  const [heads = [], ...rows] = scene.table.map(row => row.filter((_, i) => filled[i]));
  const row = (tag, cells) => make("tr", {}, ...cells.map(textContent => make(tag, { textContent })));
  $(".standings").replaceChildren(...heads.length ? [row("th", heads)] : [], ...rows.map(cells => row("td", cells)));
  // Cards keep their positions, so that they can be clicked while games move.
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

/** A board; a click or Enter enlarges it, a second one or Escape restores it. */
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
  $(".pause").textContent = paused ? "Resume" : "Pause";
  follow();
};
for (const input of [".first", ".count"]) $(input).onchange = () => look().then(show).catch(showError);
onTheme(() => { if (!main.hidden) look().then(show).catch(showError); });

// The link is shown only if there is a live view, which is then the default view.
call("GET", "/api/live?count=0").then(scene => {
  if (!scene) return;
  link.hidden = false;
  if (!route().env && location.hash === "") location.replace("#live");
}).catch(() => {});
onRoute("live", follow, () => { run++; });
