"""The vector environment: Gymnasium's interface and its extensions."""

import gc
import os
import re
import sys
import threading
from pathlib import Path
from xml.etree import ElementTree

import gymnasium
import ludovec
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from helpers import assert_same, play, short_games


def test_a_step_has_the_documented_results(env_id):
    n = 6
    env = ludovec.make(env_id, num_envs=n, seed=3)
    spec = env.game_spec
    obs, info = env.reset(seed=3)
    assert obs.shape == (n, *spec.observation_shape) and obs.dtype == np.uint8
    for _ in range(30):
        actions = env.sample_actions()
        assert actions.dtype == np.int32 and actions.shape == (n,)
        movers = env.current_player.copy()
        obs, reward, terminated, truncated, info = env.step(actions)
        assert reward.shape == (n,) and reward.dtype == np.float32
        assert terminated.dtype == truncated.dtype == np.bool_
        assert info["action_mask"].dtype == np.int8 and info["action_mask"].shape == (n, spec.num_actions)
        assert info["legal_action_mask"].dtype == np.bool_
        assert info["current_player"].dtype == np.int32
        assert info["rewards"].shape == info["credit"].shape == (n, spec.players)
        assert info["rewards"].dtype == info["credit"].dtype == np.float32
        np.testing.assert_array_equal(info["acting_player"], movers)
        np.testing.assert_array_equal(reward, info["rewards"][np.arange(n), movers])
        assert env.action_mask_bits.dtype == np.uint64
        np.testing.assert_array_equal(
            ludovec.unpack_bits(env.action_mask_bits, spec.num_actions), info["legal_action_mask"]
        )
        assert info["action_mask"].sum(axis=1).min() >= 1


def test_spaces_contain_the_observations(env_id):
    for obs_format in ("u8", "f32"):
        env = ludovec.make(env_id, num_envs=3, obs=obs_format)
        obs, _ = env.reset(seed=0)
        for _ in range(20):
            assert env.observation_space.contains(obs)
            assert all(env.single_observation_space.contains(row) for row in obs)
            actions = env.sample_actions()
            assert env.action_space.contains(actions.astype(np.int64))
            assert env.single_action_space.contains(actions[0])
            obs, *_ = env.step(actions)


def test_every_info_key_has_its_mask(env_id, autoreset):
    env = short_games(env_id, autoreset=autoreset)
    _, info = env.reset(seed=0)

    def check(info):
        for key, value in info.items():
            if key.startswith("_"):
                assert value.dtype == np.bool_ and value.shape == (env.num_envs,)
            else:
                assert f"_{key}" in info, key
                if isinstance(value, dict):
                    check(value)
                else:
                    assert len(value) == env.num_envs

    for _ in range(5):
        check(info)
        _, _, _, _, info = env.step(env.sample_actions())
    check(info)


def test_same_step_shows_the_new_game_and_the_end_of_the_last_one(env_id):
    env = short_games(env_id, autoreset="same_step")
    waits = short_games(env_id, autoreset="disabled")
    env.reset(seed=5)
    waits.reset(seed=5)
    for _ in range(5):
        actions = env.sample_actions()
        obs, reward, terminated, truncated, info = env.step(actions)
        *_, other = waits.step(actions)
    done = terminated | truncated
    assert done.all()
    final = info["final_info"]
    for i in range(env.num_envs):
        np.testing.assert_array_equal(info["final_obs"][i], waits.observations[i])
    np.testing.assert_array_equal(final["current_player"], waits.current_player)
    np.testing.assert_array_equal(final["scores"], other["scores"])
    np.testing.assert_array_equal(final["returns"], other["returns"])
    np.testing.assert_array_equal(final["rewards"], waits.rewards)
    assert info["_final_obs"].all() and info["_final_info"].all() and final["_scores"].all()
    # A terminated game has no legal actions; a truncated one shows the next position.
    assert not final["action_mask"][terminated].any()
    assert info["action_mask"].any(axis=1).all()
    fresh = short_games(env_id)
    fresh.reset(seed=5)
    fresh.reset()
    np.testing.assert_array_equal(obs, fresh.observations)


