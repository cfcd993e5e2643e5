"""Curricula and reward shaping: positions from which episodes start, rewards of the caller's."""

import json
import pickle

import ludovec
import numpy as np
import pytest


def positions(env_id, count=3, **options):
    """Positions of running games, as JSON and as snapshots."""
    env = ludovec.make(env_id, count, seed=8, autoreset="disabled", **options)
    for steps in range(count):
        games = list(range(steps, count))
        env.step_games(games, env.sample_actions()[games])
    assert not env.done.any()
    as_json = [json.loads(env.game(i).to_json())["position"] for i in range(count)]
    return as_json, [env.get_state([i]) for i in range(count)]


def test_every_episode_starts_from_one_of_the_positions(env_id, autoreset):
    objects, snapshots = positions(env_id, max_steps=4)
    known = {json.dumps(position, sort_keys=True): i for i, position in enumerate(objects)}
    drawn = []
    for starts in (objects, [json.dumps(position) for position in objects], snapshots):
        env = ludovec.make(env_id, 30, seed=5, autoreset=autoreset, max_steps=4, starts=starts)
        env.reset()
        seen = []
        for step in range(15):
            fresh = env.episode_length == 0 if step else np.ones(30, bool)
            if autoreset == "same_step" and step:
                fresh = env.done
            for i in np.flatnonzero(fresh):
                position = json.loads(env.game(i).to_json())["position"]
                seen.append(known[json.dumps(position, sort_keys=True)])
            if autoreset == "disabled" and env.done.any():
                env.reset(options={"reset_mask": env.done.copy()})
            else:
                env.step(env.action_mask.argmax(axis=1))
        drawn.append(seen)
    assert drawn[0] == drawn[1] == drawn[2] and len(drawn[0]) > 60
    assert np.bincount(drawn[0], minlength=3).min() > 5


def test_starts_depend_on_seed_and_game_only(env_id):
    _, snapshots = positions(env_id)
    whole = ludovec.make(env_id, 12, seed=3, starts=snapshots)
    split = [ludovec.make(env_id, 6, seed=3, starts=snapshots, first_game=first) for first in (0, 6)]
    blocks = ludovec.make(env_id, 12, seed=3, starts=snapshots, batch_size=4)
    observations = np.concatenate([env.reset()[0] for env in split])
    np.testing.assert_array_equal(whole.reset()[0], observations)
    for first in (0, 4, 8):
        rows = blocks.reset()[0] if first == 0 else blocks.recv()[0]
        np.testing.assert_array_equal(rows, observations[first : first + 4])
    np.testing.assert_array_equal(whole.reset(seed=[3] * 12)[0][0], observations[0])
    again = pickle.loads(pickle.dumps(whole))
    np.testing.assert_array_equal(again.reset()[0], whole.reset()[0])


def test_single_seats_start_from_positions(env_id):
    objects, _ = positions(env_id)
    env = ludovec.make(env_id, 8, seed=3, starts=objects, opponents="greedy", seat="rotating")
    env.reset()
    for _ in range(20):
        _, _, terminated, truncated, _ = env.step(env.sample_actions())
    assert (env.games.current_player == env.seats).all()


def test_wrong_starts_are_refused(env_id):
    objects, snapshots = positions(env_id)
    over = ludovec.make(env_id, 1, seed=1, autoreset="disabled")
    while not over.done[0]:
        over.step(over.bot_actions("greedy"))
    finished = json.loads(over.game(0).to_json())["position"]
    for wrong, error in [
        ([], ludovec.InvalidConfig),
        ({}, ludovec.InvalidConfig),
        ("position", ludovec.InvalidConfig),
        (5, ludovec.InvalidConfig),
        ([5], ludovec.InvalidState),
        ([objects[0], "{}"], ludovec.InvalidState),
        ([snapshots[0][:-1]], ludovec.InvalidState),
        ([finished], ludovec.InvalidState),
    ]:
        with pytest.raises(error, match="start") as refused:
            ludovec.make(env_id, 2, starts=wrong)
        assert "\n" not in str(refused.value)


def test_positions_of_bytes_are_those_of_json(env_id):
    objects, snapshots = positions(env_id)
    one, two = (ludovec.make(env_id, 3, seed=4, obs="f32") for _ in range(2))
    one.reset(seed=1, options={"starts": objects})
    two.reset(seed=1, options={"starts": snapshots})
    assert one.get_state() == two.get_state()
    one.set_position(0, objects[2])
    two.set_position(0, snapshots[2])
    assert one.get_state() == two.get_state()
    with pytest.raises(ludovec.InvalidState, match="one game"):
        two.set_position(0, two.get_state())


