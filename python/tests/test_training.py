"""Training libraries: torch, sb3-contrib, tianshou, RLlib. Tests are skipped without them."""

import csv
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import ludovec
import numpy as np
import pytest
from helpers import short_games


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


def test_torch_shares_the_memory(env_id, torch):
    env = ludovec.make(env_id, 4)
    for name in ("observations", "action_mask", "legal_action_mask", "rewards", "credit", "current_player"):
        array = getattr(env, name)
        for tensor in (torch.from_dlpack(array), torch.from_numpy(array)):
            assert tensor.data_ptr() == array.ctypes.data
    actions = torch.from_dlpack(env.sample_actions())
    env.step(actions)
    masks = torch.from_dlpack(env.legal_action_mask)
    env.step(torch.multinomial(masks.float(), 1).squeeze(1))


def test_torch_tensors_are_written(env_id, torch):
    spec = ludovec.spec(env_id)
    pin = torch.cuda.is_available()
    out = {
        "observations": torch.zeros((8, *spec.observation_shape), dtype=torch.uint8, pin_memory=pin),
        "action_mask": torch.zeros((8, spec.num_actions), dtype=torch.bool, pin_memory=pin),
        "rewards": torch.zeros((8, spec.players), pin_memory=pin),
    }
    env, twin = short_games(env_id, out=out), short_games(env_id)
    for _ in range(7):
        actions = twin.sample_actions()
        env.step(actions)
        twin.step(actions)
    for name, tensor in out.items():
        np.testing.assert_array_equal(tensor.numpy(), getattr(twin, name))
        if pin:
            assert tensor.is_pinned()
            assert torch.equal(tensor.to("cuda", non_blocking=True).cpu(), tensor)
    if torch.cuda.is_available():
        with pytest.raises(ludovec.InvalidConfig):
            ludovec.make(env_id, 8, out={"rewards": torch.zeros((8, spec.players), device="cuda")})


def test_sb3_environment(env_id):
    pytest.importorskip("stable_baselines3")
    from ludovec.sb3 import SeatVecEnv

    env = SeatVecEnv(env_id, 6, max_steps=60)
    obs = env.reset()
    rng = np.random.default_rng(0)
    ends = 0
    for _ in range(40):
        assert (env.games.current_player == env.seats).all()
        masks = env.action_masks()
        assert masks.any(axis=1).all()
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        obs, reward, done, infos = env.step(actions)
        assert obs.shape == (6, *env.observation_space.shape) and reward.shape == (6,)
        for i in np.flatnonzero(done):
            ends += 1
            assert env.observation_space.contains(infos[i]["terminal_observation"])
            if not infos[i]["TimeLimit.truncated"]:
                assert reward[i] == infos[i]["returns"][env.seats[i]]
    assert ends
    with pytest.raises(ludovec.InvalidConfig, match="seat"):
        SeatVecEnv(env_id, 2, seat=8)


@pytest.mark.training
def test_maskable_ppo_learns():
    """A short training against the random bot increases the return."""
    sb3_contrib = pytest.importorskip("sb3_contrib")
    import torch
    from ludovec.sb3 import SeatVecEnv

    torch.set_num_threads(1)
    options = {"reward": "score", "max_steps": 60}

    def pays(id):
        env = ludovec.make(id, 64, **options)
        return np.mean([env.step_sampled()[-1]["rewards"].any(axis=1).mean() for _ in range(60)]) > 0.02

    id = min(filter(pays, ludovec.list_envs()), key=lambda id: ludovec.spec(id).num_actions)

    def score(model):
        env = SeatVecEnv(id, 64, seed=1000, **options)
        obs = env.reset()
        total = np.zeros(64)
        for _ in range(40):
            actions, _ = model.predict(obs, action_masks=env.action_masks())
            obs, reward, _, _ = env.step(actions)
            total += reward
        return total.mean()

    env = SeatVecEnv(id, 64, **options)
    model = sb3_contrib.MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=512, ent_coef=0.01, seed=0)
    before = score(model)
    model.learn(25_000)
    after = score(model)
    assert after > before, (before, after)


def test_tianshou_keys(env_id):
    env_module = pytest.importorskip("ludovec.tianshou")
    env = env_module.TianshouEnv(env_id, max_steps=30)
    obs, _ = env.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in range(60):
        assert set(obs) == {"agent_id", "obs", "mask"}
        obs, rewards, terminated, truncated, _ = env.step(rng.choice(np.flatnonzero(obs["mask"])))
        assert len(rewards) == len(env.agents)
        if terminated or truncated:
            break
    assert terminated or truncated


