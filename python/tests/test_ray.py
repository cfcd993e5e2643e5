"""Self-play, tournaments and replay on a Ray cluster of two nodes on this machine; needs Ray."""

import json
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import ludovec
import numpy as np
import pytest

ray = pytest.importorskip("ray", reason="needs ray (make test-ray)")

import clusters  # noqa: E402
import ludovec.ray as fleets  # noqa: E402
from clusters import ENV, Sampler, join, play, weights  # noqa: E402
from ludovec import networks  # noqa: E402
from ludovec.data.advantages import advantages  # noqa: E402
from ludovec.players.python_bots import Chooser  # noqa: E402
from ludovec.ray import tournaments  # noqa: E402
from network_files import CHAMPIONS, env_of  # noqa: E402

#: The whole message: not one message inside another.
OTHER = r"^invalid configuration: file=[^:]*: it belongs to another tournament: content is"


@pytest.fixture(scope="module")
def cluster():
    yield from clusters.running(sys.modules[__name__])


@pytest.fixture(scope="module")
def drawn(cluster):
    """The games of :class:`Sampler`, undisturbed, by one worker."""
    return play(1, policy=Sampler, weights=weights())[0]


class Judge:
    """Samples legal actions and judges positions."""

    def __call__(self, observations, masks, info):
        actions, _ = fleets.draw(np.zeros(masks.shape, np.float32), masks, info["seeds"])
        return actions, {"values": observations.reshape(len(observations), -1)[:, 0] / 7}


def test_fragments_are_rollouts_of_the_same_games(cluster):
    env = ludovec.make("smallworld", 16, players=2, seed=0, max_steps=50, reward="score")
    env.reset(seed=0)
    settings = {**ENV, "max_steps": 50, "reward": "score", "steps": 40, "shard_games": 8, "ordered": True}
    with fleets.SelfPlay(workers=2, games_per_worker=8, **settings) as self_play:
        for k in range(4):
            if k % 2 == 0:
                local = ludovec.rollout(env, None, 40, reward_scale=0.1)
            found = next(self_play).rollout(reward_scale=0.1)
            games = np.s_[:, 8 * (k % 2) : 8 * (k % 2) + 8]
            for name in "observations action_mask_bits seats actions rewards next done ended known".split():
                np.testing.assert_array_equal(getattr(found, name), getattr(local, name)[games], name)
            assert found.advantages is None and found.known.any() and not found.known.all()
    # Games that have played their episodes have nothing to learn from; advantages are those of the columns.
    settings |= {"episodes": 1, "steps": 500, "max_steps": 500, "shard_games": 4, "policy": Judge}
    with fleets.SelfPlay(workers=1, games_per_worker=8, **settings) as self_play:
        fragment = next(self_play)
    found, valid = fragment.rollout(gamma=0.9, gae_lambda=0.8), fragment.columns["valid"]
    assert not valid.all() and not found.known[~valid].any() and not found.rewards[~valid].any()
    assert found.known[valid].all() and (found.done[valid] & found.ended[valid]).sum() == 4
    total = np.where(valid[..., None], fragment.columns["rewards"], 0).sum(axis=(0, 2))
    # What a player gets before its first decision belongs to no decision.
    assert np.all(found.rewards.sum(axis=0) <= total + 1e-4) and found.rewards.any()
    expected = advantages(found.rewards, found.more["values"], found.next, found.done, 0.9, 0.8)
    np.testing.assert_allclose(found.advantages, expected, atol=1e-4)
    with pytest.raises(ludovec.InvalidConfig, match="gamma=2"):
        fragment.rollout(gamma=2)
    searched = {**ENV, "steps": 4, "policy": None, "search": {"simulations": 8, "evaluator": "playout"}}
    with fleets.SelfPlay(workers=1, games_per_worker=4, shard_games=4, **searched) as self_play:
        fragment = next(self_play)
        found, columns = fragment.rollout(gamma=1), fragment.columns
        own = np.take_along_axis(columns["values"], columns["seats"][..., None], axis=2)[..., 0]
        np.testing.assert_array_equal(found.more["values"], own)
    with fleets.SelfPlay(workers=1, columns=["actions"], **{**ENV, "steps": 4}) as self_play:
        with pytest.raises(ludovec.InvalidConfig, match="a rollout needs observations; SelfPlay sent"):
            next(self_play).rollout()


