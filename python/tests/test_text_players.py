"""Language models as players: a scripted server answers well, slowly, wrongly, or not at all."""

import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import ludovec
import pytest
from chat_servers import (
    COMPLETION_TOKENS,
    GARBAGE,
    PROMPT_TOKENS,
    completion,
    corrected,
    echo,
    good,
    legal_moves,
    once,
    parts,
    served,
    slow,
    status,
    tool_call,
    wrong,
)
from ludovec.text import chat, players

PROGRAM = [sys.executable, "-m", "ludovec"]


@pytest.fixture(autouse=True)
def no_keys(monkeypatch):
    """Tests use no keys of the machine, and do not wait long before a second request."""
    for name in ("LUDOVEC_LLM_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(chat, "PAUSE", 0.01)


def named(server, settings="", model="some-model"):
    return f"llm:{model}@{server.url}?legal=listed{',' if settings else ''}{settings}"


def chosen(server, settings="", env="chess", **options):
    """The choice of a model in a new game: an action, or the reason of a fault."""
    game = ludovec.Game(env, 0, **options)
    model = players.make(named(server, settings), None)
    return model.games([game._core], lambda: False)[0], model, game


@pytest.mark.parametrize("behave", [good, tool_call, parts, corrected], ids=lambda f: f.__name__)
def test_answers_are_read(behave, env_id):
    with served(behave) as server:
        action, model, game = chosen(server, env=env_id)
        requests = 2 if behave is corrected else 1
        assert action == game.legal_actions()[0]
        assert model.usage() == (
            requests,
            requests - 1,
            requests * PROMPT_TOKENS,
            requests * COMPLETION_TOKENS,
        )
        assert len(server.requests) == requests and set(server.paths) == {"/v1/chat/completions"}
        first = server.requests[0]
        assert first["model"] == "some-model" and set(first) == {"model", "messages"}
        assert first["messages"][0]["content"] == ludovec.text.prompt(game, legal="listed")
        if behave is corrected:
            assert "xyzzy" in server.requests[1]["messages"][2]["content"]


@pytest.mark.parametrize("env", ["smallworld", "chess"])
def test_a_model_can_play_under_drawn_names(env):
    with served(corrected) as server:
        action, _, game = chosen(server, "obfuscate=7", env)
        assert action == game.legal_actions()[0]
        names = ludovec.text.Obfuscation(game, 7)
        (asked,) = server.requests[0]["messages"]
        assert asked["content"] == names.hide(ludovec.text.prompt(game, legal="listed"))
        assert asked["content"] != ludovec.text.prompt(game, legal="listed")


def test_drawn_names_of_other_games_lose_the_move():
    with served(good) as server:
        reason, _, _ = chosen(server, "obfuscate=7", "tilewe")
        assert "smallworld and chess" in reason and not server.requests


def test_settings_reach_the_server():
    with served(good) as server:
        action, _, _ = chosen(server, "temperature=0.5,max_tokens=64")
        assert isinstance(action, int)
        assert (server.requests[0]["temperature"], server.requests[0]["max_tokens"]) == (0.5, 64)


def test_a_model_that_stays_wrong_loses_its_move():
    with served(wrong) as server:
        reason, model, _ = chosen(server, "retries=1")
        assert "no legal move in 2 replies" in reason and "xyzzy" in reason
        assert model.usage()[:2] == (2, 1)


@pytest.mark.parametrize("kind", GARBAGE)
def test_garbage_is_asked_again_and_then_a_fault(kind):
    with served(once(GARBAGE[kind])) as server:
        assert isinstance(chosen(server)[0], int)
        assert len(server.requests) == 2
    with served(GARBAGE[kind]) as server:
        reason, model, _ = chosen(server)
        assert isinstance(reason, str) and len(reason) < 400 and "\n" not in reason and reason.isprintable()
        assert len(server.requests) == chat.MOST_RESENT + 1


@pytest.mark.parametrize(
    "body", [completion(""), completion(None), completion("...")], ids=["", "null", "dots"]
)
def test_an_answer_without_words_is_asked_again_with_a_reason(body):
    with served(once(lambda *_: body)) as server:
        assert isinstance(chosen(server)[0], int)
        assert server.requests[1]["messages"][2]["role"] == "user"


def test_servers_without_counts_count_nothing():
    with served(
        lambda server, request: completion(f"Move: {legal_moves(request)[0]}", usage=False)
    ) as server:
        assert chosen(server)[1].usage() == (1, 0, 0, 0)


def test_a_slow_server_loses_the_move_in_time():
    with served(slow) as server:
        begun = time.monotonic()
        reason, _, _ = chosen(server, "timeout=0.3")
        assert reason == "no answer within 0.3 s" and time.monotonic() - begun < 5


def test_a_server_that_trickles_loses_the_move_in_time():
    """Every byte comes within the timeout of the socket, the whole answer never."""
    listener = socket.create_server(("127.0.0.1", 0))

    def trickle():
        connection, _ = listener.accept()
        try:
            while True:
                connection.sendall(b"H")
                time.sleep(0.05)
        except OSError:
            pass

    threading.Thread(target=trickle, daemon=True).start()
    text = f"llm:m@http://127.0.0.1:{listener.getsockname()[1]}?timeout=0.4"
    begun = time.monotonic()
    [reason] = players.make(text, None).games([ludovec.Game("chess", 0)._core], lambda: False)
    assert isinstance(reason, str) and time.monotonic() - begun < 5
    listener.close()


def test_a_model_that_never_answers_is_no_longer_asked():
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    model = players.make(f"llm:m@http://127.0.0.1:{port}", None)
    game = ludovec.Game("chess", 0)._core
    reasons = [model.games([game], lambda: False)[0] for _ in range(players.PATIENCE + 2)]
    assert all("no answer" in reason for reason in reasons[: players.PATIENCE])
    before = model.usage()
    assert "no longer asked" in reasons[-1] and before[0] == players.PATIENCE * (chat.MOST_RESENT + 1)


def test_busy_servers_are_asked_again_and_refusals_are_not():
    with served(once(status(429, b"{}", Retry_After="0.02"))) as server:
        assert isinstance(chosen(server)[0], int)
    with served(status(429, b"", Retry_After="1000")) as server:
        begun = time.monotonic()
        assert "status 429" in chosen(server, "timeout=5")[0] and time.monotonic() - begun < 4
    for code in (400, 401, 404):
        with served(status(code, b'{"error": {"message": "no such model"}}')) as server:
            reason = chosen(server)[0]
            assert reason == f"it answered with status {code}: no such model" and len(server.requests) == 1


def test_redirects_are_not_followed():
    with served(good) as target:
        with served(status(307, b"", Location=f"{target.url}/chat/completions")) as server:
            assert "status 307" in chosen(server)[0]
        assert target.requests == []


def test_an_interrupt_ends_the_wait_at_once():
    with served(slow) as server:
        stopped = threading.Event()
        threading.Timer(0.2, stopped.set).start()
        model = players.make(named(server), None)
        games = [ludovec.Game("chess", seed)._core for seed in range(3)]
        begun = time.monotonic()
        assert model.games(games, stopped.is_set) == ["interrupted"] * 3
        assert time.monotonic() - begun < 3


# ---- keys ----


def test_keys_come_from_the_environment_and_are_written_nowhere(monkeypatch, tmp_path):
    monkeypatch.setenv("SOME_KEY", "sk-secret-1")
    log = tmp_path / "log.jsonl"
    with served(echo) as server:
        action, model, game = chosen(server, f"key=SOME_KEY,log={log}")
        assert action == game.legal_actions()[0] and server.keys == ["Bearer sk-secret-1"]
        server.behave = lambda server, _: (401, f"bad key {server.keys[-1]}".encode(), {})
        [reason] = model.games([game._core], lambda: False)
        assert "Bearer ***" in reason
        assert "sk-secret-1" not in log.read_text() and "***" in log.read_text()
        assert "sk-secret-1" not in repr(model)


def test_default_keys_are_sent_to_their_own_server_only(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    assert chat.key_for("https://api.openai.com/v1", None) == "sk-openai"
    assert chat.key_for("https://api.openai.com.example.org/v1", None) is None
    with served(good) as server:
        chosen(server)
        assert server.keys == [None]
        monkeypatch.setenv("LUDOVEC_LLM_KEY", " sk-any\n")
        chosen(server)
        assert server.keys[-1] == "Bearer sk-any"


def test_a_key_in_place_of_a_name_is_not_repeated():
    with pytest.raises(ludovec.InvalidConfig, match="variable of the environment") as refused:
        players.make("llm:m@http://127.0.0.1:1?key=sk-secret-2", None)
    assert "secret" not in str(refused.value)
    with pytest.raises(ludovec.InvalidConfig) as refused:
        players.make("llm:m@http://user:sk-secret-3@127.0.0.1:1/v1", None)
    assert "secret" not in str(refused.value)


# ---- names ----


@pytest.mark.parametrize(
    "text,word",
    [
        ("llm:", "llm:MODEL@URL"),
        ("llm:model", "llm:MODEL@URL"),
        ("llm:@http://a", "llm:MODEL@URL"),
        ("llm:m@ftp://a", "llm:MODEL@URL"),
        ("llm:m@http://", "http://HOST:PORT/v1"),
        ("llm:m@http://a:port", "http://HOST:PORT/v1"),
        ("llm:m@http://a b", "http://HOST:PORT/v1"),
        ("llm:m@http://a#b", "http://HOST:PORT/v1"),
        ("llm:m@http://a?speed=3", "temperature, timeout are allowed"),
        ("llm:m@http://a?legal=some", "grouped, dense, listed, withheld"),
        ("llm:m@http://a?retries=-1", "0 to 100"),
        ("llm:m@http://a?timeout=0", "timeout='0'"),
        ("llm:m@http://a?timeout=nan", "timeout='nan'"),
        ("llm:m@http://a?parallel=0", "1 to 256"),
        ("llm:m@http://a?retries=1,retries=2", "retries is given twice"),
        ("llm:m@http://a?retries", "a value is needed"),
        ("llm:m@http://a?log=/no/such/folder/file", "log="),
    ],
)
def test_wrong_texts_get_one_clear_error(text, word):
    for call in (
        lambda: players.make(text, None),
        lambda: ludovec.Game("chess", 0).bot_action(text),
        lambda: ludovec.tournament("chess", [text, "random"], 2),
    ):
        with pytest.raises(ludovec.InvalidConfig) as refused:
            call()
        said = str(refused.value)
        assert word in said and "\n" not in said and said.count("invalid configuration") == 1, said


def test_the_settings_of_python_and_of_lists_of_players_are_the_same():
    """The engine splits lists of players at commas outside settings, so it knows their names."""
    with pytest.raises(ludovec.InvalidConfig) as refused:
        players.make("llm:m@http://a?x=1", None)
    known = str(refused.value).rpartition(": ")[2].removesuffix(" are allowed")
    listed = ",".join(f"{name}=1" for name in known.split(", "))
    done = subprocess.run(
        [*PROGRAM, "tournament", "chess", "--players", f"llm:m@http://a?{listed},random"],
        capture_output=True,
        text=True,
    )
    # All settings stayed with the model, and their values are refused; none became a player of its own.
    assert done.returncode == 2 and "llm:m" in done.stderr and "there is no" not in done.stderr, done


def test_addresses_get_the_path_of_chat_completions():
    for given, used in [
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000/v1/chat/completions"),
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000/v1/chat/completions"),
        ("https://a.example/api/v1/", "https://a.example/api/v1/chat/completions"),
        ("https://a.example/v1/chat/completions", "https://a.example/v1/chat/completions"),
        ("http://[::1]:80/v1", "http://[::1]:80/v1/chat/completions"),
    ]:
        assert chat.endpoint(given) == used


def test_models_may_have_any_name():
    model = players.make("llm:org/some@model:8b@http://127.0.0.1:1/v1", None)
    assert model._chat.model == "org/some@model:8b"


# ---- everywhere ----


def test_a_tournament_counts_tokens_and_faults(tmp_path):
    log = tmp_path / "moves.jsonl"
    with served(good) as server:
        text = named(server, f"parallel=4,log={log}")
        how = {"games": 4, "max_steps": 12, "players": 2, "num_threads": 1}
        result = ludovec.tournament("tilewe", {"model": text, "random": "random"}, **how)
        usage = result["model"].usage
        assert usage.requests == len(server.requests) == len(log.read_text().splitlines())
        assert (usage.retries, result["model"].faults) == (0, 0)
        assert usage.prompt_tokens == PROMPT_TOKENS * usage.requests
        assert result["random"].usage is None
        heading, *rows = str(result).splitlines()[:3]
        assert "tokens in" in heading and any(f"{usage.prompt_tokens:,}" in row for row in rows)
        entry = json.loads(log.read_text().splitlines()[0])
        assert entry["fault"] is None and entry["messages"][-1]["role"] == "assistant"
        server.behave = status(400, b"")
        result = ludovec.tournament("tilewe", {"model": text, "random": "random"}, **how)
        assert result["model"].faults == result["model"].usage.requests > 0
        assert "status 400" in result.faults[0].reason
        row = ludovec.evaluate("tilewe", text, "random", **how)
        assert f"{row.standings[0].usage or row.standings[1].usage}" and "tokens in" in str(row)


def test_a_resumed_tournament_counts_all_tokens(tmp_path):
    state = tmp_path / "games.state"
    with served(good) as server:
        text = named(server)
        how = {"max_steps": 8, "players": 2, "num_threads": 1, "state": state}
        first = ludovec.tournament("tilewe", {"model": text, "random": "random"}, 2, **how)
        more = ludovec.tournament("tilewe", {"model": text, "random": "random"}, 4, **how)
        assert 0 < first["model"].usage.requests < more["model"].usage.requests == len(server.requests)


def test_models_play_wherever_players_are_named(caplog):
    with served(good) as server:
        text = named(server)
        game = ludovec.Game("chess", 0)
        assert game.bot_action(text) == game.legal_actions()[0]
        env = ludovec.make("chess", 2, opponents=text, seat=1, seed=0, max_steps=4)
        env.reset()
        env.step(env.sample_actions())
        with ludovec.make_text("chess", opponents=text, seed=0, seat=1) as played:
            played.reset()
            assert played.game.steps == 1
        done = ludovec.play("chess", {"ada": text, "ben": "random"}, max_steps=4)
        assert done.steps == 4
        asked = len(server.requests)
        assert asked >= 6
        server.behave = status(400, b"")
        with caplog.at_level(logging.WARNING, "ludovec"):
            game.bot_action(text)
        assert "lost a move" in caplog.text and "status 400" in caplog.text


def last_legal(observations, masks):
    """A bot that plays the last legal action."""
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(1)


def expected_messages(game, seats, entries):
    """The first message of every request, from a game that is played again by its transcript."""
    entries = iter(entries)
    while not game.is_terminal and game.steps < 40:
        legal = game.legal_actions()
        if game.current_player not in seats:
            game.step(legal[-1])
        elif len(legal) == 1:
            game.step(legal[0])
        else:
            yield ludovec.text.prompt(game, legal="listed")
            entry = next(entries, None)
            if entry is None:
                return
            assert entry["step"] == game.steps
            game.step(entry["action"])


@pytest.mark.parametrize("call", ["tournament", "evaluate", "selfplay"])
def test_games_side_by_side_have_recent_moves_with_their_dice(env_id, call, tmp_path):
    """Messages in batches are those of a game with its history."""
    log = tmp_path / "moves.jsonl"
    with served(good) as server:
        text = named(server, f"log={log}")
        how = {"games": 1, "seed": 3, "max_steps": 40, "num_threads": 1}
        if call == "tournament":
            ludovec.tournament(env_id, {"model": text, "last": last_legal}, **how)
        elif call == "evaluate":
            ludovec.evaluate(env_id, text, last_legal, **how)
        else:
            bots = ",".join([text] * ludovec.spec(env_id).players)
            command = [
                "selfplay",
                env_id,
                "--games",
                "1",
                "--num-envs",
                "1",
                "--seed",
                "3",
                "--players",
                bots,
            ]
            command = [*PROGRAM, *command, "--set", "max_steps=40"]
            told = subprocess.run(command, capture_output=True, text=True, timeout=120)
            assert told.returncode == 0, told.stderr
        entries = [json.loads(line) for line in log.read_text().splitlines()]
        seats = {entry["player"] for entry in entries}
        game = ludovec.Game(env_id, 3, max_steps=40)
        sent = [entry["messages"][0]["content"] for entry in entries]
        assert len(sent) > 2 and sent == list(expected_messages(game, seats, entries))[: len(sent)]
        assert sum("Since your last decision:" in message for message in sent) >= len(sent) - 1


def test_opponents_of_a_learner_have_recent_moves(tmp_path):
    """The moves of the learner are among them."""
    log = tmp_path / "moves.jsonl"
    with served(good) as server:
        text = named(server, f"log={log}")
        env = ludovec.make("chess", 1, opponents=text, seat=0, seed=3, num_threads=1)
        _, info = env.reset()
        for _ in range(4):
            mask = info["legal_action_mask"][0]
            _, _, _, _, info = env.step([len(mask) - 1 - mask[::-1].argmax()])
        env.close()
    entries = [json.loads(line) for line in log.read_text().splitlines()]
    assert len(entries) == 4
    sent = [entry["messages"][0]["content"] for entry in entries]
    expected = expected_messages(ludovec.Game("chess", 3), {1}, entries)
    assert sent == [next(expected) for _ in sent]


def test_a_single_legal_move_is_played_without_a_request():
    with served(good) as server:
        game = ludovec.Game("chess", fen="k7/8/1K6/8/8/8/8/7R b - - 0 1")
        assert len(game.legal_actions()) == 1
        model = players.make(named(server), None)
        assert model.games([game._core], lambda: False) == game.legal_actions()
        assert server.requests == [] and model.usage() == (0, 0, 0, 0)


def test_ctrl_c_ends_a_tournament_soon():
    with served(slow) as server:
        code = f"""
import ludovec, os, signal, threading, time
sent = []
def interrupt():
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)
threading.Timer(1, interrupt).start()
try:
    ludovec.tournament("chess", [{named(server)!r}, "random"])
except KeyboardInterrupt:
    print(time.monotonic() - sent[0])
"""
        begun = time.monotonic()
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0 and float(done.stdout) < 5, done.stderr
        # The process has ended, too, although requests were open.
        assert time.monotonic() - begun < 25


# ---- the program ----


def test_the_program_writes_transcripts_beside_records(tmp_path):
    record = tmp_path / "game.json"
    transcript = tmp_path / "game.transcript.jsonl"
    with served(good) as server:
        call = [
            "play",
            "chess",
            "--players",
            f"ada:{named(server)},ben:random",
            "--quiet",
            "--record",
            record,
        ]
        done = subprocess.run(
            [*PROGRAM, *call, "--set", "max_steps=6"], capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stderr
        game = ludovec.Game.from_record(json.loads(record.read_text()))
        entries = [json.loads(line) for line in transcript.read_text().splitlines()]
        assert [entry["step"] for entry in entries] == [0, 2, 4]
        assert [entry["action"] for entry in entries] == [step["action"] for step in game.log[::2]]
        transcript.unlink()
        call = ["play", "chess", "--players", "random,random", "--quiet", "--record", record]
        assert subprocess.run([*PROGRAM, *call], capture_output=True).returncode == 0
        assert not transcript.exists()


def test_the_program_shows_tokens_in_its_table():
    with served(good) as server:
        call = [
            "tournament",
            "chess",
            "--players",
            f"{named(server)},random",
            "--games",
            "2",
            "--set",
            "max_steps=4",
        ]
        done = subprocess.run([*PROGRAM, *call, "--json"], capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        [model] = [row for row in json.loads(done.stdout)["standings"] if row["bot"].startswith("llm:")]
        assert model["usage"]["prompt_tokens"] == PROMPT_TOKENS * len(server.requests)
        shown = subprocess.run([*PROGRAM, *call], capture_output=True, text=True, timeout=300).stdout
        assert "tokens out" in shown.splitlines()[0]


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_ctrl_c_ends_the_program_soon():
    with served(slow) as server:
        call = [*PROGRAM, "tournament", "chess", "--players", f"{named(server)},random", "--games", "2"]

        def handle_interrupts():
            signal.signal(signal.SIGINT, signal.default_int_handler)

        program = subprocess.Popen(call, preexec_fn=handle_interrupts, stdout=subprocess.PIPE)
        while not server.requests and program.poll() is None:
            time.sleep(0.05)
        begun = time.monotonic()
        os.kill(program.pid, signal.SIGINT)
        program.communicate(timeout=30)
        assert program.returncode == 130 and time.monotonic() - begun < 5
