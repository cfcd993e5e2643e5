"""Small World in the original's terms: the examples of its documentation."""

import ludovec
import pytest
from ludovec import smallworld
from ludovec.smallworld import GameConfig, SmallWorldGame, generate_map


def test_the_original_game_loop_and_replay():
    # Create a 3-player game with seed 42
    config = GameConfig(num_players=3, seed=42)
    game = SmallWorldGame(config)

    # Game loop
    while not game.is_game_over():
        player_id = game.get_current_player()
        observation = game.get_observation(player_id)
        legal_actions = game.get_legal_actions()
        assert observation["legal_actions"] == legal_actions

        # Pick an action (your agent logic here)
        action = legal_actions[0]

        result = game.submit_action(player_id, action)
    assert result == {"phase": "GAME_OVER", "current_player": result["current_player"], "game_over": True}

    # Get final results
    results = game.get_results()
    assert f"Winner: Player {results['winner']}" and len(results["scores"]) == 3
    assert results["winners"][0] == results["rankings"][0]
    assert results["scores"][results["rankings"][0]] == max(results["scores"])

    replayed_game = SmallWorldGame.replay(config, game._state.action_log)
    assert replayed_game.game.position == game.game.position
    assert replayed_game.get_results() == results and replayed_game.action_log == game.action_log


def test_observations_hide_the_coins_of_opponents():
    game = SmallWorldGame(GameConfig(seed=1))
    observation = game.get_observation(0)
    assert {"game", "map", "combo_row", "self", "opponents", "legal_actions"} <= set(observation)
    assert observation["self"]["coins"] == 5
    assert [o["coins"] for o in observation["opponents"]] == ["HIDDEN", "HIDDEN"]
    assert game.get_phase() == observation["game"]["phase"] == "PICK_COMBO"


@pytest.mark.parametrize(("players", "turns", "land"), [(3, 10, 26), (4, 9, 34), (5, 8, 40)])
def test_maps_depend_on_the_seed(players, turns, land):
    map = smallworld.generate_map(players, seed=7)
    assert len(map.land_regions()) == land and len(map.water_regions()) in range(4, 8)
    assert len(map) == len(map.land_regions()) + len(map.water_regions())
    assert len(map.border_regions()) >= 4 and len(map.cavern_regions()) in range(2, 6)
    for feature in ("MINE", "MAGIC_SOURCE"):
        assert len(map.regions_with_feature(feature)) in range(2, 6)
    for region in map.regions:
        assert all(region.id in map.neighbors(near) for near in region.adjacent)
        beside_water = any(map.get_region(near).is_water for near in region.adjacent)
        assert region.is_coastal == (region.is_land and beside_water)
        assert region.has_mine == (region.id in map.regions_with_feature("MINE"))
    reached, todo = set(), [map.land_regions()[0]]
    while todo:
        here = todo.pop()
        if here not in reached:
            reached.add(here)
            todo += [near for near in map.neighbors(here) if map.get_region(near).is_land]
    assert sorted(reached) == map.land_regions()
    game = SmallWorldGame(GameConfig(players, seed=3, map_seed=7))
    assert game.map.regions == map.regions and game.get_observation(0)["game"]["max_turns"] == turns
    assert sum(len(map.regions_by_terrain(t)) for t in ("SEA", "LAKE")) == len(map.water_regions())
    with pytest.raises(ludovec.InvalidConfig, match="exist"):
        map.get_region(99)


def test_a_combo_costs_a_coin_per_skipped_combo():
    game = SmallWorldGame(GameConfig(seed=2))
    row = game.combo_row
    assert len(row) == 6 and all(combo.coins == 0 for combo in row)
    game.submit_action(0, {"type": "PICK_COMBO", "index": 2})
    seen = game.get_observation(0)["self"]
    assert seen["coins"] == 3 and seen["active"]["race"] == row[2].race
    assert seen["active"]["total_tokens"] >= row[2].total_tokens
    assert [combo.coins for combo in game.combo_row] == [1, 1, 0, 0, 0, 0]


def test_conquest_costs_match_the_rules():
    game = SmallWorldGame(GameConfig(seed=4))
    game.submit_action(0, game.get_legal_actions()[0])
    assert game.get_phase() == "CONQUEST"
    regions = game.get_conquerable_regions()
    assert regions and set(regions) <= set(range(len(game.map)))
    target = regions[0]
    cost, hand = (
        game.compute_conquest_cost(target),
        game.get_observation(0)["self"]["active"]["tokens_in_hand"],
    )
    assert 1 <= cost <= hand
    game.submit_action(0, {"type": "CONQUER", "region": target})
    seen = game.get_observation(0)
    assert seen["self"]["active"]["tokens_in_hand"] == hand - cost
    assert seen["map"]["regions"][target]["tokens"] == cost
    assert game.compute_conquest_cost(target) is None and target not in game.get_conquerable_regions()
    assert game.compute_conquest_cost(target, player_id=1) > cost