def test_games_on_a_cluster_equal_games_of_one_process(cluster):
    found, _ = play(2)
    env = ludovec.make("smallworld", 32, players=2, seed=0)
    env.reset(seed=0)
    rows, count, expected = [[] for _ in range(32)], np.zeros(32, int), {}
    while len(expected) < 64:
        before = env.observations.copy(), env.action_mask_bits.copy(), env.current_player.copy()
        actions = env.sample_actions()
        env.step(actions)
        after = env.rewards.copy(), env.credit.copy(), env.terminated.copy(), env.truncated.copy()
        for i in range(32):
            rows[i].append([column[i] for column in (*before, actions, *after)])
            if env.done[i]:
                if count[i] < 2:
                    names = "observations action_mask_bits seats actions rewards credit terminated truncated"
                    columns = dict(zip(names.split(), map(np.stack, zip(*rows[i]))))
                    results = env.final_returns[i].copy(), env.final_scores[i].copy()
                    episode = fleets.Episode(i, int(count[i]), (0,), columns, *results)
                    expected[i, int(count[i])] = episode.hash
                rows[i], count[i] = [], count[i] + 1
    assert found == expected


def test_any_number_of_workers_plays_the_same_games(cluster, drawn):
    assert play(2, policy=Sampler, weights=weights())[0] == drawn
    assert play(4, policy=Sampler, weights=weights(), ordered=True, steps=7, shard_games=3)[0] == drawn


def test_killed_workers_neither_lose_nor_repeat_games(cluster, drawn):
    def kill(self_play, k):
        if k in (3, 9, 15):
            for worker in self_play.workers():
                # Its death may not have been noticed yet.
                if Path(f"/proc/{worker['pid']}").exists():
                    os.kill(worker["pid"], signal.SIGKILL)
                    return

    found, stats = play(2, policy=Sampler, weights=weights(), after=kill)
    assert found == drawn and stats["replayed"] >= 1


def test_a_worker_that_is_reported_as_restarting_is_asked_again(cluster, monkeypatch):
    """Ray may report so on a busy machine. Five dead workers end a self-play, one that lives does not."""
    expected, _ = play(1, games=8)
    get, reports = ray.get, []

    def reported(ref):
        found = get(ref)
        if isinstance(found, dict) and "columns" in found and len(reports) < 12:
            reports.append(ref)
            raise ray.exceptions.RayError("the actor is restarting")
        return found

    monkeypatch.setattr(ray, "get", reported)
    found, stats = play(1, games=8)
    assert found == expected and stats["replayed"] == len(reports) == 12


def test_a_lost_node_neither_loses_nor_repeats_games(cluster, drawn):
    def pull(self_play, k):
        if k == 6:
            nodes = {worker["node"] for worker in self_play.workers()}
            assert cluster.spare.node_id in nodes, "nobody to lose"
            cluster.remove_node(cluster.spare)

    try:
        # More workers than the head node has room for.
        found, stats = play(4, policy=Sampler, weights=weights(), after=pull, ordered=True)
    finally:
        cluster.spare = join(cluster)
        cluster.wait_for_nodes()
    assert found == drawn and stats["replayed"] >= 1


def test_a_checkpoint_continues_after_the_delivered_fragments(cluster, drawn):
    settings = {**ENV, "episodes": 2, "shard_games": 8, "steps": 16, "policy": Sampler, "weights": weights()}
    episodes, found = fleets.Episodes(), {}
    checkpoint = None
    for workers in (2, 1):
        with fleets.SelfPlay(
            workers=workers, games_per_worker=32 // workers, checkpoint=checkpoint, **settings
        ) as self_play:
            for k, fragment in enumerate(self_play):
                found |= {(e.game, e.episode): e.hash for e in episodes.add(fragment)}
                if checkpoint is None and k == 7:
                    checkpoint = self_play.checkpoint()
                    break
    assert found == drawn
    with pytest.raises(ludovec.InvalidConfig, match="checkpoint: seed is 0"):
        fleets.SelfPlay(workers=1, games_per_worker=32, checkpoint=checkpoint, seed=1, **settings)


