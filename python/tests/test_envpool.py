"""EnvPool's words; the examples of EnvPool's README with our tasks."""

import pickle

import ludovec
import numpy as np
import pytest
from ludovec import envpool


def task_of(env_id):
    spec = ludovec.spec(env_id)
    return f"{spec.name}-v{spec.version}"


@pytest.mark.parametrize("env_type", ["gym", "gymnasium"])
def test_the_synchronous_example_of_the_readme(env_id, env_type):
    env = envpool.make(task_of(env_id), env_type=env_type, num_envs=100)
    obs, info = env.reset()
    assert obs.shape == (100, *env.spec.observation_space.shape)
    act = np.zeros(100, dtype=int)
    obs, rew, term, trunc, info = env.step(act)
    assert len(obs) == len(rew) == len(term) == len(trunc) == 100
    obs, rew, term, trunc, info = env.step(act[:3], env_id=np.array([20, 5, 99]))
    assert obs.shape[0] == len(rew) == 3 and info["env_id"].tolist() == [20, 5, 99]


def test_the_asynchronous_example_of_the_readme(env_id):
    num_envs, batch_size = 64, 16
    env = envpool.make(task_of(env_id), env_type="gym", num_envs=num_envs, batch_size=batch_size)
    action_num = env.action_space.n
    assert action_num == env.single_action_space.n and env.action_space.shape == (batch_size,)
    rng = np.random.default_rng(0)
    env.async_reset()
    seen = set()
    for _ in range(12):
        obs, rew, term, trunc, info = env.recv()
        env_id_ = info["env_id"]
        seen |= set(env_id_.tolist())
        action = rng.integers(action_num, size=batch_size)
        env.send(action, env_id_)
    assert seen == set(range(64))


def test_pools_have_the_attributes_and_action_dicts_of_the_original(env_id):
    pool = envpool.make(task_of(env_id), num_envs=6, seed=3)
    twin = envpool.make(task_of(env_id), num_envs=6, seed=3)
    blocks = envpool.make(task_of(env_id), num_envs=6, batch_size=3, seed=3)
    for env, is_async in [(pool, False), (blocks, True)]:
        assert len(env) == 6 and env.all_env_ids.tolist() == list(range(6)) and env.is_async is is_async
        assert env.all_env_ids.dtype == np.int32 and len(repr(env.spec)) < 300
    for env in (pool, twin, blocks):
        env.reset()
    actions = pool.sample_actions()
    for got, expected in zip(pool.step({"action": actions}), twin.step(actions)[:4]):
        np.testing.assert_array_equal(got, expected)
    ids = np.array([4, 1])
    actions = pool.sample_actions()[ids]
    for got, expected in zip(pool.step({"env_id": ids, "action": actions}), twin.step(actions, ids)[:4]):
        np.testing.assert_array_equal(got, expected)
    block = blocks.received
    env_id_ = np.arange(3) + 3 * blocks.blocks.index(block)
    blocks.send({"action": block.sample_actions(), "env_id": env_id_})
    assert len(blocks.recv()[0]) == 3
    before = pool.get_state()
    for wrong in ({"env_id": ids}, {"action": actions, "env": ids}, {}):
        with pytest.raises(ludovec.InvalidConfig, match="keys action and env_id"):
            pool.step(wrong)
    with pytest.raises(ludovec.InvalidConfig, match="keys action and env_id"):
        pool.step({"action": actions}, ids)
    assert pool.get_state() == before


def test_some_games_step_and_restart(env_id):
    env = envpool.make_gym(task_of(env_id), num_envs=6, seed=3, on_illegal="raise")
    twin = ludovec.make(env_id, 6, seed=3)
    env.reset()
    twin.reset()
    ids = np.array([4, 1, 3])
    actions = env.sample_actions()[ids]
    obs, reward, terminated, truncated, info = env.step(actions, ids)
    twin.step_games(ids, actions)
    np.testing.assert_array_equal(obs, twin.observations[ids])
    np.testing.assert_array_equal(info["current_player"], twin.current_player[ids])
    np.testing.assert_array_equal(env.observations, twin.observations)
    obs, info = env.reset(np.array([5, 1]))
    chosen = np.isin(np.arange(6), [5, 1])
    twin.reset(options={"reset_mask": chosen})
    np.testing.assert_array_equal(obs, twin.observations[[5, 1]])
    np.testing.assert_array_equal(env.observations, twin.observations)
    assert info["env_id"].tolist() == [5, 1]
    again = pickle.loads(pickle.dumps(env))
    assert type(again) is envpool.Pool and again.get_state() == env.get_state() and again.spec == env.spec


