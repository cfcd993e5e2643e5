"""Products that skip inputs of 0: against NumPy in double precision, and torch's dense layer."""

import numpy as np
import pytest
from ludovec import InvalidConfig
from ludovec._core import SparseInputs

SHAPES = [(64, 300, 40, 0.15), (70, 33, 130, 0.5), (1, 5, 1, 1.0), (9, 70, 64, 0.0)]


def minibatch(rows, inputs, share, seed=0):
    rng = np.random.default_rng(seed)
    return (rng.normal(size=(rows, inputs)) * (rng.random((rows, inputs)) < share)).astype(np.float32)


@pytest.mark.parametrize(("rows", "inputs", "outputs", "share"), SHAPES)
def test_products_and_gradients_agree_with_numpy(rows, inputs, outputs, share):
    rng = np.random.default_rng(1)
    x = minibatch(rows, inputs, share)
    weights = rng.normal(size=(outputs, inputs)).astype(np.float32)
    bias, gradient = (rng.normal(size=shape).astype(np.float32) for shape in (outputs, (rows, outputs)))
    sparse = SparseInputs(np.ascontiguousarray(x.T))
    assert sparse.count() == np.count_nonzero(x)
    exact = x.astype(np.float64)
    np.testing.assert_allclose(sparse.product(weights, bias), exact @ weights.T + bias, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(sparse.gradient(gradient), gradient.T @ exact, rtol=1e-4, atol=1e-4)


def test_lengths_that_do_not_fit_are_refused():
    sparse = SparseInputs(np.zeros((3, 2), np.float32))
    with pytest.raises(InvalidConfig, match="8 weights and 4 results: 2 x 3 and 2 x 2 are wanted"):
        sparse.product(np.zeros((2, 4), np.float32), np.zeros(2, np.float32))
    with pytest.raises(InvalidConfig, match="6 weights and 6 results"):
        sparse.gradient(np.zeros((3, 2), np.float32))
    with pytest.raises(InvalidConfig, match="0 inputs in 0 rows"):
        SparseInputs(np.zeros((3, 0), np.float32))


@pytest.fixture
def layers():
    """A layer that skips inputs, and torch's own with the same weights."""
    torch = pytest.importorskip("torch")
    from ludovec.nets.sparse import SparseLinear

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    layer, dense = SparseLinear(300, 40), torch.nn.Linear(300, 40)
    dense.load_state_dict(layer.state_dict())
    yield torch, layer, dense
    torch.set_num_threads(threads)


def test_a_layer_learns_as_torch_does(layers):
    torch, layer, dense = layers
    x = torch.from_numpy(minibatch(128, 300, 0.15))
    gradients = []
    for one in (layer, dense):
        torch.square(one(x)).sum().backward()
        gradients.append((one.weight.grad, one.bias.grad))
    assert "_Product" in type(layer(x).grad_fn).__name__
    assert torch.allclose(layer(x), dense(x), atol=1e-5)
    for found, wanted in zip(*gradients):
        assert torch.allclose(found, wanted, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("case", ["few rows", "few zeros", "inputs that learn", "bfloat16", "vmap", "export"])
def test_other_products_are_those_of_torch(layers, case):
    torch, layer, dense = layers
    x = torch.from_numpy(
        minibatch(8 if case == "few rows" else 128, 300, 0.9 if case == "few zeros" else 0.15)
    )
    if case == "inputs that learn":
        x.requires_grad_()
    if case == "bfloat16":
        with torch.autocast("cpu", torch.bfloat16):
            assert torch.equal(layer(x), dense(x))
    elif case == "vmap":
        assert torch.allclose(torch.func.vmap(layer)(x[None])[0], dense(x), atol=1e-5)
    elif case == "export":
        assert torch.equal(torch.export.export(layer, (x,)).module()(x), dense(x))
    else:
        assert torch.equal(layer(x), dense(x))
