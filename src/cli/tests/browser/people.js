// Injected before the scripts of the page: helpers of the tests in people.rs.
{
  // A dialog would stop the page until it is answered.
  window.confirm = () => true;
  const find = selector => document.querySelector("#play " + selector);
  const all = selector => [...document.querySelectorAll("#play " + selector)];
  const root = () => find(".board").shadowRoot;

  async function until(what, test) {
    const end = performance.now() + 60000;
    while (true) {
      const value = document.readyState === "complete" && test();
      if (value) return value;
      if (performance.now() > end) throw new Error("waited in vain for " + what);
      await new Promise(done => setTimeout(done, 5));
    }
  }

  const middle = element => {
    element.scrollIntoView({ block: "nearest", inline: "nearest" });
    const box = element.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
  };
  const mark = name => [...root().querySelectorAll(".place")].find(place => place.means.some(([, value]) => value === name));
  const text = selector => find(selector)?.textContent ?? "";
  const visible = selector => Boolean(find(selector)?.checkVisibility());
  const isMine = () => visible(".stage") && text(".status").includes("your turn");

  /** Relative luminance of a colour such as rgb(1, 2, 3). */
  const luminance = colour => {
    const linear = value => value <= .04045 ? value / 12.92 : ((value + .055) / 1.055) ** 2.4;
    const [r, g, b] = colour.match(/[\d.]+/g).map(part => linear(part / 255));
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const contrast = (a, b) => {
    const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (high + .05) / (low + .05);
  };
  const ground = element => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (!/, 0\)$|transparent/.test(colour) && !colour.startsWith("color(")) return colour;
    }
    return getComputedStyle(document.body).backgroundColor;
  };
  const name = element => element.getAttribute("aria-label") || element.textContent.trim()
    || element.labels?.[0]?.textContent.trim() || element.placeholder || element.title;

  window.page = {
    find, all, text, visible, until,
    turn: () => until("a turn", isMine).then(() => text(".status")),
    square: square => middle(mark(square)),
    point: selector => middle(find(selector)),
    /** A point of a place that makes an action by itself; null if there is none. */
    single() {
      const places = [...root().querySelectorAll(".place")];
      const named = new Set(places.flatMap(place => place.place));
      const own = (place, action) => Object.entries(action.move).map(([key, value]) => `${key}=${JSON.stringify(value)}`)
        .every(mention => !named.has(mention) || place.place.includes(mention));
      const alone = places.find(place => place.matches(".live:not(.absent)") && place.actions.length === 1
        && own(place, place.actions[0]));
      return alone ? middle(alone) : null;
    },
    button: words => middle(all("button").find(button => button.checkVisibility() && button.textContent.includes(words))),
    steps: () => all(".log li").length,
    targets: () => root().querySelectorAll(".target").length,
    drawing: () => root().querySelector("svg").outerHTML,

    /** Sizes on the screen: the smallest text and place of the board, the smallest control of the page. */
    sizes() {
      const shown = element => element.checkVisibility() && element.getBoundingClientRect().width > 0;
      const side = element => Math.min(element.getBoundingClientRect().width, element.getBoundingClientRect().height);
      const least = (elements, size) => Math.min(...[...elements].filter(shown).map(size));
      // A drawing whose board is shown alone keeps the rest outside its view.
      const frame = root().querySelector("svg").getBoundingClientRect();
      const inView = words => {
        const at = words.getBoundingClientRect();
        return at.right > frame.left && at.left < frame.right && at.bottom > frame.top && at.top < frame.bottom;
      };
      const letters = [...root().querySelectorAll("text")].filter(words => words.textContent.trim() && inView(words));
      const text = least(letters, words => parseFloat(getComputedStyle(words).fontSize) * words.getScreenCTM().a);
      const places = [...root().querySelectorAll(".place:not(.absent)")].filter(place => side(place) > 0);
      return {
        text, target: least(places, side), places: places.length, letters: letters.length,
        beside: all(".beside li").filter(shown).length,
        words: least(all(".beside li *"), row => parseFloat(getComputedStyle(row).fontSize)),
        chosen: all(".beside button.live").length,
        control: least(document.querySelectorAll("button, input, select, a"), side),
        wider: document.documentElement.scrollWidth - innerWidth,
      };
    },

    /** What a screen reader and weak eyes would miss, in words. */
    barriers() {
      const wrong = [];
      const svg = root().querySelector("svg");
      if (svg.getAttribute("role") !== "group") wrong.push("the board is no group");
      for (const place of root().querySelectorAll(".place.live")) {
        if (place.getAttribute("role") !== "button" || !place.getAttribute("aria-label") || place.tabIndex !== 0) {
          wrong.push(`a place without a name or a tab stop: ${place.outerHTML.slice(0, 200)}`);
        }
      }
      for (const element of document.querySelectorAll("button, input, select, textarea, a")) {
        if (!element.checkVisibility()) continue;
        if (!name(element)) wrong.push(`no name: ${element.outerHTML.slice(0, 120)}`);
        const style = getComputedStyle(element);
        if (/^(INPUT|SELECT|TEXTAREA|BUTTON)$/.test(element.tagName) && parseFloat(style.borderTopWidth) > 0
          && !/range|radio|checkbox/.test(element.type) && !element.disabled) {
          const edge = contrast(style.borderTopColor, ground(element.parentElement));
          if (edge < 3) wrong.push(`a border of contrast ${edge.toFixed(2)}: ${element.outerHTML.slice(0, 120)}`);
        }
      }
      for (const element of document.querySelectorAll("main *, header *")) {
        const own = [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
        if (!own || !element.checkVisibility() || element.disabled) continue;
        const ink = contrast(getComputedStyle(element).color, ground(element));
        if (ink < 4.5) wrong.push(`text of contrast ${ink.toFixed(2)}: ${element.outerHTML.slice(0, 120)}`);
      }
      return wrong;
    },
  };
}