def test_blocks_restart_alone(env_id):
    env = envpool.make_gym(task_of(env_id), num_envs=4, batch_size=2, seed=3)
    obs, info = env.reset()
    block = info["env_id"]
    again, info = env.reset(block)
    assert info["env_id"].tolist() == block.tolist() and len(again) == 2
    with pytest.raises(ludovec.InvalidConfig, match="env_id"):
        env.reset(np.array([0, 3]))


def test_the_spec_describes_the_environment(env_id):
    task = task_of(env_id)
    env = envpool.make(task, num_envs=3, max_episode_steps=7)
    told = envpool.make_spec(task, num_envs=3, max_episode_steps=7)
    assert env.spec.task_id == task and env.config["num_envs"] == 3 and env.config["max_episode_steps"] == 7
    assert env.spec.observation_space == told.observation_space == env.single_observation_space
    assert env.spec.action_space == told.action_space == env.single_action_space
    ends = [env.step(env.sample_actions())[3].any() for _ in range(7)]
    assert ends[-1] or any(ends)


def test_dm_env_has_time_steps(env_id):
    dm_env = pytest.importorskip("dm_env")
    env = envpool.make(task_of(env_id), env_type="dm", num_envs=5, max_steps=4, seed=2)
    assert isinstance(env, dm_env.Environment)
    ts = env.reset()
    assert (ts.step_type == dm_env.StepType.FIRST).all() and len(ts.observation.obs) == 5
    kinds = []
    for _ in range(12):
        action = ts.observation.action_mask.argmax(axis=1)
        assert env.action_spec().validate(action.astype(np.int32)[0]) is not None
        ts = env.step(action)
        for row, part in zip(ts.observation.obs, ts.observation.action_mask):
            env.observation_spec().obs.validate(row)
            env.observation_spec().action_mask.validate(part)
        kinds.append(ts.step_type.copy())
        assert ts.reward.dtype == np.float32 and set(ts.discount.tolist()) <= {0.0, 1.0}
    kinds = np.array(kinds)
    first, last = kinds == dm_env.StepType.FIRST, kinds == dm_env.StepType.LAST
    assert last.sum() > 5
    np.testing.assert_array_equal(first[1:], last[:-1])
    blocks = envpool.make_dm(task_of(env_id), num_envs=4, batch_size=2)
    blocks.async_reset()
    seen = []
    for _ in range(4):
        ts = blocks.recv()
        seen += ts.observation.players.env_id.tolist()
        blocks.send(ts.observation.action_mask.argmax(axis=1), ts.observation.players.env_id)
    assert sorted(seen) == [0, 0, 1, 1, 2, 2, 3, 3]


def test_wrong_words_are_refused(monkeypatch):
    with pytest.raises(ludovec.InvalidConfig, match="gym, gymnasium, dm"):
        envpool.make("Tilewe-v1", env_type="atari")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ludovec.InvalidConfig, match="pip install dm-env"):
        envpool.make("Tilewe-v1", env_type="dm")


# The loops of EnvPool's page on its XLA interface, with our tasks.


def drawn(states, key):
    """Legal actions, drawn from the masks of states."""
    import jax

    masks = states[-1]["action_mask"]
    return jax.random.categorical(key, jax.numpy.where(masks != 0, 0.0, -1e9))


