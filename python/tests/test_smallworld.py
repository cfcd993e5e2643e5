"""Small World in the original's terms: the examples of its documentation."""

import json
import random

import ludovec
import pytest
from ludovec import smallworld
from ludovec.smallworld import (
    ActionType,
    Feature,
    GameConfig,
    Marker,
    Phase,
    PowerName,
    RaceName,
    SeededRNG,
    SmallWorldGame,
    Terrain,
    generate_map,
)


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
    map = smallworld.generate_map(players, 7)
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


def test_enumerations_are_the_names_of_the_engine():
    assert list(Terrain) == list(smallworld.TERRAINS) and list(Feature) == list(smallworld.FEATURES)
    assert list(Phase) == list(smallworld.PHASES)
    assert list(RaceName) == list(smallworld.RACES) and list(PowerName) == list(smallworld.POWERS)
    assert set(Marker) == {*smallworld.MARKERS, "MOUNTAIN", "ENCAMPMENT"}
    with pytest.raises(ludovec.IllegalAction) as refused:
        SmallWorldGame().submit_action(0, {"type": "?"})
    assert str(refused.value).endswith("the types are " + ", ".join(ActionType))
    assert f"{Phase.SCORE} {PowerName.DRAGON_MASTER}" == "SCORE Dragon Master"
    assert json.dumps([Terrain.HILL]) == '["HILL"]' and {PowerName.DRAGON_MASTER: 1}["Dragon Master"] == 1
    counts = GameConfig.TURN_COUNTS
    assert counts == {n: SmallWorldGame(GameConfig(n)).state.max_turns for n in (2, 3, 4, 5)}
    assert GameConfig(4).max_turns == counts[4] == 9


def test_races_and_powers_are_data(tmp_path):
    races, powers = smallworld.load_races(), smallworld.get_all_powers()
    assert list(races) == list(RaceName) and list(powers) == list(PowerName)
    assert races["Ratmen"].base_tokens == 8 and races["Dwarves"].persists_in_decline is True
    assert smallworld.get_race_config("Trolls").persists_in_decline == "markers"
    assert smallworld.get_power_config(PowerName.MERCHANT).bonus_tokens == 2
    file = tmp_path / "races.json"
    entry = {"name": "Elves", "base_tokens": 7, "persists_in_decline": False, "note": "unread"}
    file.write_text(json.dumps([entry]))
    assert smallworld.load_races(file)["Elves"].base_tokens == 7
    for text in ("", "{}", "[1]", '[{"name": "Elves"}]', json.dumps([{**entry, "name": "Goblins"}])):
        file.write_text(text)
        with pytest.raises(ludovec.InvalidConfig) as refused:
            smallworld.load_races(file)
        assert "\n" not in str(refused.value)
    for wrong in ("elves", 3, None):
        with pytest.raises(ludovec.InvalidConfig, match="Amazons"):
            smallworld.get_race_config(wrong)


def test_random_numbers_follow_their_seed():
    first, second = SeededRNG(3), SeededRNG(3)
    assert [first.roll_reinforcement_die() for _ in range(20)] == [
        second.roll_reinforcement_die() for _ in range(20)
    ]
    assert smallworld.REINFORCEMENT_DIE_FACES == [0, 0, 0, 1, 2, 3]
    state = first.get_state()
    drawn = first.random_int(1, 6), first.random_float(), first.choice("abc"), first.sample(range(9), 3)
    first.set_state(state)
    assert drawn == (
        first.random_int(1, 6),
        first.random_float(),
        first.choice("abc"),
        first.sample(range(9), 3),
    )
    items = list(range(9))
    first.shuffle(items)
    assert sorted(items) == list(range(9))
    assert generate_map(3, SeededRNG(3)).regions == generate_map(3, SeededRNG(3)).regions


def random_states(games, **options):
    """Every state of games in which the players choose types of actions, then actions, at random."""
    draw = random.Random(5)
    for seed in range(games):
        game = SmallWorldGame(GameConfig(num_players=2 + seed % 4, seed=seed, **options))
        while not game.is_game_over():
            state = game.state
            kind = draw.choice(smallworld.get_legal_action_types(state))
            legal = smallworld.get_legal_actions(state)
            action = draw.choice([action for action in legal if action["type"] == kind])
            yield game, state, action
            game.submit_action(state.current_player, action)