def test_weights_have_versions_and_reach_every_worker(cluster):
    settings = {**ENV, "policy": Sampler, "weights": weights(), "steps": 4, "ordered": True}
    with fleets.SelfPlay(workers=2, games_per_worker=8, shard_games=4, **settings) as self_play:
        shown = []
        for k, fragment in zip(range(16), self_play):
            shown.append((fragment.shard, fragment.version))
            log_probs = fragment.columns["log_prob"]
            again = logits_of(fragment, weights(fragment.version))
            np.testing.assert_allclose(log_probs, again, rtol=1e-5)
            if k in (3, 7):
                assert self_play.publish(weights(self_play.version + 1)) == self_play.version
    assert [shard for shard, _ in shown] == [0, 1, 2, 3] * 4
    # Fragments under way are finished with the old weights.
    assert [version for _, version in shown] == [0] * 4 + [0] * 4 + [1] * 4 + [2] * 4 or [
        version for _, version in shown
    ][-4:] == [2] * 4


def logits_of(fragment, weights):
    """Log-probabilities of the actions, computed by the formula."""
    columns = fragment.columns
    observations = columns["observations"].reshape(-1, columns["observations"].shape[-1])
    masks = ludovec.unpack_bits(columns["action_mask_bits"], weights.shape[1]).reshape(-1, weights.shape[1])
    logits = np.where(masks, observations[:, :64] @ weights, -np.inf)
    chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    actions = columns["actions"].ravel()
    return np.log(chances[np.arange(len(actions)), actions]).reshape(columns["actions"].shape)


def test_draw_follows_the_probabilities_and_respects_the_mask():
    rng = np.random.default_rng(0)
    logits = np.tile([0.0, np.log(3.0), 50.0, -1e9], (40_000, 1))
    masks = np.tile([True, True, False, False], (40_000, 1))
    actions, log_probs = fleets.draw(logits, masks, rng.integers(2**64, size=40_000, dtype=np.uint64))
    assert set(actions) == {0, 1} and abs((actions == 1).mean() - 0.75) < 0.02
    np.testing.assert_allclose(np.exp(log_probs), np.where(actions == 1, 0.75, 0.25), rtol=1e-6)


@pytest.mark.parametrize("obs", ["u8", "packed"])
def test_searches_return_policies_and_values(cluster, obs):
    def network(observations, mask_bits):
        assert observations.dtype == np.uint8
        return None, np.zeros((len(observations), 2), np.float32)

    settings = {"search": {"simulations": 4}, "policy": network, "obs": obs}
    first, _ = play(1, games=8, **settings)
    again, _ = play(2, games=8, shard_games=4, **settings)
    assert first == again
    with fleets.SelfPlay(**ENV, games_per_worker=4, steps=3, **settings) as self_play:
        fragment = next(self_play)
    columns = fragment.columns
    assert columns["values"].shape == (3, columns["valid"].shape[1], 2)
    offsets = columns["policy_offsets"]
    masks = ludovec.unpack_bits(columns["action_mask_bits"], self_play._spec.num_actions)
    for i, mask in enumerate(masks.reshape(-1, masks.shape[-1])):
        here = slice(offsets[i], offsets[i + 1])
        assert list(columns["policy_actions"][here]) == list(np.flatnonzero(mask))
        assert columns["policy"][here].sum() == pytest.approx(1, abs=1e-5)
    spec = self_play._spec
    row = (spec.packed.row_bytes,) if obs == "packed" else spec.observation_shape
    assert columns["observations"].shape[2:] == row


