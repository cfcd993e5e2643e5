// Games and positions in addresses: texts, packed if they are long, and the number of a step.

/** Texts shorter than this can be read in the address. */
const READABLE = 1500;

/** The part of an address that has a text. */
export const withText = async text => text.length < READABLE ? { text } : { packed: await packed(text) };

/** The text in an address; null without one. */
export const textOf = async query => query.get("text") ?? (query.has("packed") ? unpacked(query.get("packed")) : null);

/** The number of steps before the position in an address; null for the current one. */
export const stepOf = query => query.has("at") ? Number(query.get("at")) || 0 : null;

async function through(stream, bytes) {
  const blob = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(blob).arrayBuffer());
}

/** A text compressed, in the letters that addresses may have. */
export async function packed(text) {
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(text));
  const letters = btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(""));
  return letters.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The text of `packed`. */
async function unpacked(letters) {
  try {
    const bytes = Uint8Array.from(atob(letters.replaceAll("-", "+").replaceAll("_", "/")), letter => letter.charCodeAt(0));
    return new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), bytes));
  } catch {
    throw new Error("the game in the address is damaged: was the address copied as a whole?");
  }
}
