// The games, in a thread of their own: one WebAssembly file per game, loaded when the page asks for the game.
//
// `engine.js` compiles and calls a file; this worker finds the file that a request belongs to.

importScripts("engine.js");

const engines = new Map(); // Promises of engines by environment.
let environments; // The promise of the list of games.

const there = name => new URL(name, self.location).href;

async function file(name) {
  const response = await fetch(there(name));
  if (!response.ok) throw new Error(`${name}: ${response.status} ${response.statusText}`);
  return response;
}

async function list() {
  environments ??= file("environments.json").then(response => response.json());
  return environments.catch(error => { environments = undefined; throw error; });
}

/** The engine of an environment; an engine that failed is loaded again. */
function engine(env) {
  if (!engines.has(env)) {
    engines.set(env, (async () => {
      const entry = (await list()).find(entry => entry.id === env);
      if (!entry) return null;
      postMessage({ loading: `Loading ${entry.name.replace(/([a-z])([A-Z])/g, "$1 $2")}...` });
      try {
        // Addresses of earlier visits keep the ids of other games.
        const first = crypto.getRandomValues(new Uint32Array(1))[0] >>> 1;
        return await LudovecEngine.load(await file(`${env}.wasm`), first);
      } finally {
        postMessage({ loading: "" });
      }
    })());
  }
  return engines.get(env).catch(error => { engines.delete(env); throw error; });
}

/** The environment of a request: named in its body, or at the start of the id in its path. */
function environmentOf(path, body) {
  const id = path.split("?")[0].split("/")[3];
  return id === undefined ? body?.env : decodeURIComponent(id).split("-")[0];
}

/** Opens the game of a text: a record names its game, and any other text is tried by one game after the other. */
async function load(request) {
  const named = (await list()).filter(({ id }) => request.body.text.includes(`"env":"${id}"`));
  let answer;
  for (const { id } of named.length ? named : await list()) {
    answer = (await engine(id)).answer(request);
    if (answer.status < 400) break;
  }
  return answer;
}

const isDefault = options => Object.keys(options ?? {}).length === 0;

async function answer({ method, path, body }) {
  if (path.startsWith("/api/environments")) return { status: 200, body: await list() };
  if (path.startsWith("/api/live")) return { status: 200, body: null };
  if (path.startsWith("/api/cards")) {
    const theme = path.includes("theme=dark") ? "dark" : "light";
    return { status: 200, body: await (await file(`cards-${theme}.json`)).json() };
  }
  if (path === "/api/rules" && isDefault(body?.options)) {
    // The form asks before anybody plays: no game is loaded for it.
    const rules = await (await file("rules.json")).json();
    if (rules[body.env]) return { status: 200, body: rules[body.env] };
  }
  if (path.startsWith("/api/load")) return load({ method, path, body });
  const env = environmentOf(path, body);
  const found = await engine(env);
  if (!found) {
    const error = method === "POST" && body?.env !== undefined ? `there is no environment ${env}` : `there is no game ${env}: it has ended or expired`;
    return { status: 404, body: { error } };
  }
  try {
    return found.answer({ method, path, body });
  } catch (error) {
    // A panic: the memory of this engine is lost, others are not affected.
    engines.delete(env);
    return { status: 500, body: { error: `this request failed: ${found.panic ?? error.message}; the game has ended` } };
  }
}

let last = Promise.resolve(); // Requests are answered one after the other.
onmessage = ({ data }) => {
  last = last.then(() => answer(data))
    .catch(error => ({ status: 503, body: { error: `the game cannot be loaded: ${error.message}` } }))
    .then(answer => postMessage({ number: data.number, answer }));
};
