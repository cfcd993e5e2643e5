"""Networks from ONNX files: agreement with torch and ONNX Runtime; invalid files; the library."""

import json
import os
import subprocess
import sys
from pathlib import Path

import ludovec
import numpy as np
import pytest
from network_files import claimed, env_of, every_champion, positions, read, torch_models


@pytest.fixture(scope="module")
def models():
    return torch_models()


@pytest.fixture
def onnx():
    for name in ("torch", "onnxscript", "onnxruntime"):
        pytest.importorskip(name)
    return pytest.importorskip("onnx")


def test_onnx_files_agree_with_torch(onnx, models, tmp_path):
    """Networks of both kinds, and a custom module with one value."""
    import torch

    for spec, network in models:
        file = tmp_path / f"{spec.env}.onnx"
        ludovec.export(network, file, spec)
        env = ludovec.make(spec.env, 5, seed=3)
        env.step_sampled(9)
        function = ludovec.Network(file, env)
        logits, values = function(env.observations)
        for i in range(5):
            alone = function(env.observations[i : i + 1])
            np.testing.assert_allclose(alone[0][0], logits[i], rtol=1e-4, atol=1e-5)
            np.testing.assert_allclose(alone[1][0], values[i], rtol=1e-4, atol=1e-5)
        assert env.action_masks()[np.arange(5), env.bot_actions(f"net:{file}:3")].all()

    spec = min((spec for spec, _ in models if spec.players == 2), key=lambda spec: spec.observation_len)

    class Own(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.policy = torch.nn.Linear(spec.observation_len, spec.num_actions)
            self.value = torch.nn.Linear(spec.observation_len, 1)

        def forward(self, observations):
            x = observations.flatten(1).float() / 255
            return self.policy(x), torch.tanh(self.value(x)).squeeze(1)

    file = tmp_path / "own.onnx"
    ludovec.export(Own(), file, spec)
    env = ludovec.make(spec.env, 3)
    logits, values = ludovec.Network(file, env)(env.observations)
    assert values.shape == (3, 2) and (values.sum(1) == 0).all()
    assert ludovec.Network(file, env, value="seat")(env.observations)[1].shape == (3,)
    env.bot_actions(f"net:{file}:3")

    class Astray(Own):
        def forward(self, observations):
            policy, value = super().forward(observations)
            return policy * float("nan"), value

    with pytest.raises(ludovec.InvalidConfig, match="not a finite number"):
        ludovec.export(Astray(), file, spec)
    assert not list(tmp_path.glob("own.onnx*"))


def test_invalid_onnx_files_are_refused_in_one_line(onnx, tmp_path):
    from onnx import TensorProto, helper

    env_id = ludovec.list_envs()[0]
    spec = ludovec.spec(env_id)
    options = {name: [value] for name, value in spec.options.items()}
    good = {"environment": spec.env, "version": str(spec.version), "options": json.dumps(options)}

    def write(name, outputs, dtype=TensorProto.UINT8, size=spec.observation_len, metadata=good):
        """A model that returns constants of these shapes."""
        nodes, shown = [], []
        for output, shape in outputs.items():
            tensor = helper.make_tensor(output, TensorProto.FLOAT, shape, np.zeros(shape).ravel())
            nodes.append(helper.make_node("Constant", [], [output], value=tensor))
            shown.append(helper.make_tensor_value_info(output, TensorProto.FLOAT, shape))
        seen = helper.make_tensor_value_info("observation", dtype, ["n", size])
        nodes.append(helper.make_node("Identity", ["observation"], ["unused"]))
        shown.append(helper.make_tensor_value_info("unused", dtype, ["n", size]))
        opset = [helper.make_opsetid("", 17)]
        model = helper.make_model(
            helper.make_graph(nodes, "g", [seen], shown), opset_imports=opset, ir_version=9
        )
        helper.set_model_props(model, metadata)
        file = tmp_path / f"{name}.onnx"
        file.write_bytes(model.SerializeToString())
        return file

    fits = {"policy": [1, spec.num_actions], "value": [1, spec.players]}
    whole = write("whole", fits).read_bytes()
    (tmp_path / "cut.onnx").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "noise.onnx").write_bytes(np.random.default_rng(0).bytes(5000))
    (tmp_path / "empty.onnx").write_bytes(b"")
    other = {**good, "environment": "another"}
    for file, what in [
        (tmp_path / "cut.onnx", "not an ONNX file"),
        (tmp_path / "noise.onnx", "not an ONNX file"),
        (tmp_path / "empty.onnx", "not an ONNX file"),
        (write("mute", {"policy": fits["policy"]}), '"value"'),
        (write("long", fits, size=spec.observation_len + 1), "elements"),
        (write("double", fits, dtype=TensorProto.DOUBLE), "uint8 or float32"),
        (write("bare", fits, metadata={}), "metadata"),
        (write("other", fits, metadata=other), "it plays another"),
    ]:
        with pytest.raises(ludovec.InvalidConfig, match=what) as error:
            ludovec.Network(file, env_id)
        assert "\n" not in str(error.value) and str(file) in str(error.value)
    for call in (
        lambda: ludovec.Network(tmp_path / "whole.onnx", env_id, precision="int8"),
        lambda: ludovec.make(env_id, 1).bot_actions(f"net:{tmp_path}/whole.onnx?precision=int8"),
    ):
        with pytest.raises(ludovec.InvalidConfig, match=r"whole.onnx: precision=int8: ONNX files"):
            call()
    env = ludovec.make(env_id, 3)
    assert ludovec.Network(tmp_path / "whole.onnx", env)(env.observations[:1])[0].shape == (
        1,
        spec.num_actions,
    )
    for outputs in [{**fits, "policy": [1, 7]}, {**fits, "value": [1, spec.players + 1]}]:
        wrong = ludovec.Network(write("wrong", outputs), env)
        with pytest.raises(ludovec.InvalidConfig, match="shape"):
            wrong(env.observations[:1])


