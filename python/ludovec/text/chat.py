"""Requests to language models: chat completions of a server with OpenAI's interface."""

from __future__ import annotations

import http.client
import json
import math
import os
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from .._shared.errors import config_error, shown

#: Longest answer of a server in bytes.
LONGEST_ANSWER = 1 << 22
#: Further requests after one that a server did not answer, or refused for the moment.
MOST_RESENT = 3
#: Seconds before the first of these; the pause doubles.
PAUSE = 0.5
#: Seconds between two looks at the interrupt.
TICK = 0.02
#: Refusals for the moment.
_BUSY = {408, 409, 425, 429, 500, 502, 503, 504, 529}

Message = dict[str, Any]


class NoAnswer(Exception):
    """A request without a usable answer; ``silent`` if the server did not answer at all."""

    def __init__(self, reason: str, *, silent: bool = False) -> None:
        super().__init__(reason)
        self.silent = silent


class Interrupted(Exception):
    """The caller stopped waiting."""


@dataclass(frozen=True)
class Answer:
    """An answer of a model."""

    #: Text, or tool calls.
    reply: str | list[Any]
    prompt_tokens: int
    completion_tokens: int
    #: Requests that were sent for it.
    requests: int


class Chat:
    """A model of a server: messages in, answers out.

    Requests go to the address itself: proxies are not used, and redirects are not followed, because the key
    belongs to this address.
    """

    def __init__(self, model: str, url: str, key: str | None, settings: Mapping[str, Any]) -> None:
        self.model, self.url = model, url
        self._key, self._settings = key, dict(settings)
        parts = urlsplit(url)
        self._https = parts.scheme == "https"
        self._host, self._port = parts.hostname or "", parts.port
        self._path = parts.path
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"

    def hide(self, text: str) -> str:
        """The text without the key."""
        return text.replace(self._key, "***") if self._key else text

    def ask(
        self, messages: list[Message], deadline: float, stopped: Callable[[], bool], sent: Callable[[], None]
    ) -> Answer:
        """Sends messages until an answer comes, at most until ``deadline`` (:func:`time.monotonic`).

        Args:
            messages: The conversation.
            deadline: Time for all requests together.
            stopped: Returns true to give up.
            sent: Called for every request.

        Raises:
            NoAnswer: With the reason.
            Interrupted: ``stopped`` returned true.
        """
        body = json.dumps({"model": self.model, "messages": messages, **self._settings}).encode()
        for resent in range(MOST_RESENT + 1):
            sent()
            try:
                return self._read(*self._post(body, deadline, stopped), resent + 1)
            except _Again as again:
                pause = PAUSE * 2**resent if again.pause is None else again.pause
                if resent == MOST_RESENT or time.monotonic() + pause >= deadline:
                    raise NoAnswer(str(again), silent=again.silent) from None
            _sleep(pause, stopped)
        raise AssertionError("the last request returns or raises")

    def _post(self, body: bytes, deadline: float, stopped: Callable[[], bool]) -> tuple[int, Any, bytes]:
        """Status, headers and body of an answer.

        A thread of its own sends and reads, because timeouts of sockets limit single operations only. A
        daemon thread, so that a server that never answers cannot keep the program alive.
        """
        call = _Call(self._connection(deadline), self._path, body, self._headers)
        threading.Thread(target=call.run, name="ludovec llm", daemon=True).start()
        while not call.done.wait(TICK):
            if stopped():
                call.abandon()
                raise Interrupted
            if time.monotonic() >= deadline:
                call.abandon()
                raise NoAnswer("no answer within the time limit", silent=True)
        if call.error is not None:
            late = isinstance(call.error, TimeoutError) and time.monotonic() >= deadline - TICK
            if late:
                raise NoAnswer("no answer within the time limit", silent=True)
            what = str(call.error) or type(call.error).__name__
            raise _Again(self.hide(shown(f"no answer: {what}", 200)), silent=True)
        return call.answer

    def _connection(self, deadline: float) -> http.client.HTTPConnection:
        left = max(deadline - time.monotonic(), TICK)
        if self._https:
            context = ssl.create_default_context()
            return http.client.HTTPSConnection(self._host, self._port, timeout=left, context=context)
        return http.client.HTTPConnection(self._host, self._port, timeout=left)

    def _read(self, status: int, headers: Any, body: bytes, requests: int) -> Answer:
        """The answer in a response.

        Raises:
            NoAnswer: The response is final.
            _Again: The request may be repeated.
        """
        if status != 200:
            said = self.hide(shown(_error_text(body), 200))
            reason = f"it answered with status {status}{': ' + said if said else ''}"
            if status in _BUSY:
                raise _Again(reason, pause=_seconds(headers.get("Retry-After")))
            raise NoAnswer(reason)
        if len(body) > LONGEST_ANSWER:
            raise NoAnswer(f"its answer is longer than {LONGEST_ANSWER} bytes")
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError):
            raise _Again("its answer is not JSON") from None
        try:
            choice = answer["choices"][0]
            message = choice["message"]
            content = message.get("content")
            calls = message.get("tool_calls")
        except (KeyError, IndexError, TypeError, AttributeError):
            raise _Again("its answer has no message") from None
        if isinstance(content, list):
            content = "".join(part.get("text") or "" for part in content if isinstance(part, dict))
        if content is not None and not isinstance(content, str):
            raise _Again("its message is not text")
        usage = answer.get("usage")
        counts = [_count(usage, name) for name in ("prompt_tokens", "completion_tokens")]
        reply = calls if isinstance(calls, list) and calls else self.hide(content or "")
        return Answer(reply, counts[0], counts[1], requests)


