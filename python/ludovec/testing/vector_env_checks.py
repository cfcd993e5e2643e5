"""The contract of vector environments: one function per check, which yields findings."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._shared.extras import extra
from .findings import Finding
from .playing import (
    Step,
    arrays,
    difference,
    go_on,
    hashes,
    mask_of,
    play,
    trace,
)

with extra("gym"):
    from gymnasium.spaces import Space
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector.utils import batch_space, iterate

if TYPE_CHECKING:
    from .playing import Env

#: Prefix of lines that play up to a step.
_PLAY = "*_, now = play(env, {t}, seed={seed}); "


@dataclass
class Subject:
    """The environment under test, and the settings of the checks."""

    env: Env
    steps: int
    seed: int
    views: bool | None
    #: True if no episode has ended although episodes should.
    unended: bool = False

    @property
    def mode(self) -> Any:
        """The auto-reset mode."""
        return self.env.metadata.get("autoreset_mode")

    @property
    def overwrites(self) -> bool:
        """True if the next call may overwrite results."""
        if self.views is not None:
            return self.views
        env = self.env.unwrapped
        return getattr(env, "returns_copies", getattr(env, "copy", True)) is False

    @cached_property
    def _played(self) -> tuple[list[Any], list[dict[str, str]], list[npt.NDArray[np.bool_]]]:
        actions, hashed, done = [], [], []
        for now in play(self.env, self.steps, self.seed):
            hashed.append(hashes(now))
            if now.actions is not None:
                actions.append(np.copy(now.actions))
                done.append(_done(now))
        return actions, hashed, done

    @property
    def actions(self) -> list[Any]:
        """The actions of a run."""
        return self._played[0]

    @property
    def trace(self) -> list[dict[str, str]]:
        """The run as hashes."""
        return self._played[1]

    @property
    def done(self) -> list[npt.NDArray[np.bool_]]:
        """The games that ended, step by step."""
        return self._played[2]

    def play(self) -> Iterator[tuple[int, Step]]:
        """Repeats the run; yields step numbers and results, from the reset (step 0)."""
        return enumerate(play(self.env, self.steps, self.seed))

    def finding(self, check: str, t: int, message: str, assertion: str) -> Finding:
        """A finding with an assertion about the step ``now``."""
        played = _PLAY.format(t=t, seed=self.seed)
        return Finding(check, f"{message} (step {t})", f"{played}assert {assertion}")

    def again(self, check: str, message: str) -> Finding:
        """A finding that the check itself reproduces."""
        views = "" if self.views is None else f", views={self.views}"
        arguments = f"checks=[{check!r}], steps={self.steps}, seed={self.seed}{views}"
        return Finding(check, message, f"check_vector_env(env, {arguments}, raise_on_findings=True)")


class _Once:
    """Lets every kind of finding through once, because most violations recur in every step."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def __call__(self, kind: str, wrong: Any) -> bool:
        if not wrong or kind in self._seen:
            return False
        self._seen.add(kind)
        return True


def spaces(s: Subject) -> Iterator[Finding]:
    """Checks the attributes that describe the environment."""
    count = getattr(s.env, "num_envs", None)
    if not isinstance(count, int) or count < 1:
        yield Finding(
            "spaces", f"num_envs={count!r}: an integer of at least 1 is needed", "assert env.num_envs > 0"
        )
    for name in ("observation_space", "action_space"):
        single, batched = getattr(s.env, f"single_{name}", None), getattr(s.env, name, None)
        for attribute, space in ((f"single_{name}", single), (name, batched)):
            if not isinstance(space, Space):
                line = f"assert isinstance(env.{attribute}, gymnasium.Space)"
                yield Finding("spaces", f"{attribute}={space!r:.100}: a Gymnasium space is needed", line)
        if not isinstance(single, Space) or not isinstance(batched, Space):
            continue
        if batched != batch_space(single, s.env.num_envs):
            line = f"assert env.{name} == gymnasium.vector.utils.batch_space(env.single_{name}, env.num_envs)"
            yield Finding("spaces", f"{name} is not the batch of {count} single_{name}", line)
    if not isinstance(s.mode, AutoresetMode):
        line = 'assert isinstance(env.metadata["autoreset_mode"], gymnasium.vector.AutoresetMode)'
        message = f'metadata["autoreset_mode"]={s.mode!r}: a gymnasium.vector.AutoresetMode is needed'
        yield Finding("spaces", message, line)


