"""A scripted server with OpenAI's chat completions, for tests of language models as players."""

import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

#: Tokens of every answer, as the server counts them.
PROMPT_TOKENS, COMPLETION_TOKENS = 100, 7


def completion(text, usage=True, **message):
    """An answer with a message."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text, **message}}
    answer = {"id": "1", "object": "chat.completion", "created": 0, "model": "some-model"}
    answer["choices"] = [{**choice, "finish_reason": "stop"}]
    if usage:
        total = PROMPT_TOKENS + COMPLETION_TOKENS
        counts = {"prompt_tokens": PROMPT_TOKENS, "completion_tokens": COMPLETION_TOKENS}
        answer["usage"] = {**counts, "total_tokens": total}
    return answer


def legal_moves(request):
    """The legal moves of the last list in a request for a player with ``legal=listed``."""
    told = "\n\n".join(str(message["content"]) for message in request["messages"])
    listed = told.rpartition("Legal moves, with their meaning:\n")[2].partition("\n\n")[0]
    return [line.split("  ")[0] for line in listed.splitlines()]


def good(server, request):
    """Plays the first legal move, in prose."""
    return completion(f"<think>Hmm.</think>\nMove: {legal_moves(request)[0]}")


def corrected(server, request):
    """Is wrong at first, and right when it is told so."""
    return completion("Move: xyzzy") if len(request["messages"]) == 1 else good(server, request)


def wrong(server, request):
    return completion("I play xyzzy.")


def tool_call(server, request):
    arguments = json.dumps({"move": legal_moves(request)[0]})
    call = {"id": "1", "type": "function", "function": {"name": "play", "arguments": arguments}}
    return completion(None, tool_calls=[call])


def parts(server, request):
    return completion([{"type": "text", "text": "Move: "}, {"type": "text", "text": legal_moves(request)[0]}])


def slow(server, request):
    time.sleep(30)


def echo(server, request):
    """Answers with everything that it was sent, the key included."""
    return completion(f"{server.keys[-1]}: {legal_moves(request)[0]}\nMove: {legal_moves(request)[0]}")


def status(code, body, **headers):
    return lambda server, request: (code, body, headers)


def once(first, then=good):
    """Behaves in one way for the first request and in another one afterwards."""
    return lambda server, request: (first if len(server.requests) == 1 else then)(server, request)


GARBAGE = {
    "text": status(200, b"hello"),
    "nothing": status(200, b""),
    "list": status(200, b"[1]"),
    "no choices": status(200, b'{"choices": []}'),
    "no message": status(200, b'{"choices": [null]}'),
    "number": status(200, b'{"choices": [{"message": {"content": 7}}]}'),
    "deep": status(200, b"[" * 100_000),
    "bytes": status(200, bytes(range(256)) * 10),
    "page": status(502, b"<html>bad gateway</html>"),
}


@contextmanager
def served(behave):
    """A server at ``url``; its ``requests``, ``keys`` and ``behave`` can be read and set."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            with server.lock:
                server.requests.append(json.loads(body))
                server.keys.append(self.headers.get("Authorization"))
                server.paths.append(self.path)
            said = server.behave(server, server.requests[-1])
            code, body, headers = said if isinstance(said, tuple) else (200, json.dumps(said).encode(), {})
            try:
                self.send_response(code)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name.replace("_", "-"), value)
                self.end_headers()
                self.wfile.write(body)
            except OSError:
                # The client has left.
                self.close_connection = True

        def log_message(self, *_):
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 100

    server = Server(("127.0.0.1", 0), Handler)
    server.lock = threading.Lock()
    server.requests, server.keys, server.paths, server.behave = [], [], [], behave
    server.url = f"http://127.0.0.1:{server.server_port}/v1"
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
