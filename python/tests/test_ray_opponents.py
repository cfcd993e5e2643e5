"""Opponents of self-play on a Ray cluster; needs Ray."""

import logging
import os
import pickle
import shutil
import signal
import sys
from pathlib import Path

import ludovec
import numpy as np
import pytest

ray = pytest.importorskip("ray", reason="needs ray (make test-ray)")

import clusters  # noqa: E402
import ludovec.ray as fleets  # noqa: E402
from clusters import ENV, Sampler, play, weights  # noqa: E402
from network_files import CHAMPIONS, env_of  # noqa: E402


@pytest.fixture(scope="module")
def cluster():
    yield from clusters.running(sys.modules[__name__])


def champion_file(env):
    """A shipped network of an environment."""
    return next(file for file in CHAMPIONS if env_of(file) == env)


def first_legal(observations, masks):
    return masks.argmax(axis=1)


def last_legal(observations, masks):
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


def save(folder, step):
    """Saves a checkpoint, as a learner does."""
    path = folder / f"step-{step}.safetensors"
    shutil.copy(champion_file("smallworld"), path)
    os.utime(path, (1000 + step, 1000 + step))
    return f"net:{path}"


def league(folder, **arguments):
    return ludovec.Checkpoints(folder, **{"extra": ["random", "greedy"], "seed": 5, **arguments})


def games_of_one_process(env_id, opponents, seat, games, **options):
    """The learner's decisions, the scores and the opponents of two episodes of :func:`ludovec.make`."""
    env = ludovec.make(env_id, games, opponents=opponents, seat=seat, seed=3, **options)
    env.reset(seed=3)
    found, count, rows = {}, np.zeros(games, int), [[] for _ in range(games)]
    while count.min() < 2:
        before, seated = env.games.observations.copy(), env._opponent_at.copy()
        actions = env.action_masks().argmax(axis=1)
        _, _, terminated, truncated, _ = env.step(actions)
        for i in range(games):
            rows[i].append((before[i].tobytes(), int(actions[i])))
            if terminated[i] or truncated[i]:
                if count[i] < 2:
                    scores = env.games.final_scores[i].tobytes()
                    found[i, int(count[i])] = rows[i], scores, seated[i].tolist()
                rows[i], count[i] = [], count[i] + 1
    return found


def games_of_a_cluster(env_id, workers, opponents, seat, games, **options):
    found, episodes = {}, fleets.Episodes()
    settings = {"seed": 3, "steps": 16, "shard_games": 4, "episodes": 2, "policy": first_legal, **options}
    with fleets.SelfPlay(
        env_id, workers, games // workers, opponents=opponents, seat=seat, **settings
    ) as self_play:
        for fragment in self_play:
            rollout = fragment.rollout()
            assert not rollout.known[fragment.columns["opponent"] >= 0].any()
            assert rollout.known.any() or fragment.last
            for episode in episodes.add(fragment):
                columns, names = episode.columns, episode.opponents
                own = columns["seats"] == names.index(None)
                assert ((columns["opponent"] < 0) == own).all()
                rows = zip(columns["observations"][own], columns["actions"][own])
                seated = [-1 if name is None else fragment.opponents.index(name) for name in names]
                rows = [(row.tobytes(), int(action)) for row, action in rows]
                found[episode.game, episode.episode] = rows, episode.scores.tobytes(), seated
    return found


@pytest.mark.parametrize(
    ("name", "options", "seat"),
    [
        ("tilewe", {"players": 3}, "rotating"),
        ("smallworld", {"players": 2, "max_steps": 60}, "random"),
        ("chess", {"max_steps": 40}, 1),
    ],
)
def test_seats_opponents_and_games_are_those_of_one_process(cluster, tmp_path, name, options, seat):
    save(tmp_path, 0)
    folder = tmp_path if name == "smallworld" else tmp_path / "empty"
    folder.mkdir(exist_ok=True)
    tables = ["greedy", "random", tuple(["random", "greedy"][: ludovec.spec(name, **options).players - 1])]
    for opponents in (tables, league(folder, priority="uniform")):
        expected = games_of_one_process(name, opponents, seat, 8, **options)
        assert len({str(seated) for _, _, seated in expected.values()}) >= 2
        for workers in (1, 2):
            assert games_of_a_cluster(name, workers, opponents, seat, 8, **options) == expected


def ordered(workers, folder, after=None, checkpoint=None, stop=None, **arguments):
    """Hashes of games against a folder to which a learner adds files, the counts, and a checkpoint."""
    opponents = league(folder, rescan=8, memory=20)
    settings = {**ENV, "episodes": 3, "shard_games": 8, "steps": 32, "ordered": True, "max_steps": 200}
    settings |= {"seed": 0, "policy": Sampler, "weights": weights(), "checkpoint": checkpoint, **arguments}
    found, episodes, names = {}, fleets.Episodes(), ()
    if checkpoint is not None:
        episodes = pickle.loads(checkpoint["episodes"])
    with fleets.SelfPlay(
        workers=workers, games_per_worker=32 // workers, opponents=opponents, **settings
    ) as self_play:
        for fragment in self_play:
            names = fragment.opponents
            for episode in episodes.add(fragment):
                found[episode.game, episode.episode] = episode.hash, episode.opponents
            k = self_play.stats["fragments"]
            if k in (8, 16):
                save(folder, k)
            if k == stop:
                return found, {**self_play.checkpoint(), "episodes": pickle.dumps(episodes)}
            if after is not None:
                after(self_play, k)
        assert self_play.stats["episodes"] == 96
    return found, opponents.results, names