def results(s: Subject) -> Iterator[Finding]:
    """Checks the results of resets and steps."""
    once, n = _Once(), s.env.num_envs
    for t, now in s.play():
        if once("observations", now.obs not in s.env.observation_space):
            what = "observations are not in observation_space"
            yield s.finding(
                "results", t, _why(what, now.obs, s.env.observation_space), "now.obs in env.observation_space"
            )
        if not isinstance(now.info, Mapping):
            if once("info", True):
                message = f"infos are {type(now.info).__name__}: a dict is needed"
                yield s.finding("results", t, message, "isinstance(now.info, dict)")
        if now.actions is None:
            continue
        reward = now.reward
        fits = isinstance(reward, np.ndarray) and reward.shape == (n,) and reward.dtype.kind == "f"
        if once("reward", not fits):
            message = f"rewards are {_shown(reward)}: a float array [{n}] is needed"
            line = "now.reward.shape == (env.num_envs,) and now.reward.dtype.kind == 'f'"
            yield s.finding("results", t, message, line)
        elif fits and once("finite", not np.isfinite(reward).all()):
            yield s.finding("results", t, "a reward is not finite", "np.isfinite(now.reward).all()")
        for name in ("terminated", "truncated"):
            flags = getattr(now, name)
            fits = isinstance(flags, np.ndarray) and flags.shape == (n,) and flags.dtype == np.bool_
            if once(name, not fits):
                message = f"{name} is {_shown(flags)}: a bool array [{n}] is needed"
                line = f"now.{name}.shape == (env.num_envs,) and now.{name}.dtype == bool"
                yield s.finding("results", t, message, line)


def infos(s: Subject) -> Iterator[Finding]:
    """Checks entries and masks of infos."""
    once = _Once()
    for t, now in s.play():
        for path, info in _dicts(now.info, "now.info"):
            for key, value in info.items():
                if key.startswith("_"):
                    if once(f"{path}{key}", key[1:] not in info):
                        message = f"{path}[{key!r}] is a mask without an entry"
                        yield s.finding("infos", t, message, f"{key[1:]!r} in {path}")
                    continue
                mask, line = info.get(f"_{key}"), f"{path}.get('_{key}').dtype == bool"
                if once(f"{path}.{key}", not _is_mask(mask, s.env.num_envs)):
                    message = f"{path}[{key!r}] has no mask {f'_{key}'!r}, bool [{s.env.num_envs}]"
                    yield s.finding("infos", t, message, line)
                counted = isinstance(value, Mapping) or (
                    hasattr(value, "__len__") and len(value) == s.env.num_envs
                )
                if once(f"{path}#{key}", not counted):
                    message = (
                        f"{path}[{key!r}] is {_shown(value)}: an entry per game is needed, {s.env.num_envs}"
                    )
                    yield s.finding("infos", t, message, f"len({path}[{key!r}]) == env.num_envs")


