// The curtain between two people at one screen: in games with hidden information, a person does not see the cards of the
// person before.

export class Curtain {
  /** `stage` is hidden behind the curtain `element`. */
  constructor(element, stage) {
    Object.assign(this, { element, stage, seen: null });
  }

  /** Forgets who may see the screen. */
  reset() {
    this.seen = null;
  }

  /** Waits until the next person is at the screen, if it is another one. */
  async fallFor({ hidden, seats, status, viewer }) {
    const persons = seats.filter(seat => seat.bot === null).length;
    if (!hidden || persons < 2 || status !== "running" || this.seen === viewer) return;
    const { name } = seats[viewer];
    const button = this.element.querySelector("button");
    this.stage.hidden = true;
    this.element.querySelector("p").textContent = `Hand the screen to ${name}. What the others hold stays hidden.`;
    button.textContent = `I am ${name}`;
    this.element.hidden = false;
    button.focus();
    await new Promise(done => { button.onclick = done; });
    this.element.hidden = true;
    this.stage.hidden = false;
    this.seen = viewer;
  }
}
