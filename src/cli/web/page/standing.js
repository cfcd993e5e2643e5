// The standing of a game in words: the current player or the result, and the scores.

import { make } from "./common.js";

export const brief = number => String(Number(number.toFixed(2)));

export function statusLine(game) {
  if (game.result) return `${game.result[0].toUpperCase()}${game.result.slice(1)}.`;
  const mover = game.seats[game.player];
  return game.person ? `${mover.name}: your turn` : `${mover.name} (${mover.bot}) is to move`;
}

/** The table row of a seat. */
export function scoreRow(game, i) {
  const seat = game.seats[i];
  const score = game.scores[i];
  const outcome = game.returns ? ` (${game.returns[i] > 0 ? "+" : ""}${brief(game.returns[i])})` : "";
  const swatch = make("span", { className: "swatch" });
  swatch.style.background = seat.colour;
  const row = make("tr", {}, make("td", {}, swatch, ` ${seat.name}`),
    make("td", { textContent: seat.bot ?? "you" }),
    make("td", { textContent: score === null ? "hidden" : brief(score) + outcome }));
  row.classList.toggle("now", game.status === "running" && i === game.player);
  return row;
}
