"""Bots written in Python: in tournaments, with faults, over HTTP."""

import json
import logging
import re
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
import urllib.request
from urllib.parse import urlsplit

import ludovec
import numpy as np
import pytest
from ludovec import bot_server
from ludovec.empires import Position, Terrain, beside

SMALL = {"players": 2, "width": 8, "height": 6, "max_turns": 12}


def first_legal(observations, action_masks, info):
    assert observations.shape[0] == action_masks.shape[0] == len(info["games"]) == len(info["current_player"])
    return action_masks.argmax(axis=1)


def short(env_id):
    return {"max_steps": 30} if env_id != "empires" else {"max_steps": 30, **SMALL}


class Expander:
    """Conquers neutral land, otherwise harvests; the interface of the original."""

    def turn(self, map_size, my_resources, world):
        assert isinstance(next(iter(world)), Position) and isinstance(next(iter(world.values())), Terrain)
        assert len(world) == map_size[0] * map_size[1]
        for position, terrain in world.items():
            near = [world[p].owner for p in beside(position) if p in world]
            if my_resources >= 1 and terrain.owner is None and "mine" in near:
                return "conquer", position
        return "harvest", None


def test_a_function_on_arrays_plays_every_game(env_id):
    table = ludovec.tournament(env_id, {"first": first_legal, "random": "random"}, games=4, **short(env_id))
    assert {s.bot for s in table.standings} == {"first", "random"}
    assert not table.faults and table["first"].faults == 0
    assert abs(sum(s.elo for s in table.standings)) < 1e-6
    # In the format of the program's output.
    wins, points = 100 * table["first"].win_share, 100 * table["first"].point_share
    shares = rf"{wins:.1f} % \([\d.]+-[\d.]+\) +{points:.1f} % \([\d.]+-[\d.]+\)"
    heads, *rows = str(table).splitlines()[: 1 + len(table.standings)]
    assert heads.split()[:3] == ["bot", "Elo", "+/-"] and len({len(line) for line in (heads, *rows)}) == 1
    assert any(re.search(shares, row) for row in rows)


def test_a_function_of_two_arguments_gets_no_info():
    seen = []

    def two(observations, action_masks):
        seen.append(observations.shape[1:])
        return action_masks.argmax(axis=1)

    table = ludovec.tournament("tilewe", [two, "random"], games=2, players=2)
    assert table["two"].games == 2 and not table.faults
    assert set(seen) == {ludovec.spec("tilewe", players=2).observation_shape}


@pytest.mark.parametrize("plain", [id for id in ludovec.list_envs() if id not in ludovec.players.DIALECTS])
def test_an_object_with_turn_gets_the_request_and_answers_with_an_action(plain):
    class Last:
        def turn(self, request):
            assert request["env"] == plain and request["observation"]
            return request["legal_moves"][-1]

    table = ludovec.tournament(plain, [Last(), "random"], games=2, max_steps=20)
    assert table["Last"].faults == 0, table.faults


def test_the_original_bot_class_plays_and_beats_a_passive_bot():
    table = ludovec.tournament("empires", {"mine": Expander(), "idle": "passive"}, games=6, **SMALL)
    assert table["mine"].faults == 0, table.faults
    assert table["mine"].mean_score > 2 * table["idle"].mean_score


def nonsense(observations, action_masks, info):
    return np.full(len(action_masks), -3)


def wrong_shape(observations, action_masks, info):
    return action_masks


def raises(observations, action_masks, info):
    raise SystemExit("no more")


def hangs(observations, action_masks, info):
    time.sleep(0.6)
    return action_masks.argmax(axis=1)