class _Again(Exception):
    """A request that may succeed if it is repeated."""

    def __init__(self, reason: str, *, silent: bool = False, pause: float | None = None) -> None:
        super().__init__(reason)
        self.silent, self.pause = silent, pause


class _Call:
    """One request in a thread."""

    def __init__(
        self, connection: http.client.HTTPConnection, path: str, body: bytes, headers: dict[str, str]
    ) -> None:
        self._connection, self._path, self._body, self._headers = connection, path, body, headers
        self.done = threading.Event()
        self.answer: tuple[int, Any, bytes] = (0, {}, b"")
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self._connection.request("POST", self._path, self._body, self._headers)
            response = self._connection.getresponse()
            self.answer = response.status, response.headers, response.read(LONGEST_ANSWER + 1)
        # Closed sockets raise errors of many types, as do malformed responses.
        except Exception as error:
            self.error = error
        finally:
            self._connection.close()
            self.done.set()

    def abandon(self) -> None:
        """Ends the connection; the thread then fails at once."""
        held = self._connection.sock
        if held is not None:
            try:
                held.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def _sleep(seconds: float, stopped: Callable[[], bool]) -> None:
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        if stopped():
            raise Interrupted
        time.sleep(min(left, TICK))


def _seconds(text: Any) -> float | None:
    """The seconds of a header ``Retry-After``; dates are not read."""
    try:
        seconds = float(text)
    except (TypeError, ValueError):
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


def _error_text(body: bytes) -> str:
    """The message of an error, in OpenAI's form or as it is."""
    text = body[:10_000].decode("utf-8", "replace")
    try:
        error = json.loads(text)["error"]
        return str(error["message"] if isinstance(error, dict) else error)
    except (ValueError, KeyError, TypeError, RecursionError):
        return text


def _count(usage: Any, name: str) -> int:
    """A count of tokens; 0 if the server does not say."""
    found = usage.get(name) if isinstance(usage, dict) else None
    return found if isinstance(found, int) and not isinstance(found, bool) and 0 <= found < 2**40 else 0


def endpoint(url: str) -> str:
    """The address of chat completions below a base address such as ``http://127.0.0.1:8000/v1``.

    Raises:
        InvalidConfig: It is no such address.
    """
    form = "http://HOST:PORT/v1 or https://HOST/v1 is needed"
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise config_error(f"the address: {form}") from None
    if parts.username is not None or parts.password is not None:
        raise config_error("the address: keys come from the environment, not from the address")
    usable = url.isascii() and url.isprintable() and " " not in url
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.fragment or not usable:
        raise config_error(f"the address {url!r:.100}: {form}")
    path = parts.path.rstrip("/") or "/v1"
    path = path if path.endswith("/chat/completions") else f"{path}/chat/completions"
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}{'' if port is None else f':{port}'}{path}"


def key_for(url: str, variable: str | None) -> str | None:
    """The key for an address, from the environment.

    Args:
        url: The address.
        variable: Name of the variable. ``None``: ``LUDOVEC_LLM_KEY``, or ``OPENAI_API_KEY`` for OpenAI's own
            address.

    Raises:
        InvalidConfig: The variable is not set. The message has no value.
    """
    if variable is None:
        own = "OPENAI_API_KEY" if urlsplit(url).hostname == "api.openai.com" else None
        key = os.environ.get("LUDOVEC_LLM_KEY") or (os.environ.get(own) if own else None)
    else:
        key = os.environ.get(variable)
        if not key:
            # The text may be a key by mistake, so it is not repeated.
            raise config_error(
                "key: the name of a variable of the environment is needed, this one is not set"
            )
    key = key.strip() if key else None
    if key and not (key.isascii() and key.isprintable()):
        raise config_error("key: the value of its variable has characters that no key has")
    return key or None
