"""The server of the Model Context Protocol, asked by the client of the protocol's own package."""

import asyncio
import json
import os
import re
import subprocess
import sys

import ludovec
import pytest
from helpers import REFUSED_PLAYERS

mcp = pytest.importorskip("mcp", reason="the package mcp is not installed")
if not hasattr(mcp, "Client"):
    pytest.skip("the package mcp is older than version 2", allow_module_level=True)


#: Options with paths, by environment.
PATHS = [("chess", {"variant": "/etc/passwd.toml"}), ("smallworld", {"map": "/etc/passwd"})]


def asked(server, *calls):
    """The answers to calls of tools in one session: pairs of the text and whether it is an error."""

    async def session():
        answers = []
        # Clients of version 2.0 take a transport only.
        is_program = isinstance(server, mcp.StdioServerParameters)
        async with mcp.Client(mcp.stdio_client(server) if is_program else server) as client:
            for call in calls:
                name, arguments = call(answers) if callable(call) else call
                answer = await client.call_tool(name, arguments)
                answers.append((answer.content[0].text, bool(answer.is_error)))
        return answers

    return asyncio.run(session())


@pytest.mark.parametrize("command", ["ludovec mcp", "ludovec.text.mcp"])
def test_a_game_over_standard_input_and_output(command):
    program = mcp.StdioServerParameters(
        command=sys.executable, args=["-m", *command.split()], env=dict(os.environ)
    )
    answers = asked(
        program,
        ("list_games", {}),
        ("new_game", {"env": "chess", "seed": 0}),
        ("play", {"game": 1, "move": "I open: Move: e4", "opponents": "greedy"}),
        ("legal_moves", {"game": 1, "listed": True}),
        ("analyse", {"game": 1, "player": "search", "simulations": 8}),
        ("export_game", {"game": 1}),
        lambda answers: ("import_game", {"text": answers[5][0]}),
        ("undo", {"game": 1, "moves": 2}),
        ("export_game", {"game": 2, "format": "pgn"}),
        ("import_game", {"text": "1. e4 e5 *"}),
        ("close_game", {"game": 3}),
    )
    assert not [answer for answer, wrong in answers if wrong]
    texts = [answer for answer, _ in answers]
    assert texts[0].split() == list(ludovec.list_envs())
    assert texts[1].startswith("game 1\n") and ludovec.text.rules("chess") in texts[1]
    assert "1." not in texts[7] and "2 taken back" in texts[7]
    record = json.loads(texts[5])
    assert len(record["actions"]) == 2 and ludovec.Game.from_record(record).steps == 2
    assert texts[6].startswith("game 2\n") and re.search(r"1\. ?e4", texts[8])
    assert "would play" in texts[4]


def test_wrong_calls_are_answered_in_one_line_and_change_nothing(env_id):
    from ludovec.text.mcp import server

    answers = asked(
        server(),
        ("new_game", {"env": env_id, "seed": 0}),
        ("view", {"game": 1}),
        ("play", {"game": 1, "move": "xyzzy"}),
        ("play", {"game": 1, "move": ludovec.Game(env_id, 0).action_to_string(0), "opponents": "nonsense"}),
        ("view", {"game": 7}),
        ("new_game", {"env": "go"}),
        ("new_game", {"env": env_id, "options": {"playrs": 3}}),
        ("import_game", {"text": "{"}),
        ("export_game", {"game": 1, "format": "nonsense"}),
        ("analyse", {"game": 1, "player": "nonsense"}),
        ("view", {"game": 1}),
    )
    assert all(wrong for _, wrong in answers[2:-1]), answers[2:-1]
    assert all(len(text.splitlines()) == 1 for text, _ in answers[2:-1])
    assert answers[1] == answers[-1]


def test_clients_use_the_closed_list_of_players_and_options(tmp_path, monkeypatch):
    from ludovec.text.mcp import server

    monkeypatch.chdir(tmp_path)
    chess = ludovec.Game("chess", 0)
    move = chess.action_to_string(int(chess.legal_actions()[0]))
    calls = [("new_game", {"env": "chess", "seed": 0})]
    for player in REFUSED_PLAYERS:
        calls += [
            ("new_game", {"env": "chess", "opponents": player, "seat": 1}),
            ("play", {"game": 1, "move": move, "opponents": player}),
            ("analyse", {"game": 1, "player": player}),
        ]
    for simulations in (10_001, 100_000_000):
        for player in ("search", "flat", "net:champion"):
            calls.append(("analyse", {"game": 1, "player": player, "simulations": simulations}))
    for env, options in PATHS:
        calls.append(("new_game", {"env": env, "options": options}))
        record = ludovec.Game(env, 0).record()
        calls.append(("import_game", {"text": json.dumps({**record, "options": options})}))
    calls.append(("import_game", {"text": '[Variant "/etc/passwd.toml"]\n\n1. e4 *'}))
    calls.append(("new_game", {"env": "/etc/passwd"}))
    calls.append(("view", {"game": 1}))
    answers = asked(server(), *calls)
    for call, (text, wrong) in zip(calls[1:-1], answers[1:-1]):
        assert wrong and len(text.splitlines()) == 1, (call, text)
    # No refused call has begun a game or changed one, and no program has run.
    assert answers[-1] == (ludovec.text.observation(chess), False)
    assert not any(tmp_path.iterdir())