def check_players(game, state):
    """Functions of a state against the observations of the players and against each other."""
    for player in range(game.config.num_players):
        view, own = smallworld.build_observation(state, player), state.players[player]
        assert own.coins == view["self"]["coins"] and view == game.get_observation(player)
        declined, active = state.player_decline_regions(player), state.player_active_regions(player)
        assert sorted(declined + active) == state.player_regions(player)
        hand, held = 0, view["self"]["active"]
        if own.active:
            hand = own.active.tokens_in_hand
            total = state.tokens_on_map(player, decline=False) + hand + held["displaced_tokens"]
            assert own.active.total_tokens == total and active == held["regions"]
        # The acting army is that of Ghouls in some phases; a rolled die changes costs and range.
        acts = player == state.current_player
        plain = not acts or (
            state.phase in ("CONQUEST", "FINAL_CONQUEST") and own.active.berserk_die_result is None
        )
        for region in range(0, len(state.map), 3):
            base, there = smallworld.compute_base_conquest_cost(region, state), state.regions[region]
            defending = sum(marker in smallworld.DEFENSIVE_MARKERS for marker in there.markers)
            assert base == 2 + there.tokens + defending + there.has_lost_tribe
            cost = smallworld.compute_conquest_cost(region, state, player)
            assert cost == game.compute_conquest_cost(region, player) and (cost is None or 1 <= cost <= base)
            can = smallworld.can_conquer_region(region, state, player)
            assert not plain or can == (cost is not None and 0 < hand and cost <= hand + 3)


@pytest.mark.parametrize("rules", ["original", "official"])
def test_functions_of_a_state_agree_with_the_game(rules):
    placing, picks, paid = {}, 0, 0
    for game, state, action in random_states(3, rules=rules, seafaring_discount=rules == "official"):
        player, other = state.current_player, (state.current_player + 1) % game.config.num_players
        assert action["type"] in smallworld.get_legal_action_types(state)
        if game.game.steps % 16 == 0:
            check_players(game, state)
            smallworld.validate_action(state, player, action)
            with pytest.raises(ludovec.IllegalAction):
                smallworld.validate_action(state, other, action)
            targets = smallworld.get_conquerable_regions(state, player)
            assert targets == game.get_conquerable_regions()
            assert all(smallworld.can_conquer_region(region, state, player) for region in targets)
            assert not smallworld.get_conquerable_regions(state, other)
        if state.phase.startswith(("PLACE", "CHOOSE_DIPLOMAT")) or game.game.steps % 4 == 0:
            phases = [str(phase) for phase in smallworld.get_post_redeploy_phases(state, player)]
            assert state.phase in phases or not state.phase.startswith(("PLACE", "CHOOSE_DIPLOMAT"))
            if phases:
                placing[state.players[player].active.power_name] = phases
        after = game.game.clone()
        after.submit(player, action)
        coins = int(after.scores()[player] - game.game.scores()[player])
        if action["type"] == "PICK_COMBO":
            combo, net = state.combo_row.pick(action["index"], state.players[player].coins)
            assert combo == state.combo_row[action["index"]] and coins == net
            picks += 1
        elif action["type"] == "REDEPLOY" and coins:
            assert coins == smallworld.compute_player_score(state, player)
            paid += 1
    assert picks > 5 and paid > 5 and placing
    assert (
        placing.items()
        <= {
            "Bivouacking": ["PLACE_BIVOUACS"],
            "Diplomat": ["CHOOSE_DIPLOMAT_ALLY"],
            "Fortified": ["PLACE_FORTRESS"],
            "Heroic": ["PLACE_HEROES"],
        }.items()
    )


def test_a_state_does_not_follow_the_game():
    game = SmallWorldGame(GameConfig(seed=2))
    state, row = game.state, game.combo_row
    game.submit_action(0, {"type": "PICK_COMBO", "index": 2})
    assert state.phase == "PICK_COMBO" and state.action_log == [] and len(game.state.action_log) == 1
    assert state.combo_row == row != game.combo_row and state.players[0].coins == 5
    with pytest.raises(AttributeError):
        state.players[0].coins = 9
    for wrong in (-1, 6, 99):
        with pytest.raises(ludovec.IllegalAction, match="0 to 5"):
            row.pick(wrong, 5)
    with pytest.raises(ludovec.IllegalAction, match="costs 5 coins"):
        row.pick(5, 4)
    for function in (smallworld.get_legal_actions, smallworld.get_legal_action_types):
        with pytest.raises(ludovec.InvalidConfig, match="GameState"):
            function(game)
    for wrong in (-1, 3, "a", None):
        with pytest.raises(ludovec.LudovecError):
            smallworld.compute_player_score(state, wrong)


def test_the_rim_of_saved_positions_is_read_by_its_former_name():
    game = SmallWorldGame(GameConfig(seed=3)).game
    text = game.to_json()
    assert '"rim"' in text and '"border"' not in text
    assert ludovec.Game.from_json(text.replace('"rim"', '"border"')).to_json() == text
