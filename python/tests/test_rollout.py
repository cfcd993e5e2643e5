"""Rollouts: the reward of every decision, the next decision of its player, and its advantage."""

import ludovec
import numpy as np
import pytest
from ludovec.data.advantages import advantages, until_next

GAMMA, LAMBDA = 0.9, 0.8


def slowly(env, steps, seed):
    """Every decision of sampled play as its player sees it: (step, game, reward, next step or None, done)."""
    env.reset(seed=seed)
    open_, found = {}, {}
    for t in range(steps):
        actor = env.current_player.copy()
        env.step(env.sample_actions())
        for n in range(env.num_envs):
            mine = (n, int(actor[n]))
            if mine in open_:
                last = found[open_[mine]]
                last["next"] = t
            open_[mine] = (t, n)
            found[t, n] = {"reward": 0.0, "next": -1, "done": False}
            for seat in range(env.game_spec.players):
                if (n, seat) in open_:
                    found[open_[n, seat]]["reward"] += float(env.rewards[n, seat])
            if env.done[n]:
                for seat in range(env.game_spec.players):
                    if (n, seat) in open_:
                        found[open_.pop((n, seat))]["done"] = True
    return found


@pytest.mark.parametrize("reward", ["outcome", "score"])
def test_rewards_last_until_the_next_decision_of_the_player(env_id, reward):
    make = lambda: ludovec.make(env_id, 5, seed=3, max_steps=23, reward=reward, num_threads=1)
    env, twin = make(), make()
    env.reset(seed=3)
    played = ludovec.rollout(env, None, 60)
    expected = slowly(twin, 60, 3)
    assert played.done.sum() > 5 and len(played) == 60
    for (t, n), truth in expected.items():
        assert played.rewards[t, n] == pytest.approx(truth["reward"], abs=1e-4), (t, n)
        assert (played.next[t, n], played.done[t, n]) == (truth["next"], truth["done"]), (t, n)
    np.testing.assert_array_equal(played.known, played.done | (played.next >= 0))
    # Open decisions are the last ones of their players.
    assert 0 < (~played.known).sum() <= 5 * env.game_spec.players


def test_columns_are_what_the_policy_saw_and_chose(env_id):
    seen = []

    def policy(observations, info):
        seen.append((observations.copy(), info["action_mask_bits"].copy(), info["current_player"].copy()))
        actions = ludovec.unpack_bits(info["action_mask_bits"], env.game_spec.num_actions).argmax(1)
        return {"actions": actions, "values": np.arange(4.0), "log_probs": np.ones((4, 2), np.float32)}

    env = ludovec.make(env_id, 4, seed=1, mask="bits", max_steps=9)
    played = ludovec.rollout(env, policy, 15)
    for t, (observations, bits, seats) in enumerate(seen):
        np.testing.assert_array_equal(played.observations[t], observations)
        np.testing.assert_array_equal(played.action_mask_bits[t], bits)
        np.testing.assert_array_equal(played.seats[t], seats)
    masks = ludovec.unpack_bits(played.action_mask_bits, env.game_spec.num_actions)
    assert np.take_along_axis(masks, played.actions[..., None].astype(int), -1).all()
    assert played.more["log_probs"].shape == (15, 4, 2) and (played.more["values"] == np.arange(4)).all()
    assert played.advantages is None
    # The next rollout goes on where this one ended.
    np.testing.assert_array_equal(ludovec.rollout(env, policy, 1).observations[0], seen[-1][0])


def test_advantages_follow_the_decisions_of_each_player():
    """By definition: the discounted sum of the temporal differences along one player's decisions."""
    rng = np.random.default_rng(2)
    rewards, values = rng.normal(size=(2, 40, 3)).astype(np.float32)
    seats, ended = rng.integers(0, 3, (40, 3)), rng.random((40, 3)) < 0.1
    paid = np.zeros((40, 3, 3), np.float32)
    np.put_along_axis(paid, seats[..., None], rewards[..., None], -1)
    reward, following, done = until_next(paid, seats, ended)
    found = advantages(reward, values, following, done, GAMMA, LAMBDA)
    for t in range(40):
        for n in range(3):
            total, factor, at = 0.0, 1.0, t
            while at >= 0:
                after = following[at, n]
                if after < 0 and not done[at, n]:
                    break
                value = values[after, n] if after >= 0 else 0.0
                total += factor * (reward[at, n] + GAMMA * value - values[at, n])
                factor, at = factor * GAMMA * LAMBDA, after
            assert found[t, n] == pytest.approx(total, abs=1e-4)


