"""Packed observations unpack to the bytes of `obs="u8"`, for every source and reader of rows."""

import os

import ludovec
import numpy as np
import pytest
from helpers import short_games
from ludovec.spec import ObservationField
from searches import exact_network, started


def twins(env_id, num_envs=8, **arguments):
    """The same games twice: with packed observations, and with bytes."""
    return (short_games(env_id, num_envs, obs=obs, **arguments) for obs in ("packed", "u8"))


def assert_unpacks(packed, plain, spec):
    rows = np.asarray(packed)
    np.testing.assert_array_equal(ludovec.unpack(rows, spec), plain)


def some_rows(env_id, n=16):
    """Rows of random play and their bytes."""
    packed, plain = (ludovec.make(env_id, n, obs=obs, seed=9) for obs in ("packed", "u8"))
    for env in (packed, plain):
        env.step_sampled(25)
    return packed.observations.copy(), plain.observations.copy(), packed.game_spec


def test_rows_unpack_to_the_bytes_in_every_mode(env_id, autoreset):
    packed, plain = twins(env_id, autoreset=autoreset)
    spec = packed.game_spec
    shown = 0
    for env in (packed, plain):
        env.reset(seed=2)
    for _ in range(4 if autoreset == "disabled" else 17):
        actions = plain.sample_actions()
        (rows, *_, info), (obs, *_, twin_info) = packed.step(actions), plain.step(actions)
        assert rows.shape == (8, spec.packed.row_bytes) and rows.dtype == np.uint8
        assert_unpacks(rows, obs, spec)
        if autoreset == "same_step":
            assert_unpacks(packed.final_observations, plain.final_observations, spec)
        for row, final in zip(info.get("final_obs", ()), twin_info.get("final_obs", ())):
            assert (row is None) == (final is None)
            if row is not None:
                shown += 1
                assert_unpacks(row, final, spec)
    assert shown or autoreset != "same_step"


def test_spaces_contain_the_observations(env_id):
    env = short_games(env_id, obs="packed")
    obs, _ = env.reset(seed=0)
    assert obs in env.observation_space and obs[0] in env.single_observation_space
    assert env.single_observation_space.shape == (env.game_spec.packed.row_bytes,)
    with pytest.raises(ludovec.InvalidConfig, match="unpack"):
        _ = env.observation_fields


def test_the_layout_gives_the_position_of_every_bit(env_id):
    """Reading element by element from the written layout alone gives the bytes."""
    rows, plain, spec = some_rows(env_id, 3)
    bits = np.unpackbits(rows, axis=-1, bitorder="little")
    assert spec.packed.row_bytes % 8 == 0
    fields = {field.name: field for field in spec.observation}
    assert sorted(field.name for field in spec.packed.fields) == sorted(fields)
    used = np.zeros(bits.shape[1], bool)
    for packed in spec.packed.fields:
        field = fields[packed.name]
        assert packed.shape == field.shape and packed.offset % 8 == 0
        assert packed.bits == max(1, field.high.bit_length())
        first = ObservationField(packed.name, packed.offset, packed.shape, packed.strides, "", 0, 0.0).indices
        numbers = sum(bits[:, first + bit].astype(int) << bit for bit in range(packed.bits))
        np.testing.assert_array_equal(numbers, field.view(plain.reshape(3, -1)))
        for bit in range(packed.bits):
            used[np.unique(first) + bit] = True
    assert not bits[:, ~used].any()


def packed_field(spec, name):
    return next(field for field in spec.packed.fields if field.name == name)


def test_any_batch_shape_unpacks(env_id):
    rows, plain, spec = some_rows(env_id)
    shape = spec.observation_shape
    for lead in [(16,), (4, 4), (2, 2, 4), (1, 16)]:
        assert_unpacks(rows.reshape(*lead, -1), plain.reshape(*lead, *shape), spec)
    assert_unpacks(rows[3], plain[3], spec)
    assert_unpacks(rows[::3], plain[::3], spec)
    assert ludovec.unpack(rows[:0], spec).shape == (0, *shape)


def test_every_value_survives(env_id):
    """Unpacking rows of random bits agrees with unpacking and packing by hand."""
    spec = ludovec.spec(env_id)
    rows = np.random.default_rng(1).integers(0, 256, (5, spec.packed.row_bytes), dtype=np.uint8)
    out = ludovec.unpack(rows, spec).reshape(5, -1)
    bits = np.unpackbits(rows, axis=-1, bitorder="little").astype(int)
    for field in spec.observation:
        packed = packed_field(spec, field.name)
        first = ObservationField(field.name, packed.offset, packed.shape, packed.strides, "", 0, 0.0).indices
        numbers = sum(bits[:, first + bit] << bit for bit in range(packed.bits))
        np.testing.assert_array_equal(field.view(out), numbers)


def test_torch_unpacks_on_the_device_of_the_tensor(env_id):
    torch = pytest.importorskip("torch")
    rows, plain, spec = some_rows(env_id)
    devices = ["cpu"] + ["cuda"] * torch.cuda.is_available()
    for device in devices:
        tensor = torch.from_numpy(rows).to(device)
        out = ludovec.unpack(tensor, spec)
        assert out.dtype == torch.uint8 and out.device == tensor.device
        np.testing.assert_array_equal(out.cpu().numpy(), plain)
        np.testing.assert_array_equal(
            ludovec.unpack(tensor.view(4, 4, -1), spec)[1, 2].cpu().numpy(), plain[6]
        )
        np.testing.assert_array_equal(tensor.cpu().numpy(), rows)