@pytest.mark.parametrize(
    ("bot", "reason"),
    [
        (nonsense, "action -3: actions are 0 to"),
        (wrong_shape, "integers"),
        (raises, "no more"),
        (hangs, "within 0.1 s"),
    ],
)
def test_a_bot_that_fails_loses_its_moves_and_is_named(bot, reason, caplog):
    with caplog.at_level(logging.WARNING, logger="ludovec"):
        start = time.monotonic()
        how = {"time_limit": 0.1, "on_fault": "lose_move", "seed": 1, **SMALL}
        table = ludovec.tournament("empires", [bot, "random"], games=2, **how)
        assert time.monotonic() - start < 20
    assert table.games == 2 and table[bot.__name__].faults > 0 and table["random"].faults == 0
    assert all(fault.bot == bot.__name__ for fault in table.faults)
    assert reason in table.faults[0].reason
    assert bot.__name__ in caplog.text


@pytest.mark.parametrize(
    ("answer", "reason"),
    [(3.5, "3.5"), (np.float32(3.5), "3.5"), (2**40, "action 1099511627776: actions are 0 to"), ("x", "'x'")],
)
def test_an_answer_that_is_not_an_index_is_reported(answer, reason):
    def bot(observations, action_masks, info):
        return [answer] * len(action_masks)

    table = ludovec.tournament("empires", [bot, "random"], games=2, on_fault="lose_move", **SMALL)
    assert reason in table.faults[0].reason


def test_indices_of_any_integer_type_are_accepted():
    def bot(observations, action_masks, info):
        return [np.int64(row.argmax()) for row in action_masks]

    class Last:
        def turn(self, request):
            return np.int64(0)

    assert not ludovec.tournament("empires", [bot, "random"], games=2, **SMALL).faults
    table = ludovec.tournament("tilewe", [Last(), "random"], games=1, max_steps=2, players=2)
    assert all("int64" not in fault.reason for fault in table.faults)


def test_positions_of_numpy_integers_and_integral_floats_are_accepted():
    class Farmer:
        def __init__(self, kind):
            self.kind = kind

        def turn(self, map_size, my_resources, world):
            (x, y), _ = next((p, t) for p, t in world.items() if t.owner == "mine")
            return "harvest" if my_resources < 5 else "farm", (self.kind(x), self.kind(y))

    for kind in (np.int64, np.int32, np.float64, np.float32, float):
        table = ludovec.tournament(
            "empires", {"farmer": Farmer(kind), "passive": "passive"}, games=1, **SMALL
        )
        assert not table.faults, (kind, table.faults)
    half = ludovec.tournament(
        "empires", {"half": Farmer(lambda x: x + 0.5), "passive": "passive"}, games=1, **SMALL
    )
    assert ".5" in half.faults[0].reason and "not on the map" in half.faults[0].reason


def test_a_match_is_logged_as_it_is_played_with_names_turns_and_refusals(tmp_path):
    log, seen = tmp_path / "match.log", []

    class Builder:
        def turn(self, map_size, my_resources, world):
            seen.append(log.read_text().count("\n"))
            assert {t.owner for t in world.values()} <= {"mine", "bob", None}
            return "castle", Position(99, 0)

    game = ludovec.play("empires", {"alice": Builder(), "bob": "pacifist"}, seed=1, log=log, **SMALL)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert len(lines) == game.steps and seen == [line["step"] for line in lines if line["player"] == "alice"]
    assert [line["turn"] for line in lines] == sorted(line["turn"] for line in lines)
    for line in lines:
        assert line["player"] == ["alice", "bob"][line["seat"]]
        if line["player"] == "alice":
            assert line["result"] == "Pass" and "castle" in line["refused"] and "99" in line["refused"]
            assert "not on the map" in line["refused"]
        else:
            assert line["refused"] is None and line["result"]
    assert "alice" in game.to_text() and game.record()["options"]["names"] == "alice,bob"


def test_a_lost_move_is_a_pass_if_the_rules_have_one():
    class Nothing:
        def turn(self, *arguments):
            return "castle", Position(99, 99)

    table = ludovec.tournament("empires", [Nothing(), "passive"], games=2, **SMALL)
    assert "not on the map" in table.faults[0].reason
    assert table["Nothing"].mean_score == table["passive"].mean_score == 1