def test_a_game_of_ones_own_reaches_every_worker(cluster):
    root = Path(__file__).parents[2] / "examples" / "python_games"
    if not root.exists():
        pytest.skip("needs the checkout")
    (id,) = ludovec.load(root / "tic_tac_toe.py")
    one, _ = play(1, games=16, env=id, players=None)
    two, _ = play(2, games=16, env=id, players=None)
    assert one == two
    given = {"env": id, "seed": 1}
    assert fleets.evaluate("search:20", "random", 8, **given) == ludovec.evaluate(
        "search:20", "random", 8, **given
    )


def test_every_seat_may_have_its_own_policy(cluster):
    first, _ = play(1, games=8, policy=["greedy", lambda o, m: m.argmax(axis=1)])
    assert play(2, games=8, policy=["greedy", lambda o, m: m.argmax(axis=1)], shard_games=2)[0] == first
    with fleets.SelfPlay(
        **ENV, games_per_worker=8, policy=["random", lambda o, m: m.argmax(axis=1)]
    ) as played:
        columns = next(played).columns
    masks = ludovec.unpack_bits(columns["action_mask_bits"], played._spec.num_actions)
    own = columns["seats"] == 1
    assert own.any() and (columns["actions"][own] == masks.argmax(axis=-1)[own]).all()
    # Columns of one policy are 0 in the decisions of the other, although fragments share memory.
    settings = {"policy": ["random", Sampler], "weights": weights(), "steps": 4, "shard_games": 1}
    with fleets.SelfPlay(**ENV, games_per_worker=4, **settings) as played:
        shown = 0
        for _ in range(24):
            columns = next(played).columns
            if "log_prob" in columns:
                own = columns["seats"] == 1
                assert (columns["log_prob"][~own] == 0).all() and (columns["log_prob"][own] < 0).all()
                shown += not own.all()
    assert shown


def test_columns_may_be_omitted(cluster):
    with fleets.SelfPlay(**ENV, games_per_worker=8, columns=["actions", "rewards"]) as self_play:
        fragment = next(self_play)
        assert set(fragment.columns) == {"actions", "rewards", "valid"} and fragment.nbytes > 0
        assert not fragment.columns["actions"].flags.writeable


def test_credit_is_the_reward_between_two_decisions_of_a_player(cluster):
    episodes = fleets.Episodes()
    with fleets.SelfPlay(**ENV, games_per_worker=4, episodes=1, reward="score") as self_play:
        games = [game for fragment in self_play for game in episodes.add(fragment)]
    for game in games:
        credit, seats = fleets.decision_credit(game), game.columns["seats"]
        for seat in range(2):
            assert credit[seats == seat].sum() <= game.columns["rewards"][:, seat].sum() + 1e-3
        mover = [game.columns["credit"][t - 1, seats[t]] for t in range(1, len(seats))]
        for seat in range(2):
            own = np.flatnonzero(seats == seat)
            # The environment's credit when the player is the current one again.
            np.testing.assert_allclose(credit[own[:-1]], [mover[t - 1] for t in own[1:]], atol=1e-4)


# ---- tournaments ----


def first_legal(observations, masks):
    return masks.argmax(axis=1)


def test_results_on_a_cluster_equal_results_of_one_process(cluster, tmp_path):
    bots = {"a": "random", "b": "greedy", "first": first_legal}
    local = ludovec.tournament(bots=bots, games=20, seed=3, **ENV)
    assert fleets.tournament(bots=bots, games=20, seed=3, **ENV) == local
    drawn = {"bots": ["random", "greedy", "conqueror"], "games": 300, "pairings": "random", "seed": 1}
    assert fleets.tournament(**ENV, **drawn) == ludovec.tournament(**ENV, **drawn)
    tables = ["random", ("random", "greedy")]
    book = tmp_path / "book.jsonl"
    options = {name: value for name, value in ENV.items() if name != "env"}
    games = [ludovec.Game(ENV["env"], seed, **options) for seed in range(3)]
    book.write_text("\n".join(game.to_json() for game in games))
    for openings in (3, book):
        more = {"bots": bots, "games": 30, "openings": openings}
        assert fleets.tournament(**ENV, **more) == ludovec.tournament(**ENV, **more)
    three = {"env": "smallworld", "players": 3, "seed": 5}
    assert fleets.evaluate("greedy", tables, 31, **three) == ludovec.evaluate("greedy", tables, 31, **three)