def test_tianshou_collects(env_id):
    """tianshou's own collector plays whole games with one random policy per player."""
    pytest.importorskip("tianshou")
    from ludovec.tianshou import TianshouEnv
    from tianshou.algorithm import MARLRandomDiscreteMaskedOffPolicyAlgorithm as Random
    from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
    from tianshou.data import Collector, VectorReplayBuffer
    from tianshou.env import DummyVectorEnv

    make = lambda: TianshouEnv(env_id, max_steps=20)
    env = make()
    algorithms = [Random(action_space=env.action_space) for _ in env.agents]
    everyone = MultiAgentOffPolicyAlgorithm(algorithms=algorithms, env=env)
    collector = Collector(everyone, DummyVectorEnv([make, make]), VectorReplayBuffer(2000, 2))
    stats = collector.collect(n_episode=2, reset_before_collect=True)
    assert stats.n_collected_episodes == 2


def test_rllib_environment(env_id):
    pytest.importorskip("ray.rllib")
    from ludovec.rllib import RLlibEnv

    env = RLlibEnv({"id": env_id, "max_steps": 40})
    obs, _ = env.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in range(60):
        (agent, seen), *rest = obs.items()
        assert not rest and set(seen) == {"observations", "action_mask"}
        assert env.observation_spaces[agent].contains(seen)
        obs, rewards, terminateds, truncateds, _ = env.step(
            {agent: rng.choice(np.flatnonzero(seen["action_mask"]))}
        )
        assert set(rewards) == set(env.possible_agents)
        if terminateds["__all__"] or truncateds["__all__"]:
            assert set(obs) == set(env.possible_agents)
            break
    assert terminateds["__all__"] or truncateds["__all__"]


@pytest.mark.training
def test_rllib_plays_episodes():
    """RLlib's own runner and its action-masking module play whole games without illegal actions."""
    pytest.importorskip("ray.rllib")
    os.environ.setdefault("RAY_DEDUP_LOGS", "0")
    from ludovec.rllib import RLlibEnv
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
    from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

    id = min(ludovec.list_envs(), key=lambda id: ludovec.spec(id).num_actions)
    config = (
        PPOConfig()
        .environment(RLlibEnv, env_config={"id": id, "max_steps": 30})
        .multi_agent(policies={"everyone"}, policy_mapping_fn=lambda agent, episode, **kw: "everyone")
        .rl_module(
            rl_module_spec=MultiRLModuleSpec(
                rl_module_specs={"everyone": RLModuleSpec(module_class=ActionMaskingTorchRLModule)}
            )
        )
    )
    runner = MultiAgentEnvRunner(config=config)
    episodes = runner.sample(num_episodes=3)
    assert len(episodes) == 3 and all(e.is_done for e in episodes)
    runner.stop()


@pytest.mark.training
def test_rllib_steps_a_batch_itself():
    """The single-agent runner makes the batch by its registered name, and its games end."""
    pytest.importorskip("ray.rllib")
    import ludovec.rllib
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner
    from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

    id = min(ludovec.list_envs(), key=lambda id: ludovec.spec(id).num_actions)
    config = (
        PPOConfig()
        .environment(f"ludovec/{id}", env_config={"max_steps": 60, "opponents": "greedy"})
        .env_runners(num_envs_per_env_runner=8, gym_env_vectorize_mode="vector_entry_point")
        .rl_module(rl_module_spec=RLModuleSpec(module_class=ActionMaskingTorchRLModule))
    )
    runner = SingleAgentEnvRunner(config=config)
    games = runner.env.unwrapped
    assert isinstance(games, ludovec.rllib.RLlibVectorEnv) and games.num_envs == 8
    episodes = runner.sample(num_episodes=10)
    assert len(episodes) == 10 and all(episode.is_done for episode in episodes)
    for episode in episodes:
        # Finished episodes hold a list of observations or of arrays, depending on the version of RLlib.
        actions = episode.get_actions()
        masks = [episode.get_observations(t)["action_mask"] for t in range(len(actions))]
        assert all(mask[action] == 1 for mask, action in zip(masks, actions))
    games.seats.set_opponents("random")
    assert runner.sample(num_timesteps=32)
    runner.stop()


