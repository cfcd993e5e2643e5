"""Columns of decisions: recorded, joined, completed and replayed without a loop over rows."""

from itertools import pairwise

import ludovec
import numpy as np
import pytest
from ludovec.data import fragments, replay_buffer
from ludovec.data.columns import chosen, joined, padded


def ragged(rng, n, first=0):
    """A ragged column of ``n`` rows: the number of a row, as often as it says."""
    lengths = rng.integers(0, 4, n)
    numbers = np.repeat(np.arange(first, first + n), lengths)
    return np.append(0, np.cumsum(lengths)), numbers.astype(np.int32), numbers.astype(np.float32) / 2


def listed(column):
    offsets, *arrays = column
    return [[array[a:b].tolist() for array in arrays] for a, b in pairwise(offsets)]


def test_ragged_rows_are_chosen_joined_and_padded():
    rng = np.random.default_rng(0)
    first, second = ragged(rng, 9), ragged(rng, 5, 9)
    rows = rng.integers(0, 9, 30)
    assert listed(chosen(first, rows)) == [listed(first)[row] for row in rows]
    kept = rng.random(9) < 0.5
    assert listed(chosen(first, kept)) == [row for row, keep in zip(listed(first), kept) if keep]
    whole = joined([first, None, second], [9, 2, 5])
    assert listed(whole) == [*listed(first), *[[[], []]] * 2, *listed(second)]
    assert joined([None], [3]) is None
    numbers, halves = padded(whole)
    for row, (mine, half) in enumerate(listed(whole)):
        width = numbers.shape[1] - len(mine)
        assert numbers[row].tolist() == mine + [-1] * width and halves[row].tolist() == half + [0] * width


def test_unfinished_games_wait_for_their_ends():
    """Whatever the fragments, each game comes once, whole, in the order of the ends."""
    rng = np.random.default_rng(1)
    steps, games = 200, 7
    ended = rng.random((steps, games)) < 0.06
    row = np.arange(steps * games).reshape(steps, games)
    expected, begun = [], np.zeros(games, int)
    for t, n in np.argwhere(ended):
        expected.append(row[begun[n] : t + 1, n].tolist())
        begun[n] = t + 1
    unfinished, found, t = fragments.Unfinished(), [], 0
    for count in [*rng.integers(1, 20, 14).tolist(), steps]:
        part = slice(t, t + count)
        flat = row[part].ravel()
        lengths = flat % 3
        columns = {
            "games": np.tile(np.arange(games), len(row[part])),
            "ended": ended[part].ravel(),
            "row": flat,
            "told": (np.append(0, np.cumsum(lengths)), np.repeat(flat, lengths)),
        }
        whole, offsets = unfinished.add(columns)
        for a, b in pairwise(offsets):
            found.append(whole["row"][a:b].tolist())
            told = chosen(whole["told"], np.arange(a, b))[1]
            assert told.tolist() == [k for k in found[-1] for _ in range(k % 3)]
        t += count
    assert found == expected
    left = sorted(k for n in range(games) for k in row[begun[n] :, n].tolist())
    assert sorted(unfinished.columns["row"].tolist()) == left


def test_columns_that_come_late_are_0_before():
    env = ludovec.make("tilewe", 3, seed=0)
    recorder = fragments.Recorder(env, 4, ("seats", "actions", "rewards"), memory=(memory := {}))
    memory["late"] = np.ones(12)
    for t in range(4):
        actions, seats = env.sample_actions(), env.current_player.copy()
        recorder.before(actions, {"late": np.full(3, 7.0)} if t in (1, 3) else {})
        env.step(actions)
        recorder.after()
        columns = recorder.columns()
        assert set(columns) == {"seats", "actions", "rewards"} | ({"late"} if t else set())
        np.testing.assert_array_equal(columns["actions"][t], actions)
        np.testing.assert_array_equal(columns["seats"][t], seats)
        np.testing.assert_array_equal(columns["rewards"][t], env.rewards)
    assert recorder.is_full and columns["late"].tolist() == [[0] * 3, [7] * 3] * 2
    recorder.clear()
    recorder.before(actions)
    recorder.after()
    assert recorder.columns()["late"].tolist() == [[0] * 3]


@pytest.mark.parametrize("capacity", [1, 10, 1500])
def test_the_newest_rows_are_kept(capacity, tmp_path):
    rng = np.random.default_rng(capacity)
    buffer, rows = replay_buffer.ReplayBuffer(capacity), []
    for count in (0, 3, 1, 20, 9, 10, 11, 700, 2, 2000, 5, 0, 40, 1):
        new = {"number": np.arange(len(rows), len(rows) + count), "told": ragged(rng, count, len(rows))}
        rows += listed(new["told"])
        buffer.add(new)
        assert (buffer.added, len(buffer)) == (len(rows), min(capacity, len(rows)))
        if not rows:
            assert buffer.rows(0, 10) == {}
            continue
        kept = buffer.rows(0, buffer.added)
        assert kept["number"].tolist() == list(range(buffer.first, len(rows)))
        assert listed(kept["told"]) == rows[buffer.first :]
        batch = buffer.sample(np.random.default_rng(0), 50)
        assert listed(batch["told"]) == [rows[number] for number in batch["number"]]
    with open(tmp_path / "rows.npz", "wb") as out:
        replay_buffer.save(out, kept)
    copy = replay_buffer.ReplayBuffer(capacity)
    copy.first = copy.added = buffer.first
    copy.add(replay_buffer.load(tmp_path / "rows.npz"))
    # The same rows give the same samples, wherever they are in memory.
    for more in ({}, {"half_life": 3.0}, {"window": 4}, {"weights": "number"}):
        one, two = (b.sample(np.random.default_rng(3), 20, **more) for b in (buffer, copy))
        assert (one["number"] == two["number"]).all() and listed(one["told"]) == listed(two["told"])


def test_samples_follow_weights_and_windows():
    buffer = replay_buffer.ReplayBuffer(100)
    weight = np.zeros(150, np.float32)
    weight[[10, 60, 120, 149]] = 5, 1, 2, 1
    buffer.add({"number": np.arange(150), "weight": weight})
    sample = lambda **more: np.bincount(
        buffer.sample(np.random.default_rng(0), 8000, **more)["number"], minlength=150
    )
    counts = sample(weights="weight")
    assert counts.sum() == counts[[60, 120, 149]].sum()
    assert np.allclose(counts[[60, 120, 149]] / 8000, [0.25, 0.5, 0.25], atol=0.03)
    counts = sample(window=10)
    assert not counts[:140].any() and (np.abs(counts[140:] - 800) < 160).all()
    counts = sample(weights="weight", window=30)
    assert counts[120] + counts[149] == 8000
    counts = sample(half_life=10)
    assert counts[140:].sum() / counts[130:140].sum() == pytest.approx(2, rel=0.1)


def test_rows_of_other_columns_are_refused():
    buffer = replay_buffer.ReplayBuffer(10)
    buffer.add({"a": np.zeros(3, np.int32)})
    for match, wrong in {
        "the columns a are needed, b were": {"b": np.zeros(3)},
        r"a is int32 \(\) per row, int32 \(2,\) was": {"a": np.zeros((3, 2), np.int32)},
        "a is int32": {"a": np.zeros(3)},
        "a is a list of arrays in some": {"a": (np.arange(4), np.zeros(3))},
    }.items():
        with pytest.raises(ludovec.InvalidConfig, match=match):
            buffer.add(wrong)
    assert len(buffer) == 3