def slow_first_legal(observations, masks):
    time.sleep(0.01)
    return masks.argmax(axis=1)


def test_a_tournament_survives_the_death_of_workers(cluster):
    bots = {"slow": slow_first_legal, "b": "random"}
    local = ludovec.tournament(bots={"slow": first_legal, "b": "random"}, games=64, **ENV)
    killer = ray.remote(num_cpus=0)(kill_one_task).remote()
    assert fleets.tournament(bots=bots, games=64, **ENV) == local
    assert ray.get(killer) > 0


def kill_one_task():
    """Kills Ray workers that play a part of a tournament."""
    killed = 0
    deadline = time.monotonic() + 60
    while killed < 2 and time.monotonic() < deadline:
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit():
                try:
                    title = (folder / "cmdline").read_bytes()
                except OSError:
                    continue
                if title.startswith(b"ray::_part"):
                    time.sleep(0.2)
                    os.kill(int(folder.name), signal.SIGKILL)
                    killed += 1
                    break
        time.sleep(0.05)
    return killed


def test_a_tournament_resumes_in_a_new_process(cluster, tmp_path):
    file = tmp_path / "table.jsonl"
    code = f"""
        import ray, time, ludovec.ray
        ray.init(address={cluster.address!r}, log_to_driver=False)
        def slow_first_legal(observations, masks):
            time.sleep(0.01)
            return masks.argmax(axis=1)
        bots = {{"slow": slow_first_legal, "b": "random"}}
        ludovec.ray.tournament("smallworld", bots, 64, players=2, seed=0, file={str(file)!r})
    """
    driver = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)])
    while not file.exists() or file.read_text().count("\n") < 4:
        assert driver.poll() is None
        time.sleep(0.05)
    driver.kill()
    driver.wait()
    kept = file.read_text().splitlines()
    assert len(kept) < 60
    # An incomplete line.
    with open(file, "a") as torn:
        torn.write('[[60, 61], {"games": [{"ga')
    call = {**ENV, "games": 64, "file": file}
    with pytest.raises(ludovec.InvalidConfig, match=OTHER):
        fleets.tournament(bots={"slow": first_legal, "b": "random"}, **call)
    with pytest.raises(ludovec.InvalidConfig, match=r"content is another one for slow$"):
        fleets.tournament(bots={"slow": first_legal, "b": "random"}, **call)
    table = fleets.tournament(bots={"slow": slow_first_legal, "b": "random"}, **call)
    assert table == ludovec.tournament(bots={"slow": first_legal, "b": "random"}, games=64, **ENV)
    lines = file.read_text().splitlines()
    assert lines[: len(kept)] == kept and len(lines) == 65
    assert all(json.loads(line.partition(" ")[2]) for line in lines)
    with pytest.raises(ludovec.InvalidConfig, match="another tournament: names is"):
        fleets.tournament(bots=["greedy", "random"], **call)
    file.write_text("[]\n")
    with pytest.raises(ludovec.InvalidConfig, match=": it is damaged or not the log of a tournament"):
        fleets.tournament(bots=["greedy", "random"], **call)


def sprt(elo1, **arguments):
    """A sequential test that needs more games than one process plays side by side."""
    test = {"elo0": 0, "elo1": elo1}
    return {"env": "tilewe", "players": 2, "games": 4000, "sprt": test, "seed": 4, **arguments}


def slow_last_legal(observations, masks):
    time.sleep(0.001)
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


def last_legal(observations, masks):
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


