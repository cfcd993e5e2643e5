"""Checks an installed wheel: python smoke.py. It needs NumPy, but neither the checkout nor Rust."""

import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request

import ludovec
import numpy as np


def played(env_id, threads):
    """The state of a batch after 50 random steps."""
    env = ludovec.make(env_id, num_envs=32, num_threads=threads, seed=1)
    env.reset()
    for _ in range(50):
        env.step(env.sample_actions())
    return env.observations.copy(), env.action_mask.copy(), env.credit.copy()


def program():
    """The commands of the program, as the installed script and as a module."""
    script = shutil.which("ludovec", path=os.path.dirname(sys.executable)) or shutil.which("ludovec")
    assert script, "the command ludovec is not installed"
    calls = [[script], [sys.executable, "-m", "ludovec"]]
    helps = [subprocess.run([*call, "--help"], capture_output=True, check=True).stdout for call in calls]
    assert helps[0] == helps[1] and b"tournament" in helps[0]
    with tempfile.TemporaryDirectory() as folder:
        record, page = os.path.join(folder, "game.json"), os.path.join(folder, "game.html")
        two = ["play", "chess", "--players", "a:random,b:greedy", "--quiet", "--record", record]
        subprocess.run([script, *two], check=True, capture_output=True)
        subprocess.run([script, "replay", record, "--html", page], check=True, capture_output=True)
        assert os.path.getsize(page) > 1000
    games = ["tournament", "empires", "--players", "defensive,greedy", "--games", "2", "--json"]
    table = json.loads(subprocess.run([script, *games], check=True, capture_output=True).stdout)
    assert len(table["standings"]) == 2
    talk = subprocess.run(
        [script, "uci"], input="uci\nisready\nquit\n", capture_output=True, text=True, check=True
    )
    assert "uciok" in talk.stdout and "readyok" in talk.stdout
    web = subprocess.Popen([script, "web", "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        address = web.stdout.readline().split()[0]
        assert b"<html" in urllib.request.urlopen(address, timeout=60).read()
    finally:
        web.send_signal(signal.SIGTERM)
        web.wait(timeout=60)
    print("the program works")


def main():
    program()
    for env_id in ludovec.list_envs():
        for one, two in zip(played(env_id, 1), played(env_id, 2)):
            np.testing.assert_array_equal(one, two)
        game = ludovec.Game(env_id, seed=0)
        game.step(game.bot_action("greedy"))
        assert game.to_svg().startswith("<svg") and game.to_png()[1:4] == b"PNG"
        assert ludovec.Game.from_json(game.to_json()).position == game.position
        assert ludovec.Game.from_record(game.record()).steps == 1
        env = ludovec.make(env_id, num_envs=4)
        search = ludovec.TreeSearch.playouts(env, 8)
        search.start()
        search.run()
        env.step(search.actions)
        spec = env.game_spec
        print(
            f"{spec.env}, version {spec.version}: {spec.num_actions} actions, {spec.observation_len} numbers"
        )
    table = ludovec.tournament("smallworld", ["net:champion", "random"], games=2, players=2)
    assert sum(standing.faults for standing in table.standings) == 0
    try:
        with ludovec.serve("tilewe", name="smoke", num_envs=4):
            env = ludovec.attach("smoke")
            env.reset(seed=0)
            env.step(env.sample_actions())
            env.close()
        print("fleets work")
    except ludovec.FleetError as error:
        assert platform.system() != "Linux", error
        print(error)
    print(f"ludovec {ludovec.__version__} works: {platform.platform()}, Python {platform.python_version()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
