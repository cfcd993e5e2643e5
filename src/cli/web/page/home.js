// The first screen: a card for every game, the levels, games from texts.

import { PositionEditor } from "./editor.js";
import { call, draw, inWords, make, newSeed, onTheme, showError, theme, usual } from "./common.js";

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
    const { levels } = environments[0];
    const stored = levels.find(({ name }) => name === localStorage.getItem("level")) ?? usual(levels);
    this.levels.append(...levels.map(({ name, help }) => {
      const input = make("input", { type: "radio", name: "level", value: name, checked: name === stored.name });
      input.onchange = () => localStorage.setItem("level", name);
      return make("label", {}, input, " ", make("b", { textContent: name }), " ", make("span", { textContent: help }));
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
    const wanted = this.levels.querySelector("input:checked")?.value;
    const { player } = environment.levels.find(({ name }) => name === wanted) ?? usual(environment.levels);
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