@pytest.mark.training
def test_selfplay_on_ray_resumes(tmp_path):
    """The example learns from games of one worker; a second run continues with two."""
    pytest.importorskip("torch")
    pytest.importorskip("ray")
    program = Path(__file__).parents[2] / "examples" / "selfplay_ray.py"
    env_id = min(ludovec.list_envs(), key=lambda id: ludovec.spec(id).num_actions)
    small = "--games 16 --shard-games 8 --simulations 2 --minibatch 32 --warm-up 50 --channels 16 --blocks 1"

    def run(*more):
        command = [sys.executable, program, env_id, "--set", "max_steps=60", *small.split()]
        command += ["--eval-games", "4", "--bots", "random", "--out", tmp_path, *more]
        return subprocess.run(command, capture_output=True, text=True, timeout=300)

    first = run("--max-games", "20")
    assert first.returncode == 0 and "against random" in first.stdout, first.stderr
    second = run("--max-games", "40", "--resume", "--workers", "2")
    assert second.returncode == 0 and "weights" in second.stdout, second.stderr
    games = [
        int(re.search(r"([\d,]+) games", line)[1]) for line in second.stdout.splitlines() if "games" in line
    ]
    assert 20 < games[0] <= games[-1]


@pytest.mark.training
def test_alphazero_example_resumes(tmp_path):
    """The example learns from its games, saves its network, and evaluates it in a second run."""
    pytest.importorskip("torch")
    program = Path(__file__).parents[2] / "examples" / "alphazero.py"
    small = "--num-envs 32 --simulations 2 --eval-simulations 2 --eval-games 4 --final-games 4 --bots random"

    def run(*more):
        command = [sys.executable, program, *small.split(), "--warm-up", "100", "--out", tmp_path, *more]
        return subprocess.run(command, capture_output=True, text=True, timeout=300)

    first = run("--games", "40")
    assert first.returncode == 0 and "learning" in first.stdout, first.stderr
    second = run("--minutes", "0", "--resume")
    assert second.returncode == 0, second.stderr
    with open(tmp_path / "curve.csv") as file:
        start, trained, again = csv.DictReader(file)
    assert start["games"] == "0" and int(again["games"]) == int(trained["games"]) > 0
    third = run("--minutes", "0", "--resume", "--hidden", "8")
    assert third.returncode == 2 and "was trained with" in third.stderr.splitlines()[-1]