def of_torch(file, spec):
    """A torch network with the weights of a file."""
    import torch
    from ludovec import nets

    tensors, metadata = read(file)
    tables = tensors["tables"].astype(np.float32)
    inputs = nets.Inputs.from_json(json.loads(metadata["inputs"]), tables)
    weights = {
        # Convolutions as [out, in, rows, columns].
        name: torch.from_numpy(np.moveaxis(part, -1, 1) if part.ndim == 4 else part).float()
        for name, part in tensors.items()
        if name not in ("tables", "policy_index")
    }
    blocks = sum(name.endswith("first.weight") for name in weights)
    channels, hidden = len(weights["value_hidden.weight"].T), len(weights["value_hidden.weight"])
    # Absent if values are numbers.
    support = weights.setdefault("support", torch.empty(0))
    kind = nets.ResidualNetwork if inputs.graph is None else nets.GraphNetwork
    network = kind(inputs, spec, channels, blocks, hidden, support.tolist())
    network.load_state_dict(weights)
    return network


@every_champion
def test_champions_agree_with_onnx_runtime_in_any_batch(onnx, file, tmp_path):
    """In batches of 1, 8 and 64: the champion bit for bit, ONNX Runtime up to rounding."""
    game, exported = env_of(file), tmp_path / "champion.onnx"
    options = max(claimed(file), key=lambda options: ludovec.spec(game, **options).players)
    env = positions(game, options, 64)
    ludovec.export(of_torch(file, env.game_spec), exported, env)
    own = ludovec.Network("champion", env, precision="float")
    other = ludovec.Network(exported, env)
    whole = own(env.observations)
    scale = float(read(file)[1]["value_scale"])
    for size in (1, 8, 64):
        for first in range(0, 64, size):
            rows = slice(first, first + size)
            logits, values = own(env.observations[rows])
            np.testing.assert_array_equal(logits, whole[0][rows])
            np.testing.assert_array_equal(values, whole[1][rows])
            for found, there in zip((logits, values / scale), other(env.observations[rows])):
                np.testing.assert_allclose(found, there, rtol=1e-3, atol=1e-3 * max(1, np.abs(there).max()))