def masks(s: Subject) -> Iterator[Finding]:
    """Checks masks of legal actions, if present. Playing tests that allowed actions are accepted."""
    once, single = _Once(), s.env.single_action_space
    for t, now in s.play():
        if not isinstance(now.info, Mapping) or "action_mask" not in now.info:
            continue
        found = mask_of(now.info, single)
        if found is None:
            if once("shape", True):
                width = getattr(single, "n", "number of actions")
                message = f"action_mask is {_shown(now.info['action_mask'])}: [num_envs, {width}] is needed"
                line = "now.info['action_mask'].shape == (env.num_envs, env.single_action_space.n)"
                yield s.finding("masks", t, message, line)
            continue
        if once("dtype", found.dtype != np.int8):
            message = f"action_mask is {found.dtype}: single_action_space.sample(mask) takes int8"
            yield s.finding(
                "masks", t, message, "env.single_action_space.sample(now.info['action_mask'][0]) >= 0"
            )
        if once("values", not np.isin(found, (0, 1)).all()):
            message = "action_mask holds other values than 0 and 1"
            yield s.finding("masks", t, message, "np.isin(now.info['action_mask'], (0, 1)).all()")
        shown = now.info.get("_action_mask", np.ones(s.env.num_envs, dtype=np.bool_))
        running = shown if now.actions is None or s.mode == AutoresetMode.SAME_STEP else shown & ~_done(now)
        stuck = np.flatnonzero(running & ~found.any(axis=1))
        if once("stuck", stuck.size):
            message = f"game {stuck[:1].sum()} is running with no legal action"
            yield s.finding("masks", t, message, f"now.info['action_mask'][{stuck[:1].sum()}].any()")
    shown_masks: Callable[[], Any] | None = getattr(s.env, "action_masks", None)
    if shown_masks is not None:
        for t, now in s.play():
            found = mask_of(now.info, single)
            if once("method", found is not None and not np.array_equal(shown_masks(), found != 0)):
                message = "action_masks() differs from info['action_mask']"
                yield s.finding(
                    "masks", t, message, "np.array_equal(env.action_masks(), now.info['action_mask'])"
                )


def autoreset(s: Subject) -> Iterator[Finding]:
    """Checks the behaviour at the end of an episode."""
    s.unended = not any(done.any() for done in s.done)
    if s.mode == AutoresetMode.SAME_STEP:
        yield from _same_step(s)
    elif s.mode == AutoresetMode.NEXT_STEP:
        yield from _next_step(s)


def _same_step(s: Subject) -> Iterator[Finding]:
    once, n = _Once(), s.env.num_envs
    nothing = np.zeros(n, dtype=np.bool_)
    #: Flags: observations differ between positions; a final observation differed from the next one.
    tells, differed, ended, before = False, False, 0, None
    for t, now in s.play():
        rows = [np.copy(row) for row in iterate(s.env.observation_space, now.obs)] if _plain(now.obs) else []
        tells |= before is not None and any(not _equal(a, b) for a, b in zip(before, rows))
        before = rows
        if now.actions is None:
            continue
        done = _done(now)
        for key in ("final_obs", "final_info"):
            message, line = f"info[{key!r}] is missing where a game ended", f"{key!r} in now.info"
            if once(f"missing {key}", done.any() and key not in now.info):
                yield s.finding("autoreset", t, message, line)
            mask = now.info.get(f"_{key}", nothing if key not in now.info else None)
            if key in now.info and once(f"mask {key}", not np.array_equal(mask, done)):
                message = f"info['_{key}'] does not say which games ended"
                line = f"np.array_equal(now.info['_{key}'], now.terminated | now.truncated)"
                yield s.finding("autoreset", t, message, line)
        if not done.any() or "final_obs" not in now.info:
            continue
        for i in np.flatnonzero(done).tolist():
            final = _row(now.info["final_obs"], i)
            if once("final space", final not in s.env.single_observation_space):
                message = f"final_obs[{i}] is not in single_observation_space"
                line = f"now.info['final_obs'][{i}] in env.single_observation_space"
                yield s.finding("autoreset", t, message, line)
            if rows:
                ended += 1
                differed |= not _equal(final, rows[i])
    if tells and ended >= 3 and not differed:
        yield s.again(
            "autoreset",
            f"final_obs shows the new episode, not the end of the old one, {ended} times of {ended}",
        )