def test_next_step_ignores_the_action_after_the_end(env_id):
    env = short_games(env_id, autoreset="next_step")
    env.reset(seed=1)
    for _ in range(5):
        *_, terminated, truncated, info = env.step(env.sample_actions())
    assert (terminated | truncated).all() and "final_obs" not in info and info["_scores"].all()
    obs, reward, terminated, truncated, info = env.step(np.full(env.num_envs, -7))
    assert not reward.any() and not terminated.any() and not truncated.any()
    assert not info["rewards"].any() and (info["acting_player"] == -1).all()
    assert info["action_mask"].any(axis=1).all()


def test_disabled_waits_for_a_masked_reset(env_id):
    env = short_games(env_id, autoreset="disabled")
    env.reset(seed=1)
    for _ in range(5):
        env.step(env.sample_actions())
    with pytest.raises(ludovec.GameOver, match="game 0"):
        env.step(env.sample_actions())
    before = env.observations.copy()
    mask = np.arange(env.num_envs) % 2 == 0
    obs, info = env.reset(options={"reset_mask": mask})
    np.testing.assert_array_equal(obs[~mask], before[~mask])
    assert info["action_mask"][mask].any(axis=1).all()
    assert not env.terminated[mask].any() and not env.truncated[mask].any()
    assert (env.terminated | env.truncated)[~mask].all()
    for bad in (np.zeros(env.num_envs, bool), np.ones(3, bool), np.ones(env.num_envs, int)):
        with pytest.raises(ludovec.InvalidConfig, match="reset_mask"):
            env.reset(options={"reset_mask": bad})


def test_modes_play_the_same_games(env_id):
    """The first episode of every game is the same in all modes."""
    runs = []
    for autoreset in ("same_step", "next_step", "disabled"):
        runs.append(play(short_games(env_id, autoreset=autoreset), 4, seed=9))
    assert_same(runs[0], runs[1])
    assert_same(runs[0], runs[2])


def test_threads_and_blocks_change_nothing(env_id):
    whole = play(short_games(env_id, 12, num_threads=3), 12, seed=4)
    assert_same(whole, play(short_games(env_id, 12, num_threads=1), 12, seed=4))
    if sys.platform == "linux":
        cores = min(2, len(os.sched_getaffinity(0)))
        assert_same(whole, play(short_games(env_id, 12, num_threads=cores, pin_threads=True), 12, seed=4))
    parts = [play(short_games(env_id, 4, first_game=first), 12, seed=4) for first in (0, 4, 8)]
    joined = [tuple(np.concatenate(arrays) for arrays in zip(*step)) for step in zip(*parts)]
    assert_same(whole, joined)


def test_seeds(env_id):
    assert_same(play(short_games(env_id, seed=7), 6), play(short_games(env_id), 6, seed=7))
    env = short_games(env_id)
    first = play(env, 6, seed=7)
    env.reset()
    assert_same(first, play(env, 6, seed=7))
    for bad in (-1, 2**64, 1.5, "x"):
        with pytest.raises(ludovec.InvalidConfig, match="seed"):
            env.reset(seed=bad)


def test_views_are_overwritten_and_outlive_the_environment(env_id):
    env = ludovec.make(env_id, num_envs=4)
    obs, info = env.reset(seed=0)
    mask = info["action_mask"]
    for _ in range(20):
        again, *_, info = env.step(env.sample_actions())
        assert np.shares_memory(obs, again) and np.shares_memory(mask, info["action_mask"])
    np.testing.assert_array_equal(obs, again)
    expected_obs, expected_mask = obs.copy(), mask.copy()
    del env, again, info
    gc.collect()
    churn = [np.full(obs.nbytes, 255, dtype=np.uint8) for _ in range(20)]
    np.testing.assert_array_equal(obs, expected_obs)
    np.testing.assert_array_equal(mask, expected_mask)
    del churn
    obs[...] = 1


def test_copies_are_not_overwritten(env_id):
    env = short_games(env_id, copy=True)
    twin = short_games(env_id)
    kept, expected = [], []
    env.reset(seed=0)
    twin.reset(seed=0)
    for _ in range(7):
        actions = twin.sample_actions()
        kept.append(env.step(actions))
        obs, reward, terminated, truncated, info = twin.step(actions)
        expected.append((obs.copy(), reward.copy(), info["credit"].copy(), info.get("final_obs") is not None))
    for (obs, reward, _, _, info), (obs_, reward_, credit_, ended) in zip(kept, expected):
        np.testing.assert_array_equal(obs, obs_)
        np.testing.assert_array_equal(reward, reward_)
        np.testing.assert_array_equal(info["credit"], credit_)
        assert ("final_obs" in info) == ended
    assert not np.shares_memory(kept[0][0], env.observations)


