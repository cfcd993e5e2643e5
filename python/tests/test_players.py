"""Functions as players: their arguments and answers."""

from itertools import pairwise

import ludovec
import numpy as np
import pytest
from ludovec.players import FunctionPlayer, legal_actions, pack_bits

#: Small boards, and games that end soon.
SMALL = {"empires": {"width": 8, "height": 6}, "tilewe": {"players": 2}, "smallworld": {"players": 2}}


def options(env_id):
    return {"max_steps": 9, **SMALL.get(env_id, {})}


def first(observations, masks):
    return masks.argmax(axis=1)


def test_only_a_parameter_called_info_gets_the_context():
    seen = []

    def optional(observations, masks, deterministic=False):
        seen.append(deterministic)
        return masks.argmax(axis=1)

    def keyword(observations, masks, *, info):
        seen.append(sorted(info))
        return masks.argmax(axis=1)

    class Wrapper:
        def __call__(self, *args, **kwargs):
            return self.forward(*args, **kwargs)

        def forward(self, observations, masks):
            return masks.argmax(axis=1)

    for policy, wanted in ((optional, False), (keyword, ["current_player", "games", "valid"])):
        seen.clear()
        ludovec.evaluate("tilewe", policy, "random", 2, players=2, max_steps=4)
        assert seen and all(one == wanted for one in seen)
    assert ludovec.evaluate("tilewe", Wrapper(), "random", 2, players=2, max_steps=4)["Wrapper"].games == 2


def test_masks_come_as_bools_bits_or_lists():
    spec = ludovec.spec("smallworld", players=2)
    shapes = {}

    def of(kind):
        def play(observations, masks):
            shapes[kind] = masks
            if kind == "legal":
                offsets, actions = masks
                assert offsets.dtype == np.int64 and actions.dtype == np.int32
                return actions[offsets[:-1]]
            bools = masks if kind == "bool" else ludovec.unpack_bits(masks, spec.num_actions)
            return bools.argmax(axis=1)

        return ludovec.player(play, mask=kind)

    results = [
        ludovec.evaluate("smallworld", of(kind), "random", 4, players=2) for kind in ("bool", "bits", "legal")
    ]
    assert results[0].standings == results[1].standings == results[2].standings
    assert shapes["bool"].dtype == np.bool_ and shapes["bits"].dtype == np.uint64
    masks = np.random.default_rng(0).random((5, 130)) < 0.3
    np.testing.assert_array_equal(ludovec.unpack_bits(pack_bits(masks), 130), masks)
    offsets, actions = legal_actions(masks)
    assert [actions[a:b].tolist() for a, b in pairwise(offsets)] == [
        np.flatnonzero(row).tolist() for row in masks
    ]


def linear(spec):
    """Weights of a linear network: logits and values of all players."""
    rng = np.random.default_rng(1)
    size = int(np.prod(spec.observation_shape))
    return rng.normal(size=(size, spec.num_actions)).astype(np.float32), rng.normal(size=(size, spec.players))


def test_one_value_is_the_current_players_own():
    spec = ludovec.spec("tilewe", players=2)
    three = ludovec.spec("smallworld", players=3)
    player = FunctionPlayer(first)
    masks = np.ones((2, 3), np.bool_)
    logits = np.zeros((2, 3), np.float32)
    told = player.answer(spec, (logits, np.array([0.5, -1])), masks)
    np.testing.assert_array_equal(told.values, [[0.5, -0.5], [-1, 1]])
    told = player.answer(three, (logits, np.array([[0.5], [1]])), masks)
    np.testing.assert_array_equal(told.values, [[0.5, np.nan, np.nan], [1, np.nan, np.nan]])
    assert told.actions.tolist() == [0, 0] and told.shares.tolist() == pytest.approx([1 / 3] * 6)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda o, m: m.astype(np.float32)[:, :-1], "logits of shape"),
        (lambda o, m: np.full(m.shape, np.nan), "logits are NaN"),
        (lambda o, m: (m.astype(np.float32), np.zeros((len(m), 7))), "values of shape"),
        (lambda o, m: m, "integers of shape"),
        (lambda o, m: m.astype(np.float32).argmax(axis=1) + 0.5, "an integer from 0 to"),
    ],
)
def test_an_answer_that_is_neither_says_what_is_needed(answer, words):
    with pytest.raises(ludovec.IllegalAction, match=words):
        ludovec.evaluate("tilewe", answer, "random", 2, players=2, max_steps=4)
    how = {"on_fault": "lose_move", "players": 2, "max_steps": 4}
    assert words.split()[0] in ludovec.evaluate("tilewe", answer, "random", 2, **how).faults[0].reason


def test_infinite_logits_are_certain():
    player, spec = FunctionPlayer(first), ludovec.spec("tilewe", players=2)
    masks = np.array([[True, False, True, True]])
    for logits, wanted in (
        ([0, 9, -np.inf, -np.inf], [1, 0, 0]),
        ([-np.inf, 9, np.inf, 0], [0, 1, 0]),
        ([-np.inf, 9, -np.inf, -np.inf], [1 / 3, 1 / 3, 1 / 3]),
    ):
        told = player.answer(spec, np.array([logits], np.float32), masks)
        np.testing.assert_allclose(told.shares, wanted, atol=1e-6)