def test_jax_unpacks_inside_jit(env_id):
    jax = pytest.importorskip("jax")
    rows, plain, spec = some_rows(env_id)
    array = jax.numpy.asarray(rows)
    for unpack in (
        lambda packed: ludovec.unpack(packed, spec),
        jax.jit(lambda packed: ludovec.unpack(packed, spec)),
    ):
        out = unpack(array)
        assert out.dtype == np.uint8 and out.shape == plain.shape
        np.testing.assert_array_equal(np.asarray(out), plain)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (lambda n: np.zeros((2, n + 1), np.uint8), "row_bytes|uint8"),
        (lambda n: np.zeros((2, n), np.int8), "int8"),
        (lambda n: np.zeros((), np.uint8), "uint8"),
        (lambda n: [0] * n, "None"),
    ],
)
def test_other_arrays_are_refused(rows, said):
    spec = ludovec.spec(ludovec.list_envs()[0])
    with pytest.raises(ludovec.InvalidConfig, match=said):
        ludovec.unpack(rows(spec.packed.row_bytes), spec)


def test_state_forks_and_pickles_keep_packed_rows(env_id):
    import pickle

    packed, plain = twins(env_id)
    spec = packed.game_spec
    for env in (packed, plain):
        env.reset(seed=4)
        env.step_sampled(3)
        env.fork([0, 1], [5, 4])
    assert_unpacks(packed.observations, plain.observations, spec)
    twin = pickle.loads(pickle.dumps(packed))
    np.testing.assert_array_equal(twin.observations, packed.observations)
    plain.set_state([0, 3], packed.get_state([6, 7]))
    assert_unpacks(packed.observations[6:], plain.observations[[0, 3]], spec)


def test_buffers_of_the_caller_may_be_packed(env_id):
    spec = ludovec.spec(env_id)
    out = {
        name: np.zeros((8, spec.packed.row_bytes), np.uint8)
        for name in ("observations", "final_observations")
    }
    packed, plain = short_games(env_id, obs="packed", out=out), short_games(env_id)
    for _ in range(7):
        actions = plain.sample_actions()
        packed.step(actions), plain.step(actions)
        assert_unpacks(out["observations"], plain.observations, spec)
        assert_unpacks(out["final_observations"], plain.final_observations, spec)
    with pytest.raises(ludovec.InvalidConfig, match="observations"):
        short_games(
            env_id, obs="packed", out={"observations": np.zeros((8, spec.packed.row_bytes - 8), np.uint8)}
        )


def test_blocks_have_packed_rows(env_id):
    env, plain = (short_games(env_id, obs=obs, batch_size=4) for obs in ("packed", "u8"))
    spec = env.game_spec
    assert env.single_observation_space.shape == (spec.packed.row_bytes,)
    env.async_reset(seed=3), plain.async_reset(seed=3)
    for _ in range(16):
        (rows, *_, info), (obs, *_, twin_info) = env.recv(), plain.recv()
        np.testing.assert_array_equal(info["env_id"], twin_info["env_id"])
        assert_unpacks(rows, obs, spec)
        actions = info["action_mask"].argmax(axis=1)
        env.send(actions), plain.send(actions)


def test_leaves_of_a_search_are_packed(env_id):
    packed, plain = twins(env_id, num_envs=5)
    searches = [started(env, 8) for env in (packed, plain)]
    for _ in range(6):
        rows, leaves = (search.select() for search in searches)
        assert rows == leaves
        if not rows:
            break
        assert_unpacks(searches[0].observations, searches[1].observations, packed.game_spec)
        logits, values = exact_network(searches[1])(
            searches[1].observations[:rows], searches[1].action_mask_bits[:rows]
        )
        for search in searches:
            search.expand(logits, values)


@pytest.mark.skipif(not hasattr(ludovec, "Fleet"), reason="fleets need Linux")
def test_fleets_have_packed_rows(env_id):
    from shm_client import Client

    name = f"pytest-packed-{os.getpid()}"
    plain = short_games(env_id)
    plain.reset(seed=3)
    with ludovec.serve(env_id, name, 8, obs="packed", num_threads=2, blocks=2, max_steps=5):
        env = ludovec.attach(name)
        spec = env.game_spec
        env.reset(seed=3)
        assert env.single_observation_space.shape == (spec.packed.row_bytes,)
        for _ in range(7):
            actions = plain.sample_actions()
            env.step(actions), plain.step(actions)
            assert_unpacks(env.observations, plain.observations, spec)
            assert_unpacks(env.final_observations, plain.final_observations, spec)
        env.close()
        # The segment alone contains the rows and their layout.
        client = Client(name)
        assert client.document["obs"] == "packed"
        assert client.document["spec"]["packed"]["row_bytes"] == client.columns["observations"].shape[1]
        assert_unpacks(client.columns["observations"], plain.observations, spec)