def test_the_mask_bits_cannot_be_written(env_id):
    env = ludovec.make(env_id)
    with pytest.raises(ValueError):
        env.action_mask_bits[0, 0] = 0
    with pytest.raises(ValueError):
        env.action_mask_bits.flags.writeable = True


def test_mask_formats_agree(env_id):
    env = ludovec.make(env_id, num_envs=3, mask="bits")
    twin = ludovec.make(env_id, num_envs=3)
    for _ in range(10):
        actions = twin.sample_actions()
        np.testing.assert_array_equal(env.action_masks(), twin.action_masks())
        *_, info = env.step(actions)
        twin.step(actions)
        assert "action_mask" not in info and "action_mask_bits" in info


def test_float_observations_are_scaled_bytes(env_id):
    env, floats = ludovec.make(env_id, num_envs=3), ludovec.make(env_id, num_envs=3, obs="f32")
    scale = np.zeros(env.game_spec.observation_len, dtype=np.float32)
    for field in env.game_spec.observation:
        scale[field.indices] = field.scale
    for _ in range(10):
        actions = env.sample_actions()
        env.step(actions)
        floats.step(actions)
        assert floats.observations.dtype == np.float32
        np.testing.assert_array_equal(
            floats.observations.reshape(3, -1), env.observations.reshape(3, -1).astype(np.float32) * scale
        )


def test_fields_cover_the_observation_and_are_views(env_id):
    env = ludovec.make(env_id, num_envs=3)
    env.step(env.sample_actions())
    flat = env.observations.reshape(3, -1)
    seen = np.zeros(flat.shape[1], dtype=int)
    for field in env.game_spec.observation:
        view = env.observation_fields[field.name]
        assert view.shape == (3, *field.shape) and np.shares_memory(view, flat)
        np.testing.assert_array_equal(view, flat[:, field.indices])
        assert view.max(initial=0) <= field.high
        seen[field.indices] += 1
    assert (seen == 1).all()
    env = ludovec.make(env_id, obs="none")
    env.step(env.sample_actions())
    with pytest.raises(ludovec.InvalidConfig):
        _ = env.observation_fields


def test_illegal_actions_are_refused_before_anything_moves(env_id):
    env = ludovec.make(env_id, num_envs=5)
    env.reset(seed=2)
    state = env.get_state()
    actions = env.sample_actions()
    illegal = int(np.flatnonzero(env.action_mask[3] == 0)[0])
    for bad in (illegal, env.game_spec.num_actions, -1, 2**32 + int(actions[3]), 2**63 - 1):
        wrong = actions.astype(np.int64)
        wrong[3] = bad
        with pytest.raises((ludovec.IllegalAction, ludovec.InvalidPhase), match="game 3, player"):
            env.step(wrong)
        assert env.get_state() == state
    env.step(actions)


def test_an_illegal_action_can_lose_instead(env_id):
    env = ludovec.make(env_id, num_envs=4, on_illegal="lose", autoreset="disabled")
    actions = env.sample_actions()
    actions[1] = np.flatnonzero(env.action_mask[1] == 0)[0]
    mover = env.current_player[1]
    _, reward, terminated, *_ = env.step(actions)
    assert reward[1] == -1 and terminated[1] and env.final_returns[1, mover] == -1


def test_actions_of_any_integer_type_and_library(env_id):
    reference = play(ludovec.make(env_id, 3), 3, seed=0)
    for dtype in (np.int32, np.int64, np.uint16, np.uint64):
        env = ludovec.make(env_id, 3)
        env.reset(seed=0)
        for step in reference[1:]:
            obs, *_ = env.step(env.sample_actions().astype(dtype))
            np.testing.assert_array_equal(obs, step[0])
    env = ludovec.make(env_id, 3)
    env.step(env.sample_actions().tolist())
    env.step(np.stack([env.sample_actions(), [0, 0, 0]], axis=1)[:, 0])
    for bad in (np.zeros(3), np.zeros((3, 1), int), np.zeros(2, int), None, "abc", [[0], [0, 0], []]):
        with pytest.raises(ludovec.InvalidConfig, match="actions"):
            env.step(bad)


