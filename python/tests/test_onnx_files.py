"""Untrusted ONNX files: external weights, infinite loops, outputs larger than memory, changed contents."""

import json
import os
import subprocess
import sys
import threading

import ludovec
import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnx.external_data_helper")
pytest.importorskip("onnxruntime")

ENV = "tilewe" if "tilewe" in ludovec.list_envs() else ludovec.list_envs()[0]


@pytest.fixture
def spec():
    return ludovec.spec(ENV, players=2)


def write(file, spec, nodes=None, initializers=(), external=None):
    """Writes a network; `nodes` output `policy` and `value`. Without nodes, both outputs are the weight."""
    from onnx import TensorProto, helper, numpy_helper

    rows = ["n", *spec.observation_shape]
    if nodes is None:
        nodes = [
            helper.make_node("Shape", ["observation"], ["all"]),
            helper.make_node("Slice", ["all", "zero", "one"], ["count"]),
            helper.make_node("Concat", ["count", "actions"], ["wide"], axis=0),
            helper.make_node("Concat", ["count", "players"], ["narrow"], axis=0),
            helper.make_node("Expand", ["weight", "wide"], ["policy"]),
            helper.make_node("Expand", ["weight", "narrow"], ["value"]),
        ]
    numbers = {"zero": [0], "one": [1], "actions": [spec.num_actions], "players": [spec.players]}
    tensors = [numpy_helper.from_array(np.array(v, np.int64), k) for k, v in numbers.items()]
    graph = helper.make_graph(
        nodes,
        "network",
        [helper.make_tensor_value_info("observation", TensorProto.UINT8, rows)],
        [
            helper.make_tensor_value_info("policy", TensorProto.FLOAT, ["n", "a"]),
            helper.make_tensor_value_info("value", TensorProto.FLOAT, ["n", "p"]),
        ],
        initializer=[*tensors, *initializers],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    options = {name: [value] for name, value in spec.options.items()}
    helper.set_model_props(
        model, {"environment": spec.env, "version": str(spec.version), "options": json.dumps(options)}
    )
    if external is not None:
        for tensor in model.graph.initializer:
            if tensor.name == "weight":
                onnx.external_data_helper.set_external_data(tensor, external)
        onnx.save(model, file)
    else:
        file.write_bytes(model.SerializeToString())
    return file


def weight(number):
    from onnx import numpy_helper

    return numpy_helper.from_array(np.full((1, 1), number, np.float32), "weight")


def value(file, spec):
    rows = np.zeros((2, *spec.observation_shape), np.uint8)
    return float(ludovec.Network(file, spec)(rows)[1][0, 0])


def test_external_weights_are_read_from_the_folder_of_the_file(spec, tmp_path, monkeypatch):
    for name, number in [("here", 3.0), ("there", 5.0)]:
        (tmp_path / name).mkdir()
        write(tmp_path / name / "net.onnx", spec, initializers=[weight(number)], external="net.bin")
    for folder in ("here", "there"):
        monkeypatch.chdir(tmp_path / folder)
        assert value(tmp_path / "here" / "net.onnx", spec) == 3.0
        assert value("../there/net.onnx", spec) == value(tmp_path / "there" / "net.onnx", spec) == 5.0
        assert value("net.onnx", spec) == {"here": 3.0, "there": 5.0}[folder]


def test_invalid_external_weights_are_refused_in_one_line(spec, tmp_path):
    def moved(file, location):
        model = onnx.load(file, load_external_data=False)
        for tensor in model.graph.initializer:
            for entry in tensor.external_data:
                if entry.key == "location":
                    entry.value = location
        file.write_bytes(model.SerializeToString())

    (tmp_path / "in").mkdir()
    file = tmp_path / "in" / "net.onnx"
    outside = tmp_path / "net.bin"
    for location, what in [
        ("../net.bin", "same folder"),
        (str(outside), "same folder"),
        ("none.bin", "No such file"),
        ("fifo", "regular file"),
    ]:
        write(file, spec, initializers=[weight(1.0)], external="net.bin")
        outside.write_bytes((tmp_path / "in" / "net.bin").read_bytes())
        if not (tmp_path / "in" / "fifo").exists() and hasattr(os, "mkfifo"):
            os.mkfifo(tmp_path / "in" / "fifo")
        moved(file, location)
        with pytest.raises(ludovec.InvalidConfig, match=what) as error:
            ludovec.Network(file, spec)
        assert "\n" not in str(error.value) and str(file) in str(error.value)


def test_constants_with_external_weights_are_refused(spec, tmp_path):
    from onnx import helper

    tensor = weight(1.0)
    tensor.ClearField("raw_data")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    entry = tensor.external_data.add()
    entry.key, entry.value = "location", "net.bin"
    nodes = [helper.make_node("Constant", [], [name], value=tensor) for name in ("policy", "value")]
    with pytest.raises(ludovec.InvalidConfig, match="save it as one file"):
        ludovec.Network(write(tmp_path / "net.onnx", spec, nodes), spec)


def test_a_tournament_does_not_continue_with_other_external_weights(spec, tmp_path):
    def play():
        bots = [f"net:{tmp_path / 'net.onnx'}", "random"]
        return ludovec.tournament(ENV, bots, 2, seed=1, state=tmp_path / "state", players=2)

    write(tmp_path / "net.onnx", spec, initializers=[weight(3.0)], external="net.bin")
    main = (tmp_path / "net.onnx").read_bytes()
    play()
    assert play().games == 2
    # The library appends to a file of weights.
    (tmp_path / "net.bin").unlink()
    write(tmp_path / "net.onnx", spec, initializers=[weight(5.0)], external="net.bin")
    assert (tmp_path / "net.onnx").read_bytes() == main
    with pytest.raises(ludovec.LudovecError, match=r"another tournament|other players"):
        play()


def test_a_file_with_other_contents_is_another_network(spec, tmp_path):
    file = tmp_path / "net.onnx"
    found = []
    for number in (1.0, 2.0):
        write(file, spec, initializers=[weight(number)], external="net.bin")
        # Both get the same modification time.
        for name in (file, tmp_path / "net.bin"):
            os.utime(name, (10**9, 10**9))
        game = ludovec.Game(ENV, players=2, seed=0)
        found.append(game.analyse(f"net:{file}").values[0])
    assert found == [1.0, 2.0]


def endless(spec):
    """An empty loop of 10^12 iterations."""
    from onnx import TensorProto, helper

    def scalar(name, dtype, shape=()):
        return helper.make_tensor_value_info(name, dtype, list(shape))

    body = helper.make_graph(
        [
            helper.make_node("Identity", ["on"], ["goes_on"]),
            helper.make_node("Add", ["sum", "weight"], ["sum_after"]),
        ],
        "body",
        [
            scalar("round", TensorProto.INT64),
            scalar("on", TensorProto.BOOL),
            scalar("sum", TensorProto.FLOAT, (1, 1)),
        ],
        [scalar("goes_on", TensorProto.BOOL), scalar("sum_after", TensorProto.FLOAT, (1, 1))],
    )
    rounds = helper.make_tensor("rounds", TensorProto.INT64, [], [10**12])
    on = helper.make_tensor("begins", TensorProto.BOOL, [], [True])
    nodes = [
        helper.make_node("Loop", ["rounds", "begins", "weight"], ["end"], body=body),
        helper.make_node("Shape", ["observation"], ["all"]),
        helper.make_node("Slice", ["all", "zero", "one"], ["count"]),
        helper.make_node("Concat", ["count", "actions"], ["wide"], axis=0),
        helper.make_node("Concat", ["count", "players"], ["narrow"], axis=0),
        helper.make_node("Expand", ["end", "wide"], ["policy"]),
        helper.make_node("Expand", ["end", "narrow"], ["value"]),
    ]
    return nodes, [weight(1.0), rounds, on]


USES = {
    "network": "ludovec.Network(file, spec)(rows)",
    "player": "ludovec.evaluate(spec.env, 'net:' + file, 'random', 2, players=2)",
    "search": "search = ludovec.TreeSearch(ludovec.make(spec.env, 3, players=2), 8, value='seats')\n"
    "    search.start()\n    search.run(ludovec.Network(file, spec))",
    "game": "ludovec.Game(spec.env, players=2).bot_action('net:' + file)",
    "opponents": "ludovec.make(spec.env, 3, players=2, opponents='net:' + file, seat=1)",
}


@pytest.mark.parametrize("use", USES)
def test_an_endless_network_ends_at_ctrl_c(spec, tmp_path, use):
    nodes, initializers = endless(spec)
    file = write(tmp_path / "net.onnx", spec, nodes, initializers)
    code = f"""
import os, signal, sys, threading
import ludovec, numpy as np
signal.signal(signal.SIGINT, signal.default_int_handler)
file, spec = sys.argv[1], ludovec.spec({ENV!r}, players=2)
rows = np.zeros((2, *spec.observation_shape), np.uint8)
threading.Timer(1.0, os.kill, [os.getpid(), signal.SIGINT]).start()
try:
    {USES[use]}
except KeyboardInterrupt:
    print("ended")
"""
    done = subprocess.run([sys.executable, "-c", code, str(file)], capture_output=True, text=True, timeout=50)
    assert done.stdout == "ended\n", done.stderr


def test_outputs_beyond_the_limit_are_an_error(spec, tmp_path):
    from onnx import helper, numpy_helper

    huge = numpy_helper.from_array(np.array([2**16, 2**15], np.int64), "huge")
    for name, nodes in {
        "output": [
            helper.make_node("Expand", ["weight", "huge"], ["policy"]),
            helper.make_node("Identity", ["policy"], ["value"]),
        ],
        "inside": [
            helper.make_node("Expand", ["weight", "huge"], ["wide"]),
            helper.make_node("ReduceSum", ["wide"], ["policy"], keepdims=1),
            helper.make_node("Identity", ["policy"], ["value"]),
        ],
    }.items():
        file = write(tmp_path / f"{name}.onnx", spec, nodes, [weight(1.0), huge])
        network = None
        with pytest.raises(ludovec.LudovecError) as error:
            network = ludovec.Network(file, spec)
            network(np.zeros((2, *spec.observation_shape), np.uint8))
        assert "\n" not in str(error.value), name
    # Later calls of other networks succeed.
    file = write(tmp_path / "good.onnx", spec, initializers=[weight(4.0)])
    assert value(file, spec) == 4.0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork")
def test_a_network_of_the_library_is_refused_after_a_fork_and_read_again(spec, tmp_path):
    from test_processes import in_child

    file = write(tmp_path / "net.onnx", spec, initializers=[weight(4.0)])
    network = ludovec.Network(file, spec)
    rows = np.zeros((200, *spec.observation_shape), np.uint8)
    network(rows)
    result = ludovec.evaluate(ENV, f"net:{file}", "random", 2, players=2)

    def work():
        with pytest.raises(ludovec.LudovecError, match="another process"):
            network(rows)
        assert ludovec.Network(file, spec)(rows)[1][0, 0] == 4.0
        assert ludovec.evaluate(ENV, f"net:{file}", "random", 2, players=2) == result

    in_child(work)


def test_networks_can_be_called_from_several_threads(spec, tmp_path):
    file = write(tmp_path / "net.onnx", spec, initializers=[weight(4.0)])
    network = ludovec.Network(file, spec)
    rows = np.zeros((300, *spec.observation_shape), np.uint8)
    wrong = []

    def ask():
        if not (network(rows)[1] == 4.0).all():
            wrong.append(1)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not wrong
