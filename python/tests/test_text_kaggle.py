"""Games as environments of Kaggle, made and run by the package itself."""

import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import ludovec
import pytest

# The harness would look for prices on the network.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
kaggle_environments = pytest.importorskip(
    "kaggle_environments", reason="the package kaggle-environments is not installed"
)

SHORT = {
    "chess": {"max_steps": 60},
    "empires": {"max_turns": 10, "width": 8, "height": 8},
    "smallworld": {"players": 3},
    "starwars_risk": {"max_steps": 300},
    "tilewe": {"players": 2},
}


def made(env_id, seed=3, **options):
    from ludovec.text import kaggle

    name = kaggle.register(env_id, **options)
    return kaggle_environments.make(name, configuration={"seed": seed}, debug=True)


def test_every_game_is_played_to_its_end(env_id):
    env = made(env_id, **SHORT[env_id])
    players = len(env.state)
    steps = env.run(["first"] * players)
    game = env.ludovec_game
    assert game.is_terminal and len(steps) == game.steps + 1
    assert [seat.reward for seat in env.state] == game.returns().tolist()
    assert all(seat.status == "DONE" for seat in env.state)
    again = made(env_id, **SHORT[env_id])
    again.run(["first"] * players)
    assert again.ludovec_game.position == game.position


def test_observations_have_no_hidden_information():
    env = made("starwars_risk")
    game = env.ludovec_game
    for player, seat in enumerate(env.state):
        other = game.determinize(player, 77)
        text = seat.observation["observationString"]
        assert text == ludovec.text.observation(other, player)
        shown = ludovec.Game.from_json(seat.observation["serializedGameAndState"])
        assert (shown.observation(player) == game.observation(player)).all()
        asked = player == game.current_player
        assert seat.observation["legalActions"] == (game.legal_actions() if asked else [])


@pytest.mark.parametrize("action", [{"submission": -1}, {"submission": True}, {"submission": "e4"}, {}])
def test_other_actions_forfeit(action):
    env = made("chess")
    env.run([lambda observation: action, "random"])
    assert [(seat.status, seat.reward) for seat in env.state] == [("DONE", -1.0), ("DONE", 1.0)]


def test_the_harness_asks_a_model_and_says_why_a_move_is_none():
    from kaggle_environments.core_harness import create_agent_fn
    from ludovec.text.kaggle import Harness

    asked, replies = [], iter(["no idea", "Move: e9", "I like it. Move: e4"])

    class Model(BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_POST(self):
            message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"][-1]
            asked.append(message["content"])
            delta = {"role": "assistant", "content": next(replies, "I resign.")}
            chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for part, reason in ((delta, None), ({}, "stop")):
                choice = {"index": 0, "delta": part, "finish_reason": reason}
                self.wfile.write(b"data: " + json.dumps({**chunk, "choices": [choice]}).encode() + b"\n\n")
            self.wfile.write(b"data: [DONE]\n\n")

    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        to = {"api_base": f"http://127.0.0.1:{server.server_port}/v1", "api_key": "none"}
        agent = create_agent_fn(Harness(), max_retries=3, model_override=("openai/m", to))
        env = made("chess")
        steps = env.run([lambda observation, config: agent(observation, dict(config)), "first"])
    finally:
        server.shutdown()
        server.server_close()
    assert steps[1][0].action["actionString"] == "e2e4"
    assert "Legal moves" in asked[0] and ludovec.text.rules("chess") in asked[0]
    assert "'no idea' is not a legal move" in asked[1] and "'e9' is not a legal move" in asked[2]
    # The second move of White is none.
    assert [seat.reward for seat in env.state] == [-1.0, 1.0]
