// Requests of the page to the games in a Web Worker. `ludovec web` has another file of this name, with HTTP.

// A phone installs the page, and opens it without a connection.
document.head.append(Object.assign(document.createElement("link"), { rel: "manifest", href: "manifest.webmanifest" }));
navigator.serviceWorker?.register(new URL("service-worker.js", import.meta.url)).catch(() => {});

const worker = new Worker(new URL("worker.js", import.meta.url));
const waiting = new Map(); // The promises of requests by number.
let requests = 0;

worker.onmessage = ({ data: { number, loading, answer } }) => {
  if (loading !== undefined) return showLoading(loading);
  waiting.get(number).resolve(answer);
  waiting.delete(number);
};
worker.onerror = event => {
  for (const { reject } of waiting.values()) reject(new Error(`the games cannot be loaded: ${event.message ?? "no worker"}`));
  waiting.clear();
};

/** Whether other machines reach the games. */
export const shares = false;

/** The status and the content of an answer. */
export function request(method, path, body) {
  return new Promise((resolve, reject) => {
    waiting.set(++requests, { resolve, reject });
    worker.postMessage({ number: requests, method, path, body });
  });
}

/** Says which game is being loaded; an empty text ends it. */
function showLoading(text) {
  let line = document.getElementById("loading");
  if (!line) {
    line = Object.assign(document.createElement("p"), { id: "loading", role: "status" });
    document.querySelector("header").after(line);
  }
  line.textContent = text;
  line.hidden = !text;
}

/** Files that `ludovec web` would serve, such as records, are made when they are asked for. */
document.addEventListener("click", async event => {
  const link = event.target.closest?.("a[download]");
  const path = link?.getAttribute("href");
  if (!path?.startsWith("/api/")) return;
  event.preventDefault();
  // JavaScript would round large numbers of the record.
  const { status, body } = await request("GET", `${path}/text`);
  if (status >= 400) return;
  const file = URL.createObjectURL(new Blob([body.text], { type: "application/json" }));
  const id = path.split("/")[3];
  Object.assign(document.createElement("a"), { href: file, download: `${id}.json` }).click();
  setTimeout(() => URL.revokeObjectURL(file), 60000);
});
