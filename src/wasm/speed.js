// Milliseconds of processor time per move of the champions in WebAssembly: `node speed.js [MOVES] FILE.wasm...` prints a
// line of JSON for every game. A champion plays itself from the start of a game, with and without a search of 64
// simulations.

const fs = require("node:fs");
const path = require("node:path");
const LudovecEngine = require("./page/engine.js");

/** Processor time of this process in milliseconds: other programs do not count. */
const now = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

async function measure(file, moves) {
  const env = path.basename(file, ".wasm");
  const engine = await LudovecEngine.load(fs.readFileSync(path.resolve(file)));
  const ask = (method, path, body) => {
    const { status, body: answer } = engine.answer({ method, path, body });
    if (status >= 400) throw new Error(`${env}: ${method} ${path}: ${answer.error}`);
    return answer;
  };
  const { players } = ask("POST", "/api/rules", { env, options: {} });
  const found = { env };
  for (const champion of ["net:champion", "net:champion:64"]) {
    let game = ask("POST", "/api/games", { env, seats: Array(players).fill(champion), seed: 1 });
    const { id } = game;
    const times = [];
    while (game.status === "running" && times.length < moves) {
      const before = now();
      game = ask("POST", `/api/games/${id}/bot?from=${game.steps}`, { revision: game.revision });
      times.push(now() - before);
    }
    found[champion] = times.reduce((sum, time) => sum + time, 0) / times.length;
  }
  console.log(JSON.stringify(found));
}

async function main([first, ...rest]) {
  const moves = Number(first);
  const files = Number.isInteger(moves) ? rest : [first, ...rest];
  for (const file of files) await measure(file, moves || 60);
}

main(process.argv.slice(2));
