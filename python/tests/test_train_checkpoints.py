"""Checkpoints of trainings carry no code, and damaged ones are one line."""

import io
import os
import pickle
import zipfile

import ludovec
import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from ludovec.train import state_file  # noqa: E402
from ludovec.train.checkpoints import Folder  # noqa: E402
from ludovec.train.evaluation import Match  # noqa: E402
from ludovec.train.replay import Buffer, Positions  # noqa: E402

SPEC = ludovec.spec("tilewe", players=2)
TUPLES = {"match": Match}


class Hostile:
    """Unpickling it makes a folder."""

    def __init__(self, place):
        self.place = str(place)

    def __reduce__(self):
        return os.mkdir, (self.place,)


def positions(rows, seed=0):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 9, rows).astype(np.int32)
    return Positions(
        observations=rng.integers(0, 2, (rows, SPEC.observation_len)).astype(np.uint8),
        values=rng.random((rows, SPEC.players)).astype(np.float32),
        chosen=rng.integers(0, lengths).astype(np.int32),
        advantages=rng.normal(size=rows).astype(np.float32),
        lengths=lengths,
        actions=rng.integers(0, SPEC.num_actions, lengths.sum()).astype(np.int32),
        policies=rng.random(lengths.sum()).astype(np.float16),
    )


def saved(path, state=None):
    """A folder with a checkpoint of 30 positions."""
    folder, buffer = Folder(path), Buffer(SPEC, 100)
    folder.make()
    buffer.add(positions(30))
    folder.save(state or {"config": "x = 1"}, [buffer])
    return folder


def same(a, b):
    if isinstance(a, (np.ndarray, torch.Tensor)):
        return type(a) is type(b) and a.dtype == b.dtype and a.shape == b.shape and bool((a == b).all())
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and (a == b or a != a)


def test_a_state_returns_as_it_was():
    tensors = [torch.arange(6).reshape(2, 3).to(kind) for kind in (torch.float32, torch.bfloat16, torch.bool)]
    arrays = [np.arange(5).astype(kind) for kind in ("u1", "<i8", "<f2", "?", "<u8")]
    state = {
        "plain": [None, True, 3, 2**127 + 1, -0.5, float("inf"), "text", b"\x00\xff", ""],
        "tensors": [*tensors, torch.tensor(2.5), torch.zeros(0, 4)],
        "arrays": [*arrays, np.zeros((2, 0), np.float32), np.array(7)],
        "rng": np.random.default_rng(3).bit_generator.state,
        0: {Match(1, "greedy", 8): (0.5, 0.25)},
        "played": {"seats": np.arange(3), "legal": (np.arange(4), np.zeros(3, np.int32), np.ones(3, "<f2"))},
        "names": np.array(["a", None], object).tolist(),
    }
    assert same(state_file.from_bytes(state_file.to_bytes(state, TUPLES), TUPLES), state)
    for other in (object(), np.array([None], object), {"a": {1, 2}}, np.array(["a"])):
        with pytest.raises(TypeError, match="a state of a run has"):
            state_file.to_bytes(other, TUPLES)


def test_a_hostile_checkpoint_runs_nothing(tmp_path):
    folder = saved(tmp_path / "run")
    made = tmp_path / "made"
    content = {"format": 5, "chunks": [], "buffers": [], "config": Hostile(made)}
    torch.save(content, folder.checkpoint)
    hostile = [folder.checkpoint.read_bytes(), pickle.dumps(content)]
    for kind in ("pickle", "object", "code", "array", "tensor"):
        tree = {"tree": [kind, "|O" if kind == "array" else "os.system", [1], 0, 8]}
        import json

        from safetensors.numpy import save

        tree = np.frombuffer(json.dumps(tree["tree"]).encode(), np.uint8)
        data = np.zeros(8, np.uint8)
        digest = np.frombuffer(state_file._digest(tree.tobytes(), data), np.uint8)
        hostile.append(save({"tree": tree, "data": data, "sha256": digest}))
    for data in hostile:
        folder.checkpoint.write_bytes(data)
        with pytest.raises(ludovec.InvalidConfig, match="is not a checkpoint") as caught:
            folder.load()
        assert len(str(caught.value).splitlines()) == 1 and not made.exists()


def test_a_damaged_checkpoint_is_one_line(tmp_path):
    folder = saved(tmp_path / "run", {"weights": torch.zeros(50), "config": "x = 1"})
    whole, undamaged = folder.checkpoint.read_bytes(), folder.load()
    rng = np.random.default_rng(0)
    damaged = [whole[:length] for length in rng.integers(0, len(whole), 60)]
    for place in rng.integers(0, 500, 200):
        damaged.append(whole[:place] + bytes([rng.integers(256)]) + whole[place + 1 :])
    for data in damaged:
        folder.checkpoint.write_bytes(data)
        try:
            assert same(folder.load(), undamaged)
        except ludovec.InvalidConfig as error:
            assert len(str(error).splitlines()) == 1


def test_damaged_positions_are_one_line(tmp_path):
    folder = saved(tmp_path / "run")
    (file,) = (tmp_path / "run" / "positions").glob("*.npz")
    whole = file.read_bytes()

    def read():
        buffer = Buffer(SPEC, 100)
        folder.fill([buffer], folder.load())
        return buffer

    assert same(vars(read().rows(0, 30)), vars(positions(30)))
    rng = np.random.default_rng(0)
    damaged = [
        b"",
        b"PK",
        b"\x80\x04rubbish",
        *(whole[:length] for length in rng.integers(0, len(whole), 40)),
    ]
    for place in rng.integers(0, len(whole), 150):
        damaged.append(whole[:place] + rng.bytes(4) + whole[place + 4 :])
    refused = 0
    for data in damaged:
        file.write_bytes(data)
        try:
            read()
        except ludovec.InvalidConfig as error:
            refused += 1
            assert "is missing or damaged" in str(error) and len(str(error).splitlines()) == 1
    assert refused > 40
    # Arrays that do not fit one another.
    with np.load(io.BytesIO(whole)) as parts:
        arrays = {name: parts[name] for name in parts.files}
    lengths, actions = arrays["lengths legal"], arrays["ragged legal"]
    for name, other in [
        *((name, array[:-1]) for name, array in arrays.items()),
        *((name, array.astype(np.float64)) for name, array in arrays.items() if name != "lengths legal"),
        ("column observations", arrays["column observations"][:, 1:]),
        ("lengths legal", lengths * 0),
        ("lengths legal", -lengths),
        ("ragged legal", actions + SPEC.num_actions),
        ("column values", np.array([Hostile(tmp_path / "made")], object)),
        ("unknown", lengths),
    ]:
        np.savez(file, **{**arrays, name: other})
        with pytest.raises(ludovec.InvalidConfig, match="is missing or damaged"):
            read()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("observations.npy", pickle.dumps(Hostile(tmp_path / "made")))
    with pytest.raises(ludovec.InvalidConfig, match="is missing or damaged"):
        read()
    assert not (tmp_path / "made").exists()
