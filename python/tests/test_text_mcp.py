"""The server of the Model Context Protocol, asked by the client of the protocol's own package."""

import asyncio
import json
import os
import re
import sys

import ludovec
import pytest

mcp = pytest.importorskip("mcp", reason="the package mcp is not installed")
if not hasattr(mcp, "Client"):
    pytest.skip("the package mcp is older than version 2", allow_module_level=True)


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
