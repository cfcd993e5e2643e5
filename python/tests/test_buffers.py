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
        {"action_mask_bits": np.zeros((n, (spec.num_actions + 63) // 64), np.uint32)},
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


def test_mask_bits_are_copied_to_the_caller(env_id):
    """The caller may even write to them: the engine checks actions against its own."""
    words = (ludovec.spec(env_id).num_actions + 63) // 64
    for dtype in (np.uint64, np.int64):
        bits = np.zeros((5, words), dtype)
        env = short_games(env_id, 5, mask="bits", out={"action_mask_bits": bits}, seed=2)
        twin = short_games(env_id, 5, mask="bits", seed=2)
        assert env.action_mask_bits.ctypes.data == bits.ctypes.data
        for games in (env, twin):
            games.reset(seed=2)
        for step in range(12):
            np.testing.assert_array_equal(bits.view(np.uint64), twin.action_mask_bits)
            np.testing.assert_array_equal(env.action_masks(), twin.action_masks())
            actions = twin.sample_actions()
            np.testing.assert_array_equal(env.sample_actions(), actions)
            if step % 3 == 2:
                env.step_sampled()
                twin.step_sampled()
                continue
            bits[:] = -1 if dtype is np.int64 else 2**64 - 1
            env.step(actions)
            twin.step(actions)
        env.fork([0], [1])
        twin.fork([0], [1])
        env.set_state([2], twin.get_state([3]))
        twin.set_state([2], twin.get_state([3]))
        np.testing.assert_array_equal(bits.view(np.uint64), twin.action_mask_bits)
        bits[:] = -1 if dtype is np.int64 else 2**64 - 1
        legal = ludovec.unpack_bits(twin.action_mask_bits, twin.game_spec.num_actions)
        with pytest.raises(ludovec.IllegalAction):
            env.step((~legal).argmax(axis=1))


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("obs", ["u8", "f32", "packed"])
def test_rows_of_leaves_in_the_callers_memory(env_id, groups, obs):
    """The search is that without them, and the arrays hold what the search shows."""
    env = ludovec.make(env_id, 4, obs=obs, seed=3)
    env.reset(seed=3)
    settings = {"simulations": 6, "groups": groups, "value": "seats", "leaves": 2}
    rows, words = 4 * 2 // groups, env.action_mask_bits.shape[1]
    observations = [
        np.zeros((rows, *env.observations.shape[1:]), env.observations.dtype) for _ in range(groups)
    ]
    bits = [np.zeros((rows, words), np.int64) for _ in range(groups)]
    out = {"observations": observations, "action_mask_bits": bits}
    search = ludovec.TreeSearch(env, out=out, **settings)
    plain = ludovec.TreeSearch(env, **settings)
    found = {one.ctypes.data for one in observations}
    rng = np.random.default_rng(0)
    for one in (search, plain):
        one.start()
    while n := plain.select():
        assert search.select() == n
        assert search.observations.ctypes.data in found
        np.testing.assert_array_equal(search.observations[:n], plain.observations[:n])
        np.testing.assert_array_equal(search.action_mask_bits[:n], plain.action_mask_bits[:n])
        logits = rng.random((n, env.game_spec.num_actions), np.float32)
        values = rng.random((n, env.game_spec.players), np.float32)
        search.expand(logits, values)
        plain.expand(logits, values)
    assert search.select() == 0
    np.testing.assert_array_equal(search.visits, plain.visits)


@pytest.mark.parametrize(
    ("out", "said"),
    [
        ([], "mapping"),
        ({"rewards": np.zeros(3)}, "observations and action_mask_bits"),
        ({"observations": np.zeros((4, 3), np.uint8)}, "bytes"),
        ({"observations": [np.zeros((4, 428), np.uint8)] * 2}, "1 arrays"),
        ({"observations": np.zeros((4, 428), np.float32)}, "float32"),
        ({"observations": np.zeros((4, 856), np.uint8)[:, ::2]}, "C-contiguous"),
        ({"action_mask_bits": np.zeros((3, 4), np.uint64)}, "action_mask_bits"),
        ({"action_mask_bits": np.zeros((4, 4), np.uint32)}, "action_mask_bits"),
    ],
)
def test_wrong_memory_for_leaves_is_refused(out, said):
    env = ludovec.make("starwars_risk", 4)
    with pytest.raises(ludovec.InvalidConfig, match=said):
        ludovec.TreeSearch(env, 2, out=out)


def test_logits_of_legal_actions_alone(env_id):
    """The search is the one with all logits."""
    env = ludovec.make(env_id, 3, seed=1)
    env.reset(seed=1)
    spec = env.game_spec
    table = np.random.default_rng(1).standard_normal(spec.num_actions).astype(np.float32)
    values = lambda rows: np.zeros((len(rows), spec.players), np.float32)
    seen = []

    def dense(observations, bits):
        return np.tile(table, (len(observations), 1)), values(observations)

    def legal(observations, bits, offsets, actions):
        masks = ludovec.unpack_bits(bits, spec.num_actions)
        np.testing.assert_array_equal(np.diff(offsets), masks.sum(axis=1))
        np.testing.assert_array_equal(actions, np.nonzero(masks)[1])
        seen.append(len(actions))
        return table[actions], values(observations)

    a, b = (ludovec.TreeSearch(env, 8, value="seats", seed=5) for _ in range(2))
    a.start()
    b.start()
    np.testing.assert_array_equal(a.run(dense), b.run(legal, legal=True))
    np.testing.assert_array_equal(a.visits, b.visits)
    assert seen
    with pytest.raises(ludovec.InvalidConfig, match="legal"):
        a.start()
        a.run(legal, legal=1)


@pytest.mark.parametrize("obs", ["u8", "packed"])
def test_only_the_dtype_of_a_column_is_taken(obs):
    """Bytes with a sign would show high values as negative ones. Flags are 0 or 1 in every kind of byte, and
    torch has no uint64 for bits."""
    env = ludovec.make("smallworld", 4, obs=obs, mask="bits", players=3)
    flags = {np.dtype(name) for name in ("bool", "int8", "uint8")}
    dtypes = [
        np.dtype(name) for name in ("bool", "int8", "uint8", "int32", "uint32", "int64", "uint64", "f4")
    ]
    columns = ("observations", "rewards", "current_player", "terminated", "action_mask_bits")
    for name in columns:
        column = getattr(env, name)
        taken = set()
        for dtype in dtypes:
            mine = np.zeros(column.shape, dtype)
            try:
                again = ludovec.make(
                    "smallworld", 4, obs=obs, mask="bits", players=3, seed=0, out={name: mine}
                )
            except ludovec.InvalidConfig as error:
                assert name in str(error)
                continue
            taken.add(dtype)
            assert np.shares_memory(getattr(again, name), mine)
        also = flags if name == "terminated" else {np.dtype(np.int64)} if name.endswith("_bits") else set()
        assert taken == {column.dtype} | also, name