def alone(program, *arguments, **variables):
    """Runs a program in a separate process, without the ONNX library found here."""
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DYLIB_PATH"}
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env={**environment, **variables},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.fixture
def onnx_player(onnx, tmp_path):
    """An ONNX file for the environment with the fewest actions."""
    import torch

    spec = ludovec.spec(min(ludovec.list_envs(), key=lambda id: ludovec.spec(id).num_actions))

    class Own(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.policy = torch.nn.Linear(spec.observation_len, spec.num_actions)
            self.value = torch.nn.Linear(spec.observation_len, spec.players)

        def forward(self, observations):
            x = observations.flatten(1).float() / 255
            return self.policy(x), self.value(x)

    ludovec.export(Own(), tmp_path / "own.onnx", spec)
    return spec, tmp_path / "own.onnx"


@pytest.mark.parametrize(
    "use",
    [
        "ludovec.make(env, 2).bot_actions(net)",
        "ludovec.make(env, 2, opponents=net, max_steps=9, on_illegal='lose').step([0, 0])",
        "ludovec.Game(env).bot_action(net)",
        "ludovec.Game(env).analyse(net, simulations=3)",
        "ludovec.evaluate(env, net, 'random', 2, max_steps=9)",
        "ludovec.tournament(env, [net + ':2', 'random'], 2, max_steps=9)",
        "ludovec.play(env, {'a': net, 'b': 'random'}, max_steps=9)",
        "ludovec.Network(net[4:])",
    ],
)
def test_the_library_in_the_python_package_is_found_by_all_players(onnx_player, use):
    spec, file = onnx_player
    if "step" in use:
        use = use.replace("[0, 0]", "ludovec.make(env, 2, opponents=net).action_masks().argmax(axis=1)")
    ended = alone(f"import ludovec, sys; env, net = sys.argv[1:]; {use}", spec.env, f"net:{file}")
    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize("first", ["ludovec", "onnxruntime"])
def test_the_library_serves_this_package_and_its_own_in_one_process(onnx_player, first):
    spec, file = onnx_player
    ours = "env = ludovec.make(sys.argv[1], 4); net = ludovec.Network(sys.argv[2], env)"
    theirs = "import onnxruntime; session = onnxruntime.InferenceSession(sys.argv[2])"
    both = (ours, theirs) if first == "ludovec" else (theirs, ours)
    program = "\n".join(
        (
            "import ludovec, numpy, sys",
            *both,
            "wanted = session.run(['policy', 'value'], {'observation': env.observations.copy()})",
            "for a, b in zip(net(env.observations), wanted): numpy.testing.assert_allclose(a, b, atol=1e-5)",
        )
    )
    ended = alone(program, spec.env, str(file))
    assert ended.returncode == 0, ended.stderr


def test_a_missing_library_is_one_line(tmp_path):
    """Not installed, missing, or of the wrong version."""
    file = tmp_path / "any.onnx"
    file.write_bytes(b"\x08\x09")
    program = "import ludovec, sys; ludovec.Network(sys.argv[1])"
    # An empty package hides an installed one.
    (tmp_path / "onnxruntime").mkdir()
    (tmp_path / "onnxruntime" / "__init__.py").touch()
    libraries = [({"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}, "ONNX Runtime")]
    other = next(Path(ludovec.__file__).parent.glob("_core*"))
    for library, what in [(tmp_path / "none.so", "no such file"), (file, "any.onnx"), (other, "_core")]:
        libraries.append(({"ORT_DYLIB_PATH": str(library)}, what))
    for variables, what in libraries:
        ended = alone(program, str(file), **variables)
        last = ended.stderr.strip().splitlines()[-1]
        assert ended.returncode == 1 and "InvalidConfig" in last and "ORT_DYLIB_PATH" in last and what in last
