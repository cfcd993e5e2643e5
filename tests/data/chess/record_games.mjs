// Records random games of the shipped variants as an independent engine plays them.
//
//     npm install --prefix /tmp/engine ffish
//     NODE_PATH=/tmp/engine/node_modules node --no-experimental-fetch tests/data/chess/record_games.mjs 5 70 0 > tests/data/chess/games.jsonl
//     ludovec conform chess tests/data/chess/games.jsonl
//
// Arguments: games of each variant, most plies of a game, seed. One JSON object a line: `variant`, `flags`, the `fen` that
// the game starts from, `plies` and `result`. Of each ply: how many legal moves there are, the first eight digits of the
// 64-bit FNV-1a hash over the boards they lead to (the placement field of FEN without pieces in hand, sorted bytewise, each
// followed by a line feed), and the move played. `result` is "white", "black", "draw", or null for a game that was cut
// short. Games are cut where few pieces are left, because what counts as a dead position differs between engines. Every
// third move is a check where there is one.

import { createRequire } from "node:module";

const ffish = createRequire(import.meta.url)("ffish");
const [games, plies, seed] = process.argv.slice(2).map(Number);

const VARIANTS = `
  chess nocastle torpedo berolina pawnsideways pawnback shatranj chaturanga amazon nightrider grasshopper hoppelpoppel
  newzealand almost chigorin perfect knightmate kingofthehill racingkings 3check 5check antichess giveaway losers extinction
  kinglet threekings horde atomic nocheckatomic crazyhouse losalamos gardner capablanca gothic janus embassy chancellor modern
  breakthrough`.trim().split(/\s+/);
// Variants whose games are also recorded from shuffled first ranks.
const SHUFFLED = "chess atomic crazyhouse antichess 3check kingofthehill capablanca janus".split(" ");

// A linear congruential generator: the same games on every machine.
function random(seed) {
  let state = BigInt(seed) * 2654435761n + 12345n;
  return (n) => {
    state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
    return Number((state >> 33n) % BigInt(n));
  };
}

function fnv1a(words) {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(words.map((word) => word + "\n").join(""))) {
    hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  }
  return hash.toString(16).padStart(16, "0").slice(0, 8);
}

const start = (variant) => new ffish.Board(variant).fen();
const placement = (fen) => fen.split(" ")[0].split("[")[0];
const pick = (list, below) => list[below(list.length)];

// A start whose first ranks are shuffled alike: bishops on both colours, the king between its rooks.
function shuffled(variant, below) {
  const fields = start(variant).split(" ");
  const ranks = placement(fields[0]).split("/");
  const army = [...ranks[0]];
  let rank, rooks;
  for (;;) {
    for (let i = army.length - 1; i > 0; i--) {
      const j = below(i + 1);
      [army[i], army[j]] = [army[j], army[i]];
    }
    rank = army.join("");
    const places = (letter) => army.flatMap((piece, i) => (piece === letter ? [i] : []));
    rooks = places("r");
    const colours = places("b").map((i) => i % 2);
    if (colours[0] !== colours[1] && rooks[0] < rank.indexOf("k") && rank.indexOf("k") < rooks[1]) break;
  }
  [ranks[0], ranks[ranks.length - 1]] = [rank, rank.toUpperCase()];
  fields[0] = ranks.join("/") + (fields[0].includes("[") ? "[]" : "");
  const rights = rooks.reverse().map((i) => "abcdefghij"[i]).join("");
  if (fields[2] !== "-") fields[2] = rights.toUpperCase() + rights;
  return fields.join(" ");
}

function record(variant, is960, below) {
  const fen = is960 ? shuffled(variant, below) : start(variant);
  const board = new ffish.Board(variant, fen, is960);
  const recorded = [];
  let result = null;
  while (recorded.length < plies) {
    const pieces = placement(board.fen()).replace(/[^a-zA-Z]/g, "").length;
    if (pieces <= 4 && variant !== "breakthrough") break;
    if (board.isGameOver(true)) {
      result = { "1-0": "white", "0-1": "black", "1/2-1/2": "draw" }[board.result(true)];
      break;
    }
    const legal = board.legalMoves().split(" ");
    const checks = [];
    const boards = legal.map((move) => {
      board.push(move);
      if (board.isCheck()) checks.push(move);
      const after = placement(board.fen());
      board.pop();
      return after;
    });
    const played = pick(below(3) === 0 && checks.length > 0 ? checks : legal, below);
    recorded.push([legal.length, fnv1a(boards.sort()), played]);
    board.push(played);
  }
  board.delete();
  const plain = variant === "chess" && is960;
  return { variant: plain ? "chess960" : variant, flags: is960 && !plain ? ["chess960"] : [], fen, plies: recorded, result };
}

ffish.onRuntimeInitialized = () => {
  const sorts = [...VARIANTS.map((v) => [v, false]), ...SHUFFLED.map((v) => [v, true])];
  sorts.forEach(([variant, is960], number) => {
    const below = random(seed * 1000 + number);
    for (let game = 0; game < games; game++) console.log(JSON.stringify(record(variant, is960, below)));
  });
};
