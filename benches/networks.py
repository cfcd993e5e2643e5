"""Rows a second of the shipped networks: this library, torch and ONNX Runtime on one thread, in turns.

    python benches/networks.py                       # needs ludovec[torch,onnx], onnxruntime and cargo
    python benches/networks.py --batch 1 64 512 --rounds 7 smallworld chess

Every contender answers the same kind of positions (random play) from bytes of observations to logits and
values: the encoding is part of the network. Seconds are processor time of the contender, so other programs
disturb less; rounds take turns, and medians are printed. torch also computes in bfloat16, ONNX Runtime also
with dynamic 8-bit quantization. The last lines are the processor's peaks in the same minutes: chains of
multiply-adds in registers.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import ludovec
import numpy as np
import torch
from ludovec import nets

ROOT = Path(__file__).parents[1]
#: Options of the networks that are compared. Small World with more players has a graph network.
OPTIONS = {"smallworld": {"players": 2}}
PROGRAM = "cargo bench --quiet --bench networks --features networks --"


def model_of(env):
    """The shipped network as a torch module of observations."""
    from ludovec.nets.exporting import OnObservations
    from safetensors import safe_open

    with safe_open(ROOT / "assets" / "networks" / f"{env}.safetensors", "np") as file:
        metadata = file.metadata()
        tensors = {name: torch.from_numpy(file.get_tensor(name).astype(np.float32)) for name in file.keys()}
    card = json.loads(metadata["inputs"])
    channels = {
        name: tuple(nets.inputs.Channel(field, tuple(at), table) for field, at, table in card[name])
        for name in ("planes", "scalars")
    }
    board = card["board"] and nets.Board(card["board"]["field"], card["board"]["axis"])
    inputs = nets.Inputs(board, **channels, tables=tensors.pop("tables").numpy())
    tensors.pop("policy_index", None)
    options = first_options(env)
    most = {"players": len(tensors["value.weight"])} if "players" in options else {}
    model = nets.ResidualNetwork(
        inputs,
        ludovec.spec(env, **{**options, **most}),
        channels=len(tensors["value_hidden.weight"][0]),
        blocks=sum(name.endswith("first.weight") for name in tensors),
        value_hidden=len(tensors["value_hidden.weight"]),
    )
    model.load_state_dict(
        {name: x.permute(0, 3, 1, 2) if x.ndim == 4 else x for name, x in tensors.items()}, strict=False
    )
    return OnObservations(model, ludovec.spec(env, **options)).eval()


def first_options(env):
    """The first options that the shipped network plays."""
    options = {}
    for name, allowed in ludovec.Network("champion", env, **OPTIONS.get(env, {})).options.items():
        value = (
            allowed[0] if isinstance(allowed, list) else allowed["min"] if isinstance(allowed, dict) else None
        )
        if value is not None and value != []:
            options[name] = value
    return options


def positions(env, count):
    """Observations of random play."""
    games = ludovec.make(env, count, seed=1, **first_options(env))
    games.step_sampled(30)
    return games.observations.copy()


class Ludovec:
    """The benchmark program, which measures on request."""

    def __init__(self, program, env, precision):
        self.process = subprocess.Popen(
            [*program.split(), "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
        )
        self.env, self.precision = env, precision

    def rate(self, batch, seconds):
        self.process.stdin.write(f"{self.env} {self.precision} {batch} {seconds}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Function:
    """A function of observations in this process."""

    def __init__(self, function, observations):
        self.function, self.observations = function, observations

    def rate(self, batch, seconds):
        parts = [
            self.observations[i : i + batch] for i in range(0, len(self.observations) - batch + 1, batch)
        ]
        self.function(parts[0])
        start, rows = time.process_time(), 0
        while True:
            for part in parts:
                self.function(part)
                rows += batch
                taken = time.process_time() - start
                if taken >= seconds:
                    return rows / taken

    def close(self):
        pass


def torch_functions(model, observations):
    """Contenders in torch: float32, and bfloat16 weights."""

    def run(module):
        def function(rows):
            with torch.inference_mode():
                return module(torch.from_numpy(rows))

        return function

    yield "torch float32", run(model)
    import copy

    half = copy.deepcopy(model)
    half.network.to(torch.bfloat16)
    half.numbers = half.numbers.to(torch.bfloat16)
    yield "torch bfloat16", run(half)


def onnx_functions(model, observations, folder):
    """Contenders in ONNX Runtime: float32, and dynamic quantization of weights and activations to 8 bits."""
    import onnxruntime
    from onnxruntime.quantization import QuantType, quantize_dynamic

    example = torch.from_numpy(observations[:2])
    file = Path(folder, "float.onnx")
    torch.onnx.export(
        model,
        (example,),
        file,
        input_names=["observation"],
        output_names=["policy", "value"],
        dynamic_shapes=({0: torch.export.Dim("batch", min=1)},),
        dynamo=True,
        verbose=False,
    )
    small = Path(folder, "int8.onnx")
    quantize_dynamic(file, small, weight_type=QuantType.QInt8, per_channel=True)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    for name, which in (("onnxruntime float32", file), ("onnxruntime int8", small)):
        try:
            session = onnxruntime.InferenceSession(which, options, providers=["CPUExecutionProvider"])
        except Exception as error:
            print(f"{name}: left out: {str(error).splitlines()[0]:.120}", file=sys.stderr)
            continue
        yield name, lambda rows, session=session: session.run(None, {"observation": rows})


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("envs", nargs="*", default=ludovec.list_envs())
    parser.add_argument("--batch", nargs="+", type=int, default=[1, 64, 512])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.2, help="of a slice")
    parser.add_argument("--program", default=PROGRAM, help="the compiled benchmark, to measure another build")
    parser.add_argument(
        "--before", help="the compiled benchmark of another version, which is measured as well"
    )
    args = parser.parse_args()
    torch.set_num_threads(1)
    for env in args.envs:
        with tempfile.TemporaryDirectory() as folder:
            model, observations = model_of(env), positions(env, max(512, *args.batch))
            observations = observations.reshape(len(observations), -1)
            contenders = {}
            if args.before:
                contenders["before"] = Ludovec(args.before, env, "float")
            for precision in ("float", "int8"):
                contenders[f"ludovec {precision}"] = Ludovec(args.program, env, precision)
            for name, function in (
                *torch_functions(model, observations),
                *onnx_functions(model, observations, folder),
            ):
                contenders[name] = Function(function, observations)
            rates = {(name, batch): [] for name in contenders for batch in args.batch}
            for _ in range(args.rounds):
                for name, contender in contenders.items():
                    for batch in args.batch:
                        rates[name, batch].append(contender.rate(batch, args.seconds))
            print(f"| {env} | " + " | ".join(f"batch {batch}" for batch in args.batch) + " |")
            print("|---" * (len(args.batch) + 1) + "|")
            for name, contender in contenders.items():
                cells = [f"{statistics.median(rates[name, batch]):,.0f}" for batch in args.batch]
                print(f"| {name} | " + " | ".join(cells) + " |")
                contender.close()
            print(flush=True)
    peaks = Ludovec(args.program, "peak", "int8")
    for name in ("float", "int8"):
        peaks.precision = name
        peak = statistics.median(peaks.rate(1, args.seconds) for _ in range(5))
        print(f"peak, {name}: {peak / 1e9:.0f} GMAC/s")
    peaks.close()


if __name__ == "__main__":
    main()
