"""A player plays the same moves everywhere: tournaments, seat environments, files, Ray workers, training.

A probe, a function that plays by a rule of its own, is at seat 0 against the player in all games. It notes
the observations and the legal actions of its decisions, which show the player's moves: equal notes in equal
games are equal moves. The player's draws, as those of ``random``, are from the stream of the game, which
advances with the player's decisions alone: so these are equal, too. In training the network plays instead of
the probe, and a seat environment repeats its moves.
"""

from types import SimpleNamespace

import ludovec
import numpy as np
import pytest
from ludovec.players.python_bots import Chooser

#: Games, and decisions of each.
GAMES, STEPS = 6, 30
SEED = 5
TEXTS = ["search:16", "net:champion", "net:champion:8", "net:champion?precision=int8"]


def logits(observations, masks):
    """A function that plays: any logits of the observation."""
    rows = observations.reshape(len(observations), -1).astype(np.int64)
    keys = (rows * np.arange(1, rows.shape[1] + 1)).sum(axis=1)
    return ((keys[:, None] + 7 * np.arange(masks.shape[1])) % 97).astype(np.float32)


def options_of(env_id):
    """Two players, where the game lets one choose."""
    options = {"max_steps": STEPS}
    return options | ({"players": 2} if "players" in ludovec.spec(env_id).options else {})


def players_of(env_id):
    """Texts of players, and a function."""
    options = options_of(env_id)
    spec = ludovec.spec(env_id, **options)
    # Searches have a number in `TEXTS`.
    for text in [name for name in ludovec.bots(env_id) if name not in ("search", "flat")] + TEXTS:
        try:
            ludovec._core.check_player(env_id, dict(spec.options), text)
        except ludovec.InvalidConfig:
            continue
        yield text
    yield logits


class Probe:
    """Plays by a rule, and notes its decisions by game and episode."""

    __name__ = "probe"

    def __init__(self):
        self.notes = {}

    def __call__(self, observations, masks, info):
        actions = self.choose(observations, masks)
        for row in np.flatnonzero(info["valid"]):
            _, game, episode, _ = info["games"][row]._core.stream()
            self.note(game, episode, observations[row], masks[row])
        return actions

    @staticmethod
    def choose(observations, masks):
        """The legal action with the largest number of a rule."""
        rows = observations.reshape(len(observations), -1).sum(axis=1, dtype=np.int64)
        numbers = (rows[:, None] * 31 + 17 * np.arange(masks.shape[1])) % 101
        return np.where(masks, numbers, -1).argmax(axis=1)

    def note(self, game, episode, observation, mask):
        self.notes.setdefault((game, episode), []).append(
            (observation.tobytes(), np.asarray(mask, bool).tobytes())
        )

    def first(self):
        """The notes of the first episodes."""
        return {game: tuple(notes) for (game, episode), notes in self.notes.items() if not episode}


def in_tournament(env_id, player, options):
    """The probe's notes, and its seat in every game."""
    probe = Probe()
    ludovec.evaluate(env_id, probe, player, 2 * GAMES, seed=SEED, **options)
    return probe.first()


def in_seat_environment(env_id, player, options, seats, count):
    probe = Probe()
    env = ludovec.make(
        env_id, count, opponents=player, seat=seats, seed=SEED, autoreset="disabled", num_threads=1, **options
    )
    env.reset(seed=SEED)
    games = np.arange(count)
    while not env.games.done.all():
        masks = env.action_masks()
        running = ~env.games.done
        actions = probe.choose(env.games.observations, masks)
        for game in games[running]:
            probe.note(game, 0, env.games.observations[game], masks[game])
        if running.all():
            env.step(actions.astype(np.int32))
        else:
            ids = games[running]
            env.games.step_games(ids, actions[ids].astype(np.int32))
            env._play_on()
    return probe.first()


def in_files(env_id, player, options, folder, count):
    pytest.importorskip("pyarrow")
    import ludovec.data

    probe = Probe()
    bots = [probe] + [player] * (ludovec.spec(env_id, **options).players - 1)
    ludovec.data.write(folder, env_id, bots=bots, steps=STEPS, num_envs=count, seed=SEED, **options)
    rows = ludovec.data.Dataset(folder).read()
    kept = (rows["seat"] == 0) & (rows["episode"] == 0)
    assert kept.sum() == sum(len(notes) for (_, episode), notes in probe.notes.items() if not episode)
    return probe.first()


def in_ray_worker(env_id, player, options, count, monkeypatch, cut=None):
    """Fragments of a worker's shard; after fragment ``cut``, the shard goes on in another process."""
    pytest.importorskip("ray")
    from ludovec.networks import sent
    from ludovec.ray import opponents, workers

    monkeypatch.setattr(opponents, "ray", SimpleNamespace(get=lambda value: value))
    probe = Probe()

    def policy(observations, masks, info):
        if info["valid"].any():
            for game in np.flatnonzero(info["valid"]):
                probe.note(info["games"][game], info["episodes"][game], observations[game], masks[game])
        return Probe.choose(observations, masks)

    config = workers.RunConfig(
        env=env_id,
        options=options,
        policy=policy,
        search=None,
        steps=STEPS // 3,
        episodes=1,
        seed=SEED,
        obs="u8",
        columns=("actions",),
        num_threads=1,
        seat=0,
        function_opponents=not isinstance(player, str),
        sizes=((0, count),),
    )
    seats = ludovec.spec(env_id, **options).players
    roster = opponents.Roster({0: sent(player)}, (0,), np.zeros((1, seats - 1), np.int32), 0)

    def shard():
        made = workers.Shard(config, 0, {})
        made.seats.use(roster, None)
        return made

    playing, last, number = shard(), False, 0
    while not last:
        last = playing.play()["last"]
        number += 1
        if number == cut:
            state = playing.state()
            playing = shard()
            playing.restore(state)
    return probe.first()


