"""What only a GPU shows: graphs of the network, runs on the device, the page about GPUs."""

from pathlib import Path

import ludovec
import numpy as np
import pytest

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("no GPU with CUDA is here", allow_module_level=True)

from ludovec import nets  # noqa: E402
from ludovec.train import Budget, Config, Training  # noqa: E402
from ludovec.train.checkpoints import Folder  # noqa: E402
from ludovec.train.cuda_graphs import CapturedPlayer  # noqa: E402
from ludovec.train.inference import Player  # noqa: E402
from ludovec.train.self_play import Games, legal_actions  # noqa: E402

DEVICE = torch.device("cuda:0")
PAGE = Path(__file__).parents[2] / "docs" / "large" / "gpu.md"


def config(env="smallworld", **more):
    settings = {
        "games": 32, "shards": 2, "simulations": 8, "channels": 32, "blocks": 1, "updates": 40, "imitate": 8,
        "warm_up": 64, "minibatch": 32, "evaluate_every": 100, "evaluation_games": 4, "device": "cuda",
        "evaluation_simulations": [0, 4],
    }  # fmt: skip
    return Config.preset(env).changed(**{**settings, **more})


def players(env, rows):
    """A player with launches one by one and a captured one, with the same random weights."""
    cfg = config(env)
    spec = cfg.specs()[0]
    board = nets.Board(cfg.board, cfg.board_axis) if cfg.board else None
    network = nets.ResidualNetwork(nets.Inputs.of([spec], board), spec, 32, 2).to(DEVICE)
    torch.manual_seed(1)
    for weights in network.parameters():
        torch.nn.init.normal_(weights, std=0.2)
    given = network, spec, DEVICE, torch.float32, 2.0
    return cfg, network, Player(*given), CapturedPlayer(*given, rows)


@pytest.mark.parametrize("env", ["smallworld", "tilewe", "chess"])
def test_a_graph_answers_as_single_launches_do(env):
    rows = 24
    cfg, network, plain, captured = players(env, rows)
    for seed in range(3):
        games = ludovec.make(env, rows, seed=seed, mask="bits", **cfg.options[0])
        for _ in range(5):
            games.step(games.sample_actions())
        offsets, actions = legal_actions(games.action_mask_bits, games.game_spec.num_actions)
        seen = games.observations.copy()
        for one, other in zip(plain.answer(seen, offsets, actions), captured.answer(seen, offsets, actions)):
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)
        # A batch of another size, and new weights, which the graph reads where they are.
        few = seen[:3], offsets[:4], actions[: offsets[3]]
        assert np.allclose(captured.answer(*few)[1], plain.answer(*few)[1], rtol=1e-4, atol=1e-4)
        with torch.no_grad():
            for weights in network.parameters():
                weights.mul_(0.9)
        for player in (plain, captured):
            player.load(network)
        torch.cuda.synchronize()


def test_searches_in_page_locked_memory_play_the_same_games():
    cfg, _, plain, captured = players("smallworld", 16)
    cfg = cfg.changed(games=16, shards=1, options=[{"players": 2}])
    histories = []
    for player in (plain, captured):
        games = Games(cfg, 0, 0, for_gpu=True)
        assert torch.from_numpy(games.search.observations).is_pinned()
        games.play(player, 6, lambda: None)
        histories.append([[move.action for move in game] for game in games.played])
        games.close()
    same = np.mean([a == b for a, b in zip(*histories)])
    # Sums in another order may turn a close decision.
    assert same > 0.8


def test_a_run_on_a_gpu_goes_on_elsewhere(tmp_path):
    cfg = config()
    assert Training(cfg, tmp_path / "run").run(Budget(rounds=12))
    first = Folder(tmp_path / "run").load()
    assert first["learner"]["updates"] >= cfg.imitate
    again = Training(cfg.changed(device="cpu"), tmp_path / "run", resume=True)
    assert again.learner.updates == first["learner"]["updates"]
    assert again.run(Budget(rounds=2))
    assert Training(cfg, tmp_path / "run", resume=True).run(Budget(rounds=2))
    assert ludovec.Network(tmp_path / "run" / "last.safetensors", "smallworld", players=2)


def test_shards_of_a_cluster_answer_on_the_gpu(tmp_path):
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, num_gpus=1, include_dashboard=False, object_store_memory=200 << 20)
    try:
        cfg = config(ray="local", ray_gpus=0.5)
        training = Training(cfg, tmp_path / "run")
        assert training.run(Budget(rounds=12))
        assert training.learner.updates >= cfg.imitate and training.games() > 0
        training.close()
    finally:
        ray.shutdown()
    assert Training(cfg.changed(ray="", ray_gpus=0.0), tmp_path / "run", resume=True).run(Budget(rounds=2))


def test_the_loss_on_a_gpu_is_that_of_the_cpu(tmp_path):
    losses = []
    for device in ("cpu", "cuda"):
        cfg = config(device=device, precision="float32", options=[{"players": 2}])
        training = Training(cfg, tmp_path / device)
        for _ in range(3):
            training.buffers[0].add(training.shards[0].games[0].imitate(60, lambda: None))
        found = training.learner.train(5, training.buffers, lambda: None)
        losses.append(found.mean())
    for name, value in losses[0].items():
        assert abs(losses[1][name] - value) < 2e-3 * max(1, abs(value)), (name, losses)


def test_out_of_memory_is_one_line(tmp_path):
    # A page of memory is left, whatever the GPU has.
    torch.cuda.set_per_process_memory_fraction(1e-6)
    try:
        with pytest.raises(ludovec.InvalidConfig, match="out of memory: fewer games"):
            Training(config(channels=1024, blocks=4), tmp_path / "run").run(Budget(rounds=4))
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)


def test_the_page_about_gpus_runs():
    blocks = PAGE.read_text().split("```python\n")[1:]
    names = {}
    for block in blocks:
        exec(compile_block(block), names)
    assert names["device"] == "cuda" and names["masks"].is_cuda
    assert all(row.is_pinned() for row in names["rows"])


def compile_block(block):
    return compile(block.split("```")[0], str(PAGE), "exec")