def _next_step(s: Subject) -> Iterator[Finding]:
    once, before = _Once(), None
    for t, now in s.play():
        if now.actions is None:
            continue
        if before is not None and before.any():
            if once("reward", np.any(np.asarray(now.reward)[before] != 0)):
                yield s.again("autoreset", f"the step that starts a new episode pays a reward (step {t})")
            if once("flags", np.any(_done(now)[before])):
                yield s.again("autoreset", f"the step that starts a new episode ends it (step {t})")
        before = _done(now)
    # The same run with other actions in the steps that must ignore them.
    space = batch_space(s.env.single_action_space, s.env.num_envs)
    space.seed(s.seed + 1)
    others = [np.copy(actions) for actions in s.actions]
    for t in range(1, len(others)):
        ended = s.done[t - 1]
        if ended.any():
            others[t][ended] = space.sample()[ended]
    found = difference(s.trace, trace(s.env, s.steps, s.seed, others))
    if found is not None and difference(s.trace, trace(s.env, s.steps, s.seed, s.actions)) is None:
        message = (
            f"the step that starts an episode does not ignore its action: {found[1]} differ (step {found[0]})"
        )
        yield s.again("autoreset", message)


def seeding(s: Subject) -> Iterator[Finding]:
    """Checks equal seeds, directly and after a run with another seed."""
    for others in (0, min(s.steps, 7)):
        if others:
            for _ in play(s.env, others, s.seed + 1):
                pass
        np.random.seed(others)
        found = difference(s.trace, trace(s.env, s.steps, s.seed, s.actions))
        if found is not None:
            t, part = found
            line = f"assert trace(env, {s.steps}, seed={s.seed}) == trace(env, {s.steps}, seed={s.seed})"
            message = f"equal seeds and actions give different {part} (step {t})"
            yield (
                Finding("seeding", message, line)
                if not others
                else s.again("seeding", f"{message} after another seed")
            )
            return


def aliasing(s: Subject) -> Iterator[Finding]:
    """Checks the memory of results."""
    once = _Once()
    kept: tuple[Step, dict[str, str]] | None = None
    for t, now in s.play():
        if not s.overwrites:
            if kept is not None:
                present = hashes(kept[0])
                for name, was in kept[1].items():
                    if once(f"kept {name}", present[name] != was):
                        message = f"{name} of a step are overwritten by the next, and env.copy is not False"
                        yield s.again("aliasing", f"{message} (step {t})")
            kept = (now, hashes(now))
        parts = [("observations", now.obs), ("rewards", now.reward)]
        parts += [("terminated", now.terminated), ("truncated", now.truncated)]
        final = now.info.get("final_obs") if isinstance(now.info, Mapping) else None
        parts.append(("final_obs", final))
        for k, (name, one) in enumerate(parts):
            for other_name, other in parts[k + 1 :]:
                if once(f"{name} {other_name}", _share(one, other)):
                    message = f"{name} and {other_name} share memory (step {t})"
                    yield s.again("aliasing", message)
    # The same run, but everything that is returned is overwritten.
    scribbled, reason = [], ""
    try:
        for now in play(s.env, s.steps, s.seed, s.actions):
            scribbled.append(hashes(now))
            for array in arrays([now.obs, now.reward, now.terminated, now.truncated, now.info]):
                if array.flags.writeable and array.dtype.kind in "biuf":
                    array[...] = 1 if array.dtype.kind == "b" else 7
    except Exception as error:
        reason = f"it raises {error_line(error)}"
    found = difference(s.trace, scribbled)
    if found is not None:
        reason = f"{found[1]} differ (step {found[0]})"
    if reason and difference(s.trace, trace(s.env, s.steps, s.seed, s.actions)) is None:
        yield s.again("aliasing", f"writing to results changes games: {reason}")


