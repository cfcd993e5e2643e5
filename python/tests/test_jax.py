"""JAX: loops that contain the environment, compiled once."""

import subprocess
import sys

import ludovec
import numpy as np
import pytest

jax = pytest.importorskip("jax")


@pytest.mark.parametrize("opponents", [None, "random"])
def test_a_jitted_loop_plays_the_environments_games(env_id, opponents):
    from ludovec.jax import functions

    arguments = {"num_envs": 4, "max_steps": 5, "num_threads": 1, "opponents": opponents}
    reset, step = functions(ludovec.make(env_id, **arguments))
    twin = ludovec.make(env_id, **arguments)
    traced = []

    @jax.jit
    def rollout(seed):
        traced.append(1)

        def play(now, _):
            after = step(jax.numpy.argmax(now.action_mask, axis=1).astype("int32"))
            return after, after

        return jax.lax.scan(play, reset(seed), None, length=12)

    for seed in (3, 4):
        _, shown = rollout(seed)
        _, info = twin.reset(seed=seed)
        for t in range(12):
            obs, reward, terminated, truncated, info = twin.step(info["action_mask"].argmax(axis=1))
            np.testing.assert_array_equal(shown.observation[t], obs)
            np.testing.assert_array_equal(shown.reward[t], reward)
            np.testing.assert_array_equal(shown.terminated[t], terminated)
            np.testing.assert_array_equal(shown.truncated[t], truncated)
            np.testing.assert_array_equal(shown.action_mask[t], info["legal_action_mask"])
            player = info["seat" if opponents else "current_player"]
            np.testing.assert_array_equal(shown.player[t], player)
            games = twin.games if opponents else twin
            np.testing.assert_array_equal(shown.rewards[t], games.rewards)
            np.testing.assert_array_equal(shown.credit[t], games.credit)
            np.testing.assert_array_equal(shown.credit_of_mover[t], games.credit_of_mover)
            np.testing.assert_array_equal(shown.final_returns[t], games.final_returns)
            bits = games.action_mask_bits.view(np.uint32)
            np.testing.assert_array_equal(shown.action_mask_bits[t], bits)
            for row in np.flatnonzero(terminated | truncated):
                np.testing.assert_array_equal(shown.final_observation[t, row], info["final_obs"][row])
    assert len(traced) == 1 and shown.truncated.any()


def test_the_environment_must_be_ours():
    from ludovec.jax import functions

    with pytest.raises(ludovec.InvalidConfig, match="env"):
        functions("tilewe")


def test_masks_cross_as_bits():
    """No mask of bytes is made: an environment with bits alone is enough."""
    from ludovec.jax import functions

    reset, step = functions(ludovec.make("tilewe", 2, mask="bits", seed=0))
    twin = ludovec.make("tilewe", 2, seed=0)
    now = jax.jit(lambda: step(jax.numpy.argmax(reset(0).action_mask, axis=1)))()
    _, info = twin.reset(seed=0)
    twin.step(info["action_mask"].argmax(axis=1))
    np.testing.assert_array_equal(now.action_mask, twin.legal_action_mask)


def test_errors_arrive_as_they_are(env_id):
    from ludovec.jax import functions, raising

    reset, step = functions(ludovec.make(env_id, 2))

    @jax.jit
    def illegal(seed):
        now = reset(seed)
        return step(jax.numpy.argmin(now.action_mask, axis=1)).reward

    with pytest.raises(ludovec.IllegalAction) as caught:
        with raising():
            illegal(0)
    assert caught.value.game == 0 and caught.value.action is not None
    with raising():
        assert jax.jit(reset)(1).reward.shape == (2,)
    with pytest.raises(ZeroDivisionError):
        with raising():
            _ = 1 / 0


def test_without_auto_reset_there_are_no_last_observations():
    from ludovec.jax import functions

    reset, _ = functions(ludovec.make("starwars_risk", 2, autoreset="disabled"))
    assert jax.jit(reset)(0).final_observation.shape[0] == 0