def compare(found, wanted):
    assert found.keys() == wanted.keys()
    for game in wanted:
        assert len(found[game]) == len(wanted[game]), game
        assert found[game] == wanted[game], game


def training(env_id, player):
    """Games of a training in which the network plays one seat and the player the other."""
    from ludovec.train.self_play import Games
    from small_trainings import small

    off = dict.fromkeys(("forks", "past", "reanalyse", "final", "surprise"), 0.0) | {"final_fields": []}
    more = {
        "options": [options_of(env_id)],
        "opponents": [player],
        "opposed": 1.0,
        "games": GAMES,
        "shards": 1,
    }
    return Games(small(env_id, **off, **more), 0, 0)


def in_training(env_id, player, cut):
    """The learner's decisions of the first episodes with its actions, its seats, and the seed.

    After ``cut`` moves, the games go on from their state in others.
    """
    games = training(env_id, player)
    players = games.spec.players
    own = (games.opponents == "").argmax(axis=1)
    network = SimpleNamespace(
        answer=lambda rows, _, actions: (
            np.zeros(len(actions), np.float32),
            np.zeros((len(rows), players), np.float32),
        )
    )
    notes, ended = [[] for _ in range(GAMES)], np.zeros(GAMES, bool)

    def noting(games):
        step = games._step

        def noted(recorder, actions, *rest):
            env = games.env
            masks = env.action_masks()
            for game in np.flatnonzero(~ended & (env.current_player == own)):
                shown = env.observations[game].tobytes(), masks[game].tobytes(), int(actions[game])
                notes[game].append(shown)
            ends = step(recorder, actions, *rest)
            ended[:] |= env.done
            return ends

        games._step = noted

    noting(games)
    if cut:
        games.play(network, cut, lambda: None)
        state = games.state()
        games = training(env_id, player)
        games.restore(state)
        noting(games)
    while not ended.all():
        games.play(network, STEPS, lambda: None)
    return notes, own, games.env.seed


@pytest.mark.parametrize("number", range(14))
def test_a_player_plays_the_same_moves_everywhere(env_id, number, tmp_path, monkeypatch):
    players = list(players_of(env_id))
    if number >= len(players):
        pytest.skip("the game has fewer players")
    player, options = players[number], options_of(env_id)
    wanted = in_tournament(env_id, player, options)
    count = 2 * GAMES
    # An evaluation rotates the seats from game to game.
    seats = np.arange(count) % ludovec.spec(env_id, **options).players
    compare(in_seat_environment(env_id, player, options, seats, count), wanted)
    at_0 = {game: notes for game, notes in wanted.items() if seats[game] == 0}
    assert len(at_0) >= 2
    restricted = lambda found: {game: notes for game, notes in found.items() if game in at_0}
    compare(restricted(in_files(env_id, player, options, tmp_path, count)), at_0)
    for cut in (None, 1):
        found = in_ray_worker(env_id, player, options, count, monkeypatch, cut)
        compare(restricted(found), at_0)


@pytest.mark.parametrize("number", range(14))
def test_an_opponent_in_training_plays_the_moves_of_a_seat_environment(env_id, number):
    pytest.importorskip("torch")
    texts = [player for player in players_of(env_id) if isinstance(player, str)]
    if number >= len(texts):
        pytest.skip("the game has fewer players")
    for cut in (0, STEPS // 3):
        notes, seats, seed = in_training(env_id, texts[number], cut)
        arguments = {"opponents": texts[number], "seat": seats, "autoreset": "disabled", "num_threads": 1}
        env = ludovec.make(env_id, GAMES, seed=seed, **arguments, **options_of(env_id))
        env.reset(seed=seed)
        left = [list(rows) for rows in notes]
        assert sum(map(len, left)) >= 2 * GAMES
        while not env.games.done.all():
            running = np.flatnonzero(~env.games.done)
            masks, actions = env.action_masks(), np.zeros(GAMES, np.int32)
            for game in running:
                observation, mask, actions[game] = left[game].pop(0)
                assert env.games.observations[game].tobytes() == observation
                assert masks[game].tobytes() == mask
            env.games.step_games(running, actions[running])
            env._play_on()
        assert not any(left)


def test_a_player_with_trees_goes_on_from_its_memory(env_id):
    """In another process, a search continues the trees of the positions that it has searched."""
    if "net:champion" not in list(players_of(env_id)):
        pytest.skip("the game has no network")
    env = ludovec.make(env_id, 4, seed=SEED, num_threads=1, **{**options_of(env_id), "max_steps": 15})
    env.reset()
    who = np.full((4, env.game_spec.players), -1, np.int32)
    who[:, 0] = 0
    # Its moves are often in the trees.
    others = Chooser(env, [("others", "net:champion")])
    # In chess, 16 simulations visit every action of the root once.
    simulations = 48 if env_id == "chess" else 16
    made = lambda: Chooser(env, [("a", f"net:champion:{simulations}")]).remember()
    player, are_equal = made(), []
    for step in range(20):
        # Episodes end meanwhile.
        memory, chosen = player.memory(), player.choose(who)
        if step % 5 == 4 and chosen.policy is not None:
            other = made()
            other.recall(memory)
            for found, wanted in zip(other.choose(who).policy, chosen.policy):
                np.testing.assert_array_equal(found, wanted)
            assert other.memory() == player.memory()
        if chosen.policy is not None:
            fresh = made().choose(who)
            are_equal.append(np.array_equal(fresh.policy[2], chosen.policy[2]))
        env.step(chosen.actions + others.choose(-1 - who).actions)
    assert max(map(len, memory[0])) > 1
    assert not all(are_equal), "trees are continued"