def test_selected_games_can_be_stepped(env_id):
    env, twin = ludovec.make(env_id, 6), ludovec.make(env_id, 6)
    env.reset(seed=0)
    twin.reset(seed=0)
    before = env.observations.copy()
    actions = twin.sample_actions()
    twin.step(actions)
    env.step_games([], [])
    env.step_games([4, 1], actions[[4, 1]])
    for i in range(6):
        np.testing.assert_array_equal(env.observations[i], (twin.observations if i in (1, 4) else before)[i])
    for ids in ([1, 4, 1], [1, 1], [6], [-1], [0.5], [[0], [1, 2]]):
        with pytest.raises(ludovec.InvalidConfig):
            env.step_games(ids, np.zeros(len(ids), int))


def test_step_sampled_is_sampling_and_stepping(env_id):
    env, twin = short_games(env_id), short_games(env_id)
    for _ in range(9):
        one = env.step_sampled()
        two = twin.step(twin.sample_actions())
        for a, b in zip(one[:4], two[:4]):
            np.testing.assert_array_equal(a, b)


def test_bots_choose_actions(env_id):
    for name in ludovec.bots(env_id):
        env = ludovec.make(env_id, num_envs=2, max_steps=40)
        for _ in range(6):
            env.step(env.bot_actions(name))
    with pytest.raises(ludovec.InvalidConfig, match="nobody"):
        env.bot_actions("nobody")
    with pytest.raises(ludovec.InvalidConfig, match="seats"):
        env.bot_actions(["random"] * 9)


@pytest.mark.parametrize("vectorized", [2, 16])
def test_gymnasium_makes_and_wraps_it(env_id, autoreset, vectorized):
    name = next(name for id, name, _ in ludovec._core.list_envs() if id == env_id)
    version = ludovec.spec(env_id).version
    env = gymnasium.make_vec(
        f"ludovec/{name}-v{version}", num_envs=vectorized, autoreset=autoreset, max_steps=4
    )
    assert isinstance(env, gymnasium.vector.VectorEnv)
    assert env.unwrapped.spec.id == f"ludovec/{name}-v{version}"
    assert env.metadata["autoreset_mode"] is AutoresetMode[autoreset.upper()]
    wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(env)
    if autoreset != "same_step":  # its observation wrappers refuse that mode
        wrapped = gymnasium.wrappers.vector.DtypeObservation(wrapped, np.float32)
    wrapped.reset(seed=0)
    lengths = 0
    for _ in range(12):
        _, _, terminated, truncated, info = wrapped.step(env.unwrapped.sample_actions())
        done = terminated | truncated
        if done.any():
            np.testing.assert_array_equal(info["_episode"], done)
            assert (info["episode"]["l"][done] <= 4).all()
            lengths += done.sum()
            if autoreset == "disabled":
                wrapped.reset(options={"reset_mask": done})
    assert lengths >= 2 * vectorized
    wrapped.close()


@pytest.mark.parametrize("kind", ["", "-selfplay"])
def test_old_ids_do_not_play_new_rules(env_id, kind):
    spec = ludovec.spec(env_id)
    name = f"ludovec/{spec.name}{kind}"
    for make in (gymnasium.make, gymnasium.make_vec):
        for version in range(spec.version):
            with pytest.raises(gymnasium.error.DeprecatedEnv, match=f"{name}-v{spec.version}"):
                make(f"{name}-v{version}")
        with pytest.raises(gymnasium.error.VersionNotFound):
            make(f"{name}-v{spec.version + 1}")
    for version in (spec.version - 1, spec.version + 1, "", "x"):
        with pytest.raises(ludovec.InvalidConfig, match=f"version {spec.version}, {name}-v{spec.version}"):
            ludovec.make(f"{name}-v{version}")
    games = ludovec.make(f"{name}-v{spec.version}", 2)
    assert type(games) is (ludovec.VectorEnv if kind else ludovec.SeatVectorEnv)
    assert (games.game_spec.env, games.game_spec.version) == (env_id, spec.version)


GUIDE = Path(__file__).parents[2] / "docs" / "use" / "autoreset.md"