def test_a_tournament_is_equal_for_any_number_of_threads():
    def play(threads):
        return ludovec.tournament(
            "tilewe", ["random", "greedy", "search:5"], games=4, num_threads=threads, players=2
        )

    assert play(1) == play(2)
    assert play(1)["greedy"].elo > play(1)["random"].elo
    drawn = ludovec.tournament("tilewe", ["random", "greedy", "pass"], games=7, pairings="random", players=2)
    assert drawn.games == 7


@pytest.mark.parametrize(
    ("bots", "arguments", "word"),
    [
        (["random"], {}, "two"),
        (["random", "random"], {}, "names must differ"),
        (["random", "clever"], {}, "http://HOST:PORT"),
        (["random", "search:0"], {}, "playouts"),
        (["random", 3], {}, "turn"),
        (["random", "greedy"], {"games": 0}, "games"),
        (["random", "greedy"], {"pairings": "swiss"}, "round_robin"),
        (["random", "greedy"], {"time_limit": 0}, "time_limit"),
        (["random", "https://localhost:1"], {}, "http"),
    ],
)
def test_a_wrong_call_is_refused(bots, arguments, word):
    with pytest.raises(ludovec.InvalidConfig, match=word):
        ludovec.tournament("tilewe", bots, **arguments)


def test_bots_choose_for_some_games_of_a_batch(env_id):
    env, twin = (ludovec.make(env_id, num_envs=5, seed=3) for _ in range(2))
    players = env.game_spec.players
    chosen = env.bot_actions("greedy", ids=[1, 4])
    np.testing.assert_array_equal(chosen, twin.bot_actions(["greedy"] * players)[[1, 4]])
    with pytest.raises(ludovec.InvalidConfig):
        env.bot_actions("greedy", ids=[4, 1])


@pytest.fixture
def served():
    """Serves bots; each is stopped at the end."""
    servers = []

    def serve(env, bot):
        server = bot_server.serve_bot(env, bot, port=0)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return "http://{}:{}".format(*server.server_address)

    yield serve
    for server in servers:
        server.shutdown()
        server.server_close()


def test_a_bot_file_of_the_original_is_served_over_http(tmp_path, served):
    file = tmp_path / "my_bot.py"
    file.write_text(
        textwrap.dedent(
            """
            from src import Position, Terrain

            class BotLogic:
                def turn(self, map_size, my_resources, world):
                    mine = [p for p, t in world.items() if t == Terrain("mine", "castle")]
                    assert isinstance(mine[0], Position)
                    return "harvest", None
            """
        )
    )
    url = served("empires", ludovec.players.load("empires", file))
    table = ludovec.tournament("empires", [url, "passive"], games=2, **SMALL)
    assert not table.faults, table.faults
    game = ludovec.Game("empires", **SMALL)
    assert game.action_to_string(game.bot_action(url)) == "harvest"
    env = ludovec.make("empires", num_envs=3, **SMALL)
    harvest = env.game_spec.num_actions - 2
    np.testing.assert_array_equal(env.bot_actions(url), [harvest] * 3)

    body = {"map_size": [4, 4], "resources": 3, "world": {"0,0": ["castle", "mine"], "1,0": ["land", None]}}
    request = urllib.request.Request(f"{url}/turn", json.dumps(body).encode(), method="POST")
    with urllib.request.urlopen(request) as response:
        assert json.load(response) == {"action": ["harvest", None]}


def raw(address, text, limit=30):
    """Sends bytes and returns the answer of the server up to the end of the connection."""
    with socket.create_connection(address, timeout=limit) as connection:
        connection.sendall(text)
        return b"".join(iter(lambda: connection.recv(4096), b""))


