"""OpenSpiel's own consistency tests and algorithms over our environments."""

import json
import pickle

import ludovec
import numpy as np
import pytest

pytest.importorskip("pyspiel")

import ludovec.openspiel
import pyspiel

SMALL = {
    "smallworld": {"players": 2},
    "tilewe": {"players": 2, "board": 10},
    "chess": {},
    "starwars_risk": {"max_rounds": 1},
    "empires": {"players": 2, "width": 5, "height": 5, "max_turns": 6},
}


def small(env_id, **more):
    options = {**SMALL.get(env_id, {}), "max_steps": 20, **more}
    return ludovec.openspiel.load_game(env_id, **options)


def late(env_id, decisions, seed=0, **options):
    """A position after this many random decisions, as the text of a game."""
    env = ludovec.make(env_id, 1, seed=seed, **options)
    env.reset(seed=seed)
    for _ in range(decisions):
        env.step(env.sample_actions())
        assert not env.done[0]
    return env.get_state([0])


def ending(env_id, left, seed=0, **options):
    """A position this many decisions before the end of a random game."""
    env = ludovec.make(env_id, 1, seed=seed, autoreset="disabled", **options)
    env.reset(seed=seed)
    states = []
    while not env.done[0]:
        states.append(env.get_state([0]))
        env.step(env.sample_actions())
    return states[-left]


def test_random_simulation(env_id):
    """OpenSpiel's test: clones, histories, masks, serialization of every state of random games."""
    pyspiel.random_sim_test(small(env_id), num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize(
    "game",
    ["ludovec_starwars_risk(max_rounds=1,max_steps=6)", "ludovec_tilewe(players=2,board=8,max_steps=4)"],
)
def test_playthroughs_replay(game, tmp_path):
    """OpenSpiel's playthrough of a random game, replayed from its file, is the same text."""
    import absl.flags
    from open_spiel.python.algorithms import generate_playthrough

    absl.flags.FLAGS(["test"])
    file = tmp_path / "playthrough.txt"
    lines = generate_playthrough.playthrough_lines(game, seed=3, alsologtostdout=False)
    file.write_text("\n".join(lines) + "\n")
    original, replayed = generate_playthrough.replay(str(file))
    assert original == replayed and "IsTerminal() = True" in original


def test_registered_games(env_id):
    game = pyspiel.load_game(f"ludovec_{env_id}(max_steps=3)")
    assert game.num_distinct_actions() == ludovec.spec(env_id).num_actions
    assert game.num_players() == ludovec.spec(env_id).players
    state = game.new_initial_state()
    while not state.is_terminal():
        actions = [a for a, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()
        state.apply_action(actions[0])
    assert sum(not step.player < 0 for step in state.full_history()) <= 3
    copy = pickle.loads(pickle.dumps(game))
    assert str(copy) == str(game) and copy.game_spec == game.game_spec
    assert copy.new_initial_state().is_chance_node() == game.new_initial_state().is_chance_node()


def test_the_games_are_ours(env_id):
    """A playthrough under the draws of a record is that record: players, actions, observations, outcomes."""
    options = {**SMALL.get(env_id, {}), "max_steps": 20}
    wanted = ludovec.Game(env_id, seed=4, **options)
    rng = np.random.default_rng(0)
    twin = wanted.clone()
    while not twin.is_terminal:
        twin.step(int(rng.choice(twin.legal_actions())))
    state = small(env_id).new_initial_state()
    for draw in twin.log[0].get("setup", []):
        state.apply_action(draw)
    assert not state.is_chance_node()
    for entry in twin.log:
        for player in range(wanted.spec.players):
            row = state.observation_tensor(player)
            np.testing.assert_array_equal(row, wanted.observation(player).reshape(-1))
        assert state.current_player() == wanted.current_player
        assert state.legal_actions() == wanted.legal_actions()
        assert state.action_to_string(entry["action"]) == wanted.action_to_string(entry["action"])
        state.apply_action(entry["action"])
        for draw in entry.get("chance", []):
            assert state.is_chance_node()
            state.apply_action(draw)
        wanted.step_scripted(entry["action"], entry.get("chance", []))
    assert state.is_terminal() and wanted.is_terminal
    np.testing.assert_allclose(state.returns(), wanted.returns(), atol=1e-6)


def test_the_draws_have_the_probabilities_of_the_outcomes():
    """The products along the draws of an action are the probabilities of ``Game.outcomes``."""
    play = ludovec.Game("smallworld", seed=1, players=2)
    found = 0
    for _ in range(40):
        action = play.legal_actions()[0]
        outcomes = play.outcomes(action, limit=500)
        if len(outcomes) > 1:
            state = ludovec.openspiel.load_game(
                "smallworld", players=2, position=_position(play)
            ).new_initial_state()
            for probability, script, after in outcomes:
                child, chance = state.clone(), 1.0
                child.apply_action(action)
                for draw in script:
                    chance *= dict(child.chance_outcomes())[draw]
                    child.apply_action(draw)
                assert chance == pytest.approx(probability) and not child.is_chance_node()
                assert child.play.position == after.position
            found += 1
        play.step(action)
    assert found


def _position(play):
    return json.loads(play.to_json())["position"]


def test_players_cannot_tell_resampled_states_apart():
    """The information state stays, the hidden part varies."""
    game = ludovec.openspiel.load_game("starwars_risk")
    rng = np.random.default_rng(1)
    state = game.new_initial_state()
    while not state.is_terminal() and state.move_number() < 60:
        if state.is_chance_node():
            actions, weights = zip(*state.chance_outcomes())
            state.apply_action(int(rng.choice(actions, p=weights)))
        else:
            state.apply_action(int(rng.choice(state.legal_actions())))
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])
    player = state.current_player()
    others = [state.resample_from_infostate(player, np.random.default_rng(k).random) for k in range(8)]
    for other in others:
        assert other.information_state_string(player) == state.information_state_string(player)
        assert other.legal_actions() == state.legal_actions()
    assert len({other.play.position for other in others}) > 1