def test_a_sequential_test_ends_where_that_of_one_process_ends(cluster):
    bots = {"first": first_legal, "last": last_legal}
    for call in (sprt(40, openings=6, bots=bots), sprt(200, bots=["greedy", "random"])):
        local, found = ludovec.tournament(**call), fleets.tournament(**call)
        assert found == local and found.sprt.accepted and not found.partial
        assert found.games == 2 * found.sprt.runs < 4000
    call = {"policy": "greedy", "opponents": "random", **sprt(200)}
    assert fleets.evaluate(**call) == ludovec.evaluate(**call)
    # Games that do not decide are all played.
    call = sprt(5, games=50, bots=["random", "greedy"], openings=2)
    found = fleets.tournament(**call)
    assert found == ludovec.tournament(**call) and found.sprt.accepted is None and found.games == 50


def test_a_sequential_test_does_not_depend_on_the_order_of_arrival(cluster, tmp_path, monkeypatch):
    call = sprt(15, bots={"a": "random", "b": slow_last_legal}, openings=8)
    file = tmp_path / "table.jsonl"
    found = fleets.tournament(**call, file=file)
    assert found.sprt.accepted and 64 < found.games < 4000
    done = file.read_text().splitlines()
    assert len(done) < 1 + 4000 / 16, "it stopped"
    # One task at a time, and tasks that arrive backwards.
    assert fleets.tournament(**call, num_cpus=2) == found
    wait = ray.wait
    monkeypatch.setattr(ray, "wait", lambda tasks, num_returns: wait(tasks[::-1], num_returns=len(tasks)))
    assert fleets.tournament(**call) == found
    monkeypatch.undo()
    # Part of a file, with a gap: the rest is played.
    file.write_text("".join(line + "\n" for line in [done[0], *done[3:]]))
    assert fleets.tournament(**call, file=file) == found
    before = file.read_text()
    assert fleets.tournament(**call, file=file) == found and file.read_text() == before
    with pytest.raises(ludovec.InvalidConfig, match="another tournament: sprt is"):
        fleets.tournament(**{**call, "sprt": {"elo0": 0, "elo1": 16}}, file=file)
    with pytest.raises(ludovec.InvalidConfig, match="another tournament: width is"):
        fleets.tournament(**{**call, "sprt": None}, file=file)
    with pytest.raises(ludovec.InvalidConfig, match="sprt: it compares two bots, 3 were given"):
        fleets.tournament(**sprt(15, bots=["random", "greedy", "pass"]))


def test_a_state_file_is_locked_and_its_parts_are_checked(tmp_path):
    path = tmp_path / "table.jsonl"
    header = {"env": "chess", "content": ["a"]}
    file = tournaments._File(path, header)
    with pytest.raises(ludovec.InvalidConfig, match="another process"):
        tournaments._File(path, header)
    for part in range(3):
        file.add((part, part + 1), json.dumps({"games": [part]}))
    file.close()
    whole = path.read_bytes()
    again = tournaments._File(path, header)
    again.close()
    assert again.parts == file.parts and path.read_bytes() == whole
    with pytest.raises(ludovec.InvalidConfig, match=OTHER):
        tournaments._File(path, {**header, "content": ["b"]})
    for at in range(0, len(whole) - 1, 7):
        flipped = bytes([whole[at] ^ 1])
        if b"\n" in (flipped, whole[at : at + 1]):
            continue
        path.write_bytes(whole[:at] + flipped + whole[at + 1 :])
        with pytest.raises(ludovec.InvalidConfig, match="damaged"):
            tournaments._File(path, header)
    # An incomplete line is ignored, at any length.
    path.write_bytes(whole[:-5])
    torn = tournaments._File(path, header)
    torn.close()
    assert len(torn.parts) == 2


