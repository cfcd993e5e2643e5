"""Memory: buffers of the caller, and DLPack in both directions with NumPy and JAX."""

import gc

import ludovec
import numpy as np
import pytest
from helpers import assert_same, play, short_games


def own_buffers(env_id, n=8):
    spec = ludovec.spec(env_id)
    return {
        "observations": np.zeros((n, *spec.observation_shape), np.uint8),
        "action_mask": np.zeros((n, spec.num_actions), np.int8),
        "rewards": np.zeros((n, spec.players), np.float32),
        "credit_of_mover": np.zeros(n, np.float32),
        "terminated": np.zeros(n, np.bool_),
        "current_player": np.zeros(n, np.int32),
        "final_observations": np.zeros((n, *spec.observation_shape), np.uint8),
    }


def test_buffers_of_the_caller_are_written_in_place(env_id):
    out = own_buffers(env_id)
    env = short_games(env_id, out=out)
    twin = short_games(env_id)
    for _ in range(7):
        actions = twin.sample_actions()
        env.step(actions)
        twin.step(actions)
        for name, array in out.items():
            np.testing.assert_array_equal(array, getattr(twin, name), err_msg=name)
            assert np.shares_memory(array, getattr(env, name))
    del env
    gc.collect()
    for name, array in out.items():
        np.testing.assert_array_equal(array, getattr(twin, name))


def test_buffers_keep_their_memory_for_the_environment(env_id):
    env = short_games(env_id, out=own_buffers(env_id))
    gc.collect()
    assert_same(play(env, 7, seed=1), play(short_games(env_id), 7, seed=1))


def test_float_observations_and_bytearrays(env_id):
    spec = ludovec.spec(env_id)
    floats = np.zeros((4, *spec.observation_shape), np.float32)
    raw = bytearray(4 * spec.num_actions)
    mask = np.frombuffer(raw, np.int8).reshape(4, -1)
    env = ludovec.make(env_id, 4, obs="f32", out={"observations": floats, "action_mask": mask})
    env.step(env.sample_actions())
    assert floats.any() and any(raw) and np.shares_memory(floats, env.observations)


def test_blocks_write_parts_of_one_buffer(env_id):
    out = own_buffers(env_id)
    env = short_games(env_id, batch_size=4, out=out)
    twin = short_games(env_id)
    twin.reset(seed=3)
    env.async_reset(seed=3)
    for _ in range(2):
        *_, info = env.recv()
        env.send(env.blocks[info["env_id"][0] // 4].sample_actions(), info["env_id"])
    env.close()
    twin.step(twin.sample_actions())
    for name in ("observations", "action_mask", "rewards"):
        np.testing.assert_array_equal(out[name], getattr(twin, name))


def test_invalid_buffers_are_refused(env_id):
    n = 4
    spec = ludovec.spec(env_id)
    shape = (n, *spec.observation_shape)
    readonly = np.zeros(shape, np.uint8)
    readonly.flags.writeable = False
    memory = np.zeros(2 * n * spec.observation_len + 64, np.uint8)
    unaligned = np.zeros(n * spec.players * 4 + 1, np.uint8)[1:].view(np.float32).reshape(n, spec.players)
    for out in (
        {"observations": readonly},
        {"observations": np.zeros((n + 1, *spec.observation_shape), np.uint8)},
        {"observations": np.zeros(shape[::-1], np.uint8)} if shape != shape[::-1] else {"x": memory},
        {"observations": np.zeros((n, spec.observation_len, 2), np.uint8)[:, :, 0]},
        {"observations": np.zeros(shape, np.int32)},
        {"observations": np.zeros(shape).tolist()},
        {"observations": None},
        {3: memory},
        {"rewards": np.zeros((n, spec.players), np.float32).astype(">f4")},
        {"rewards": unaligned},
        {"action_mask_bits": np.zeros((n, (spec.num_actions + 63) // 64), np.uint64)},
        {"mask_bits_shown": np.zeros((n, (spec.num_actions + 63) // 64), np.uint64)},
        {
            "observations": memory[: n * spec.observation_len].reshape(shape),
            "final_observations": memory[8 : 8 + n * spec.observation_len].reshape(shape),
        },
    ):
        with pytest.raises(ludovec.InvalidConfig, match=r"out|memory"):
            ludovec.make(env_id, n, out=out)


def test_memory_that_another_environment_writes_is_refused(env_id):
    out = own_buffers(env_id)
    env = short_games(env_id, out=out)
    before = play(env, 3, seed=1)
    for name in out:
        with pytest.raises(ludovec.InvalidConfig, match="memory"):
            short_games(env_id, out={name: out[name]})
    # Half of the memory, and half of it as one of four blocks.
    with pytest.raises(ludovec.InvalidConfig, match="memory"):
        ludovec.make(env_id, 4, out={"rewards": out["rewards"][2:6]})
    with pytest.raises(ludovec.InvalidConfig, match="memory"):
        ludovec.make(env_id, 8, batch_size=2, out={"rewards": out["rewards"]})
    # A refused buffer is neither written nor referenced.
    assert_same(before, play(short_games(env_id), 3, seed=1))
    env.close()
    again = short_games(env_id, out=out)
    assert_same(play(again, 3, seed=2), play(short_games(env_id), 3, seed=2))
    del again
    gc.collect()
    short_games(env_id, batch_size=4, out=out)


def test_dlpack_to_numpy(env_id):
    env = ludovec.make(env_id, 4)
    for name in ("observations", "action_mask", "rewards", "credit", "terminated", "current_player"):
        array = getattr(env, name)
        other = np.from_dlpack(array)
        assert np.shares_memory(array, other)
    seen = np.from_dlpack(env.observations)
    env.step(env.sample_actions())
    np.testing.assert_array_equal(seen, env.observations)


def test_dlpack_to_jax_and_back(env_id):
    jax = pytest.importorskip("jax")
    env = ludovec.make(env_id, 4)
    env.reset(seed=0)
    for name in ("observations", "action_mask", "rewards", "credit_of_mover", "current_player"):
        array = getattr(env, name)
        shared = jax.dlpack.from_dlpack(array, copy=False)
        assert shared.unsafe_buffer_pointer() == array.ctypes.data, name
        np.testing.assert_array_equal(np.asarray(shared), array)
    actions = jax.numpy.asarray(env.sample_actions())
    env.step(actions)
    env.step(jax.numpy.argmax(jax.dlpack.from_dlpack(env.action_mask), axis=1))
    with pytest.raises(ludovec.InvalidConfig, match="out"):
        # JAX arrays are read-only.
        ludovec.make(env_id, 4, out={"rewards": jax.numpy.zeros((4, env.game_spec.players))})


def test_memory_of_dropped_environments_is_freed(env_id):
    """Only views keep memory alive."""
    import resource

    def size():
        with open("/proc/self/statm") as statm:
            return int(statm.read().split()[1]) * resource.getpagesize()

    env = ludovec.make(env_id, 64)
    bytes_each = sum(array.nbytes for array in env.columns.values())
    rounds = max(8, 200_000_000 // bytes_each)
    for _ in range(4):
        ludovec.make(env_id, 64).step_sampled()
    before = size()
    for _ in range(min(rounds, 60)):
        env = ludovec.make(env_id, 64)
        env.step(env.sample_actions())
    assert size() - before < max(64_000_000, 8 * bytes_each)