#: Gymnasium's vector wrappers and the auto-reset modes that they support, as in docs/use/autoreset.md.
WRAPPERS = {
    "RecordEpisodeStatistics": ("same_step", "next_step", "disabled"),
    "DtypeObservation": ("next_step", "disabled"),
    "FlattenObservation": ("next_step", "disabled"),
    "RescaleObservation": ("next_step", "disabled"),
    "TransformReward": ("same_step", "next_step", "disabled"),
    "ClipReward": ("same_step", "next_step", "disabled"),
    "NormalizeReward": ("same_step", "next_step", "disabled"),
    "NormalizeObservation": ("next_step",),
    "DictInfoToList": ("same_step", "next_step", "disabled"),
}


@pytest.mark.skipif(not GUIDE.exists(), reason="needs the checkout")
def test_the_guide_lists_the_working_wrappers():
    told = {}
    for line in GUIDE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 4 and set(cells[1:]) <= {"yes", "no"}:
            modes = ("same_step", "next_step", "disabled")
            works = tuple(mode for mode, word in zip(modes, cells[1:]) if word == "yes")
            told |= dict.fromkeys(re.findall(r"`(\w+)`", cells[0]), works)
    assert told == WRAPPERS


def wrapped(name, env):
    wrappers = gymnasium.wrappers.vector
    low, high = np.float32(-1), np.float32(1)
    more = {
        "DtypeObservation": (np.float32,),
        "TransformReward": (lambda reward: reward / 2,),
        "ClipReward": (-1, 1),
    }.get(name, ())
    if name == "RescaleObservation":
        shape = env.single_observation_space.shape
        more = (np.full(shape, low), np.full(shape, high))
    return getattr(wrappers, name)(env, *more)


@pytest.mark.parametrize("name", WRAPPERS)
def test_wrappers_work_in_the_documented_modes(name, autoreset):
    def use():
        env = ludovec.make("starwars_risk", 3, max_steps=4, autoreset=autoreset, obs="f32")
        # Constant fields cannot be rescaled.
        outer = wrapped(name, env)
        outer.reset(seed=0)
        for _ in range(6):
            *_, terminated, truncated, _ = outer.step(env.sample_actions())
            if autoreset == "disabled" and (terminated | truncated).any():
                outer.reset(options={"reset_mask": terminated | truncated})

    if autoreset in WRAPPERS[name]:
        use()
    else:
        with pytest.raises(Exception):  # noqa: B017
            use()


def test_autoreset_takes_gymnasiums_enum(env_id):
    env = ludovec.make(env_id, autoreset=AutoresetMode.NEXT_STEP)
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP


@pytest.mark.parametrize(
    "arguments, named",
    [
        ({"num_envs": 0}, "num_envs"),
        ({"num_envs": 2.5}, "num_envs"),
        ({"num_threads": 0}, "num_threads"),
        ({"pin_threads": 1}, "pin_threads"),
        ({"num_envs": 4, "batch_size": 2, "pin_threads": True}, "pin_threads"),
        ({"autoreset": "never"}, "autoreset"),
        ({"obs": "f16"}, "obs"),
        ({"mask": "none"}, "mask"),
        ({"autoreset": 1}, "autoreset"),
        ({"obs": None}, "obs"),
        ({"mask": 8}, "mask"),
        ({"seed": -3}, "seed"),
        ({"seed": 2**64}, "seed"),
        ({"copy": 3}, "copy"),
        ({"out": 3}, "out"),
        ({"first_game": -1}, "first_game"),
        ({"first_game": "x"}, "first_game"),
        ({"batch_size": 3, "num_envs": 4}, "batch_size"),
        ({"render_mode": "hologram"}, "render_mode"),
        ({"colour": "red"}, "colour"),
        ({"players": 99}, "players"),
        ({"players": object()}, "players"),
        ({"reward": 3.5}, "reward"),
        ({"on_illegal": "explode"}, "on_illegal"),
        ({"out": {"nonsense": np.zeros(4)}}, "nonsense"),
    ],
)
def test_invalid_arguments_are_reported(env_id, arguments, named):
    with pytest.raises(ludovec.InvalidConfig, match=named) as refusal:
        ludovec.make(env_id, **arguments)
    assert "\n" not in str(refusal.value)


def test_an_unknown_environment_lists_the_known_ones():
    with pytest.raises(ludovec.InvalidConfig, match=ludovec.list_envs()[0]):
        ludovec.make("halma")


