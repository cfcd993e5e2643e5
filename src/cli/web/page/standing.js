// The standing of a game in words: the current player or the result, and the scores.

import { make } from "./common.js";

export const brief = number => String(Number(number.toFixed(2)));

/** What the values of an adviser count, by the words of its forecast. */
export const kindOf = forecast => forecast.startsWith("outcome") ? "outcome" : forecast.includes("lead") ? "lead" : "points";

/** The word for a point of a game. */
const POINTS = { smallworld: "coin", tilewe: "square", empires: "cell" };
function points(number, env) {
  const shown = Math.abs(number) < 10 ? Number(number.toFixed(1)) : Math.round(number);
  return `${shown} ${POINTS[env] ?? "point"}${Math.abs(shown) === 1 ? "" : "s"}`;
}

/** Losses that are as bad as the colours tell: a fifth of the win, a fifth of the lead, five points. */
const WORST = { outcome: .4, lead: .2, points: 5 };

/**
 * The prices of the actions of an analysis: the difference of each one's value and that of the best action, in the words
 * of the game, and its colour from green to red. The best action has the highest value of those with at least half of
 * the most visits; the value of a less visited one says little and never makes it better than the best. Without values,
 * the shares of the visits.
 */
export function prices(best, forecast, env) {
  const kind = kindOf(forecast);
  const most = Math.max(...best.map(option => option.visits ?? 0));
  const sure = best.filter(({ value, visits }) => value !== null && visits * 2 >= most);
  const top = sure.reduce((high, option) => option.value > high.value ? option : high, sure[0]);
  const price = option => {
    if (option === top) return { text: "best", short: "best", colour: hue(0), loss: 0 };
    if (!top || option.value === null) {
      const text = top ? "?" : `${Math.round(100 * option.share + 1e-3)} %`;
      return { text, short: text, colour: "#7d7d7d", loss: Infinity };
    }
    const loss = sure.includes(option) ? top.value - option.value : Math.max(0, top.value - option.value);
    const shown = kind === "points" ? points(-loss, env) : `${Math.round(-(kind === "outcome" ? 50 : 100) * loss)} %`;
    const text = /^-?0 /.test(shown) ? "equal" : loss > 0 ? shown : `+${shown}`;
    return { text, short: kind === "points" ? text.split(" ")[0] : text, colour: hue(loss / WORST[kind]), loss };
  };
  const doubt = option => sure.includes(option) ? 0 : 1;
  return best.map(option => ({ ...option, ...price(option), doubt: doubt(option) }))
    .sort((a, b) => (b.text === "best") - (a.text === "best") || a.loss - b.loss || a.doubt - b.doubt || b.share - a.share);
}

/** Green for 0, red for 1. */
const hue = bad => `hsl(${Math.round(130 * (1 - Math.max(0, Math.min(1, bad))))} 75% 34%)`;

/**
 * The value of a position in words, such as "you win by 12 coins". `values` are per seat; `scores` those of the position,
 * null where they are hidden.
 */
export function inGameWords({ values, forecast, seats, scores, env }) {
  const kind = kindOf(forecast);
  const persons = seats.filter(seat => seat.bot === null);
  const name = seat => persons.length === 1 && seats[seat].bot === null ? "you" : seats[seat].name;
  const verb = (seat, you, other) => `${name(seat)} ${name(seat) === "you" ? you : other}`;
  const order = list => list.map((value, seat) => [value, seat]).sort(([a], [b]) => b - a);
  if (kind === "outcome") {
    const [[value, seat], [next]] = order(values);
    if (values.length > 2) return value - next < .02 ? "an open game" : `${verb(seat, "are", "is")} ahead: ${value < 0 ? "" : "+"}${brief(value)} on a scale from -1 (last) to 1 (first)`;
    if (Math.abs(value) < .02) return "an even game";
    return value > .99 ? verb(seat, "win", "wins") : `${verb(seat, "have", "has")} a ${Math.round(50 * (1 + value))} % chance to win`;
  }
  if (kind === "lead") {
    const [[value, seat]] = order(values);
    if (value > .99) return verb(seat, "win", "wins");
    return value < .005 ? "the lead stays as it is" : `${verb(seat, "gain", "gains")} ${Math.round(100 * value)} % of the lead in the next rounds`;
  }
  // A value is the rest of the margin over the mean of the others; the difference of two seats follows from the margins.
  const part = (values.length - 1) / values.length;
  const known = scores.every(score => score !== null);
  const mean = known ? scores.reduce((sum, score) => sum + score, 0) / scores.length : 0;
  const [[value, seat], [next]] = order(values.map((value, i) => part * value + (known ? scores[i] - mean : 0)));
  const by = points(value - next, env);
  if (by.startsWith("0 ")) return known ? "an even game" : "nobody gains on the others from here";
  return known ? `${verb(seat, "win", "wins")} by ${by}` : `from here ${verb(seat, "gain", "gains")} ${by} on the next best`;
}

/** Whether the player of a seat is a person at another screen. */
export const isElsewhere = seat => seat.bot === "elsewhere";

export function statusLine(game) {
  if (game.result) return `${game.result[0].toUpperCase()}${game.result.slice(1)}.`;
  const mover = game.seats[game.player];
  if (game.person) return `${mover.name}: your turn`;
  return isElsewhere(mover) ? `${mover.name} is to move, at another screen` : `${mover.name} (${mover.bot}) is to move`;
}

/** The worth of pieces, from the most valuable one, and how many there are at the start. */
const PIECES = { queen: [9, 1, "\u265b"], rook: [5, 2, "\u265c"], bishop: [3, 2, "\u265d"], knight: [3, 2, "\u265e"], pawn: [1, 8, "\u265f"] };

/** For each side of a drawing of chess: the captured pieces as figures, and the lead in material; null for other games. */
export function material(svg) {
  const sides = ["w", "b"].map(side => {
    const count = kind => svg.querySelectorAll(`use[href="#chess-${side}-${kind}"]`).length;
    const counts = Object.fromEntries(Object.keys(PIECES).map(kind => [kind, count(kind)]));
    return { counts, king: count("king"), worth: Object.entries(counts).reduce((sum, [kind, n]) => sum + n * PIECES[kind][0], 0) };
  });
  if (sides.some(({ king }) => king === 0)) return null;
  return sides.map(({ worth }, i) => {
    const other = sides[1 - i];
    const taken = Object.entries(PIECES).map(([kind, [, start, figure]]) => figure.repeat(Math.max(0, start - other.counts[kind]))).join("");
    return { taken, lead: Math.max(0, worth - other.worth) };
  });
}

/** The table row of a seat. */
export function scoreRow(game, i) {
  const seat = game.seats[i];
  const score = game.scores[i];
  const outcome = game.returns ? ` (${game.returns[i] > 0 ? "+" : ""}${brief(game.returns[i])})` : "";
  const swatch = make("span", { className: "swatch" });
  swatch.style.background = seat.colour;
  const row = make("tr", {}, make("td", {}, swatch, ` ${seat.name}`),
    make("td", { textContent: isElsewhere(seat) ? "at another screen" : seat.bot ?? "you" }),
    make("td", { textContent: score === null ? "hidden" : brief(score) + outcome }));
  row.classList.toggle("now", game.status === "running" && i === game.player);
  return row;
}