@pytest.fixture(scope="module")
def drawn(cluster, tmp_path_factory):
    """The games against a folder, undisturbed, by one worker; the folder."""
    folder = tmp_path_factory.mktemp("checkpoints")
    save(folder, 0)
    return ordered(1, folder), folder


def emptied(folder):
    """The folder as it was when the run started."""
    for step in (8, 16):
        (folder / f"step-{step}.safetensors").unlink(missing_ok=True)
    return folder


def test_checkpoints_are_drawn_alike_by_any_number_of_workers(drawn):
    (games, results, names), folder = drawn
    assert len(games) == 96 and len(names) == 5, "all files became opponents"
    met = [name for _, seated in games.values() for name in seated if name is not None]
    assert set(met) == set(names) == set(results)
    again = ordered(2, emptied(folder))
    assert again == drawn[0]


def test_killed_workers_change_neither_opponents_nor_results(drawn):
    def kill(self_play, k):
        if k in (5, 11, 17):
            for worker in self_play.workers():
                if Path(f"/proc/{worker['pid']}").exists():
                    os.kill(worker["pid"], signal.SIGKILL)
                    return

    assert ordered(2, emptied(drawn[1]), kill) == drawn[0]


def test_a_checkpoint_has_the_counts_and_the_networks_under_way(drawn):
    games, folder = drawn[0][0], emptied(drawn[1])
    first, checkpoint = ordered(2, folder, stop=11)
    checkpoint = pickle.loads(pickle.dumps(checkpoint))
    under_way = checkpoint["league"]["players"]
    assert under_way and {type(one) for one in under_way.values()} > {str}, "networks have their content"
    found, results, names = ordered(1, folder, checkpoint=checkpoint)
    assert {**first, **found} == games and (results, names) == drawn[0][1:]
    for match, wrong in {"seat is": {"seat": 0}, "seed is": {"seed": 1}, "steps is": {"steps": 8}}.items():
        with pytest.raises(ludovec.InvalidConfig, match=f"checkpoint: {match}"):
            ordered(1, folder, checkpoint=checkpoint, **wrong)
    with pytest.raises(ludovec.InvalidConfig, match="checkpoint: seat is 'rotating' in it, but None here"):
        settings = {"episodes": 3, "shard_games": 8, "steps": 32, "max_steps": 200}
        fleets.SelfPlay(**ENV, games_per_worker=32, checkpoint=checkpoint, **settings)


def test_results_are_counted_once_for_every_opponent(cluster, tmp_path):
    extra = ["random", "greedy"]
    counted, expected = league(tmp_path, memory=10**6), league(tmp_path, memory=10**6)
    settings = {"env": "tilewe", "players": 3, "episodes": 2, "policy": first_legal, "max_steps": 30}
    ends = truncations = 0
    with fleets.SelfPlay(workers=1, games_per_worker=16, opponents=counted, **settings) as self_play:
        for fragment in self_play:
            assert fragment.opponents == tuple(extra)
            for (t, n), outcome, seated in zip(fragment.ends, fragment.outcomes, fragment.seated):
                own = seated.tolist().index(-1)
                truncated = fragment.columns["truncated"][t, n]
                ends, truncations = ends + 1, truncations + truncated
                for seat, index in enumerate(seated.tolist()):
                    if seat != own:
                        won, lost = outcome[own] > outcome[seat], outcome[own] < outcome[seat]
                        points = 0.5 if truncated else 0.5 + (int(won) - int(lost)) / 2
                        expected.record(extra[index], points)
    assert ends == 32 and counted.results == expected.results
    assert sum(games for _, games in counted.results.values()) == pytest.approx(64, rel=1e-3)


def test_an_opponent_whose_file_is_gone_plays_its_games_to_the_end(cluster, tmp_path, caplog):
    text = save(tmp_path, 0)
    opponents = league(tmp_path, extra=[], most=1, rescan=1)
    settings = {**ENV, "steps": 16, "shard_games": 4, "ordered": True, "max_steps": 100}
    settings |= {"opponents": opponents, "policy": first_legal}
    with fleets.SelfPlay(workers=1, games_per_worker=8, **settings) as self_play:
        for _ in range(2):
            next(self_play)
        Path(text.removeprefix("net:")).unlink()
        newer = save(tmp_path, 1)
        met = []
        for _ in range(40):
            fragment = next(self_play)
            met += [fragment.opponents[index] for index in fragment.seated.ravel() if index >= 0]
        # Games under way ended against the old one; later ones have the new one.
        assert text in met and set(met[-8:]) == {newer} and met.index(newer) > met.index(text)
        assert opponents.opponents == (newer,)
        # A file that is no network is reported; the earlier opponents stay.
        broken = tmp_path / "step-2.safetensors"
        broken.write_text("nothing")
        os.utime(broken, (1002, 1002))
        with caplog.at_level(logging.WARNING, logger="ludovec"):
            for _ in range(40):
                next(self_play)
        assert "step-2" in caplog.text and opponents.opponents == (newer,)
        newest = save(tmp_path, 3)
        for _ in range(40):
            next(self_play)
        assert opponents.opponents == (newest,) and fragment.opponents == (text, newer)
        # No game is played against the first one any more, so its content is not kept.
        assert sorted(self_play._league._players) == [1, 2]