def test_networks_travel_with_their_content(tmp_path):
    """The file may be gone, and equal contents are equal players."""
    content = next(file for file in CHAMPIONS if env_of(file) == "starwars_risk").read_bytes()
    env = ludovec.make("starwars_risk", 3, seed=1)
    for rest in ("", ":4", "?precision=int8", "?precision=int8:4", ":4?explore"):
        file = tmp_path / "mine:1.safetensors"
        file.write_bytes(content)
        text = f"net:{file}{rest}"
        who = np.zeros((3, 2), np.int32)
        wanted = Chooser(env, [("a", text)]).choose(who)
        sent = networks.sent(text)
        file.unlink()
        assert pickle.loads(pickle.dumps(sent)) == sent and sent.network == content
        assert str(tmp_path) not in sent.text
        found = Chooser(env, [("a", sent)]).choose(who)
        for one, other in zip(found.policy, wanted.policy):
            np.testing.assert_array_equal(one, other)
        assert networks.sent(f"net:champion{rest}") == f"net:champion{rest}"
        with pytest.raises(ludovec.InvalidConfig, match="mine"):
            networks.sent(text)
    for broken in (b"", b"content"):
        with pytest.raises(ludovec.InvalidConfig):
            Chooser(env, [("a", networks.SentNetwork("net:bytes", broken))])
        with pytest.raises(ludovec.InvalidConfig):
            ludovec.Network(broken, env)
    assert networks.sent("greedy") == "greedy"


def broken(observations, masks):
    raise ValueError("broken on purpose")


def test_an_error_of_a_player_is_raised_with_a_partial_result(cluster):
    with pytest.raises(ValueError, match="broken on purpose") as caught:
        fleets.tournament(bots={"broken": broken, "b": "random"}, games=8, **ENV)
    assert caught.value.partial.partial
    with pytest.raises(ValueError, match="broken on purpose"):
        list(fleets.SelfPlay(**ENV, games_per_worker=4, policy=broken))


# ---- errors ----


def test_arguments_are_refused_in_one_line(cluster):
    lock = __import__("threading").Lock()
    for match, arguments in {
        "cannot be pickled for the workers": {"policy": lambda o, m: lock},
        "policy: 3 were given, the game has 2 seats": {"policy": ["random"] * 3},
        "reuse=True": {"search": {"reuse": True}, "policy": None},
        "columns: 'colour'": {"columns": ["colour"]},
        "workers=0": {"workers": 0},
        "nobody": {"policy": "nobody"},
        "fragment of 100000 decisions": {"steps": 100_000},
    }.items():
        with pytest.raises(ludovec.LudovecError, match=match) as caught:
            next(fleets.SelfPlay(**{**ENV, "games_per_worker": 8, **arguments}))
        assert "\n" not in str(caught.value)
    with pytest.raises(
        fleets.ClusterError, match="no worker has been up for 1 seconds: the cluster has 4 CPU"
    ):
        fleets.SelfPlay(**ENV, num_cpus=64, timeout=1)
    with pytest.raises(ludovec.InvalidConfig, match="cannot be pickled"):
        fleets.tournament(bots={"a": lambda o, m: lock, "b": "random"}, **ENV)


def test_a_worker_of_another_version_is_refused(cluster, tmp_path):
    other = tmp_path / "ludovec"
    other.mkdir()
    for part in Path(ludovec.__file__).parent.iterdir():
        if part.name != "__init__.py":
            (other / part.name).symlink_to(part)
    source = Path(ludovec.__file__).read_text()
    (other / "__init__.py").write_text(source + '\n__version__ = "0.0.1"\n')
    with pytest.raises(fleets.ClusterError, match=r"has ludovec 0\.0\.1, the driver has"):
        fleets.SelfPlay(**ENV, runtime_env={"env_vars": {"PYTHONPATH": str(tmp_path)}})


def test_a_policy_of_a_module_missing_on_workers_is_reported(cluster, tmp_path, monkeypatch):
    (tmp_path / "only_here.py").write_text("def policy(o, m):\n    return m.argmax(axis=1)\n")
    monkeypatch.syspath_prepend(tmp_path)
    import only_here

    with pytest.raises(fleets.ClusterError, match="cannot unpickle its task: No module named 'only_here'"):
        fleets.SelfPlay(**ENV, policy=only_here.policy)


def suicide(observations, masks):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_policy_that_kills_its_workers_is_reported(cluster):
    with pytest.raises(fleets.ClusterError, match=r"games 0 to 3: 5 workers in a row died .* fragment 0"):
        list(fleets.SelfPlay(**ENV, games_per_worker=4, shard_games=4, policy=suicide))


# ---- replay ----