def test_generalized_advantages_are_an_option(env_id):
    env = ludovec.make(env_id, 4, seed=1, max_steps=11, reward="score")
    policy = lambda observations, info: {"actions": env.sample_actions(), "values": np.full((4, 1), 0.5)}
    played = ludovec.rollout(env, policy, 40, gamma=GAMMA, gae_lambda=LAMBDA, reward_scale=0.25)
    values = np.full((40, 4), 0.5, np.float32)
    expected = advantages(played.rewards, values, played.next, played.done, GAMMA, LAMBDA)
    np.testing.assert_array_equal(played.advantages, expected)
    np.testing.assert_array_equal(played.returns, expected + values)
    assert (played.advantages[~played.known] == 0).all() and played.advantages.any()


def test_one_seat_is_paid_by_its_own_steps(env_id):
    make = lambda: ludovec.make(env_id, 4, seed=3, max_steps=30, reward="score", opponents="greedy")
    env, twin = make(), make()
    played = ludovec.rollout(env, None, 25)
    for t in range(25):
        seats = twin.seats.copy()
        _, reward, terminated, truncated, _ = twin.step(twin.sample_actions())
        np.testing.assert_array_equal(played.rewards[t], reward)
        np.testing.assert_array_equal(played.seats[t], seats)
        done = terminated | truncated
        np.testing.assert_array_equal(played.done[t], done)
        np.testing.assert_array_equal(played.next[t], np.where(done | (t == 24), -1, t + 1))


def test_shaping_is_paid_like_rewards(env_id):
    plain, shaped, seats = (
        ludovec.make(env_id, 3, seed=5, max_steps=17, **more) for more in ({}, {}, {"opponents": "random"})
    )
    extra = np.arange(3 * plain.game_spec.players, dtype=np.float32).reshape(3, -1)
    one, two = ludovec.rollout(plain, None, 30), ludovec.rollout(shaped, None, 30, shaping=lambda env: extra)
    paid = np.broadcast_to(extra, (30, *extra.shape)).copy()
    only, *_ = until_next(paid, one.seats, one.ended)
    np.testing.assert_allclose(two.rewards, one.rewards + only, rtol=1e-5)
    assert (ludovec.rollout(seats, None, 5, shaping=lambda env: extra + 1).rewards > 0).any()


def test_bots_play_by_name_and_wrong_policies_are_refused():
    env = ludovec.make("chess", 2, seed=1)
    twin = ludovec.make("chess", 2, seed=1)
    played = ludovec.rollout(env, "greedy", 4)
    for actions in played.actions:
        np.testing.assert_array_equal(twin.bot_actions("greedy"), actions)
        twin.step(actions)
    lazy = lambda observations, info: [0, 0]
    with pytest.raises(ludovec.IllegalAction):
        ludovec.rollout(env, lazy, 2)
    for call, word in [
        (lambda: ludovec.rollout(env, "gredy", 2), "greedy"),
        (lambda: ludovec.rollout(env, 5, 2), "policy"),
        (lambda: ludovec.rollout(env, None, 0), "steps"),
        (lambda: ludovec.rollout(env, None, 2, gamma=0.9), "values"),
        (lambda: ludovec.rollout(env, None, 2, gamma=1.9), "gamma"),
        (lambda: ludovec.rollout(env, lambda o, i: {"action": [0, 0]}, 2), "actions"),
        (lambda: ludovec.rollout(env, lambda o, i: {"actions": [0, 0], "v": [1]}, 2), "v of 2 rows"),
        (lambda: ludovec.rollout("chess", None, 2), "VectorEnv"),
        (lambda: ludovec.rollout(ludovec.make("chess", autoreset="disabled"), None, 2), "same_step"),
    ]:
        with pytest.raises(ludovec.InvalidConfig, match=word):
            call()