def test_sequences_cover_a_phase():
    game = SmallWorldGame(GameConfig(seed=4))
    assert list(game.get_legal_sequences()) == [[f"PICK_COMBO {i}"] for i in range(6)]
    game.submit_sequence(0, ["PICK_COMBO 0"])
    while game.get_phase() == "CONQUEST" and game.get_conquerable_regions():
        game.submit_action(0, game.get_legal_actions()[0])
    if game.get_phase() != "REDEPLOY":
        game.submit_action(0, {"type": "SKIP_CONQUEST"})
    sequences = list(game.get_legal_sequences())
    assert len(sequences) > 1 and all(word.startswith("REDEPLOY") for words in sequences for word in words)
    assert len({tuple(words) for words in sequences}) == len(sequences)
    before = game.game.position
    with pytest.raises(ludovec.IllegalAction):
        game.submit_sequence(0, [*sequences[0], "REDEPLOY 0"])
    assert game.game.position == before, "all or nothing"
    result = game.submit_sequence(0, sequences[-1])
    assert result["phase"] != "REDEPLOY" and game.get_observation(0)["game"]["turn"] == 1


def test_errors_have_the_original_names():
    for name in ("IllegalAction", "InvalidPhase", "GameOver", "InvalidConfig"):
        assert issubclass(getattr(smallworld, name), smallworld.SmallWorldError)
    with pytest.raises(smallworld.InvalidConfig, match="players"):
        GameConfig(num_players=9)
    game = SmallWorldGame()
    with pytest.raises(smallworld.InvalidPhase):
        game.submit_action(0, {"type": "EXPAND"})
    with pytest.raises(smallworld.IllegalAction):
        game.submit_action(1, {"type": "PICK_COMBO", "index": 0})


def test_wrong_arguments_are_refused():
    config = GameConfig(num_players=2, seed=1)
    game = SmallWorldGame(config)
    graph = game.map
    for call, wrong in (
        (game.compute_conquest_cost, (None, "a", 1.5, -1, 99)),
        (graph.neighbors, (None, "a", 1.5, -1, 99)),
        (graph.regions_by_terrain, ("MOON", "sea", 3, None)),
        (graph.regions_with_feature, ("MOON", "mine", 3, None)),
        (SmallWorldGame, (3, "a", {"num_players": 2})),
        (lambda log: SmallWorldGame.replay(config, log), (None, 3, [1], [{}], [{"action": {}}])),
    ):
        for value in wrong:
            with pytest.raises(ludovec.LudovecError) as refused:
                call(value)
            assert "\n" not in str(refused.value)


def test_terrains_and_features_cover_the_maps():
    games = [SmallWorldGame(GameConfig(num_players=n, seed=seed)) for n in (2, 5) for seed in range(5)]
    regions = [region for game in games for region in game.map.regions]
    assert {region.terrain for region in regions} == set(smallworld.TERRAINS)
    assert set().union(*(region.features for region in regions)) == set(smallworld.FEATURES)


def test_types_of_actions_are_read_in_any_case():
    upper, lower = SmallWorldGame(GameConfig(seed=8)), SmallWorldGame(GameConfig(seed=8))
    for _ in range(40):
        action = upper.get_legal_actions()[-1]
        upper.submit_action(upper.get_current_player(), action)
        spelled = {**action, "type": action["type"].lower()}
        lower.submit_action(lower.get_current_player(), spelled)
    assert upper.game.to_json() == lower.game.to_json()
    with pytest.raises(ludovec.IllegalAction, match="the types are PICK_COMBO"):
        lower.submit_action(lower.get_current_player(), {"type": "pick combo"})


def test_the_map_seed_defaults_to_the_game_seed():
    same = [SmallWorldGame(GameConfig(seed=5, map_seed=seed)) for seed in (None, 5)]
    assert same[0].game.to_json() == same[1].game.to_json()
    assert same[0].map.regions == generate_map(3, 5).regions
    assert SmallWorldGame(GameConfig(seed=6)).map.regions != same[0].map.regions
    SmallWorldGame(GameConfig(seed=2**64 - 1))


def test_a_configuration_takes_the_options_of_the_environment():
    config = GameConfig(seed=5, rules="official", seafaring_discount=True, public_coins=True)
    game = SmallWorldGame(config)
    options = game.game.spec.options
    assert (options["rules"], options["seafaring_discount"], options["public_coins"]) == (
        "official",
        True,
        True,
    )
    assert "HIDDEN" not in {opponent["coins"] for opponent in game.get_observation(0)["opponents"]}
    assert "HIDDEN" in {
        other["coins"] for other in SmallWorldGame(GameConfig(seed=5)).get_observation(0)["opponents"]
    }


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_every_number_of_players_has_a_board(players):
    game = SmallWorldGame(GameConfig(num_players=players, map="board", seed=3))
    assert len(game.map) == [23, 30, 39, 46][players - 2]
    again = SmallWorldGame(GameConfig(num_players=players, map="board", seed=4))
    assert again.map.regions == game.map.regions
    while not game.is_game_over():
        game.game.step(game.game.bot_action("conqueror"))
    assert "<svg" in game.game.to_svg()