@pytest.mark.parametrize("mask", ["bytes", "bits"])
def test_jitted_loops_play_the_games_of_a_pool(env_id, mask):
    jax = pytest.importorskip("jax")
    env = envpool.make(task_of(env_id), num_envs=6, seed=3, mask=mask)
    twin = ludovec.make(env_id, 6, seed=3, mask=mask, on_illegal="lose")
    handle, recv, send, step = env.xla()

    @jax.jit
    def run_actor_loop(num_steps, init_var):
        def actor_step(_, loop_var):
            handle0, states, seen = loop_var
            actions = states[-1]["current_player"] + 1
            handle1, new_states = step(handle0, actions)
            return handle1, new_states, seen + (new_states[1] * 100).astype(int).sum()

        return jax.lax.fori_loop(0, num_steps, actor_step, init_var)

    env.async_reset()
    handle, states = recv(handle)
    handle, states, seen = run_actor_loop(40, (handle, states, 0))
    twin.reset()
    expected = 0
    for _ in range(40):
        obs, reward, terminated, truncated, info = twin.step(twin.current_player + 1)
        expected += int((reward * 100).astype(int).sum())
    assert int(seen) == expected and int(handle) == 81
    for found, truth in zip(states, (obs, reward, terminated, truncated)):
        assert found.dtype == truth.dtype
        np.testing.assert_array_equal(found, truth)
    for name in ("current_player", "rewards", "credit"):
        np.testing.assert_array_equal(states[-1][name], info[name])
    bits = ludovec.unpack_bits(twin.action_mask_bits, twin.game_spec.num_actions)
    if mask == "bits":
        found = ludovec.unpack_bits(states[-1]["action_mask_bits"], twin.game_spec.num_actions)
        np.testing.assert_array_equal(found, bits)
    else:
        np.testing.assert_array_equal(states[-1]["action_mask"], bits)
    # The environment goes on where the loop left it.
    np.testing.assert_array_equal(env.observations, obs)


def test_jitted_loops_overlap_the_blocks_of_an_asynchronous_pool():
    jax = pytest.importorskip("jax")
    make = lambda: envpool.make("tilewe", num_envs=9, batch_size=3, seed=1, players=2, num_threads=2)

    def loop(env):
        handle, recv, send, _ = env.xla()

        @jax.jit
        def run_actor_loop(handle, keys):
            def actor_step(handle, key):
                handle, states = recv(handle)
                ids = states[-1]["env_id"]
                return send(handle, drawn(states, key), ids), (ids, states[1], states[0].sum())

            return jax.lax.scan(actor_step, handle, keys)

        env.async_reset()
        return run_actor_loop(handle, jax.random.split(jax.random.key(0), 30))[1]

    ids, rewards, sums = loop(make())
    np.testing.assert_array_equal(ids, np.arange(90).reshape(30, 3) % 9)
    for found, again in zip((ids, rewards, sums), loop(make())):
        np.testing.assert_array_equal(found, again)


def test_jitted_loops_of_time_steps_begin_with_a_reset():
    jax = pytest.importorskip("jax")
    pytest.importorskip("dm_env")
    env = envpool.make("chess", env_type="dm", num_envs=4, seed=2)
    handle, recv, send, step = env.xla()

    @jax.jit
    def run_actor_loop(num_steps, init_var):
        def actor_step(_, loop_var):
            handle0, states = loop_var
            return step(handle0, states.observation.action_mask.argmax(1))

        return jax.lax.fori_loop(0, num_steps, actor_step, init_var)

    handle, states = run_actor_loop(25, (handle, env.reset()))
    twin = envpool.make("chess", env_type="dm", num_envs=4, seed=2)
    now = twin.reset()
    for _ in range(25):
        now = twin.step(now.observation.action_mask.argmax(1))
    for found, truth in zip(jax.tree.leaves(states), jax.tree.leaves(now)):
        np.testing.assert_array_equal(found, truth)


def test_errors_in_jitted_loops_of_a_pool_are_ours():
    jax = pytest.importorskip("jax")
    from ludovec.jax import raising

    env = envpool.make("chess", num_envs=2, on_illegal="raise")
    handle, _, _, step = env.xla()
    env.reset()
    with pytest.raises(ludovec.IllegalAction, match="illegal action: game 0"), raising():
        jax.jit(step)(handle, np.zeros(2, np.int32))
