// What the static pages know before they load a game. `node environments.js PATH FILE.wasm...` prints the answers to
// `GET PATH` of all games as one: `/api/environments`, or `/api/cards?theme=dark`.

const fs = require("node:fs");
const path = require("node:path");
const LudovecEngine = require("./page/engine.js");

async function main([asked, ...files]) {
  const answers = await Promise.all(files.map(async file => {
    const engine = await LudovecEngine.load(fs.readFileSync(path.resolve(file)));
    return engine.answer({ method: "GET", path: asked }).body;
  }));
  const whole = Array.isArray(answers[0]) ? answers.flat() : Object.assign({}, ...answers);
  process.stdout.write(JSON.stringify(whole));
}

main(process.argv.slice(2));
