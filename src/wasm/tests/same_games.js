// Answers requests, one line of JSON each, by a WebAssembly file: `node -e THIS ENGINE FILE`.
const [, engine, file] = process.argv;
const LudovecEngine = require(engine);
const fs = require("node:fs");
LudovecEngine.load(fs.readFileSync(file)).then(loaded => {
  const lines = fs.readFileSync(0, "utf8").split("\n").filter(Boolean);
  for (const line of lines) fs.writeSync(1, `${JSON.stringify(loaded.answer(JSON.parse(line)))}\n`);
});
