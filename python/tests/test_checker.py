"""`ludovec.testing`: a correct environment, variants of it that break each check, and real environments."""

import copy
import itertools
import pickle

import ludovec
import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.spaces import Box, Discrete  # noqa: E402
from gymnasium.vector import AutoresetMode, VectorEnv  # noqa: E402
from gymnasium.vector.utils import batch_space  # noqa: E402
from ludovec import testing  # noqa: E402
from ludovec.testing import CHECKS, CheckError, Finding, check_vector_env, play, trace  # noqa: E402


class Counting(VectorEnv):
    """Games that count up to their own number; one action of four is illegal in every position."""

    def __init__(self, num_envs=4, mode=AutoresetMode.SAME_STEP, copy=True):
        self.num_envs, self.mode, self.copy = num_envs, mode, copy
        self.metadata = {"autoreset_mode": mode}
        self.single_observation_space = Box(0, 255, (3,), np.uint8)
        self.single_action_space = Discrete(4)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.state = np.zeros((num_envs, 3), np.uint8)
        self.done = np.zeros(num_envs, bool)
        self.seeds, self.episodes = np.arange(num_envs), np.zeros(num_envs, int)
        self.shown = np.zeros((num_envs, 3), np.uint8)

    def start(self, games):
        for i in np.flatnonzero(games):
            goal = np.random.default_rng([self.seeds[i], self.episodes[i]]).integers(2, 6)
            self.state[i] = 0, goal, 9
            self.episodes[i] += 1
        self.done[games] = False

    def observe(self):
        self.shown[...] = self.state
        return self.shown.copy() if self.copy else self.shown

    def infos(self):
        mask = np.ones((self.num_envs, 4), np.int8)
        mask[np.arange(self.num_envs), self.state[:, 0] % 4] = 0
        return {"action_mask": mask, "_action_mask": np.ones(self.num_envs, bool)}

    def reset(self, *, seed=None, options=None):
        games = (options or {}).get("reset_mask", np.ones(self.num_envs, bool))
        if seed is not None:
            self.seeds[games], self.episodes[games] = seed + np.flatnonzero(games), 0
        self.start(games)
        return self.observe(), self.infos()

    def step(self, actions):
        again = self.done.copy()
        if self.mode == AutoresetMode.NEXT_STEP:
            self.start(again)
        moving = ~again
        if (actions == self.state[:, 0] % 4)[moving].any():
            raise ValueError("that action is not legal")
        self.state[moving, 0] += 1
        self.state[moving, 2] = actions[moving]
        self.done = moving & (self.state[:, 0] >= self.state[:, 1])
        reward = np.where(moving, actions, 0).astype(np.float32)
        terminated, truncated = self.done & (self.state[:, 1] > 2), self.done & (self.state[:, 1] <= 2)
        more = {}
        if self.mode == AutoresetMode.SAME_STEP:
            ended = self.done.copy()
            if ended.any():
                final = np.full(self.num_envs, None, dtype=object)
                for i in np.flatnonzero(ended):
                    final[i] = self.state[i].copy()
                counts = {"count": self.state[:, 0].copy(), "_count": ended}
                more = {"final_obs": final, "_final_obs": ended, "final_info": counts, "_final_info": ended}
                self.start(ended)
        return self.observe(), reward, terminated, truncated, {**self.infos(), **more}

    def action_masks(self):
        return self.infos()["action_mask"].astype(bool)


MODES = list(AutoresetMode)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("copies", [True, False])
def test_a_correct_environment_has_no_findings(mode, copies):
    assert check_vector_env(Counting(mode=mode, copy=copies), steps=40) == []
    assert check_vector_env(Counting(1, mode), steps=40, raise_on_findings=True) == []


def changed(result, **parts):
    names = ("obs", "reward", "terminated", "truncated", "info")
    return tuple(parts[name](part) if name in parts else part for name, part in zip(names, result))


def of_step(**parts):
    """A class with modified step results."""

    class Broken(Counting):
        def step(self, actions):
            return changed(super().step(actions), **parts)

    return Broken


