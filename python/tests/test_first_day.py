"""The first days with the package: ids, seeds, illegal actions, hints, wrappers."""

import inspect
import subprocess
import sys
import warnings

import gymnasium
import ludovec
import numpy as np
import pytest
from gymnasium.wrappers.vector import NormalizeReward, RecordEpisodeStatistics
from ludovec.envs import wrapper_warning


def full(env_id, kind=""):
    spec = ludovec.spec(env_id)
    return f"ludovec/{spec.name}{kind}-v{spec.version}"


@pytest.mark.parametrize("mode", [None, "vector_entry_point", "sync"])
def test_one_id_is_one_problem_in_every_mode(env_id, mode):
    """One seat: rewards of the learner, losses among them; illegal actions lose."""
    env = gymnasium.make_vec(full(env_id), 3, mode, max_steps=40)
    rng = np.random.default_rng(1)
    env.reset(seed=2)
    lost = 0
    for _ in range(30):
        masks = np.stack(env.unwrapped.action_masks()) if mode != "sync" else None
        actions = rng.integers(0, env.single_action_space.n, 3)
        _, reward, terminated, *_ = env.step(actions)
        if masks is not None:
            illegal = ~masks[np.arange(3), actions]
            assert terminated[illegal].all() and (reward[illegal] == -1).all()
        lost += (reward == -1).sum()
    assert lost > 0
    env.close()


def test_the_first_loop_that_everybody_types_works(env_id):
    env = gymnasium.make(full(env_id))
    obs, info = env.reset()
    for _ in range(20):
        obs, reward, terminated, truncated, info = env.step(env.action_space.sample())
        if terminated or truncated:
            obs, info = env.reset()
    with pytest.raises(ludovec.IllegalAction):
        strict = gymnasium.make(full(env_id), on_illegal="raise")
        strict.reset(seed=0)
        strict.step(int(strict.unwrapped.action_masks().argmin()))


def test_the_batch_for_self_play_has_an_id_of_its_own(env_id):
    env = gymnasium.make_vec(full(env_id, "-selfplay"), 2)
    assert isinstance(env.unwrapped, ludovec.VectorEnv)
    for call in (
        lambda: gymnasium.make(full(env_id, "-selfplay")),
        lambda: gymnasium.make_vec(full(env_id, "-selfplay"), 2, "sync"),
        lambda: gymnasium.make_vec(full(env_id, "-selfplay"), 2, opponents="random"),
    ):
        with pytest.raises(ludovec.InvalidConfig, match="selfplay"):
            call()
    twin = ludovec.make(full(env_id, "-selfplay"), 2, seed=5)
    env.reset(seed=5)
    assert env.unwrapped.get_state() == twin.get_state()
    seats = ludovec.make(full(env_id), 2, seed=5, max_steps=30)
    _, reward, terminated, *_ = seats.step(seats.action_masks().argmin(axis=1))
    assert (reward == -1).all() and terminated.all()


@pytest.mark.draws_seeds
def test_no_seed_means_a_drawn_seed_that_is_shown(env_id):
    makers = {
        "batch": lambda **more: ludovec.make(env_id, 2, **more),
        "async": lambda **more: ludovec.make(env_id, 2, batch_size=1, **more),
        "seat": lambda **more: ludovec.make(env_id, 2, opponents="random", **more),
        "full id": lambda **more: ludovec.make(full(env_id), 2, **more),
    }
    for make in makers.values():
        one, two = make(), make()
        assert one.seed != two.seed and f"seed={one.seed}" in repr(one)
        again = make(seed=one.seed)
        obs, info = one.reset()
        same, _ = again.reset()
        np.testing.assert_array_equal(obs, same)
        assert info["seed"].dtype == np.uint64 and (info["seed"] == one.seed).all()
        assert (one.reset(seed=7)[1]["seed"] == 7).all() and one.seed == 7
    seeds = {gymnasium.make(full(env_id)).reset()[1]["seed"] for _ in range(3)}
    assert len(seeds) == 3
    batch = gymnasium.make_vec(full(env_id), 4, "sync")
    assert len(set(batch.reset()[1]["seed"].tolist())) == 4
    assert len({ludovec.Game(env_id).record()["stream"]["seed"] for _ in range(3)}) == 3


@pytest.mark.draws_seeds
def test_drawn_seeds_fit_into_int64():
    assert max(ludovec._shared.checks.drawn_seed() for _ in range(64)) < 2**63


@pytest.mark.draws_seeds
def test_pettingzoo_draws_and_shows_seeds(env_id):
    pettingzoo = pytest.importorskip("ludovec.pettingzoo")
    for make in (pettingzoo.aec_env, pettingzoo.parallel_env):
        seeds = set()
        for _ in range(3):
            env = make(env_id)
            infos = env.reset() or (None, env.infos)
            seeds |= {info["seed"] for info in infos[1].values()}
            assert f"seed={env.game.seed}" in repr(env)
        assert len(seeds) == 3


def test_seeds_follow_resets_snapshots_and_copies(env_id):
    env = ludovec.make(env_id, 4, seed=1)
    env.reset(seed=[5, 6, 7, 8])
    assert env.seed is None and env.seeds().tolist() == [5, 6, 7, 8]
    env.reset(seed=9, options={"reset_mask": np.array([True, False, False, True])})
    assert env.seeds().tolist() == [9, 6, 7, 9]
    other = ludovec.make(env_id, 4, seed=2)
    other.set_state([1, 2], env.get_state([0, 2]))
    assert other.seeds().tolist() == [2, 9, 7, 2]
    other.fork(1, [0])
    assert other.seeds().tolist() == [2, 9, 7, 2]
    assert ludovec.make(env_id, 2, seed=2**64 - 1).seeds().tolist() == [2**64 - 1] * 2