def test_a_player_is_accepted_behind_every_door(tmp_path):
    spec = ludovec.spec("starwars_risk", max_steps=8)
    weights, heads = linear(spec)
    taken = []

    def network(observations, masks):
        taken.append((observations.dtype, masks.dtype))
        rows = observations.reshape(len(observations), -1)
        return rows @ weights, np.tanh(rows @ heads)

    player = ludovec.player(network, obs="f32", mask="bits")
    assert ludovec.player(player, obs="f32", mask="bits").function is network
    game = {"max_steps": 8}
    env = ludovec.make("starwars_risk", 4, seed=0, **game)
    env.reset()
    doors = {
        "evaluate": lambda: ludovec.evaluate("starwars_risk", player, player, 2, **game),
        "tournament": lambda: ludovec.tournament("starwars_risk", [player, "random"], 2, **game),
        "opponents": lambda: ludovec.make("starwars_risk", 2, opponents=player, seat=1, **game).reset(),
        "rollout": lambda: ludovec.rollout(env, player, 3),
        "play": lambda: ludovec.play("starwars_risk", {"a": player, "b": "random"}, **game),
        "analyse": lambda: ludovec.Game("starwars_risk", 0, **game).analyse(player),
        "analyse with a search": lambda: ludovec.Game("starwars_risk", 0, **game).analyse(player, 3),
        "exploit": lambda: ludovec.exploit(
            player, env="starwars_risk", decisions=8, games=2, num_envs=2, **game
        ),
        "text": lambda: ludovec.make_text("starwars_risk", player, seat=1, **game).reset(),
    }
    for door, call in doors.items():
        taken.clear()
        call()
        assert taken and set(taken) == {(np.dtype(np.float32), np.dtype(np.uint64))}, door
    search = ludovec.TreeSearch(env, 4, value="seats")
    search.start()
    search.run(player)
    pytest.importorskip("pyarrow")
    ludovec.data.write(tmp_path, "starwars_risk", bots=player, steps=4, num_envs=3, seed=1, **game)
    found = ludovec.data.Dataset(tmp_path)
    assert found.players == ["network"] * spec.players
    rows = found.read()
    assert (np.diff(rows["policy"][0]) > 0).all() and np.isfinite(rows["value"]).all()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ludovec.player("greedy"), "a function on arrays is needed"),
        (lambda: ludovec.player(first, obs="u16"), "one of u8, f32, packed"),
        (lambda: ludovec.player(first, mask="bytes"), "one of bool, bits, legal"),
    ],
)
def test_a_wrong_call_is_refused(call, words):
    with pytest.raises(ludovec.InvalidConfig, match=words):
        call()


def test_a_torch_module_and_a_function_of_jax_are_players(env_id):
    """The likeliest legal action is played; a module is in evaluation mode and has no gradients."""
    torch, jax = pytest.importorskip("torch"), pytest.importorskip("jax")
    config = options(env_id)
    spec = ludovec.spec(env_id, **config)
    weights, heads = linear(spec)
    heads = heads.astype(np.float32)
    played = {}

    def noted(name):
        def play(observations, masks, info):
            assert info["valid"].any()
            rows = observations.reshape(len(observations), -1).astype(np.float32) / 255
            played.setdefault(name, []).append(np.where(masks, rows @ weights, -np.inf).argmax(axis=1))
            return functions[name](observations, masks)

        return play

    @jax.jit
    def of_jax(observations, masks):
        rows = observations.reshape(len(observations), -1).astype(np.float32) / 255
        return rows @ weights, jax.numpy.tanh(rows @ heads)

    class Module(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weights = torch.nn.Parameter(torch.from_numpy(weights))
            self.drop = torch.nn.Dropout(0.5)
            self.frozen = torch.nn.Dropout(0.5).eval()

        def forward(self, observations, masks):
            assert not self.training and not torch.is_grad_enabled() and masks.dtype == torch.bool
            return self.drop(observations.flatten(1).float() / 255 @ self.weights)

    module = Module()
    functions = {
        "jax": of_jax,
        "torch": FunctionPlayer(module),
        "numpy": lambda o, m: o.reshape(len(o), -1) @ weights,
    }
    results = {
        name: ludovec.evaluate(env_id, noted(name), "random", 4, seed=1, **config) for name in functions
    }
    assert results["jax"].standings[0].points == results["torch"].standings[0].points
    for name in ("torch", "numpy"):
        for mine, its in zip(played[name], played["jax"]):
            np.testing.assert_array_equal(mine, its)
    assert module.training and module.drop.training and not module.frozen.training
    assert ludovec.evaluate(env_id, module, "random", 2, **config)["Module"].games == 2


@pytest.mark.parametrize("mask", ["bytes", "bits"])
def test_opponents_take_what_they_want_from_any_environment(env_id, mask):
    """Rows of a function do not depend on the caller's own observations and masks."""
    config = {**options(env_id), "max_steps": 200}
    spec = ludovec.spec(env_id, **config)
    reference = None
    for obs in ("u8", "f32", "packed", "none"):
        for wanted in ("u8", "f32", "packed"):
            rows = []

            def opponent(observations, masks, rows=rows):
                rows.append((observations.copy(), masks.copy()))
                return masks.argmax(axis=1)

            env = ludovec.make(
                env_id,
                3,
                opponents=ludovec.player(opponent, obs=wanted),
                obs=obs,
                mask=mask,
                seed=0,
                seat=spec.players - 1,
                **config,
            )
            env.reset(seed=0)
            for _ in range(2):
                env.step(env.action_masks().argmax(axis=1))
            env.close()
            found = []
            for observations, masks in rows:
                if wanted == "packed":
                    assert observations.shape[1:] == (spec.packed.row_bytes,)
                    observations = ludovec.unpack(observations, spec)
                assert observations.shape[1:] == spec.observation_shape
                assert observations.dtype == (np.float32 if wanted == "f32" else np.uint8)
                scales = spec.scales.reshape(spec.observation_shape) if wanted == "f32" else 1
                found.append((np.rint(observations / scales).astype(np.uint8), masks))
            reference = reference or found
            assert len(found) == len(reference) > 0
            for mine, its in zip(found, reference):
                np.testing.assert_equal(mine, its)