class Judge:
    """A uniform policy and the value 0 for leaves of a tree search."""

    def __call__(self, observations, mask_bits):
        return None, np.zeros((len(observations), 2), np.float32)


def test_a_search_plays_against_opponents(cluster):
    settings = {"search": {"simulations": 4}, "policy": Judge, "opponents": ["greedy", first_legal]}
    found, _ = play(1, games=8, max_steps=60, **settings)
    assert play(2, games=8, shard_games=2, max_steps=60, **settings)[0] == found
    # In the first step of chess, seat 1 has no decision at all.
    with fleets.SelfPlay(
        "chess", games_per_worker=4, shard_games=4, steps=3, seat=1, **settings
    ) as self_play:
        fragment = next(self_play)
    columns = fragment.columns
    lengths = np.diff(columns["policy_offsets"]).reshape(3, 4)
    own = columns["opponent"] < 0
    assert own.tolist() == [[False] * 4, [True] * 4, [False] * 4] and ((lengths > 0) == own).all()
    assert columns["policy"].sum() == pytest.approx(4, abs=1e-4)


def test_columns_of_the_policy_are_0_in_decisions_of_opponents(cluster):
    settings = {"opponents": last_legal, "policy": Sampler, "weights": weights(), "steps": 8}
    with fleets.SelfPlay(**ENV, games_per_worker=8, shard_games=1, seat=1, **settings) as self_play:
        for _ in range(16):
            columns = next(self_play).columns
            own = columns["opponent"] < 0
            # Whole fragments may have no decision of the policy, and still have its columns.
            assert (columns["log_prob"][~own] == 0).all() and (columns["log_prob"][own] < 0).all()
            masks = ludovec.unpack_bits(columns["action_mask_bits"], self_play._spec.num_actions)
            last = masks.shape[-1] - 1 - masks[..., ::-1].argmax(axis=-1)
            assert (columns["actions"][~own] == last[~own]).all()


def test_a_fragment_is_fixed_when_its_predecessor_is_delivered(cluster):
    """Weights that are published while all workers are down wait for the fragment after the next one."""
    settings = {"policy": Sampler, "weights": weights(), "steps": 4, "ordered": True, "shard_games": 4}
    with fleets.SelfPlay(**ENV, games_per_worker=8, **settings) as self_play:
        next(self_play)
        pool = self_play._pool
        while self_play._shards[1].result is None:
            pool.wait(self_play._shards)
        (slot,) = pool._slots
        pool._probe(slot)
        assert next(self_play).shard == 1 and self_play._shards[1].call is None
        assert self_play.publish(weights(1)) == 1
        assert [next(self_play).version for _ in range(4)] == [0, 0, 1, 1]


def test_wrong_opponents_are_refused_in_one_line(cluster, tmp_path):
    (tmp_path / "step.safetensors").write_text("nothing")
    shutil.copy(champion_file("tilewe"), tmp_path / "other")
    lock = __import__("threading").Lock()
    for match, arguments in {
        "policy: Checkpoints are opponents": {"policy": ludovec.Checkpoints(tmp_path)},
        "one policy is needed with opponents": {"policy": ["random"] * 2, "opponents": "greedy"},
        "seat=2: 0 to 1": {"seat": 2, "opponents": "greedy"},
        "seat='first'": {"seat": "first", "opponents": "greedy"},
        "step.safetensors": {"opponents": ludovec.Checkpoints(tmp_path)},
        "other": {"opponents": f"net:{tmp_path / 'other'}"},
        "nowhere": {"opponents": "net:nowhere:4"},
        "nobody": {"opponents": "nobody"},
        "opponents: at least one": {"opponents": []},
        "a text or a function on arrays": {"opponents": type("Bot", (), {"turn": None})()},
        "cannot be pickled for the workers": {"opponents": lambda o, m: lock},
        "the column 'opponent' is that": {
            "opponents": "greedy",
            "policy": lambda o, m: (m.argmax(axis=1), {"opponent": o[:, 0]}),
        },
    }.items():
        with pytest.raises(ludovec.LudovecError, match=match) as caught:
            next(fleets.SelfPlay(**{**ENV, "games_per_worker": 8, **arguments}))
        assert "\n" not in str(caught.value)