def test_what_the_user_allows_is_allowed(tmp_path):
    variant = tmp_path / "mine.toml"
    variant.write_text('extends = "chess"\n')
    command = f"cmd:{sys.executable} -c 'print(open(0).readline())'"
    arguments = ["--allow-option", f"variant={variant}", "--allow-player", command]
    program = mcp.StdioServerParameters(
        command=sys.executable, args=["-m", "ludovec", "mcp", *arguments], env=dict(os.environ)
    )
    begun, other, played = asked(
        program,
        ("new_game", {"env": "chess", "options": {"variant": str(variant)}, "opponents": command}),
        ("new_game", {"env": "chess", "options": {"variant": str(tmp_path / "other.toml")}}),
        ("play", {"game": 1, "move": "e4"}),
    )
    assert not begun[1] and other[1] and not played[1]
    wrong = [sys.executable, "-m", "ludovec", "mcp", "--allow-player", "nonsense"]
    done = subprocess.run(wrong, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1, done.stderr


def test_an_unknown_argument_of_any_tool_is_an_error():
    from ludovec.text.mcp import server

    served = server()
    needed = {"env": "chess", "game": 1, "move": "e4", "text": "1. e4 *"}
    tools = {tool.name: tool for tool in asyncio.run(served.list_tools())}
    calls = [("new_game", {"env": "chess"})]
    for name, tool in tools.items():
        known = tool.input_schema.get("properties", {})
        calls.append(
            (name, {key: value for key, value in needed.items() if key in known} | {"colour": "red"})
        )
    answers = asked(served, *calls)
    assert not answers[0][1]
    for call, (text, wrong) in zip(calls[1:], answers[1:]):
        assert wrong and "colour" in text, (call, text)


def test_opponents_stay_with_their_game(env_id):
    from ludovec.text.mcp import server

    options = {"max_steps": 60}
    calls = [("new_game", {"env": env_id, "seed": 3, "options": options, "opponents": "greedy", "seat": 1})]
    twin = ludovec.Game(env_id, 3, **options)

    def advance():
        while not twin.is_terminal and twin.current_player != 1:
            twin.step(twin.bot_action("greedy"))

    advance()
    expected = [ludovec.text.prompt(twin, 1)]
    for _ in range(4):
        if twin.is_terminal:
            break
        action = int(twin.legal_actions()[0])
        calls.append(("play", {"game": 1, "move": twin.action_to_string(action)}))
        twin.step(action)
        advance()
        expected.append(ludovec.text.observation(twin, 1))
    calls += [("undo", {"game": 1, "moves": len(expected)}), ("export_game", {"game": 1})]
    answers = asked(server(), *calls)
    assert not [text for text, wrong in answers if wrong]
    for (text, _), wanted in zip(answers, expected):
        assert wanted in text
    # Back at the first decision of the client, after the first moves of the opponents.
    record = json.loads(answers[-1][0])
    first = ludovec.Game(env_id, 3, **options)
    while first.current_player != 1:
        first.step(first.bot_action("greedy"))
    assert record["actions"] == first.record()["actions"]


#: A search that takes minutes, with few simulations and a long playout each.
SLOW = ("analyse", {"game": 1, "player": "flat:10000"})
SLOW_GAME = ("new_game", {"env": "empires", "options": {"width": 40, "height": 40, "players": 4}})


def test_other_tools_answer_during_a_search_which_ends_when_cancelled_or_at_its_limit(monkeypatch):
    from ludovec.text import mcp as served

    monkeypatch.setattr(served, "MOST_SECONDS", 1e6)
    monkeypatch.setattr(served, "_PROGRESS", 0.05)
    calls = served.Calls()
    seen = []

    async def progress(done, total, message):
        seen.append((done, total))

    async def session():
        async with mcp.Client(served.server(None, calls)) as client:
            await client.call_tool(*SLOW_GAME)
            thinking = asyncio.create_task(client.call_tool(*SLOW, progress_callback=progress))
            while not seen:
                assert not thinking.done(), thinking.result()
                await asyncio.sleep(0.01)
            # Many searches, of which some wait, delay no other tool.
            more = [asyncio.create_task(client.call_tool(*SLOW)) for _ in range(6)]
            answer = await client.call_tool("view", {"game": 1})
            assert not answer.is_error and not thinking.done()
            for task in (thinking, *more):
                task.cancel()
            await asyncio.gather(thinking, *more, return_exceptions=True)
            # Cancelled searches end, long before they are complete.
            while calls.are_running:
                await asyncio.sleep(0.01)
            monkeypatch.setattr(served, "MOST_SECONDS", 0.5)
            late = await client.call_tool(*SLOW)
            assert late.is_error and "within 0.5 seconds" in late.content[0].text

    asyncio.run(session())
    assert seen[0][1] == 1e6


def test_the_end_of_the_input_ends_the_server_during_a_search():
    # Without the limit of time the search takes minutes.
    code = "from ludovec.text import mcp; mcp.MOST_SECONDS = 1e6; mcp.serve()"
    program = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )

    def send(**message):
        program.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        program.stdin.flush()

    def call(number, name, arguments, **meta):
        send(id=number, method="tools/call", params={"name": name, "arguments": arguments, **meta})

    about = {"name": "test", "version": "1"}
    version = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about}
    send(id=1, method="initialize", params=version)
    program.stdout.readline()
    send(method="notifications/initialized")
    call(2, *SLOW_GAME)
    program.stdout.readline()
    call(3, *SLOW, _meta={"progressToken": 7})
    # The first report of progress.
    assert "notifications/progress" in program.stdout.readline()
    program.stdin.close()
    assert program.wait(60) == 0
