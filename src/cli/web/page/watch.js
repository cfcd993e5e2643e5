// Batches of bots: a grid of boards, stepped as fast as it is drawn.

import { SetupForm, call, draw, faultLine, make, onRoute, onTheme, showError, sleep, theme } from "./common.js";

const main = document.getElementById("watch");
const $ = selector => main.querySelector(selector);

let batch = null;
let id = null;
let paused = false;
let run = 0; // Incremented to make pending requests obsolete.

const form = new SetupForm($(".setup"), { people: false, begin, resume });

async function begin(setup) {
  const answer = await call("POST", `/api/batches?theme=${theme()}`, setup);
  open(answer.id, answer);
  return answer.id;
}

async function resume(known) {
  open(known, await call("GET", `/api/batches/${known}?theme=${theme()}`));
}

function open(known, answer) {
  id = known;
  pause(false);
  $(".stage").hidden = false;
  const cards = answer.games.map(() => make("div", { className: "card" },
    make("p"), make("div", { className: "board" }), make("p")));
  $(".grid").replaceChildren(...cards);
  show(answer);
  play();
}

async function play() {
  const mine = ++run;
  while (run === mine && !paused && !main.hidden) {
    await sleep(Number($(".delay").value));
    if (run !== mine || paused) return;
    try {
      await step(mine);
    } catch (error) {
      pause(true);
      showError(error);
    }
  }
}

let asked = Promise.resolve(); // The last requested step.

/** Requests the next frame after the pending one, unless a new batch was started in between. */
function step(mine) {
  asked = asked.catch(() => {}).then(async () => {
    if (run !== mine) return;
    main.ariaBusy = "true";
    const count = Number($(".count").value);
    const answer = await call("POST", `/api/batches/${id}/step?theme=${theme()}`, { count })
      .finally(() => { main.ariaBusy = "false"; });
    if (run === mine) show(answer);
  });
  return asked;
}

function show(answer) {
  batch = answer;
  const cards = $(".grid").children;
  batch.games.forEach((game, i) => {
    const [head, board, foot] = cards[i].children;
    cards[i].classList.toggle("over", game.status !== "running");
    const last = game.last ? `${batch.seats[game.last.player]}: ${game.last.text}` : "new game";
    head.textContent = `#${i}  ${game.status === "running" ? last : game.status}`;
    foot.textContent = `scores ${game.scores.map(s => Number(s.toFixed(2))).join(", ")}`;
    draw(board, game.svg);
  });
  const share = wins => batch.finished ? `${Math.round(100 * wins / batch.finished)} %` : "0 %";
  const wins = batch.bots.map((bot, i) => `${batch.seats[i]} (${bot}) ${share(batch.wins[i])}`).join(", ");
  $(".faults").textContent = faultLine(batch.faults);
  $(".summary").textContent =
    `${batch.steps} decisions, ${batch.finished} games finished${batch.finished ? `; won: ${wins}` : ""}`;
}

function pause(now) {
  paused = now;
  $(".pause").textContent = paused ? "Resume" : "Pause";
}

$(".pause").onclick = () => { pause(!paused); play(); };
$(".step").onclick = () => { pause(true); step(run).catch(showError); };
onTheme(async () => {
  try {
    if (id) show(await call("GET", `/api/batches/${id}?theme=${theme()}`));
  } catch (error) {
    // During a step, the next frame gets the new colours.
    if (error.status !== 409) showError(error);
  }
});
onRoute("watch",
  (env, query) => env ? form.follow(env, query).then(() => id && play()).catch(showError) : id && play(),
  () => { run++; });
