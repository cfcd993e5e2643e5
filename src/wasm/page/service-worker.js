// Keeps the files of the static pages, so that they open without a connection: the kept file answers at once, and a
// newer one replaces it for the next visit.

const KEPT = "ludovec";
/** The files of the first screen; games are kept once they have been played. */
const FIRST = ["./", "style.css", "icon.svg", "play.js", "watch.js", "live.js", "common.js", "server.js", "board.js",
  "home.js", "editor.js", "panels.js", "curtain.js", "review.js", "standing.js", "address.js", "worker.js", "engine.js",
  "environments.json", "rules.json", "cards-light.json", "cards-dark.json", "manifest.webmanifest"];

addEventListener("install", event => event.waitUntil(caches.open(KEPT).then(kept => kept.addAll(FIRST)).then(() => skipWaiting())));
addEventListener("activate", event => event.waitUntil(clients.claim()));

addEventListener("fetch", event => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
  const answer = async () => {
    const kept = await caches.open(KEPT);
    const known = await kept.match(request, { ignoreSearch: true });
    const fetched = fetch(request).then(async response => {
      if (response.ok) await kept.put(request, response.clone());
      return response;
    });
    if (!known) return fetched;
    event.waitUntil(fetched.catch(() => {}));
    return known;
  };
  event.respondWith(answer());
});
