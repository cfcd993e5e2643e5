// Milliseconds of processor time per move of the champions in WebAssembly: `node speed.js [MOVES] FILE.wasm...`. A
// champion plays itself from the start of a game, with and without a search of 64 simulations.

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
  const bytes = fs.readFileSync(path.resolve(file));
  const begun = now();
  const engine = await LudovecEngine.load(bytes);
  const loaded = now() - begun;
  const ask = (method, path, body) => {
    const { status, body: answer } = engine.answer({ method, path, body });
    if (status >= 400) throw new Error(`${env}: ${method} ${path}: ${answer.error}`);
    return answer;
  };
  const { players } = ask("POST", "/api/rules", { env, options: {} });
  const line = [env, `loaded in ${loaded.toFixed(0)} ms`];
  for (const champion of ["net:champion", "net:champion:64"]) {
    let game = ask("POST", "/api/games", { env, seats: Array(players).fill(champion), seed: 1 });
    const { id } = game;
    const times = [];
    while (game.status === "running" && times.length < moves) {
      const before = now();
      game = ask("POST", `/api/games/${id}/bot?from=${game.steps}`, { revision: game.revision });
      times.push(now() - before);
    }
    times.sort((a, b) => a - b);
    const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
    const at = share => times[Math.min(times.length - 1, Math.floor(share * times.length))];
    line.push(`${champion}: ${mean.toFixed(1)} ms a move, median ${at(.5).toFixed(1)}, 95 % within ${at(.95).toFixed(1)}`);
  }
  console.log(line.join("; "));
}

async function main([first, ...rest]) {
  const moves = Number(first);
  const files = Number.isInteger(moves) ? rest : [first, ...rest];
  for (const file of files) await measure(file, moves || 60);
}

main(process.argv.slice(2));