def test_reprs_show_options_players_and_seed():
    env = ludovec.make("smallworld", 3, seed=4, players=4, rules="official")
    assert repr(env) == (
        "<ludovec.VectorEnv smallworld players=4 rules=official num_envs=3 seed=4 autoreset=same_step>"
    )
    seats = ludovec.make("chess", 2, seed=1, opponents="greedy", variant="atomic")
    assert repr(seats) == (
        "<ludovec.SeatVectorEnv chess variant=atomic players=2 num_envs=2 seed=1 autoreset=same_step>"
    )
    blocks = repr(ludovec.make("tilewe", 4, seed=1, batch_size=2))
    assert blocks.startswith("<ludovec.AsyncVectorEnv tilewe players=4 num_envs=4 seed=1")
    assert "seed=3" in repr(gymnasium.make(full("chess"), seed=3).unwrapped)


@pytest.mark.parametrize(
    ("call", "meant"),
    [
        (lambda: ludovec.make("SmallWorld"), "smallworld"),
        (lambda: ludovec.make("smallword"), "smallworld"),
        (lambda: ludovec.Game("ches"), "chess"),
        (lambda: ludovec.make("chess", n_envs=3), "num_envs"),
        (lambda: ludovec.make("chess", threads=3), "num_threads"),
        (lambda: ludovec.make("chess", 2, oponents="random"), "opponents"),
        (lambda: ludovec.make("chess", varaint="atomic"), "variant"),
        (lambda: ludovec.make("chess", variant="atomc"), "atomic"),
        (lambda: ludovec.make("smallworld", rules="offical"), "official"),
        (lambda: ludovec.make("chess", flags=["knoks"]), "knooks"),
        (lambda: ludovec.make("chess", obs="packd"), "packed"),
        (lambda: ludovec.make("chess", mask="bit"), "bits"),
        (lambda: ludovec.make("chess", autoreset="samestep"), "same_step"),
        (lambda: ludovec.make("chess", opponents="gredy"), "greedy"),
        (lambda: ludovec.make("chess").bot_actions("randm"), "random"),
    ],
)
def test_a_mistyped_word_gets_a_suggestion(call, meant):
    with pytest.raises(ludovec.InvalidConfig, match=rf"\(did you mean {meant}\?\)") as refused:
        call()
    assert isinstance(refused.value, ValueError) and "\n" not in str(refused.value)


def test_a_word_that_is_like_no_other_gets_no_suggestion():
    for call in (lambda: ludovec.make("backgammon"), lambda: ludovec.make("chess", zzz=1)):
        with pytest.raises(ludovec.InvalidConfig) as refused:
            call()
        assert "did you mean" not in str(refused.value)


def test_a_missing_mask_names_the_argument_that_brings_it():
    env = ludovec.make("chess", 2, mask="bits")
    for info in (env.reset()[1], env.step(env.sample_actions())[-1]):
        for name in ("action_mask", "legal_action_mask"):
            with pytest.raises(KeyError, match=r"mask=.{0,2}bytes"):
                info[name]
        with pytest.raises(KeyError, match="nothing"):
            info["nothing"]
        assert "action_mask" not in info and info.get("action_mask") is None
    with pytest.raises(AttributeError, match='mask="bytes"'):
        env.action_mask  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        env.nothing  # noqa: B018
    assert not hasattr(env, "legal_action_mask")
    seats = ludovec.make("chess", 2, mask="bits", opponents="random")
    with pytest.raises(AttributeError, match='mask="bytes"'):
        seats.action_mask  # noqa: B018
    with pytest.raises(KeyError, match=r"mask=.{0,2}bytes"):
        seats.reset()[1]["action_mask"]


def test_tab_completion_lists_the_public_names_only():
    names = dir(ludovec)
    assert set(ludovec.__all__) <= set(names)
    assert not [name for name in names if name.startswith("_") and name != "__version__"]
    assert {"gym", "chess", "testing", "envpool", "typing"} <= set(names)
    code = "import ludovec; assert not {'np', 'numpy', 'registry', 'vector'} & set(dir(ludovec))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.parametrize("wrapper", [RecordEpisodeStatistics, NormalizeReward])
@pytest.mark.parametrize("deep", [False, True])
def test_wrappers_that_mix_the_players_warn_once(wrapper, deep, monkeypatch):
    if "metadata" not in inspect.getsource(wrapper.__init__):
        pytest.skip("this version of Gymnasium has wrappers that cannot be noticed")
    monkeypatch.setattr(wrapper_warning, "_MISLED", {"RecordEpisodeStatistics", "NormalizeReward"})
    inner = gymnasium.vector.VectorWrapper if deep else lambda env: env
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        wrapper(ludovec.make("smallworld", 2, autoreset="next_step", opponents="random"))
    env = inner(ludovec.make("smallworld", 2, autoreset="next_step"))
    with pytest.warns(UserWarning, match=f"{wrapper.__name__}: reward .* of the player who acted"):
        wrapper(env)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        wrapper(env)
