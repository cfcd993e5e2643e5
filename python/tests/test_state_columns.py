"""State columns and value names, compared with the games' own texts and JSON."""

import gc
import json

import ludovec
import numpy as np
import pytest


def walk(env_id, steps=60, envs=8, **options):
    """Yields a batch and its state columns after each of some random steps."""
    env = ludovec.make(env_id, num_envs=envs, seed=5, num_threads=1, **options)
    env.reset(seed=5)
    columns = env.state_columns()
    for _ in range(steps):
        env.step(env.sample_actions())
        yield env, columns


def bits(number):
    return {i for i in range(64) if int(number) >> i & 1}


def test_columns_are_read_only_views_that_change_with_every_step(env_id):
    env = ludovec.make(env_id, num_envs=3, seed=1)
    env.reset(seed=1)
    columns, spec = env.state_columns(), env.game_spec
    assert list(columns) == [column.name for column in spec.state]
    for column in spec.state:
        array = columns[column.name]
        assert array.shape == (3, *column.shape) and array.dtype == column.dtype
        assert not array.flags.writeable and not array.flags.owndata
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.setflags(write=True)
    before = {name: array.copy() for name, array in columns.items()}
    env.step(env.sample_actions())
    assert any((before[name] != array).any() for name, array in columns.items())
    # The arrays keep the memory alive.
    last = {name: array.copy() for name, array in columns.items()}
    env.close()
    del env
    gc.collect()
    assert all((last[name] == array).all() for name, array in columns.items())


def test_columns_show_the_states_for_all_thread_counts_and_after_forks(env_id):
    def state(**options):
        env = ludovec.make(env_id, num_envs=7, seed=2, **options)
        env.reset(seed=2)
        for _ in range(5):
            env.step(env.sample_actions())
        env.fork([0], [6])
        env.set_state([1], env.get_state([2]))
        return env, env.state_columns()

    (_, one), (_, two) = state(num_threads=1), state(num_threads=2)
    for name in one:
        np.testing.assert_array_equal(one[name], two[name])
        np.testing.assert_array_equal(one[name][0], one[name][6])
        np.testing.assert_array_equal(one[name][1], one[name][2])


def test_smallworld():
    values = ludovec.spec("smallworld").values
    for env, columns in walk("smallworld", players=3):
        game = env.game(3)
        seen, own = game.observation_object(0), {name: array[3] for name, array in columns.items()}
        for region in seen["map"]["regions"]:
            i = region["region_id"]
            assert own["tokens"][i] == region["tokens"]
            assert bits(own["adjacency"][i]) == set(region["adjacent"])
            assert values["terrain"][[i in bits(s) for s in own["terrain"]].index(True)] == region["terrain"]
            shown = {values["marker"][b] for b in bits(own["markers"][i])}
            kept = {"MOUNTAIN", "ENCAMPMENT"}
            assert shown - {"LOST_TRIBE"} == set(region["markers"]) - kept - {"LOST_TRIBE"}
            owners = [(s, a) for s, a in np.ndindex(own["held"].shape) if i in bits(own["held"][s, a])]
            assert [s for s, _ in owners] == ([] if region["owner"] is None else [region["owner"]])
        assert values["phase"][int(own["phase"])] == seen["game"]["phase"]
        assert int(own["mover"]) == game.current_player and int(own["turn"]) == seen["game"]["turn"]
        for combo, (race, power, coins) in zip(seen["combo_row"], own["row"]):
            named = (values["race"][race], values["power"][power], coins)
            assert named == (combo["race"], combo["power"], combo["coins"])
        assert list(own["coins"][:3]) == [int(score) for score in game.scores()]


def test_smallworld_observations_have_their_names():
    spec = ludovec.spec("smallworld", players=2)
    fields = {field.name: field for field in spec.observation}
    for env, _ in walk("smallworld", players=2):
        game = env.game(0)
        seen, row = game.observation_object(0), game.observation(0)
        named = {name: field.view(row) for name, field in fields.items()}
        entries = spec.values[fields["seats"].values.axes[1]]
        own = dict(zip(entries, named["seats"][0]))
        active = seen["self"]["active"]
        race = spec.values[fields["seats"].values.elements["active_race"]][own["active_race"]]
        power = spec.values[fields["seats"].values.elements["active_power"]][own["active_power"]]
        assert (race, power) == (("none", "none") if active is None else (active["race"], active["power"]))
        phase = spec.values["phase"][int(np.flatnonzero(named["phase"])[0])]
        assert phase == seen["game"]["phase"]
        ground = dict(zip(spec.values["ground"], named["ground"]))
        for region in seen["map"]["regions"]:
            of = {
                name
                for name, set_ in ground.items()
                if np.unpackbits(set_, bitorder="little")[region["region_id"]]
            }
            assert region["terrain"] in of
            assert {"MINE", "MAGIC_SOURCE", "CAVERN"} & of == {"MINE", "MAGIC_SOURCE", "CAVERN"} & set(
                region["features"]
            )