def with_info(change):
    def changing(info):
        change(info)
        return info

    return of_step(info=changing)


class BadSpace(Counting):
    def __init__(self, *args):
        super().__init__(*args)
        self.action_space = self.single_action_space


class NoSpace(Counting):
    def __init__(self, *args):
        super().__init__(*args)
        self.single_observation_space = None


class NoMode(Counting):
    def __init__(self, *args):
        super().__init__(*args)
        self.metadata = {"autoreset_mode": "same_step"}


class BoolMask(Counting):
    def infos(self):
        infos = super().infos()
        return {**infos, "action_mask": infos["action_mask"].astype(bool)}


class LooseMask(Counting):
    def infos(self):
        infos = super().infos()
        return {**infos, "action_mask": np.ones_like(infos["action_mask"])}


class EmptyMask(Counting):
    def infos(self):
        infos = super().infos()
        infos["action_mask"][self.state[:, 0] == 1] = 0
        return infos

    def step(self, actions):
        return super().step(np.where(actions == self.state[:, 0] % 4, (actions + 1) % 4, actions))


class NarrowMask(Counting):
    def infos(self):
        infos = super().infos()
        return {**infos, "action_mask": infos["action_mask"][:, :3]}

    def step(self, actions):
        return super().step(np.where(actions == self.state[:, 0] % 4, (actions + 1) % 4, actions))


class CountedMask(Counting):
    def infos(self):
        infos = super().infos()
        infos["action_mask"] *= 2
        return infos


class OtherMethod(Counting):
    def action_masks(self):
        return np.ones((self.num_envs, 4), bool)


class EndsInNews(Counting):
    """`final_obs` shows the new episode instead of the old one."""

    def step(self, actions):
        result = super().step(actions)
        for i in np.flatnonzero(result[-1].get("_final_obs", [])):
            result[-1]["final_obs"][i] = result[0][i].copy()
        return result


class EndsElsewhere(Counting):
    def step(self, actions):
        result = super().step(actions)
        for i in np.flatnonzero(result[-1].get("_final_obs", [])):
            result[-1]["final_obs"][i] = result[-1]["final_obs"][i].astype(np.float64)
        return result


class PaysResets(Counting):
    def step(self, actions):
        again = self.done.copy()
        return changed(super().step(actions), reward=lambda reward: reward + again.astype(np.float32))


class EndsResets(Counting):
    def step(self, actions):
        again = self.done.copy()
        return changed(super().step(actions), truncated=lambda truncated: truncated | again)


class HearsResets(Counting):
    """The step after the end does not ignore its action."""

    def step(self, actions):
        again = self.done.copy()
        result = super().step(actions)
        self.state[again, 2] = actions[again]
        return (self.observe(), *result[1:])


class Unseeded(Counting):
    """A number that no seed decides; neighbours always differ, so the findings are the same at every run."""

    numbers = itertools.count()

    def start(self, games):
        super().start(games)
        self.state[games, 2] = next(self.numbers) % 200


class GloballySeeded(Counting):
    def start(self, games):
        super().start(games)
        self.state[games, 2] = np.random.randint(200)


class Remembering(Counting):
    """Earlier games change the result of a seeded reset."""

    total = 0

    def step(self, actions):
        self.total += 1
        return super().step(actions)

    def reset(self, **how):
        obs, info = super().reset(**how)
        obs[:, 2] = min(self.total, 255)
        return obs, info


class Overwrites(Counting):
    """Claims to copy, but returns the same array every time."""

    def observe(self):
        self.shown[...] = self.state
        return self.shown


class OverwritesInfos(Counting):
    def infos(self):
        if not hasattr(self, "kept"):
            self.kept = super().infos()
        self.kept["action_mask"][...] = super().infos()["action_mask"]
        return self.kept


class Shares(Counting):
    def step(self, actions):
        result = super().step(actions)
        for i in np.flatnonzero(result[-1].get("_final_obs", [])):
            result[0][i], result[-1]["final_obs"][i] = result[-1]["final_obs"][i], result[0][i]
        return result