def test_is_mcts_plays_with_hidden_cards():
    from open_spiel.python.algorithms import ismcts, mcts

    game = ludovec.openspiel.load_game("starwars_risk", max_rounds=2, max_steps=80)
    evaluator = mcts.RandomRolloutEvaluator(1, np.random.RandomState(0))
    bot = ismcts.ISMCTSBot(
        game, evaluator, uct_c=1.4, max_simulations=6, random_state=np.random.RandomState(0)
    )
    rng = np.random.default_rng(0)
    state = game.new_initial_state()
    chosen = 0
    while not state.is_terminal() and chosen < 6:
        if state.is_chance_node():
            actions, weights = zip(*state.chance_outcomes())
            state.apply_action(int(rng.choice(actions, p=weights)))
            continue
        action = int(bot.step(state)) if len(state.legal_actions()) > 1 else state.legal_actions()[0]
        assert action in state.legal_actions()
        chosen += 1
        state.apply_action(action)
    assert chosen == 6


def test_mcts_plays_tilewe():
    from open_spiel.python.algorithms import mcts

    game = small("tilewe", position=late("tilewe", 6, players=2, board=10))
    evaluator = mcts.RandomRolloutEvaluator(1, np.random.RandomState(0))
    bot = mcts.MCTSBot(game, 1.4, 20, evaluator, random_state=np.random.RandomState(0))
    state = game.new_initial_state()
    assert bot.step(state) in state.legal_actions()


@pytest.mark.parametrize(
    ("env", "options", "left"),
    [("tilewe", {"players": 2, "board": 8}, 4), ("starwars_risk", {"max_rounds": 1}, 1)],
)
def test_cfr_and_best_responses_on_endgames(env, options, left):
    """CFR's variants approach an equilibrium of an endgame: the best response to it wins next to nothing."""
    from open_spiel.python import policy as policies
    from open_spiel.python.algorithms import (
        best_response,
        cfr,
        discounted_cfr,
        exploitability,
        external_sampling_mccfr,
    )

    start = ending(env, left, **options)
    game = ludovec.openspiel.load_game(env, position=start, **options)
    uniform = exploitability.nash_conv(game, policies.UniformRandomPolicy(game))
    for solver in (cfr.CFRSolver(game), cfr.CFRPlusSolver(game), discounted_cfr.DCFRSolver(game)):
        for _ in range(20):
            solver.evaluate_and_update_policy()
        average = solver.average_policy()
        left_over = exploitability.nash_conv(game, average)
        assert -1e-9 <= left_over <= max(0.02, 0.2 * uniform)
        response = best_response.BestResponsePolicy(game, 0, average)
        state = game.new_initial_state()
        assert -1 <= response.value(state) <= 1
    sampler = external_sampling_mccfr.ExternalSamplingSolver(game)
    for _ in range(5):
        sampler.iteration()
    assert exploitability.nash_conv(game, sampler.average_policy()) >= -1e-9


def test_a_start_is_the_position(env_id):
    options = SMALL.get(env_id, {})
    start = late(env_id, 3, seed=2, **options)
    env = ludovec.make(env_id, 1, **options)
    env.set_state([0], start)
    state = ludovec.openspiel.load_game(env_id, position=start, **options).new_initial_state()
    assert state.play.position == env.game(0).position and state.current_player() == env.current_player[0]


def test_wrong_arguments():
    for wrong, said in (
        ({"colour": 1}, "colour"),
        ({"players": 9}, "players"),
        ({"reward": "score"}, "reward"),
        ({"on_illegal": "lose"}, "on_illegal"),
        ({"position": 5}, "position"),
        ({"position": b"nothing"}, "snapshot"),
    ):
        with pytest.raises(ludovec.LudovecError, match=said):
            ludovec.openspiel.load_game("tilewe", **wrong)
    with pytest.raises(ludovec.LudovecError, match="position"):
        pyspiel.load_game("ludovec_tilewe(position=xyz)")
