// What the static pages know before they load a game. `node environments.js FILE.wasm...` prints the answer to
// `GET /api/environments` for all games.

const fs = require("node:fs");
const path = require("node:path");
const LudovecEngine = require("./page/engine.js");

async function main(files) {
  const lists = await Promise.all(files.map(async file => {
    const engine = await LudovecEngine.load(fs.readFileSync(path.resolve(file)));
    return engine.answer({ method: "GET", path: "/api/environments" }).body;
  }));
  process.stdout.write(JSON.stringify(lists.flat()));
}

main(process.argv.slice(2));
