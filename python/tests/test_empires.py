"""Terminal of Empires in the original's terms: bots, a referee, the log of a match."""

import json
import os

import ludovec
import pytest
from ludovec import empires
from ludovec.empires import Position, Referee, Terrain


def test_the_original_bot_plays_and_gets_the_world():
    class BotLogic:
        def turn(self, map_size, my_resources, world):
            width, height = map_size
            assert isinstance(my_resources, int) and len(world) == width * height
            for position, terrain in world.items():
                assert isinstance(position, Position) and isinstance(terrain, Terrain)
                assert terrain.structure in ("land", "farm", "fort", "castle")
            who_owns_it = world[Position(3, 4)].owner
            if world[Position(3, 4)].structure == "castle":
                assert who_owns_it is not None
            mine = [position for position, terrain in world.items() if terrain.owner == "mine"]
            if my_resources >= 5:
                return "farm", mine[-1]
            return "harvest", None

    referee = Referee(["juan", "pedro"], seed=2, width=8, height=6, max_turns=9)
    # Both build a farm on their only castle in the second turn, and are eliminated at its end.
    assert referee.play([BotLogic(), BotLogic()]) == [] and referee.current_player is None
    assert [entry.turn for entry in referee.journal] == [1, 1, 2, 2]
    assert [entry.result for entry in referee.journal] == ["harvested 5"] * 2 + ["built a farm for 5"] * 2
    with pytest.raises(ludovec.GameOver):
        referee.submit(None)


def test_max_turns_is_the_first_turn_that_is_not_played():
    referee = Referee(["juan", "pedro"], seed=2, width=8, height=6, max_turns=30)
    while referee.current_player is not None:
        referee.submit(None)
    assert referee.journal[-1].turn == 29 and referee.alive == ["juan", "pedro"]


def test_players_that_lose_their_castles_in_one_turn_share_the_win():
    game = ludovec.Game("empires", 2, players=2, width=8, height=6, max_turns=9)
    for kind in ("harvest", "farm"):
        for _ in range(2):
            moves = [move for move in game.legal_moves() if move["type"] == kind]
            game.submit(game.current_player, moves[0])
    assert game.status == "terminated" and game.turn == 3
    assert list(game.returns()) == [0, 0]


def test_a_referee_accepts_any_input_and_reports_errors():
    referee = Referee(["juan", "pedro", "sofi"], seed=1, width=8, height=6)
    map_size, my_resources, world = referee.observation()
    assert map_size == (8, 6) and my_resources == 0 and len(world) == 48
    castle = next(place for place, terrain in world.items() if terrain.owner == "mine")
    assert world[castle] == Terrain("mine", "castle")
    before = referee.current_player
    entry = referee.submit(("conquer", castle))
    assert not entry.accepted and entry.result == "the cell is one's own already"
    assert (entry.turn, entry.player, entry.name) == (1, before, referee.names[before])
    said = [referee.submit(action) for action in (("castle", Position(99, 0)), "nonsense")]
    assert said[0].result == "[99,0] is not on the map" and "is not an action" in said[1].result
    harvest = referee.submit(("harvest", None))
    assert harvest.accepted and harvest.result == "harvested 5" and harvest.resources == 5
    assert str(harvest).endswith('["harvest",null]: harvested 5')
    assert ": refused: " in str(entry)
    assert referee.submit(None).result == "passed"
    assert [e.accepted for e in referee.journal] == [False, False, False, True, True]
    assert referee.alive == ["juan", "pedro", "sofi"] and "[]" in str(referee)
    with pytest.raises(ludovec.InvalidConfig):
        Referee(["alone"], width=8, height=6)


def test_the_log_of_a_match_can_be_read_during_the_match(tmp_path):
    log, seen = tmp_path / "match.log", []

    class Reader:
        def turn(self, map_size, my_resources, world):
            seen.append(len(log.read_text().splitlines()))
            return "fort", Position(0, 0)

    bots = {"reader": Reader(), "defensive": "defensive"}
    ludovec.play("empires", bots, seed=0, log=log, width=8, height=6, max_turns=5)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert len(lines) == 8 and seen == sorted(seen) and seen[-1] >= 6
    assert all(line["refused"] for line in lines if line["player"] == "reader")
    assert {"turn", "player", "seat", "result", "refused", "step"} == set(lines[0])


