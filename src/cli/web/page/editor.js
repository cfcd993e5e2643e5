// The position editor of chess: pieces on a board by clicks, and the position as FEN.

import { make } from "./common.js";

/** Pieces as letters of FEN, with the figure and the name. */
const PIECES = {
  K: ["\u2654", "white king"], Q: ["\u2655", "white queen"], R: ["\u2656", "white rook"],
  B: ["\u2657", "white bishop"], N: ["\u2658", "white knight"], P: ["\u2659", "white pawn"],
  k: ["\u265a", "black king"], q: ["\u265b", "black queen"], r: ["\u265c", "black rook"],
  b: ["\u265d", "black bishop"], n: ["\u265e", "black knight"], p: ["\u265f", "black pawn"],
};
const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
/** The home squares of king and rook for each castling right. */
const HOMES = { K: ["e1", "h1"], Q: ["e1", "a1"], k: ["e8", "h8"], q: ["e8", "a8"] };

/** The squares in the order of FEN: a8 to h8, then the row below. */
const SQUARES = [8, 7, 6, 5, 4, 3, 2, 1].flatMap(rank => [..."abcdefgh"].map(file => `${file}${rank}`));

export class PositionEditor {
  /** `load(text)` opens the game of a FEN. */
  constructor(details, { load }) {
    this.hand = "P"; // The piece that a click places; "" takes pieces off.
    this.pieces = new Map();
    this.squares = SQUARES.map((square, i) => make("button", {
      type: "button", className: (i + Math.floor(i / 8)) % 2 ? "dark" : "", onclick: () => this.place(square),
    }));
    const piece = ([letter, [figure, title]]) => make("button", { type: "button", textContent: figure, title, ariaLabel: title, value: letter });
    this.palette = [...Object.entries(PIECES).map(piece),
      make("button", { type: "button", textContent: "\u2715", title: "take a piece off", ariaLabel: "take a piece off", value: "" })];
    for (const button of this.palette) button.onclick = () => { this.hand = button.value; this.show(); };
    this.mover = make("select", { ariaLabel: "player to move", onchange: () => this.show() },
      make("option", { value: "w", textContent: "White to move" }), make("option", { value: "b", textContent: "Black to move" }));
    this.rights = Object.keys(HOMES).map(right => make("input", { type: "checkbox", value: right, onchange: () => this.show() }));
    this.fen = make("input", { className: "fen", spellcheck: false, ariaLabel: "the position as FEN", onchange: () => this.read(this.fen.value) });
    const clear = make("button", { type: "button", textContent: "Empty board", onclick: () => this.read("8/8/8/8/8/8/8/8 w - - 0 1") });
    const start = make("button", { type: "button", textContent: "Start position", onclick: () => this.read(START) });
    const names = { K: "White O-O", Q: "White O-O-O", k: "Black O-O", q: "Black O-O-O" };
    details.append(make("form", { onsubmit: event => { event.preventDefault(); load(this.fen.value); } },
      make("div", { className: "row palette", role: "group", ariaLabel: "piece to place" }, ...this.palette),
      make("div", { className: "squares", role: "group", ariaLabel: "board" }, ...this.squares),
      make("div", { className: "row" }, this.mover, ...this.rights.map(box => make("label", {}, box, ` ${names[box.value]}`))),
      this.fen,
      make("div", { className: "row" }, start, clear, make("button", { type: "submit", className: "main", textContent: "Open the position" }))));
    this.read(START);
  }

  /** Places the piece in hand, or takes the same piece off. */
  place(square) {
    if (this.hand && this.pieces.get(square) !== this.hand) this.pieces.set(square, this.hand);
    else this.pieces.delete(square);
    this.show();
  }

  /** Reads a FEN; the server refuses wrong ones when the position is opened. */
  read(text) {
    const [board, mover = "w", rights = "-"] = text.trim().split(/\s+/);
    const cells = board.replaceAll("/", "").replace(/\d/g, number => " ".repeat(Number(number)));
    this.pieces = new Map(SQUARES.map((square, i) => [square, cells[i]]).filter(([, letter]) => PIECES[letter]));
    this.mover.value = mover === "b" ? "b" : "w";
    for (const box of this.rights) box.checked = rights.includes(box.value);
    this.show();
    // Parts that the editor does not show, such as an en-passant square, stay as they were written.
    if (text.includes(" ")) this.fen.value = text.trim();
  }

  show() {
    this.squares.forEach((button, i) => {
      const letter = this.pieces.get(SQUARES[i]);
      const [figure, name] = PIECES[letter] ?? ["", "empty"];
      button.textContent = figure;
      button.ariaLabel = `${SQUARES[i]}, ${name}`;
    });
    for (const button of this.palette) button.ariaPressed = button.value === this.hand;
    for (const box of this.rights) {
      const [king, rook] = box.value === box.value.toUpperCase() ? "KR" : "kr";
      const [kingHome, rookHome] = HOMES[box.value];
      box.disabled = this.pieces.get(kingHome) !== king || this.pieces.get(rookHome) !== rook;
      if (box.disabled) box.checked = false;
    }
    const rows = Array.from({ length: 8 }, (_, row) => SQUARES.slice(8 * row, 8 * row + 8)
      .map(square => this.pieces.get(square) ?? " ").join("").replace(/ +/g, gap => gap.length));
    const rights = this.rights.filter(box => box.checked).map(box => box.value).join("") || "-";
    this.fen.value = `${rows.join("/")} ${this.mover.value} ${rights} - 0 1`;
  }
}