def test_concurrent_calls_raise_an_error():
    """During a long step of one thread, calls of another are refused; the batch stays intact."""
    env = ludovec.make(ludovec.list_envs()[0], num_envs=64, num_threads=1)
    done = threading.Event()
    refused, finished = [], []

    def long():
        while not finished:
            try:
                env.step_sampled(3000)
            except ludovec.LudovecError:  # the other thread was first
                continue
            finished.append(True)
        done.set()

    thread = threading.Thread(target=long)
    thread.start()
    while not done.is_set():
        try:
            env.get_state([0])
        except ludovec.LudovecError as error:
            refused.append(str(error))
    thread.join()
    assert finished and refused and all("another thread" in r for r in refused)
    env.step(env.sample_actions())


def test_other_threads_run_while_games_are_stepped():
    env = ludovec.make(ludovec.list_envs()[0], num_envs=64, num_threads=1)
    env.step_sampled(20)
    count = 0
    thread = threading.Thread(target=env.step_sampled, args=(3000,))
    thread.start()
    while thread.is_alive():
        count += 1
    assert count > 1000


def test_rendering(env_id, capsys):
    env = ludovec.make(env_id, num_envs=2, render_mode="ansi")
    frames = env.render()
    assert len(frames) == 2 and all(isinstance(f, str) and "\n" in f for f in frames)
    assert ludovec.make(env_id, render_mode="human").render() is None
    assert capsys.readouterr().out.strip()
    assert env_id in repr(env)


def test_games_are_drawn_side_by_side(env_id):
    env = ludovec.make(env_id, num_envs=20, seed=3)
    env.step_sampled(5)
    root = ElementTree.fromstring(env.to_svg(theme="dark"))
    boards = root.findall("{http://www.w3.org/2000/svg}svg")
    assert root.tag == "{http://www.w3.org/2000/svg}svg" and len(boards) == 16
    names = [node.get("id") for node in root.iter() if node.get("id")]
    assert len(names) == len(set(names))
    root = ElementTree.fromstring(env.to_svg([0, 7, 19], columns=1))
    rows = {board.get("y") for board in root.findall("{http://www.w3.org/2000/svg}svg")}
    assert len(rows) == 3
    labels = [text.text for text in root.findall("{http://www.w3.org/2000/svg}text")]
    assert [label.split(":")[0] for label in labels] == ["0", "7", "19"]


@pytest.mark.parametrize("how", [{}, {"batch_size": 2}, {"opponents": "random"}])
def test_none_in_a_list_of_seeds_goes_on_with_the_next_episode(env_id, how):
    """As in Gymnasium's vector environments."""
    env, twin = (ludovec.make(env_id, 4, seed=3, max_steps=9, **how) for _ in range(2))

    def reset(env, **how):
        env.reset(**how)
        if isinstance(env, ludovec.AsyncVectorEnv):
            # The second of two blocks.
            env.recv()

    def positions(env):
        games = getattr(env, "games", env)
        return [games.game(i).to_json() for i in range(4)]

    for games in (env, twin):
        reset(games)
    reset(env, seed=[None] * 4)
    reset(twin)
    assert positions(env) == positions(twin)
    reset(env, seed=[None, 8, None, None])
    reset(twin)
    following = positions(twin)
    expected = ludovec.make(env_id, 4, seed=8, max_steps=9, **how)
    reset(expected)
    if not how.get("opponents"):
        # With a seed of its own, a game is the first one of that seed.
        assert positions(env)[1] == positions(expected)[0]
        assert [positions(env)[i] for i in (0, 2, 3)] == [following[i] for i in (0, 2, 3)]
    for wrong in ([None] * 3, [None, -1, None, None], [None, 1.5, None, None]):
        with pytest.raises(ludovec.InvalidConfig, match="seed"):
            env.reset(seed=wrong)


@pytest.mark.parametrize("how", [{}, {"batch_size": 2}, {"opponents": "random"}])
def test_copy_makes_an_environment_that_continues_identically(env_id, how):
    env = ludovec.make(env_id, 4, seed=3, max_steps=9, copy=True, **how)
    env.reset()
    if "batch_size" in how:
        env.recv()
    assert env.returns_copies is True
    twin = env.copy()
    assert twin is not env and twin.returns_copies is True
    games, others = getattr(env, "games", env), getattr(twin, "games", twin)
    for i in range(4):
        assert games.game(i).to_json() == others.game(i).to_json()