def test_the_originals_figures_match_the_rules():
    assert empires.STRUCTURE_COST == {"farm": 5, "fort": 25, "castle": 75}
    assert empires.CONQUER_COSTS == {"land": (1, 25), "farm": (2, 25), "fort": 50, "castle": 100}
    assert empires.HARVEST_PRODUCTION == {"land": 0, "farm": 5, "fort": 0, "castle": 5}
    assert empires.VALID_ACTIONS == ("conquer", "harvest", "farm", "fort", "castle")
    assert empires.STRUCTURES == ("farm", "fort", "castle") and empires.DEFENDER_STRUCTURES == (
        "fort",
        "castle",
    )
    assert empires.TILES_PER_CASTLE_LIMIT == ludovec.spec("empires").options["tiles_per_castle"]
    # A game charges these costs.
    referee = Referee(["juan", "pedro"], seed=1, width=8, height=6)
    for _ in range(60):
        referee.submit(("harvest", None))
    seat = referee.current_player
    _, resources, world = referee.observation()
    castle = next(position for position, terrain in world.items() if terrain.owner == "mine")
    near = next(p for p in empires.beside(castle) if p in world and world[p].owner is None)
    assert referee.submit(("conquer", near)).resources == resources - empires.CONQUER_COSTS["land"][0]
    while referee.current_player != seat:
        referee.submit(None)
    assert referee.submit(("farm", near)).resources == resources - 1 - empires.STRUCTURE_COST["farm"]


@pytest.mark.parametrize("how", ["import game as toe", "from game import *", "from src import *"])
def test_bots_that_use_any_of_the_originals_names_play(tmp_path, how):
    names = (
        "LAND FARM FORT CASTLE MINE CONQUER HARVEST STRUCTURE_COST VALID_ACTIONS STRUCTURES "
        "DEFENDER_STRUCTURES CONQUER_COSTS HARVEST_PRODUCTION COMMS_IDLE COMMS_AWAITING_ACTION "
        "COMMS_ACTION_READY COMMS_ACTION_FAILED TILES_PER_CASTLE_LIMIT Position Terrain"
    ).split()
    prefix = "toe." if how.endswith("toe") else ""
    file = tmp_path / "finalist.py"
    file.write_text(
        f"{how}\n"
        "class BotLogic:\n"
        "    def turn(self, map_size, my_resources, world):\n"
        f"        known = [{', '.join(prefix + name for name in names)}]\n"
        f"        cost = {prefix}STRUCTURE_COST[{prefix}FARM] + {prefix}CONQUER_COSTS[{prefix}LAND][0]\n"
        "        if my_resources > cost:\n"
        f"            return {prefix}HARVEST, None\n"
        f"        return {prefix}VALID_ACTIONS[1], None\n"
    )
    bot = ludovec.players.load("empires", file)
    game = ludovec.play("empires", {"a": bot, "b": "passive"}, width=8, height=6, max_turns=5)
    assert game.is_terminal


def test_the_log_of_a_built_in_bot_lists_its_attempts(tmp_path):
    file = tmp_path / "match.jsonl"
    bots = {"wild": "super_random", "calm": "passive"}
    ludovec.play("empires", bots, seed=4, log=file, width=8, height=6, max_turns=60)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    tried = [line for line in lines if line["refused"]]
    assert len(tried) > 20 and {line["player"] for line in tried} == {"wild"}
    kinds = {line["refused"].split()[0].rstrip(":") for line in tried}
    assert {"farm", "fort", "castle", "conquer"} <= kinds
    assert all(": " in line["refused"] and line["result"] for line in tried)
    # Attempts without a refusal were played.
    played = [line for line in lines if line["player"] == "wild" and not line["refused"]]
    assert played and all(line["result"] for line in played)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with a name")
def test_a_log_to_a_pipe_without_a_reader_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "log")
    bots, small = {"a": "greedy", "b": "greedy"}, {"width": 8, "height": 6, "max_turns": 3}
    with pytest.raises(ludovec.InvalidConfig, match=r"log=.*no program reads this pipe"):
        ludovec.play("empires", bots, log=tmp_path / "log", **small)
    reader = os.open(tmp_path / "log", os.O_RDONLY | os.O_NONBLOCK)
    try:
        ludovec.play("empires", bots, log=tmp_path / "log", **small)
        assert json.loads(os.read(reader, 1 << 16).splitlines()[0])["step"] == 0
    finally:
        os.close(reader)