def parts_of(collector, steps):
    """Reward, end and next decision of all known decisions, by step and game; and the decisions left open."""
    found, before, open_ = {}, 0, []
    for count in steps:
        batch = collector.collect(count)
        games = collector.env.num_envs
        # The rows are the decisions that were open, then the new ones, step by step.
        rows = [*open_, *((before + k // games, k % games) for k in range(count * games))]
        assert len(batch) == len(rows) and [game for _, game in rows] == batch.games.tolist()
        for k in np.flatnonzero(batch.known):
            assert rows[k] not in found, "closed twice"
            follows = None if batch.next[k] < 0 else rows[batch.next[k]]
            found[rows[k]] = float(batch.rewards[k]), bool(batch.done[k]), follows
        open_ = [rows[k] for k in np.flatnonzero(~batch.known)]
        before += count
    return found, open_


@pytest.mark.parametrize("steps", [[1] * 60, [60], [7, 1, 2, 30, 20], [59, 1]])
def test_a_collector_closes_every_decision_once(env_id, steps):
    """Any division into calls gives the decisions of one long rollout."""
    make = lambda: ludovec.make(env_id, 5, seed=3, max_steps=23, reward="score", num_threads=1)
    env, twin = make(), make()
    found, left = parts_of(ludovec.Collector(env, None), steps)
    whole = ludovec.rollout(twin, None, 60)
    assert set(found) == {(int(t), int(n)) for t, n in np.argwhere(whole.known)}
    for (t, n), (reward, done, follows) in found.items():
        assert reward == pytest.approx(whole.rewards[t, n], abs=1e-4) and done == whole.done[t, n]
        assert follows == (None if whole.next[t, n] < 0 else (whole.next[t, n], n))
    assert len(left) == (~whole.known).sum()


class Paid:
    """Sums the rewards of all steps."""

    total = 0.0

    def __call__(self, env):
        self.total += float(env.rewards.sum())
        return np.zeros_like(env.rewards)


@pytest.mark.parametrize("players", [2, 3, 5])
def test_a_collector_loses_no_reward(players):
    """Small World pays late: what is paid is what known decisions get, but for the last call."""
    for steps in (4, 16, 64):
        settings = {"players": players, "seed": 0, "reward": "score", "mask": "bits"}
        env = ludovec.make("smallworld", 16, num_threads=1, **settings)
        paid, kept = Paid(), 0.0
        collector = ludovec.Collector(env, "greedy", shaping=paid)
        for _ in range(256 // steps):
            batch = collector.collect(steps)
            kept += float(batch.rewards[batch.known].sum())
        rest = float(batch.rewards[~batch.known].sum())
        assert kept > 0.8 * paid.total and kept + rest == pytest.approx(paid.total), steps


def test_columns_of_a_policy_are_carried_over():
    """Actions, masks, values and policies of a decision belong to its step, whenever it is closed."""
    env = ludovec.make("smallworld", 4, players=3, seed=1, reward="score", mask="bits", obs="packed")
    played = []

    def policy(observations, info):
        legal = ludovec.unpack_bits(info["action_mask_bits"], env.game_spec.num_actions)
        offsets = np.append(0, np.cumsum(legal.sum(1)))
        shares = np.repeat(np.arange(4) + 10 * len(played), np.diff(offsets)).astype(np.float32)
        values = np.full((4, 3), len(played), np.float32) + np.arange(3)
        played.append((observations.copy(), info["action_mask_bits"].copy(), info["current_player"].copy()))
        return {"actions": legal.argmax(1), "values": values, "policy": (offsets, shares)}

    collector = ludovec.Collector(env, policy, gamma=GAMMA, gae_lambda=LAMBDA)
    seen = set()
    for _ in range(40):
        batch = collector.collect(3)
        step, (offsets, shares) = batch.values[:, 0].astype(int), batch.policy
        for k in range(len(batch)):
            observation, bits, seat = (column[batch.games[k]] for column in played[step[k]])
            assert (batch.observations[k] == observation).all() and (batch.action_mask_bits[k] == bits).all()
            assert batch.seats[k] == seat
            mine = shares[offsets[k] : offsets[k + 1]]
            assert len(mine) and (mine == batch.games[k] + 10 * step[k]).all()
            if batch.known[k]:
                after = batch.next[k]
                value = 0 if after < 0 else batch.values[after, batch.seats[after]]
                rest = 0 if after < 0 else batch.advantages[after]
                delta = batch.rewards[k] + GAMMA * value - batch.values[k, seat]
                assert batch.advantages[k] == pytest.approx(delta + GAMMA * LAMBDA * rest, abs=1e-3)
                seen.add((int(step[k]), int(batch.games[k])))
            else:
                assert batch.advantages[k] == 0
    assert len(seen) > 300


def test_games_that_were_moved_in_between_lose_their_open_decisions():
    for change in (
        lambda env, _: env.reset(options={"reset_mask": np.array([True, False])}),
        lambda env, _: env.step_games([0], env.sample_actions()[:1]),
        lambda env, state: env.set_state([0], state),
    ):
        env = ludovec.make("smallworld", 2, players=3, seed=0)
        collector = ludovec.Collector(env, None)
        collector.collect(5)
        state = env.get_state([0])
        first = collector.collect(4)
        is_open = ~first.known
        assert {*first.games[is_open]} == {0, 1}
        change(env, state)
        again = collector.collect(1)
        assert (
            set(again.games[:-2].tolist()) == {1} and len(again) == 2 + (is_open & (first.games == 1)).sum()
        )


def test_an_illegal_action_keeps_the_open_decisions():
    env = ludovec.make("chess", 2, seed=1)
    wrong = False
    policy = lambda observations, info: [-1, -1] if wrong else env.sample_actions()
    collector = ludovec.Collector(env, policy)
    first = collector.collect(3)
    wrong = True
    with pytest.raises(ludovec.LudovecError):
        collector.collect(3)
    wrong = False
    assert len(collector.collect(1)) == 2 + (~first.known).sum()


def test_one_seat_is_collected_call_by_call(env_id):
    settings = {"seed": 3, "max_steps": 30, "reward": "score", "opponents": "greedy", "num_threads": 1}
    make = lambda: ludovec.make(env_id, 4, **settings)
    env, twin = make(), make()
    found, _ = parts_of(ludovec.Collector(env, None), [1, 2, 9, 1, 1, 6])
    whole = ludovec.rollout(twin, None, 20)
    assert set(found) == {(int(t), int(n)) for t, n in np.argwhere(whole.known)}
    for (t, n), (reward, done, _) in found.items():
        assert reward == pytest.approx(whole.rewards[t, n], abs=1e-4) and done == whole.done[t, n]


@pytest.mark.parametrize("actions", [1, 63, 64, 65, 302])
def test_mask_bits_are_unpacked_by_every_library(actions):
    rng = np.random.default_rng(actions)
    masks = rng.random((3, 5, actions)) < 0.5
    octets = np.packbits(masks, axis=-1, bitorder="little")
    words = -(-actions // 64)
    bits = np.zeros((3, 5, 8 * words), np.uint8)
    bits[..., : octets.shape[-1]] = octets
    bits = bits.view("<u8")
    np.testing.assert_array_equal(ludovec.unpack_bits(bits, actions), masks)
    np.testing.assert_array_equal(ludovec.unpack_bits(bits[:, ::2], actions), masks[:, ::2])
    for wrong in (bits.astype(float), bits[..., :0], [1], bits.view(np.uint8)):
        with pytest.raises(ludovec.InvalidConfig, match="bits"):
            ludovec.unpack_bits(wrong, actions)
    try:
        import torch
    except ImportError:
        return
    tensor = torch.from_numpy(bits.view(np.int64))
    np.testing.assert_array_equal(ludovec.unpack_bits(tensor, actions).numpy(), masks)


def test_a_rollout_is_shown_by_its_columns():
    env = ludovec.make("smallworld", 3, seed=0)
    env.reset()
    collector = ludovec.Collector(env, None)
    assert "open=0" in repr(collector) and "smallworld" in repr(collector)
    batch = collector.collect(5)
    assert "observations=uint8[15, 739]" in repr(batch)
    assert f"open={(~batch.known).sum()}" in repr(collector)
    shown = repr(ludovec.rollout(env, None, 5))
    assert len(shown) < 500 and "observations=uint8[5, 3, 739]" in shown and "advantages" not in shown
    shown = repr(
        ludovec.rollout(
            env, lambda obs, info: {"actions": env.sample_actions(), "values": np.zeros(3)}, 5, gamma=1
        )
    )
    assert "values=" in shown and "advantages=float32[5, 3]" in shown