def partial_reset(s: Subject) -> Iterator[Finding]:
    """Checks resets of some games."""
    n = s.env.num_envs
    if n < 2:
        return
    chosen = np.arange(n) % 2 == 0
    # Before the first game ends, so that all rows belong to running games.
    steps = next((t for t, done in enumerate(s.done[:3]) if done.any()), min(3, s.steps))
    line = (
        _PLAY.format(t=steps, seed=s.seed)
        + "old = now.obs.copy(); chosen = np.arange(env.num_envs) % 2 == 0; "
    )
    line += "options = {'reset_mask': chosen}; obs, _ = env.reset(options=options); "
    *_, last = play(s.env, steps, s.seed)
    if not _plain(last.obs):
        return
    before, options = np.copy(last.obs), {"reset_mask": chosen.copy()}
    try:
        obs, _ = s.env.reset(options=options)
    except Exception as error:
        if s.mode == AutoresetMode.DISABLED:
            message = f"partial resets are refused, but auto-reset is disabled: {error_line(error)}"
            yield Finding("partial_reset", message, line)
        return
    if np.shape(obs) != before.shape:
        message = (
            f"a reset of some games returns observations {_shown(obs)}: observations of all games are needed"
        )
        yield Finding("partial_reset", message, f"{line}assert obs.shape == old.shape")
    elif not np.array_equal(obs[~chosen], before[~chosen], equal_nan=before.dtype.kind == "f"):
        message = "games outside options['reset_mask'] are reset too"
        yield Finding("partial_reset", message, f"{line}assert (obs == old)[~chosen].all()")
    if "reset_mask" not in options or not np.array_equal(options["reset_mask"], chosen):
        message = "reset changes its options: used again, they reset all games"
        yield Finding("partial_reset", message, f"{line}assert 'reset_mask' in options")


def pickling(s: Subject) -> Iterator[Finding]:
    """Checks pickled copies in the middle of games."""
    half = s.steps // 2
    for _ in play(s.env, half, s.seed, s.actions):
        pass
    try:
        twin = pickle.loads(pickle.dumps(s.env))
    except Exception as error:
        message = f"it cannot be pickled: {error_line(error)}"
        yield Finding("pickling", message, "import pickle; pickle.loads(pickle.dumps(env))")
        return
    try:
        ours, theirs = ([hashes(now) for now in go_on(env, s.actions[half:])] for env in (s.env, twin))
        found = difference(ours, theirs)
        reason = "" if found is None else f"{found[1]} differ after {found[0] + 1} steps"
    except Exception as error:
        reason = f"one raises {error_line(error)}"
    finally:
        twin.close()
    if reason:
        yield s.again("pickling", f"a pickled copy plays different games: {reason}")


def error_line(error: Exception) -> str:
    """An exception as one line."""
    reason = (str(error).strip().splitlines() or [""])[0]
    return f"{type(error).__name__}: {reason:.300}"


def _done(now: Step) -> npt.NDArray[np.bool_]:
    done: npt.NDArray[np.bool_] = np.logical_or(now.terminated, now.truncated)
    return done


def _is_mask(mask: Any, n: int) -> bool:
    return isinstance(mask, np.ndarray) and mask.shape == (n,) and mask.dtype == np.bool_


def _dicts(info: Any, path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Infos, and the dicts in them."""
    if isinstance(info, Mapping):
        yield path, info
        for key, value in info.items():
            yield from _dicts(value, f"{path}[{key!r}]")


def _plain(obs: Any) -> bool:
    return isinstance(obs, np.ndarray) and obs.dtype != object


def _row(values: Any, i: int) -> Any:
    """The entry of one game in a batch of observations."""
    if isinstance(values, Mapping):
        return {key: _row(value, i) for key, value in values.items()}
    return tuple(_row(value, i) for value in values) if isinstance(values, tuple) else values[i]


def _equal(one: Any, other: Any) -> bool:
    one, other = np.asarray(one), np.asarray(other)
    return bool(one.shape == other.shape and one.tobytes() == other.tobytes())


def _share(one: Any, other: Any) -> bool:
    return any(np.shares_memory(a, b) for a in arrays(one) for b in arrays(other))


def _shown(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {list(value.shape)}"
    return f"{type(value).__name__} {value!r:.60}"


def _why(what: str, obs: Any, space: Space[Any]) -> str:
    """The reason why observations are not in their space, if it is simple."""
    if not isinstance(obs, np.ndarray) or not hasattr(space, "dtype"):
        return what
    if obs.dtype != space.dtype or obs.shape != space.shape:
        return f"{what}: {_shown(obs)} instead of {space.dtype} {list(space.shape or ())}"
    return f"{what}: values outside its bounds"
