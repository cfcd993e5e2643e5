// Requests of the page to `ludovec web`. The static pages have another file of this name, with a Web Worker instead.

/** Whether other machines reach the games. */
export const shares = true;

/** The status and the content of an answer; throws if the server does not answer. */
export async function request(method, path, body) {
  const headers = body ? { "content-type": "application/json" } : {};
  let response;
  try {
    response = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  } catch {
    throw new Error("the server does not answer: is it still running?");
  }
  return { status: response.status, body: response.status === 204 ? null : await response.json() };
}