@pytest.mark.training
@pytest.mark.parametrize("with_", [signal.SIGINT, signal.SIGTERM])
def test_the_alphazero_example_saves_when_it_is_stopped(with_, tmp_path):
    torch = pytest.importorskip("torch")
    small = "--num-envs 8 --simulations 2 --eval-games 2 --eval-simulations 2 --bots random"
    command = [
        sys.executable,
        "-u",
        Path(__file__).parents[2] / "examples" / "alphazero.py",
        "--env",
        "tilewe",
    ]
    command += [*small.split(), "--warm-up", "100", "--minutes", "60", "--out", tmp_path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        # One line about the initial measurement, then at least one about learning.
        while "polic" not in process.stdout.readline():
            assert process.poll() is None
        process.send_signal(with_)
        told = process.stdout.read()
    assert process.returncode == 0 and "continue with --resume" in told, told
    assert torch.load(tmp_path / "checkpoint.pt", weights_only=True)["minutes"] > 0
    assert not list(tmp_path.glob(".*.part"))


@pytest.mark.training
def test_the_ppo_example_stops_and_resumes(tmp_path):
    """It saves when it is stopped; a second run continues, and both draw their curve."""
    pytest.importorskip("torch")
    program = Path(__file__).parents[2] / "examples" / "ppo_selfplay.py"
    small = "--env tilewe --set players=2 --num-envs 4 --steps 8 --minibatch 16 --hidden 16 --eval-games 4"
    command = [sys.executable, "-u", program, *small.split(), "--bots", "random", "--out", tmp_path]
    with subprocess.Popen([*command, "--cpu-minutes", "60"], stdout=subprocess.PIPE, text=True) as process:
        while "decisions" not in process.stdout.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        told = process.stdout.read()
    assert process.returncode == 0 and "continue with --resume" in told, told
    again = [*command, "--resume", "--cpu-minutes"]
    second = subprocess.run([*again, "0"], capture_output=True, text=True, timeout=300)
    assert second.returncode == 0, second.stderr
    with open(tmp_path / "curve.csv") as file:
        start, last = csv.DictReader(file)
    assert float(start["cpu_minutes"]) < float(last["cpu_minutes"]) and float(last["random_margin"]) > 0
    drawing = (tmp_path / "curve.svg").read_text()
    assert "against random" in drawing and "minutes of processor time" in drawing
    third = subprocess.run([*again, "0", "--hidden", "8"], capture_output=True, text=True, timeout=300)
    assert third.returncode == 2 and "was trained with" in third.stderr.splitlines()[-1]


def test_the_alphazero_example_refuses_a_missing_device():
    pytest.importorskip("torch")
    program = Path(__file__).parents[2] / "examples" / "alphazero.py"
    for device in ("cuda:99", "gpu"):
        told = subprocess.run([sys.executable, program, "--device", device], capture_output=True, text=True)
        line = told.stderr.splitlines()[-1]
        assert told.returncode == 2 and f"--device {device}" in line and "Traceback" not in told.stderr


@pytest.mark.training
def test_the_alphazero_example_plays_every_environment(env_id, tmp_path):
    pytest.importorskip("torch")
    program = Path(__file__).parents[2] / "examples" / "alphazero.py"
    small = "--num-envs 2 --simulations 2 --final-games 2 --eval-simulations 2 --bots random --hidden 16"
    command = [sys.executable, program, "--env", env_id, *small.split(), "--minutes", "0", "--out", tmp_path]
    told = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert told.returncode == 0 and "equal share" in told.stdout, told.stderr


@pytest.mark.training
@pytest.mark.parametrize(
    ("trainer", "library", "amount"),
    [
        ("sb3", "sb3_contrib", 40_000),
        ("cleanrl", "torch", 12),
        ("rllib", "ray.rllib", 20),
        ("skrl", "skrl", 256),
        ("tianshou", "tianshou", 8_000),
        ("torchrl", "torchrl", 12),
        ("pufferlib", "pufferlib", 12),
        ("jax", "jax", 30),
        ("cloning", "pyarrow", 1000),
    ],
)
def test_examples_of_trainers_learn(trainer, library, amount):
    """Each has at most 40 lines of code, and soon takes more than 60 % of the points against random play."""
    pytest.importorskip(library)
    program = Path(__file__).parents[2] / "examples" / f"train_{trainer}.py"
    _docstring, *code = filter(str.strip, program.read_text().splitlines())
    assert len(code) <= 40
    command = [sys.executable, program, str(amount)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    shares = [float(share) for share in re.findall(r"share of points.*: ([\d.]+) %", result.stdout)]
    # The probability of this result between equal players is 1 in 300.
    assert len(shares) == 2 and shares[-1] > 60, result.stdout


@pytest.mark.training
def test_the_dqn_learns():
    program = Path(__file__).parents[2] / "examples" / "dqn_selfplay.py"
    command = [sys.executable, program, "80000"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert result.returncode == 0, result.stderr
    shares = dict(re.findall(r"share of points against (\w+): ([\d.]+) %", result.stdout))
    assert set(shares) == {"random", "greedy"} and float(shares["random"]) > 60, result.stdout


@pytest.mark.training
def test_the_sweep_finds_good_settings():
    pytest.importorskip("optuna")
    pytest.importorskip("pyarrow")
    program = Path(__file__).parents[2] / "examples" / "sweep_optuna.py"
    result = subprocess.run([sys.executable, program, "4"], capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    share = float(re.search(r"share of points: ([\d.]+) %", result.stdout).group(1))
    # Random play gets less than 20 % against the cloned bot.
    assert share > 40, result.stdout


@pytest.mark.training
@pytest.mark.parametrize(("trainer", "library"), [("openspiel", "flax"), ("lightzero", "lzero")])
def test_examples_of_slow_trainers_run(trainer, library):
    """They learn for longer than a test may take: one update, and a share of points."""
    pytest.importorskip(library)
    program = Path(__file__).parents[2] / "examples" / f"train_{trainer}.py"
    _docstring, *code = filter(str.strip, program.read_text().splitlines())
    assert len(code) <= 40
    result = subprocess.run([sys.executable, program, "1"], capture_output=True, text=True, timeout=900)
    assert result.returncode == 0, result.stderr
    shares = [float(share) for share in re.findall(r"share of points.*: ([\d.]+) %", result.stdout)]
    assert shares and all(0 <= share <= 100 for share in shares), result.stdout