class Exposed(Counting):
    """Its internal state is the returned array."""

    def observe(self):
        return self.state


class ResetsAll(Counting):
    def reset(self, *, seed=None, options=None):
        return super().reset(seed=seed)


class ResetsNone(Counting):
    def reset(self, *, seed=None, options=None):
        if options:
            raise ValueError("there are no options")
        return super().reset(seed=seed)


class ReturnsSome(Counting):
    def reset(self, *, seed=None, options=None):
        obs, info = super().reset(seed=seed, options=options)
        return (obs[options["reset_mask"]] if options else obs), info


class EatsOptions(Counting):
    def reset(self, *, seed=None, options=None):
        obs, info = super().reset(seed=seed, options=options)
        (options or {}).pop("reset_mask", None)
        return obs, info


class Unpicklable(Counting):
    def __reduce__(self):
        raise TypeError("not with me")


class Forgetful(Counting):
    """A pickled copy restarts its games."""

    def __reduce__(self):
        return type(self), (self.num_envs, self.mode)

    def __init__(self, *args):
        super().__init__(*args)
        self.reset(seed=99)


SAME, NEXT, NONE = AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED

BROKEN = {
    "batched space": (BadSpace, SAME, "spaces", "action_space is not the batch of 4 single_action_space"),
    "no space": (NoSpace, SAME, "spaces", "single_observation_space=None"),
    "no mode": (NoMode, NEXT, "spaces", "autoreset_mode"),
    "dtype": (of_step(obs=lambda obs: obs.astype(np.float32)), SAME, "results", "float32 [4, 3] instead"),
    "shape": (of_step(obs=lambda obs: obs[:, :2]), SAME, "results", "uint8 [4, 2] instead of uint8 [4, 3]"),
    "rewards": (of_step(reward=lambda reward: reward.astype(int)), SAME, "results", "rewards are int64"),
    "reward shape": (of_step(reward=lambda reward: reward[:, None]), SAME, "results", "float32 [4, 1]"),
    "list of rewards": (of_step(reward=lambda reward: reward.tolist()), SAME, "results", "rewards are list"),
    "nan": (of_step(reward=lambda reward: reward * np.nan), SAME, "results", "not finite"),
    "flags": (of_step(terminated=lambda flags: flags.astype(np.int8)), SAME, "results", "terminated is int8"),
    "info": (of_step(info=lambda info: list(info)), NEXT, "results", "infos are list"),
    "no mask": (with_info(lambda info: info.update(turn=np.zeros(4))), SAME, "infos", "no mask '_turn'"),
    "mask of nothing": (with_info(lambda info: info.update(_turn=every())), SAME, "infos", "without an"),
    "short": (with_info(lambda info: info.update(turn=np.zeros(3), _turn=every())), SAME, "infos", "[3]"),
    "nested": (
        with_info(lambda info: info.update(deep={"turn": np.zeros(4)}, _deep=every())),
        SAME, "infos", "['deep']['turn'] has no mask",
    ),
    "bool mask": (BoolMask, SAME, "masks", "action_mask is bool"),
    "empty mask": (EmptyMask, SAME, "masks", "no legal action"),
    "narrow mask": (NarrowMask, SAME, "masks", "[4, 3]"),
    "other values": (CountedMask, SAME, "masks", "other values"),
    "other method": (OtherMethod, NEXT, "masks", "action_masks() differs"),
    "loose mask": (LooseMask, SAME, "results", "not legal"),
    "no final_obs": (with_info(lambda info: info.pop("final_obs", 0)), SAME, "autoreset", "'final_obs'] is"),
    "no final_info": (with_info(lambda info: info.pop("final_info", 0)), SAME, "autoreset", "final_info"),
    "mask of ends": (
        with_info(lambda info: info.update({k: ~v for k, v in info.items() if k == "_final_obs"})),
        SAME, "autoreset", "does not say which games ended",
    ),
    "end in news": (EndsInNews, SAME, "autoreset", "shows the new episode"),
    "end elsewhere": (EndsElsewhere, SAME, "autoreset", "not in single_observation_space"),
    "another mode": (lambda: told_as(SAME, NEXT), None, "autoreset", "'final_obs'] is missing"),
    "pays resets": (PaysResets, NEXT, "autoreset", "pays a reward"),
    "ends resets": (EndsResets, NEXT, "autoreset", "ends it"),
    "hears resets": (HearsResets, NEXT, "autoreset", "does not ignore its action"),
    "unseeded": (Unseeded, SAME, "seeding", "equal seeds and actions give different observations"),
    "global seed": (GloballySeeded, SAME, "seeding", "equal seeds and actions give different observations"),
    "remembering": (Remembering, SAME, "seeding", "equal seeds and actions give different observations"),
    "overwrites": (Overwrites, SAME, "aliasing", "observations of a step are overwritten"),
    "overwrites infos": (OverwritesInfos, NEXT, "aliasing", "action_mask'] of a step are overwritten"),
    "shares": (lambda: shares_rows(), None, "aliasing", "observations and final_obs share memory"),
    "exposed": (Exposed, SAME, "aliasing", "writing to results changes games"),
    "resets all": (ResetsAll, NEXT, "partial_reset", "are reset too"),
    "resets none": (ResetsNone, NONE, "partial_reset", "partial resets are refused"),
    "returns some": (ReturnsSome, NEXT, "partial_reset", "observations of all games are needed"),
    "eats options": (EatsOptions, SAME, "partial_reset", "changes its options"),
    "unpicklable": (Unpicklable, NEXT, "pickling", "not with me"),
    "forgetful": (Forgetful, SAME, "pickling", "plays different games"),
}  # fmt: skip


