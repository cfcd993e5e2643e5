// The first screen: a card for every game, three levels, games from texts.

import { PositionEditor } from "./editor.js";
import { call, draw, inWords, make, newSeed, onTheme, showError, theme } from "./common.js";

/** What the levels of the shipped networks are like for people; docs/strength.md has the measurements. */
const LEVELS = {
  easy: "For your first games: it plays the first move that it likes, in chess like a casual player (about 1,200).",
  medium: "If you know the rules well: it looks a little ahead before every move.",
  strong: "If you play well: it looks further ahead, in chess like a club player (about 1,700).",
};

/** The level at the first visit. */
const USUAL = 1;

export class Home {
  /** `begin(setup)` starts a game; `load(text)` opens one. */
  constructor(element, { form, begin, load }) {
    Object.assign(this, { element, form, begin, load });
    const $ = selector => element.querySelector(selector);
    this.cards = $(".cards");
    this.levels = $(".levels");
    $(".load form").onsubmit = event => { event.preventDefault(); this.open($(".load textarea").value); };
    $(".load input").onchange = async event => this.open(await event.target.files[0].text());
    new PositionEditor($(".editor"), { load: text => this.open(text) });
    this.ready = this.fill();
    onTheme(() => this.paint().catch(showError));
  }

  async fill() {
    await this.form.ready;
    const environments = this.form.environments;
    const stored = Number(localStorage.getItem("level") ?? USUAL);
    this.levels.append(...environments[0].levels.map(({ name, help }, i) => {
      const input = make("input", { type: "radio", name: "level", value: i, checked: i === stored });
      input.onchange = () => localStorage.setItem("level", i);
      return make("label", {}, input, " ", make("b", { textContent: name }), " ", make("span", { textContent: LEVELS[name] ?? help, title: help }));
    }));
    this.cards.append(...environments.map(environment => this.card(environment)));
    await this.paint();
  }

  card(environment) {
    const name = inWords(environment.name);
    const players = `${environment.seats.length} players`;
    const play = make("button", { type: "button", className: "main", textContent: "Play" });
    play.setAttribute("aria-label", `Play ${name}`);
    play.onclick = () => this.play(environment);
    const picture = make("div", { className: "picture" });
    picture.onclick = play.onclick;
    const card = make("li", { className: "card" }, picture, make("h3", { textContent: name }),
      make("p", { textContent: environment.summary }), make("p", { className: "faint", textContent: players }), play);
    card.picture = picture;
    card.env = environment.id;
    return card;
  }

  /** Draws the pictures of the cards. */
  async paint() {
    const pictures = await call("GET", `/api/cards?theme=${theme()}`);
    for (const card of this.cards.children) {
      draw(card.picture, pictures[card.env]).querySelector("svg").setAttribute("aria-hidden", true);
    }
  }

  play(environment) {
    const level = Number(this.levels.querySelector("input:checked")?.value ?? USUAL);
    const { player } = environment.levels[level];
    const seats = environment.seats.map((_, i) => i === 0 ? "human" : player);
    this.form.launch({ env: environment.id, options: {}, seats, seed: newSeed() });
  }

  async open(text) {
    showError();
    try {
      await this.load(text);
    } catch (error) {
      showError(error);
    }
  }
}