def test_a_bot_server_limits_request_size_and_time():
    class Sleepy:
        def turn(self, request):
            time.sleep(request["sleep"])
            return 0

    server = bot_server.serve_bot("tilewe", Sleepy(), port=0, patience=0.3)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = server.server_address[:2]
    head = b"POST /turn HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    ask = head + b"Content-Length: %s\r\n\r\n"
    try:
        slow = [socket.create_connection(address) for _ in range(3)]
        slow[0].sendall(ask % b"100" + b"{")
        slow[1].sendall(ask % b"13" + b'{"sleep": 20}')
        assert b"200 OK" in raw(address, ask % b"12" + b'{"sleep": 0}')
        assert b" 413 " in raw(address, ask % b"1048577")
        assert b" 413 " in raw(address, ask % (b"9" * 5000))
        # Any number of digits is valid.
        assert b" 413 " in raw(address, ask % (b"0" * 30 + b"9" * 9))
        assert b"200 OK" in raw(address, ask % (b"0" * 30 + b"12") + b'{"sleep": 0}')
        for length in (b"-1", b"x", b""):
            assert b" 411 " in raw(address, ask % length), length
        assert b" 411 " in raw(address, head + b"\r\n")
        twice = b"Content-Length: 2\r\nContent-Length: 30\r\n\r\n{}"
        assert b" 411 " in raw(address, head + twice)
        assert b" 411 " in raw(address, head + b"Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n{}")
        late = raw(address, ask % b"9" + b"{")
        assert b" 408 " in late and b"did not come" in late
        assert raw(address, b"") == raw(address, b"POST /tu") == b""
        for text in (ask % b"100", b"POST /turn HTTP/1.1\r\nX: " + b"x" * 1000):
            assert trickled(address, text) < 20, "a byte now and then holds a thread"
    finally:
        server.shutdown()
        server.server_close()


def trickled(address, text):
    """Sends a byte every tenth of a second; returns the number of bytes until the server disconnects."""
    with socket.create_connection(address, timeout=30) as connection:
        connection.sendall(text[:-1])
        connection.settimeout(0.1)
        for sent in range(100):
            try:
                connection.sendall(b"x")
                if not connection.recv(4096):
                    return sent
            except TimeoutError:
                pass
            except ConnectionError:
                return sent
    return 100


def test_a_served_python_bot_stops_thinking_when_its_client_has_left(served):
    ended = threading.Event()

    class Endless:
        def turn(self, request):
            try:
                while True:
                    time.sleep(0.001)
            finally:
                ended.set()

    address = urlsplit(served("chess", Endless())).netloc.split(":")
    body = json.dumps(ludovec.Game("chess").bot_request()).encode()
    head = f"POST /turn HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    with socket.create_connection((address[0], int(address[1]))) as connection:
        connection.sendall(head + body)
        assert not ended.wait(0.5)
    assert ended.wait(5)


def test_a_bot_server_refuses_pages_of_other_sites(served):
    class Bot:
        def turn(self, request):
            return 0

    address = served("tilewe", Bot()).removeprefix("http://")
    host, port = address.split(":")
    for headers, status in [
        (f"Host: {address}", b" 200 "),
        (f"Host: localhost:{port}\r\nOrigin: http://localhost:{port}", b" 200 "),
        ("Host: example.org", b" 403 "),
        # Only programs other than browsers omit the Host header.
        ("Accept: */*", b" 200 "),
        ("Origin: http://example.org", b" 403 "),
        (f"Host: {address}\r\nOrigin: http://example.org", b" 403 "),
        (f"Host: {address}\r\nOrigin: null", b" 403 "),
    ]:
        request = f"POST /turn HTTP/1.1\r\n{headers}\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{{}}"
        assert status in raw((host, int(port)), request.encode()), headers