def told_as(told, is_really):
    env = Counting(mode=is_really)
    env.metadata = {"autoreset_mode": told}
    return env


def shares_rows():
    class SharesRows(Counting):
        def step(self, actions):
            result = super().step(actions)
            for i in np.flatnonzero(result[-1].get("_final_obs", [])):
                result[-1]["final_obs"][i] = result[0][i]
            return result

    return SharesRows()


def run(line, env):
    names = {name: getattr(testing, name) for name in testing.__all__}
    exec(line, {**names, "env": env, "gymnasium": gymnasium, "np": np})


@pytest.mark.parametrize("name", BROKEN)
def test_violations_are_found_and_reproduced(name):
    make, mode, check, words = BROKEN[name]

    def made():
        np.random.seed(0)
        return make() if mode is None else make(4, mode)

    findings = check_vector_env(made(), steps=40)
    found = [f for f in findings if f.check == check and words in f.message]
    assert found, findings
    for finding in findings:
        assert "\n" not in str(finding) and finding.check in CHECKS and len(finding.message) < 400
        with pytest.raises(Exception):  # noqa: B017
            run(finding.reproduction, made())
    with pytest.raises(CheckError) as raised:
        check_vector_env(made(), steps=40, raise_on_findings=True)
    assert raised.value.findings == findings and isinstance(raised.value, ludovec.LudovecError)
    assert pickle.loads(pickle.dumps(raised.value)).findings == findings


def test_every_check_has_a_violation():
    assert {check for _, _, check, _ in BROKEN.values()} == set(CHECKS)


def every():
    return np.ones(4, bool)


class Whole(Counting):
    """Has the entries that broken environments add, but correct ones."""

    def infos(self):
        deep = {"turn": np.zeros(4), "_turn": every()}
        return {**super().infos(), "turn": np.zeros(4), "_turn": every(), "deep": deep, "_deep": every()}


def test_reproductions_pass_in_a_correct_environment():
    """Except for the two environments with a wrong or missing auto-reset mode."""
    for make, mode, _, _ in BROKEN.values():
        if mode is None or make is NoMode:
            continue
        for finding in check_vector_env(make(4, mode), steps=40):
            try:
                run(finding.reproduction, Whole(mode=mode))
            except Exception as error:
                raise AssertionError(finding) from error