def rows(first, count):
    """Rows that hold their index, with a column of different lengths."""
    numbers = np.arange(first, first + count)
    return {
        "number": numbers,
        "observations": np.repeat(numbers[:, None], 3, axis=1).astype(np.uint8),
        "policy": [np.full(n % 4 + 1, n, np.float32) for n in numbers],
        "legal": [np.full(n % 4 + 1, n, np.int32) for n in numbers],
    }


@pytest.mark.parametrize("shards", [1, 3])
def test_a_replay_buffer_keeps_the_newest_rows_and_samples_uniformly(cluster, shards):
    replay = fleets.Replay(capacity=60, shards=shards)
    for first in range(0, 300, 10):
        assert replay.add(rows(first, 10)) == min(first + 10, 60)
    batch = replay.sample(6000)
    numbers, counts = np.unique(batch["number"], return_counts=True)
    # Expected by hand: the newest 60 rows.
    assert list(numbers) == list(range(240, 300)) and counts.max() < 170 and counts.min() > 50
    assert (batch["observations"][:, 0] == batch["number"] % 256).all()
    for i, number in enumerate(batch["number"].tolist()):
        length = number % 4 + 1
        assert (batch["policy"][i, :length] == number).all() and (batch["policy"][i, length:] == 0).all()
        assert (batch["legal"][i, :length] == number).all() and (batch["legal"][i, length:] == -1).all()
    replay.close()


def test_sampling_weight_halves_with_every_half_life(cluster):
    replay = fleets.Replay(capacity=1000)
    replay.add(rows(0, 1000))
    drawn = replay.sample(40_000, half_life=100)["number"]
    newest, older = (drawn >= 900).sum(), ((drawn >= 800) & (drawn < 900)).sum()
    assert newest / older == pytest.approx(2, rel=0.1) and (drawn < 500).any()
    replay.close()


def test_a_restored_replay_buffer_continues_identically(cluster, tmp_path):
    replay = fleets.Replay(capacity=50, shards=2, seed=7)
    for first in range(0, 80, 10):
        replay.add(rows(first, 10))
    replay.sample(5)
    replay.save(tmp_path)
    again = fleets.Replay.restore(tmp_path)
    for twin in (replay, again):
        twin.add(rows(80, 10))
    for expected, found in zip(replay.sample(64).values(), again.sample(64).values()):
        np.testing.assert_array_equal(expected, found)
    # A later checkpoint replaces the first one.
    again.save(tmp_path)
    assert len(list(tmp_path.iterdir())) == 3 and len(fleets.Replay.restore(tmp_path)) == len(again)
    for twin in (replay, again):
        twin.close()
    with pytest.raises(ludovec.InvalidConfig, match="there is no saved replay buffer"):
        fleets.Replay.restore(tmp_path / "nowhere")


def test_a_replay_buffer_refuses_invalid_rows(cluster):
    replay = fleets.Replay(capacity=10)
    with pytest.raises(ludovec.InvalidConfig, match="there are no rows yet"):
        replay.sample(1)
    replay.add({"a": np.zeros(3, np.int32)})
    for match, wrong in {
        "columns of one length": {"a": np.zeros(3), "b": np.zeros(2)},
        "the columns a are needed, b were": {"b": np.zeros(3)},
        "a is int32 ()": {"a": np.zeros((3, 2), np.int32)},
        "a is a list of arrays in some": {"a": [np.zeros(1)]},
    }.items():
        with pytest.raises(ludovec.InvalidConfig, match=match.replace("(", r"\(").replace(")", r"\)")):
            replay.add(wrong)
    assert len(replay) == 3
    for wrong in ({"capacity": 0}, {"capacity": 3, "shards": 4}):
        with pytest.raises(ludovec.InvalidConfig):
            fleets.Replay(**wrong)
    with pytest.raises(ludovec.InvalidConfig, match="half_life=-1"):
        replay.sample(1, half_life=-1)
    ray.kill(replay._shards[0])
    with pytest.raises(fleets.ClusterError, match="a shard of the replay buffer is lost"):
        replay.sample(1)
