// Calls a game's WebAssembly file: JSON in, JSON out. A classic script, for the worker and for Node.js alike.

class LudovecEngine {
  /** The engine of a response, or of the bytes of a file; its games are numbered from `first` on. */
  static async load(source, first = 0) {
    const engine = new LudovecEngine();
    const imports = { host: {
      now: () => performance.now(),
      first: () => first,
      panicked: (text, length) => { engine.panic = engine.text(text, length); },
    } };
    let bytes = source;
    if (!ArrayBuffer.isView(source) && !(source instanceof ArrayBuffer)) {
      // Hosts that do not know the type of the file cannot stream it.
      if (source.headers.get("content-type") === "application/wasm") {
        engine.exports = (await WebAssembly.instantiateStreaming(source, imports)).instance.exports;
        return engine;
      }
      bytes = await source.arrayBuffer();
    }
    engine.exports = (await WebAssembly.instantiate(bytes, imports)).instance.exports;
    return engine;
  }

  bytes(at, length) {
    return new Uint8Array(this.exports.memory.buffer, at, length);
  }

  text(at, length) {
    return new TextDecoder().decode(this.bytes(at, length));
  }

  /** Answers `{method, path, body}` with `{status, body}`; throws if the engine panics, and is of no use afterwards. */
  answer(request) {
    const asked = new TextEncoder().encode(JSON.stringify(request));
    this.bytes(this.exports.ludovec_request(asked.length), asked.length).set(asked);
    const length = this.exports.ludovec_answer();
    return JSON.parse(this.text(this.exports.ludovec_answered(), length));
  }
}

if (typeof module !== "undefined") module.exports = LudovecEngine;