def test_only_selected_checks_run():
    env = Unpicklable()
    assert check_vector_env(env, checks=["seeding", "aliasing"], steps=20) == []
    assert [f.check for f in check_vector_env(env, steps=20)] == ["pickling"]
    with pytest.raises(ludovec.InvalidConfig, match=r"seedling.*one of spaces"):
        check_vector_env(env, checks=["seedling"])
    with pytest.warns(UserWarning, match="no episode ended within 1 steps"):
        check_vector_env(env, steps=1)
    assert check_vector_env(Overwrites(), checks=["aliasing"], steps=20, views=True) == []
    assert check_vector_env(Counting(copy=False), checks=["aliasing"], steps=20, views=False)


def test_games_are_reproducible():
    env = Counting(3)
    assert trace(env, 9, seed=4) == trace(env, 9, seed=4) != trace(env, 9, seed=5)
    first, *steps = play(env, 9, seed=4)
    assert first.actions is None and len(steps) == 9
    again = list(play(env, 9, seed=4, actions=[now.actions for now in steps]))
    np.testing.assert_array_equal(again[-1].obs, steps[-1].obs)


def test_our_environments_have_no_findings(env_id, autoreset):
    for copies in (True, False):
        env = ludovec.make(env_id, 4, autoreset=autoreset, max_steps=7, copy=copies, num_threads=1)
        assert env.returns_copies is copies and check_vector_env(env, steps=25) == []
    learner = ludovec.make(env_id, 3, autoreset=autoreset, max_steps=7, num_threads=1, opponents="random")
    assert check_vector_env(learner, steps=25) == []


#: Findings for Gymnasium 1.4 and EnvPool 1.2, as in docs/use/checker.md.
PICKLED = ("pickling", "cannot be pickled")
EATEN = ("partial_reset", "changes its options")


def kinds(findings, known):
    """The known findings that occur; unknown ones fail."""
    for finding in findings:
        assert any(finding.check == check and words in finding.message for check, words in known), finding
    return {pair for pair in known for f in findings if f.check == pair[0] and pair[1] in f.message}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("how", ["sync", "async"])
def test_gymnasiums_environments(mode, how):
    known = [PICKLED, EATEN]
    if how == "async" and mode != AutoresetMode.NEXT_STEP:
        known.append(("partial_reset", ""))
    env = gymnasium.make_vec("CartPole-v1", 3, how, vector_kwargs={"autoreset_mode": mode})
    try:
        assert PICKLED in kinds(check_vector_env(env, steps=40), known)
    finally:
        env.close()


def test_gymnasiums_vectorized_cart_pole():
    env = gymnasium.make_vec("CartPole-v1", 3, "vector_entry_point")
    found = check_vector_env(env, steps=60)
    assert [(f.check, f.message) for f in found] == [
        ("partial_reset", "games outside options['reset_mask'] are reset too")
    ]


def batched(env, n):
    """Corrects two points of EnvPool: spaces are not batched, and actions are int32."""

    class Batched(gymnasium.vector.VectorWrapper):
        observation_space = batch_space(env.observation_space, n)
        action_space = batch_space(env.action_space, n)
        single_observation_space, single_action_space, num_envs = env.observation_space, env.action_space, n

        def step(self, actions):
            return self.env.step(np.asarray(actions, dtype=np.int32))

    return Batched(env)


@pytest.mark.filterwarnings("ignore")
def test_envpools_environments():
    envpool = pytest.importorskip("envpool")
    plain = check_vector_env(envpool.make_gymnasium("CartPole-v1", num_envs=3, seed=1), steps=60)
    assert {"spaces", "results"} <= {f.check for f in plain}
    found = check_vector_env(batched(envpool.make_gymnasium("CartPole-v1", num_envs=3, seed=1), 3), steps=60)
    assert {f.check for f in found} == {"infos", "seeding", "partial_reset", "pickling"}


def test_findings_are_values():
    finding = Finding("seeding", "it differs", "assert False")
    assert str(finding) == "seeding: it differs    >>> assert False" and copy.copy(finding) == finding
