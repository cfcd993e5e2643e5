// Injected before the scripts of the `ludovec web` page: reports its visible state and its clickable places.
{
  const find = selector => document.querySelector("#play " + selector);
  const all = selector => [...document.querySelectorAll("#play " + selector)];

  // Number of requests with answers that the page has not read yet.
  let open = 0;
  const plainFetch = fetch;
  window.fetch = async (...asked) => {
    open++;
    // The page handles an answer before the next timer.
    const read = () => setTimeout(() => open--);
    try {
      const answer = await plainFetch(...asked);
      const json = answer.json.bind(answer);
      answer.json = () => json().finally(read);
      return answer;
    } catch (error) {
      read();
      throw error;
    }
  };
  // The static pages ask a Web Worker instead.
  const PlainWorker = Worker;
  window.Worker = class extends PlainWorker {
    constructor(...made) {
      super(...made);
      this.addEventListener("message", ({ data }) => { if (data.number !== undefined) setTimeout(() => open--); });
    }

    postMessage(...asked) {
      open++;
      super.postMessage(...asked);
    }
  };
  let clicks = 0;
  addEventListener("click", () => clicks++, true);
  let touches = 0;
  for (const event of ["touchstart", "touchend"]) addEventListener(event, () => touches++, { capture: true, passive: true });

  async function until(what, test) {
    const end = performance.now() + 30000;
    while (!test()) {
      if (performance.now() > end) throw new Error("waited in vain for " + what);
      await new Promise(done => setTimeout(done, 2));
    }
  }

  const status = () => find(".status").textContent;
  const isMine = () => status().includes("your turn");
  const isOver = () => status() !== "" && !isMine() && !status().includes("is to move");
  const marks = () => {
    const drawn = find(".board").shadowRoot?.querySelectorAll(".place.live:not(.absent)");
    return [...drawn ?? []];
  };
  const buttons = () => all(".actions button");

  /** A point of an element that a finger on the screen would touch, scrolled into view; null where others lie over it. */
  function point(element) {
    element.scrollIntoView({ block: "nearest" });
    const box = element.getBoundingClientRect();
    const shares = [.5, .25, .75, .1, .9];
    for (const v of shares) for (const u of shares) {
      const [x, y] = [box.left + u * box.width, box.top + v * box.height];
      if (element.getRootNode().elementFromPoint(x, y) === element) return [x, y];
    }
    return null;
  }

  window.person = {
    /** Waits for the page, and lets bots move at once. */
    async begin() {
      await until("the page", () => document.readyState === "complete" && find(".delay"));
      find(".delay").value = 0;
      return this.see(0);
    },

    /** The page's content after `clicked` clicks have arrived and no request is pending. */
    async see(clicked = clicks) {
      await until("a turn", () => clicks >= clicked && open === 0 && (isMine() || isOver()));
      const active = document.activeElement, mark = find(".board").shadowRoot?.activeElement;
      return {
        over: isOver(),
        status: status(),
        steps: all(".log li").length,
        clicks,
        marks: marks().map(m => ({ next: m.classList.contains("next"), chosen: m.classList.contains("chosen") })),
        buttons: buttons().length,
        focus: mark ? "place" : active?.closest(".actions") ? "action" : "elsewhere",
        focusSeen: (mark ?? active)?.matches(":focus-visible"),
        wider: document.documentElement.scrollWidth - innerWidth,
        error: document.getElementById("error").textContent,
      };
    },

    place: i => point(marks()[i]),
    button: i => point(buttons()[i]),

    /** Number of touch events that have arrived. */
    touches: () => touches,

    async end() {
      const { request } = await import(new URL("server.js", location.href));
      const { body: record } = await request("GET", find(".record").getAttribute("href"));
      return {
        actions: record.actions.length,
        scores: record.scores,
        shown: all(".scores tr").map(row => parseFloat(row.cells[2].textContent)),
        visible: find(".status").checkVisibility() && find(".status").getBoundingClientRect().width > 0,
      };
    },
  };
}
