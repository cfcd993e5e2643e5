// What the static pages know before they load a game. `node environments.js PATH FILE.wasm...` prints the answers to
// `GET PATH` of all games as one: `/api/environments`, or `/api/cards?theme=dark`. For the path `/api/rules` it prints
// the answers by game, under default options.

const fs = require("node:fs");
const path = require("node:path");
const LudovecEngine = require("./page/engine.js");

async function main([asked, ...files]) {
  const answers = await Promise.all(files.map(async file => {
    const engine = await LudovecEngine.load(fs.readFileSync(path.resolve(file)));
    if (asked !== "/api/rules") return engine.answer({ method: "GET", path: asked }).body;
    const env = path.basename(file, ".wasm");
    return { [env]: engine.answer({ method: "POST", path: asked, body: { env, options: {} } }).body };
  }));
  const whole = Array.isArray(answers[0]) ? answers.flat() : Object.assign({}, ...answers);
  process.stdout.write(JSON.stringify(whole));
}

main(process.argv.slice(2));