def test_a_bot_server_limits_threads_and_disconnects_clients_that_do_not_read():
    class Large:
        def turn(self, request):
            return "x" * (32 << 20)

    server = bot_server.serve_bot("tilewe", Large(), port=0, patience=0.3, connections=3)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = server.server_address[:2]
    ask = b"POST /turn HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}"
    before = threading.active_count()
    try:
        silent = [socket.create_connection(address) for _ in range(8)]
        for connection in silent:
            connection.sendall(ask)
        most = 0
        with socket.create_connection(address, timeout=30) as reading:
            reading.sendall(ask)
            while reading.recv(1 << 20):
                most = max(most, threading.active_count() - before)
        assert most <= 3
        for connection in silent:
            connection.close()
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("with_", [signal.SIGINT, signal.SIGTERM])
def test_a_bot_server_ends_at_the_first_signal(tmp_path, with_):
    file = tmp_path / "slow.py"
    file.write_text("import time\nclass BotLogic:\n    def turn(self, request):\n        time.sleep(60)\n")
    command = [sys.executable, "-m", "ludovec.bot_server", "tilewe", str(file), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        host, port = process.stdout.readline().split("http://")[1].split(";")[0].split(":")
        slow = [socket.create_connection((host, int(port))) for _ in range(3)]
        slow[0].sendall(b"POST /turn HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}")
        slow[1].sendall(b"POST /turn HTTP/1.1\r\nContent-Length: 2\r\n\r\n{")
        time.sleep(0.3)
        process.send_signal(with_)
        assert process.wait(20) == 0
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("bots", [["random", "search:100000000"], ["random", "http"], ["random", "object"]])
def test_an_interrupted_tournament_raises_soon(bots):
    """For bots that search, that wait for another program without an answer, and in Python."""
    code = f"""
import ludovec, os, signal, socket, threading, time
class Slow:
    def turn(self, request):
        time.sleep(1000)
silent = socket.create_server(("127.0.0.1", 0))
named = {{"http": "http://127.0.0.1:%d" % silent.getsockname()[1], "object": Slow()}}
bots = {{bot: named.get(bot, bot) for bot in {bots!r}}}
threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    ludovec.tournament("tilewe", bots, games=100, time_limit=1000, players=2)
except KeyboardInterrupt:
    print("interrupted")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "interrupted\n"), done.stderr


def test_a_remote_bot_that_fails_or_is_missing_loses_moves_only(served):
    class Broken:
        def turn(self, *arguments):
            raise RuntimeError("broken")

    url = served("empires", Broken())
    table = ludovec.tournament("empires", [url, "passive"], games=2, **SMALL)
    assert table[url].faults > 0 and "500" in table.faults[0].reason
    table = ludovec.tournament("empires", ["http://127.0.0.1:9", "passive"], games=2, **SMALL)
    assert "no answer" in table.faults[0].reason and "no longer" in table.faults[-1].reason


def test_a_bot_file_of_the_original_program_imports_from_game(tmp_path):
    file = tmp_path / "my_bot.py"
    names = "Position, Terrain, CASTLE, FORT, FARM, LAND, CONQUER, HARVEST, MINE, DEFENDER_STRUCTURES"
    file.write_text(
        f"from game import {names}\n"
        "class BotLogic:\n"
        "    def turn(self, map_size, my_resources, world):\n"
        "        assert set(DEFENDER_STRUCTURES) == {FORT, CASTLE} and (LAND, FARM) == ('land', 'farm')\n"
        "        assert Terrain(MINE, CASTLE) in world.values() and CONQUER == 'conquer'\n"
        "        return HARVEST, None\n"
    )
    bot = ludovec.players.load("empires", file)
    assert not ludovec.tournament("empires", {"a": bot, "b": "passive"}, games=1, **SMALL).faults


def test_a_request_of_the_original_holds_structure_then_owner(served):
    class Seen:
        def turn(self, map_size, my_resources, world):
            return "conquer", next(p for p, t in world.items() if t == Terrain(None, "land"))

    url = served("empires", Seen())
    for cells in (["castle", "mine"], ["land", None]), (["mine", "castle"], [None, "land"]):
        body = {"map_size": [4, 4], "resources": 3, "world": dict(zip(("0,0", "1,0"), cells))}
        request = urllib.request.Request(f"{url}/turn", json.dumps(body).encode(), method="POST")
        with urllib.request.urlopen(request) as response:
            assert json.load(response) == {"action": ["conquer", [1, 0]]}


def test_a_file_without_a_bot_is_refused(tmp_path, capsys):
    file = tmp_path / "empty.py"
    file.write_text("x = 1\n")
    assert bot_server.main(["tilewe", str(file)]) == 2
    assert "BotLogic" in capsys.readouterr().err
    with pytest.raises(ludovec.InvalidConfig, match=r"no_such\.py"):
        ludovec.players.load("tilewe", tmp_path / "no_such.py")