@pytest.mark.parametrize("obs", ["u8", "f32", "packed"])
def test_compiled_loops_play_the_environments_games(env_id, obs):
    """The same bytes as the environment's own steps, in one program."""
    from ludovec.jax import compiled

    arguments = {"num_envs": 4, "max_steps": 5, "num_threads": 1, "obs": obs}
    reset, step = compiled(ludovec.make(env_id, mask="bits", **arguments))
    twin = ludovec.make(env_id, **arguments)

    @jax.jit
    def rollout(seed):
        def play(now, _):
            after = step(now, jax.numpy.argmax(now.action_mask, axis=1))
            return after, after

        return jax.lax.scan(play, reset(seed), None, length=12)

    for seed in (3, 4):
        _, shown = rollout(seed)
        _, info = twin.reset(seed=seed)
        for t in range(12):
            obs, reward, terminated, truncated, info = twin.step(info["action_mask"].argmax(axis=1))
            found = {
                "observation": obs,
                "action_mask": twin.legal_action_mask,
                "action_mask_bits": twin.action_mask_bits.view(np.uint32),
                "reward": reward,
                "rewards": twin.rewards,
                "credit": twin.credit,
                "credit_of_mover": twin.credit_of_mover,
                "terminated": terminated,
                "truncated": truncated,
                "player": twin.current_player,
                "final_returns": twin.final_returns,
            }
            for name, array in found.items():
                np.testing.assert_array_equal(getattr(shown, name)[t], array, err_msg=name)
            for row in np.flatnonzero(terminated | truncated):
                np.testing.assert_array_equal(shown.final_observation[t, row], info["final_obs"][row])
    assert shown.truncated.any()


def test_errors_of_compiled_calls():
    from ludovec.jax import compiled, raising

    env = ludovec.make("starwars_risk", 2, mask="bits")
    reset, step = compiled(env)
    now = jax.jit(reset)(0)
    play = jax.jit(lambda now: step(now, jax.numpy.argmax(now.action_mask, axis=1)))
    with pytest.raises(ludovec.IllegalAction, match="game 0"):
        with raising():
            jax.block_until_ready(step(now, jax.numpy.argmin(now.action_mask, axis=1)))
    with raising():
        after = jax.block_until_ready(play(now))
    with pytest.raises(ludovec.InvalidConfig, match="moved on"):
        with raising():
            jax.block_until_ready(play(now))
    with raising():
        jax.block_until_ready(play(after))
    with pytest.raises(ludovec.InvalidConfig, match="seed"):
        with raising():
            jax.block_until_ready(reset(-1))
    for wrong in ("tilewe", ludovec.make("tilewe", 2, opponents="random")):
        with pytest.raises(ludovec.InvalidConfig, match="env"):
            compiled(wrong)
    env.close()
    with pytest.raises(Exception, match="closed"):
        jax.block_until_ready(reset(0))


def tried(columns, words):
    """A function in place of a network, for JAX and NumPy: logits and values from mask bits."""
    xp = jax.numpy if isinstance(words, jax.Array) else np
    bits = words if words.dtype == np.uint32 else words.view(np.uint32)
    # Sums of integers and products of few bits, so that both libraries compute the same floats.
    sums = (bits & xp.uint32(0xFF)).sum(axis=1, dtype=np.uint32) % 256
    weight = xp.arange(columns, dtype=np.float32) % 7
    numbers = sums.astype(np.float32) / 128
    return numbers[:, None] * weight[None], numbers - 1


def searching(env, **settings):
    two = env.game_spec.players == 2
    value = "seat" if two else "seats"
    return ludovec.TreeSearch(env, 8, value=value, seed=3, num_threads=1, **settings)


@pytest.mark.parametrize("settings", [{}, {"method": "puct", "groups": 2}, {"pad": True, "leaves": 2}])
def test_compiled_searches_find_what_tree_search_finds(env_id, settings):
    """Search, move and search again in one program: the same bytes as without JAX."""
    from ludovec.jax import CompiledSearch, compiled

    made = [ludovec.make(env_id, 3, mask="bits", num_threads=1, max_steps=200) for _ in range(2)]
    env, twin = made
    columns, players = env.game_spec.num_actions, env.game_spec.players
    spread = (np.arange(players) / 4 - 0.5).astype(np.float32)

    def network(observations, bits):
        logits, values = tried(columns, bits)
        return logits, values if players == 2 else values[:, None] * spread

    reset, step = compiled(env)
    search = CompiledSearch(searching(env, **settings))

    @jax.jit
    def play(seed):
        def move(now, _):
            found = search.run(now, network)
            return step(now, found.actions), found

        return jax.lax.scan(move, reset(seed), None, length=3)

    _, shown = play(5)
    usual = searching(twin, **settings)
    twin.reset(seed=5)
    for t in range(3):
        usual.start()
        usual.run(network)
        for name in ("actions", "policy", "visits", "q", "values"):
            np.testing.assert_array_equal(getattr(shown, name)[t], getattr(usual, name), err_msg=name)
        twin.step(usual.actions)
    # The search shows the results of the program.
    np.testing.assert_array_equal(search.search.actions, shown.actions[-1])
    assert search.search.stats["simulations"] == usual.stats["simulations"]


