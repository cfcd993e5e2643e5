"""Terminal of Empires in the original's terms: bots, a referee, the log of a match."""

import json

import ludovec
import pytest
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