def test_added_rewards_are_credited_until_the_next_decision(env_id, autoreset):
    env = ludovec.make(env_id, 6, seed=2, autoreset=autoreset, max_steps=9, reward="score")
    rng = np.random.default_rng(0)
    players, rows = env.game_spec.players, np.arange(6)
    owed = np.zeros((6, players), np.float32)
    ends = 0
    for _ in range(40):
        if autoreset == "disabled" and env.done.any():
            owed[env.done] = 0
            env.reset(options={"reset_mask": env.done.copy()})
        started = env.done.copy() if autoreset == "next_step" else np.zeros(6, bool)
        actor = env.current_player.copy()
        owed[rows, actor] = 0
        owed[started] = 0
        env.step(env.sample_actions())
        owed += env.rewards
        extra = rng.integers(-3, 4, (6, players)).astype(np.float32)
        extra[started] = 0
        plain = env.rewards.copy()
        env.add_reward(extra)
        owed += extra
        np.testing.assert_allclose(env.rewards, plain + extra)
        acting = env.acting_player >= 0
        np.testing.assert_allclose(env.reward[acting], env.rewards[rows, env.acting_player][acting])
        np.testing.assert_allclose(env.credit, owed, atol=1e-3)
        mover = np.where(env.done, 0, env.credit[rows, env.current_player])
        np.testing.assert_allclose(env.credit_of_mover, mover)
        ends += env.done.sum()
        if autoreset == "same_step":
            owed[env.done] = 0
    assert ends > 6
    for wrong in (extra[0], extra[:, :1], np.full_like(extra, np.nan), "x"):
        with pytest.raises(ludovec.InvalidConfig):
            env.add_reward(wrong)


def test_games_are_positions(env_id):
    game = ludovec.Game(env_id, seed=3)
    for _ in range(3):
        game.step(game.legal_actions()[0])
    shown = lambda env: json.loads(env.game(0).to_json())["position"]
    expected = json.loads(game.to_json())["position"]
    env = ludovec.make(env_id, 1, starts=[game])
    env.reset()
    assert shown(env) == expected
    document = game.to_json()
    for use in (
        lambda env: env.set_position(0, game),
        lambda env: env.set_position(0, document),
        lambda env: env.set_position(0, json.loads(document)),
        lambda env: env.reset(options={"starts": [game]}),
    ):
        env = ludovec.make(env_id, 1)
        use(env)
        assert shown(env) == expected
    other = ludovec.Game("chess" if env_id == "tilewe" else "tilewe", seed=3)
    for wrong in (other, other.to_json()):
        with pytest.raises(ludovec.InvalidState, match=f"a position of {env_id} is needed"):
            env.set_position(0, wrong)
    for wrong in (game.position, 7, [1]):
        with pytest.raises(ludovec.InvalidState, match=r"starts\[0\].*a game, its JSON, the JSON of"):
            ludovec.make(env_id, 1, starts=[wrong])


def test_a_potential_reaches_a_search_through_values():
    """Margins are the differences of a potential: the tiles on the board, which observations show."""
    cells = 81

    def searched(reward, shaped):
        env = ludovec.make("tilewe", 6, players=2, seed=2, board=9, reward=reward)
        for _ in range(3):
            env.step(env.sample_actions())
        roots = np.stack([env.game(i).scores() for i in range(6)])
        search = ludovec.TreeSearch(env, 48, value="seats", seed=1)

        def network(obs, bits):
            values = np.zeros((len(obs), 2), np.float32)
            if shaped:
                # The current player's first.
                mover = search.current_player[: len(obs)]
                root = roots[search.tree[: len(obs), None], np.stack([mover, 1 - mover], 1)]
                values[:, 0] = obs[:, :cells].sum(1)
                values[:, 1] = obs[:, cells : 2 * cells].sum(1)
                values -= root
                # The points of the player minus those of the other.
                values -= values[:, ::-1].copy()
            return np.zeros((len(obs), env.game_spec.num_actions), np.float32), values

        search.start()
        search.run(network)
        return search.visits, search.q

    earned, shaped, plain = searched("margin", False), searched("outcome", True), searched("outcome", False)
    np.testing.assert_array_equal(earned[0], shaped[0])
    np.testing.assert_allclose(earned[1], shaped[1], atol=1e-4)
    assert (plain[0] != shaped[0]).any() and earned[0].sum() > 6 * 40