_UNAWAITED = """
import jax, ludovec, ludovec.jax

env = ludovec.make("starwars_risk", 64, mask="bits", seed=0, num_threads=1)
reset, step = ludovec.jax.compiled(env)
search = ludovec.jax.CompiledSearch(ludovec.TreeSearch(env, simulations=2))


def network(observations, bits):
    rows = observations.shape[0]
    return jax.numpy.zeros((rows, env.game_spec.num_actions)), jax.numpy.zeros(rows)


@jax.jit
def play(seed):
    def move(now, _):
        return step(now, search.run(now, network).actions), now.rewards

    return jax.lax.scan(move, reset(seed), None, length=500)


play(0)
print("the last line")
"""


def test_a_program_may_end_before_its_computations():
    done = subprocess.run([sys.executable, "-c", _UNAWAITED], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (0, "the last line\n", "")


def test_compiled_searches_keep_subtrees():
    """``advance`` in a program is that of the search."""
    from ludovec.jax import CompiledSearch, compiled

    env, twin = (ludovec.make("chess", 2, mask="bits", num_threads=1) for _ in range(2))
    columns = env.game_spec.num_actions
    reset, step = compiled(env)
    search = CompiledSearch(searching(env, reuse=True))
    network = lambda observations, bits: tried(columns, bits)

    @jax.jit
    def play(seed):
        now = reset(seed)
        first = search.run(now, network)
        after = step(now, first.actions)
        return first, search.finish(search.advance(after, first.actions), network)

    shown = play(1)
    usual = searching(twin, reuse=True)
    twin.reset(seed=1)
    usual.start()
    for found in shown:
        usual.run(network)
        np.testing.assert_array_equal(found.visits, usual.visits)
        actions = usual.actions
        twin.step(actions)
        usual.advance(actions)


def test_errors_of_compiled_searches():
    from ludovec.jax import CompiledSearch, compiled, raising

    env = ludovec.make("starwars_risk", 2, mask="bits")
    reset, step = compiled(env)
    search = CompiledSearch(searching(env))
    wait = jax.block_until_ready
    with pytest.raises(ludovec.InvalidConfig, match="search"):
        CompiledSearch(env)
    now = jax.jit(reset)(0)
    leaves = jax.jit(search.select)(search.start(now))
    assert leaves.count == 2 and leaves.tree.tolist() == [0, 1]
    with pytest.raises(ludovec.InvalidConfig, match="not finished"):
        with raising():
            wait(search.results(leaves))
    rows, columns = len(leaves.tree), env.game_spec.num_actions
    logits, values = np.zeros((rows, columns), np.float32), np.zeros(rows, np.float32)
    with pytest.raises(ludovec.InvalidConfig, match="logits"):
        search.expand(leaves, logits[:, 1:], values)
    with pytest.raises(ludovec.InvalidConfig, match="values"):
        with raising():
            wait(search.expand(leaves, logits, values * np.nan))
    order = search.expand(leaves, logits, values)
    with pytest.raises(ludovec.InvalidConfig, match="moved on since these leaves"):
        with raising():
            wait(search.expand(leaves, logits, values))
    with raising():
        after = wait(step(now, np.argmax(now.action_mask, axis=1)))
    with pytest.raises(ludovec.InvalidConfig, match="the games have moved"):
        with raising():
            wait(search.select(order))
    with pytest.raises(ludovec.InvalidConfig, match="moved on since this state"):
        with raising():
            wait(search.start(now))
    with raising():
        wait(search.start(after))