def test_tilewe():
    spec = ludovec.spec("tilewe")
    for env, columns in walk("tilewe"):
        board = ludovec.Game.from_json(env.game(2).to_json())
        tiles = {name: rows[2] for name, rows in columns.items()}["tiles"]
        assert [sum(len(bits(r)) for r in rows) for rows in tiles] == [int(s) for s in board.scores()]
        assert int(columns["current"][2]) == board.current_player or board.is_terminal
    # Family, shape and cell names of an action give the tiles that it covers.
    game = ludovec.Game("tilewe", seed=0)
    action = game.legal_actions()[57]
    family = spec.family(action)
    row, column = np.unravel_index(action - family.offset, family.shape)
    cells = spec.values[family.name]
    env = ludovec.make("tilewe", num_envs=1)
    env.reset(seed=0)
    env.step(np.array([action], dtype=np.int32))
    covered = {(r, c) for r, word in enumerate(env.state_columns()["tiles"][0, 0]) for c in bits(word)}
    assert covered == {(int(cell[1:]) - 1 + row, ord(cell[0]) - ord("a") + column) for cell in cells}
    assert (
        spec.values["rank"][row] == str(row + 1)
        and spec.values["file"][column] == "abcdefghijklmnopqrst"[column]
    )


@pytest.mark.parametrize("variant", ["chess", "capablanca", "crazyhouse"])
def test_chess(variant):
    spec = ludovec.spec("chess", variant=variant)
    letters = {"pawn": "p", "knight": "n", "bishop": "b", "rook": "r", "queen": "q", "king": "k"}
    for env, columns in walk("chess", variant=variant, steps=30):
        own = {name: array[1] for name, array in columns.items()}
        fen = json.loads(env.game(1).to_json())["position"]["fen"]
        placement = fen.split(" ")[0].split("[")[0].replace("~", "")
        kinds, colours = (own[name].reshape(len(own[name]), -1) for name in ("kinds", "colours"))
        whole = lambda words: sum(int(word) << 64 * i for i, word in enumerate(words))
        for k, name in enumerate(spec.values["kind"]):
            if name in letters:
                white = (whole(kinds[k]) & whole(colours[0])).bit_count()
                black = (whole(kinds[k]) & whole(colours[1])).bit_count()
                found = placement.count(letters[name].upper()), placement.count(letters[name])
                assert (white, black) == found, name
        assert spec.values["color"][int(own["turn"])][0] == fen.split(" ")[1]
        assert int(own["plies"]) <= 30
    move = spec.actions[0]
    game = ludovec.Game("chess", variant=variant)
    for action in game.legal_actions()[:5]:
        if action < move.count:
            squares = [
                spec.values[t][i] for t, i in zip(move.values.axes, np.unravel_index(action, move.shape))
            ]
            found = game.action_to_move(action)
            assert squares == [found["from"], found["to"]], found


def test_promotions_are_named():
    spec = ludovec.spec("chess")
    family = next(family for family in spec.actions if family.name == "promotion")
    game = ludovec.Game("chess", fen="8/P6k/8/8/8/8/8/K7 w - - 0 1")
    found = set()
    for action in game.legal_actions():
        if family.offset <= action < family.offset + family.count:
            pair, choice = np.unravel_index(action - family.offset, family.shape)
            found.add((spec.values["promotion_pair"][pair], spec.values["promotion_choice"][choice]))
    assert found == {("a7a8", piece) for piece in ("queen", "rook", "bishop", "knight")}


def test_starwars_risk():
    spec = ludovec.spec("starwars_risk")
    for env, columns in walk("starwars_risk"):
        own = {name: array[2] for name, array in columns.items()}
        seen = env.game(2).observation_object(0)
        for space, ships in enumerate(seen["spaces"]):
            found = {spec.values["ship"][k]: int(n) for k, n in enumerate(own["ships"][:, space]) if n}
            assert found == ships
        assert spec.values["phase"][int(own["phase"])] == seen["phase"]
        hand = {spec.values["rebel_card"][k]: int(n) for k, n in enumerate(own["hand"][0]) if n}
        assert hand == seen["hand"] and int(own["hand_size"][1]) == seen["opponent"]["hand"]


def test_empires():
    spec = ludovec.spec("empires", width=9, height=5, players=3)
    for env, columns in walk("empires", width=9, height=5, players=3):
        own = {name: array[4] for name, array in columns.items()}
        game = env.game(4)
        sets = {name: whole for name, whole in zip(spec.values["plane"], own["planes"])}
        tiles = [sum(len(bits(word)) for word in sets[f"seat {seat}"]) for seat in range(3)]
        assert tiles == [int(score) for score in game.scores()]
        assert (own["planes"][:, -1] == 0).all()
        owner = game.observation(0)[: 9 * 5]
        assert {i for i in range(45) if owner[i] == 1} == bits(sets["seat 0"][0])


def test_constants_are_the_specs_tables():
    from ludovec import smallworld

    values = ludovec.spec("smallworld").values
    assert (
        smallworld.RACES == values["race"]
        and smallworld.RACES[0] == "Amazons"
        and len(smallworld.RACES) == 14
    )
    assert smallworld.POWERS == values["power"] and len(smallworld.POWERS) == 20
    assert (
        smallworld.PHASES == values["phase"]
        and smallworld.PHASES[2] == "CONQUEST"
        and len(smallworld.PHASES) == 15
    )
    assert smallworld.TERRAINS == ("FARMLAND", "HILL", "FOREST", "SWAMP", "MOUNTAIN", "SEA", "LAKE")
    assert smallworld.FEATURES == ("MINE", "MAGIC_SOURCE", "CAVERN", "BORDER", "COASTAL")
    assert smallworld.MARKERS[0] == "LOST_TRIBE"
