"""Single-agent environments: the caller plays one seat, opponents play the others."""

import copy
import json
import pickle
import sys
import warnings

import gymnasium
import ludovec
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from helpers import short_games
from ludovec.envs.vector import Batch


def seat_games(env_id, num_envs=6, **arguments):
    return ludovec.make(
        env_id, num_envs, **{"opponents": "random", "max_steps": 12, "num_threads": 1, **arguments}
    )


def test_every_decision_belongs_to_the_learner(env_id, autoreset):
    env = seat_games(env_id, autoreset=autoreset, seat="rotating")
    assert isinstance(env, gymnasium.vector.VectorEnv) and isinstance(env, ludovec.SeatVectorEnv)
    obs, info = env.reset(seed=1)
    assert obs.shape == (6, *env.game_spec.observation_shape) and env.observation_space.contains(obs)
    ends = 0
    for _ in range(40):
        going = ~env.games.done
        np.testing.assert_array_equal(env.games.current_player[going], env.seats[going])
        assert info["action_mask"][going].any(axis=1).all()
        np.testing.assert_array_equal(info["seat"], env.seats)
        for i in range(6):
            np.testing.assert_array_equal(obs[i], env.game(i).observation(int(env.seats[i])))
        obs, reward, terminated, truncated, info = env.step(env.sample_actions())
        assert reward.dtype == np.float32 and terminated.dtype == truncated.dtype == np.bool_
        done = terminated | truncated
        ends += done.sum()
        if autoreset == "disabled" and done.any():
            assert env.games.done[done].all() and not info["action_mask"][done].any()
            obs, info = env.reset(options={"reset_mask": done})
    assert ends > 6


def test_rewards_of_an_episode_sum_to_the_total_of_the_player(env_id, autoreset):
    """Also if another player moves last; with scores, also rewards from before the first decision."""
    for reward_mode in ("outcome", "score"):
        env = seat_games(env_id, autoreset=autoreset, seat="random", reward=reward_mode, max_steps=60)
        env.reset(seed=4)
        total, games = np.zeros(6), 0
        for _ in range(120):
            _, reward, terminated, truncated, info = env.step(env.sample_actions())
            total += reward
            done = terminated | truncated
            if not done.any():
                continue
            final = info["final_info"] if autoreset == "same_step" else info
            seats = final["seat"]
            for i in np.flatnonzero(done):
                value = final["returns" if reward_mode == "outcome" else "scores"][i, seats[i]]
                if reward_mode == "score":
                    value -= _first_score(env_id)
                elif truncated[i]:
                    value = 0
                assert total[i] == pytest.approx(value), (i, reward_mode)
                games += 1
            total[done] = 0
            if autoreset == "disabled":
                env.reset(options={"reset_mask": done})
        assert games > 3


def _first_score(env_id):
    scores = set(ludovec.Game(env_id, max_steps=60, reward="score").scores().tolist())
    assert len(scores) == 1
    return scores.pop()


def test_final_observations_belong_to_the_learner(env_id):
    env = seat_games(env_id, seed=2)
    waits = seat_games(env_id, seed=2, autoreset="disabled")
    env.reset(seed=2)
    waits.reset(seed=2)
    seen = 0
    for _ in range(12):
        # Sampling in one of them would change the samples of its random opponents.
        actions = env.action_mask.argmax(axis=1)
        *_, terminated, truncated, info = env.step(actions)
        obs, _, _, _, other = waits.step(actions)
        done = terminated | truncated
        for i in np.flatnonzero(done):
            np.testing.assert_array_equal(info["final_obs"][i], obs[i])
            np.testing.assert_array_equal(obs[i], waits.game(i).observation(int(waits.seats[i])))
            np.testing.assert_array_equal(info["final_info"]["returns"][i], other["returns"][i])
            seen += 1
        if seen:
            break
    assert seen and info["_final_obs"].tolist() == done.tolist()


def test_seats_are_fixed_rotating_random_or_given(env_id):
    players = ludovec.spec(env_id).players
    rounds = {}
    for seat in (1, "rotating", "random", [i % players for i in range(6)]):
        env = seat_games(env_id, seat=seat, seed=5, max_steps=500)
        again = seat_games(env_id, seat=seat, seed=5, max_steps=500)
        rounds[str(seat)] = taken = []
        env.reset()
        again.reset()
        for episode in range(12):
            np.testing.assert_array_equal(env.seats, again.seats)
            taken.append(env.seats.copy())
            env.reset(seed=5 if episode == 5 else None)
            again.reset(seed=5 if episode == 5 else None)
    assert (np.array(rounds["1"]) == 1).all()
    rotating = np.array(rounds["rotating"])
    for episode in range(6):
        np.testing.assert_array_equal(rotating[episode], (np.arange(6) + episode) % players)
    np.testing.assert_array_equal(rotating[6], rotating[0])
    assert {tuple(row) for row in rounds["random"]} != {tuple(rounds["random"][0])}
    assert set(np.array(rounds["random"]).flat) == set(range(players))
    halves = [
        seat_games(env_id, 3, seat="random", seed=5, first_game=first, max_steps=500).seats
        for first in (0, 3)
    ]
    np.testing.assert_array_equal(np.concatenate(halves), rounds["random"][0])


def test_equal_seeds_give_equal_games_in_any_split(env_id):
    def play(env):
        shown = []
        obs, info = env.reset(seed=8)
        for _ in range(15):
            obs, reward, terminated, truncated, info = env.step(info["action_mask"].argmax(axis=1))
            shown.append((obs.copy(), reward, terminated, truncated, env.seats.copy()))
        return [np.concatenate(part) if part[0].ndim else part for part in zip(*shown)]

    whole = play(seat_games(env_id, 6, opponents=["greedy", "random"], num_threads=3))
    again = play(seat_games(env_id, 6, opponents=["greedy", "random"]))
    for a, b in zip(whole, again):
        np.testing.assert_array_equal(a, b)


def test_opponents_are_functions_and_objects_and_change_from_episode_to_episode():
    asked = []

    def older(observations, action_masks, info):
        asked.extend(info["current_player"][info["valid"]].tolist())
        return action_masks.argmax(axis=1)

    class Last:
        def turn(self, request):
            return request["legal_moves"][-1]

    both = {"older": older, "last": Last()}
    env = ludovec.make("tilewe", 4, opponents=both, players=2, seat=0, max_steps=6)
    for _ in range(8):
        env.step(env.sample_actions())
    assert asked and set(asked) == {1} and not env.faults
    count = len(asked)
    env.set_opponents("random")
    env.step(env.sample_actions())
    assert len(asked) == count
    env.set_opponents([(older,)])
    env.step(env.sample_actions())
    assert len(asked) > count
    env.close()


def test_a_broken_opponent_raises_or_loses_moves(caplog):
    def broken(observations, action_masks):
        raise ZeroDivisionError("by nothing")

    with pytest.raises(ZeroDivisionError, match="by nothing"):
        ludovec.make("tilewe", 4, opponents=broken, players=2)
    env = ludovec.make("tilewe", 4, opponents="random", players=2, seat=0)
    env.set_opponents(broken)
    with pytest.raises(ZeroDivisionError):
        env.step(env.sample_actions())
    with pytest.raises(ludovec.LudovecError, match="reset all games"):
        env.step(env.sample_actions())
    env.set_opponents("random")
    env.reset(seed=1)
    env.step(env.sample_actions())
    env = ludovec.make("tilewe", 4, opponents=broken, on_fault="lose_move", players=2, seat=0)
    env.step(env.sample_actions())
    assert env.faults == {"broken": 4} and "by nothing" in caplog.text


def test_gymnasiums_statistics_record_the_return_of_the_learner(env_id, autoreset):
    """The player of the last move is paid last: over the batch, the learner's return equals its outcome."""
    env = RecordEpisodeStatistics(seat_games(env_id, 8, autoreset=autoreset, max_steps=200, seat="random"))
    env.reset(seed=0)
    seen = []
    for _ in range(500):
        *_, terminated, truncated, info = env.step(env.unwrapped.sample_actions())
        done = terminated | truncated
        if done.any():
            final = info["final_info"] if autoreset == "same_step" else info
            for i in np.flatnonzero(done & ~truncated):
                assert info["episode"]["r"][i] == pytest.approx(final["returns"][i, final["seat"][i]])
                seen.append(info["episode"]["r"][i])
            if autoreset == "disabled":
                env.reset(options={"reset_mask": done})
        if len(seen) > 8:
            break


def test_float_views_bit_masks_and_copies(env_id):
    env = seat_games(env_id, obs="f32", mask="bits", copy=True, seed=3)
    twin = seat_games(env_id, seed=3)
    scales = env.game_spec.scales.reshape(env.game_spec.observation_shape)
    for _ in range(10):
        actions = twin.action_mask.argmax(axis=1)
        obs, reward, *_, info = env.step(actions)
        kept = obs.copy()
        other, reward_, *_, info_ = twin.step(actions)
        np.testing.assert_array_equal(obs, other * scales)
        np.testing.assert_array_equal(reward, reward_)
        np.testing.assert_array_equal(env.action_masks(), info_["legal_action_mask"])
        assert "action_mask_bits" in info and not np.shares_memory(obs, env.games.observations)
        for i in range(6):
            if "final_obs" in info and info["final_obs"][i] is not None:
                np.testing.assert_array_equal(info["final_obs"][i], info_["final_obs"][i] * scales)
        np.testing.assert_array_equal(obs, kept)


def test_packed_observations_belong_to_the_learner(env_id):
    """Also in finished games in which another player moved last."""
    plain, packed = (seat_games(env_id, seed=2, seat="rotating", obs=obs) for obs in ("u8", "packed"))
    (expected, _), (rows, _) = plain.reset(), packed.reset()
    finals = 0
    for _ in range(30):
        np.testing.assert_array_equal(ludovec.unpack(rows, packed.game_spec), expected)
        actions = plain.action_mask.argmax(axis=1)
        expected, *_, shown = plain.step(actions)
        rows, *_, info = packed.step(actions)
        for i in np.flatnonzero(shown.get("_final_obs", [])):
            final = ludovec.unpack(info["final_obs"][i], packed.game_spec)
            np.testing.assert_array_equal(final, shown["final_obs"][i])
            finals += 1
    assert finals > 6


def test_gymnasium_makes_one_game_and_many(env_id):
    spec = ludovec.spec(env_id)
    name = f"ludovec/{spec.name}-v{spec.version}"
    one = gymnasium.make(name, max_steps=10, opponents="greedy")
    obs, info = one.reset(seed=0)
    assert one.observation_space.contains(obs) and info["action_mask"].shape == (spec.num_actions,)
    rewards = []
    for _ in range(10):
        obs, reward, terminated, truncated, info = one.step(int(info["action_mask"].argmax()))
        rewards.append(reward)
        if terminated or truncated:
            break
    assert (terminated or truncated) and info["returns"].shape == (spec.players,)
    assert isinstance(reward, float) and one.unwrapped.action_masks().dtype == np.bool_
    one.close()
    many = gymnasium.make_vec(name, num_envs=3, opponents="random", max_steps=5)
    many.reset(seed=0)
    many.step(many.unwrapped.sample_actions())


def test_gymnasiums_own_batches_play_the_same_games():
    """In this process and in others."""
    shown = {}
    for mode in ("sync", "async"):
        env = gymnasium.make_vec("ludovec/Tilewe-v1", 2, mode, opponents="random", players=2)
        obs, info = env.reset(seed=4)
        shown[mode] = [obs.copy()]
        for _ in range(5):
            obs, *_, info = env.step(info["action_mask"].argmax(axis=1))
            shown[mode].append(obs.copy())
        env.close()
    np.testing.assert_array_equal(shown["sync"], shown["async"])


def test_max_episode_steps_is_respected():
    env = gymnasium.make_vec("ludovec/Tilewe-selfplay-v1", 2, max_episode_steps=3)
    ends = [env.step(env.unwrapped.sample_actions())[3].all() for _ in range(6)]
    assert ends == [False, False, True] * 2
    with pytest.raises(ludovec.InvalidConfig, match="max_steps limits decisions"):
        gymnasium.make_vec("ludovec/Tilewe-v1", 2, max_episode_steps=3, opponents="random")
    env = gymnasium.make("ludovec/Tilewe-v1", max_episode_steps=3)
    env.reset()
    assert [env.step(env.unwrapped.action_masks().argmax())[3] for _ in range(3)] == [False, False, True]


@pytest.mark.parametrize("action", [None, "a", 1.7, [1], object()])
def test_a_single_environment_accepts_integers_only(action):
    """Numbers are not rounded to actions."""
    env = gymnasium.make("ludovec/Tilewe-v1").unwrapped
    env.reset(seed=0)
    before = env.games.games.get_state()
    with pytest.raises(ludovec.InvalidConfig, match="actions"):
        env.step(action)
    assert env.games.games.get_state() == before


@pytest.mark.parametrize("render_mode", [None, "rgb_array"])
def test_gymnasiums_checker_finds_nothing(env_id, render_mode):
    """Its samples ignore masks: an illegal action ends the game."""
    spec = ludovec.spec(env_id)
    one = gymnasium.make(f"ludovec/{spec.name}-v{spec.version}", render_mode=render_mode).unwrapped
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(one)


def test_gymnasiums_generator_has_the_seed_of_the_reset():
    name = "ludovec/Tilewe-v1"
    for env in (
        ludovec.make("tilewe", 2),
        ludovec.make("tilewe", 2, opponents="random"),
        gymnasium.make(name).unwrapped,
    ):
        for seed in (7, np.int64(8)):
            env.reset(seed=seed)
            assert env.np_random_seed == seed
        with pytest.raises(ludovec.InvalidConfig, match="seed"):
            env.reset(seed=-1)
        env.reset()
        assert env.np_random_seed == 8


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"seat": 9}, "seat"),
        ({"seat": -1}, "seat"),
        ({"seat": "left"}, "seat"),
        ({"seat": [0, 1]}, "seat"),
        ({"seat": 0.5}, "seat"),
        ({"opponents": "nobody"}, "nobody"),
        ({"opponents": 5}, "opponents"),
        ({"opponents": []}, "opponents"),
        ({"autoreset": "never"}, "autoreset"),
        ({"batch_size": 2}, "batch_size"),
        ({"on_fault": "explode"}, "on_fault"),
    ],
)
def test_invalid_arguments_are_reported(env_id, arguments, word):
    with pytest.raises(ludovec.InvalidConfig, match=word) as refused:
        seat_games(env_id, **arguments)
    assert "\n" not in str(refused.value)


def test_illegal_actions_are_refused_before_anything_moves(env_id):
    env = seat_games(env_id)
    actions = env.sample_actions()
    state = env.games.get_state()
    actions[2] = np.flatnonzero(env.action_mask[2] == 0)[0]
    with pytest.raises(ludovec.IllegalAction, match="game 2, player") as refused:
        env.step(actions)
    assert refused.value.game == 2 and refused.value.player == env.seats[2]
    assert refused.value.action == actions[2] and env.games.get_state() == state


def played_on(env, steps=10):
    """All results of fixed actions."""
    shown = []
    for _ in range(steps):
        if env.autoreset == "disabled" and env.games.done.any():
            env.reset(options={"reset_mask": env.games.done.copy()})
        obs, reward, terminated, truncated, info = env.step(env.action_masks().argmax(axis=1))
        shown += [obs.copy(), reward.copy(), terminated, truncated, env.seats.copy(), env.sample_actions()]
    return shown


def assert_same(a, b):
    for left, right in zip(a, b, strict=True):
        np.testing.assert_array_equal(left, right)


@pytest.mark.parametrize("seat", [0, "rotating", "random"])
def test_saved_games_continue_identically(env_id, autoreset, seat):
    """By snapshot, pickle and copy, with text opponents, over several episodes."""
    env = seat_games(env_id, opponents=["greedy", "random"], autoreset=autoreset, seat=seat, seed=3)
    env.reset()
    played_on(env, 7)
    state = env.get_state()
    twins = [pickle.loads(pickle.dumps(env)), copy.copy(env), copy.deepcopy(env)]
    other = seat_games(env_id, opponents=["greedy", "random"], autoreset=autoreset, seat=seat, seed=99)
    other.set_state(None, state)
    expected = played_on(env)
    for twin in [*twins, other]:
        assert repr(twin).replace("seed=99", "seed=3") == repr(env)
        assert_same(expected, played_on(twin))
    env.set_state(None, state)
    assert_same(expected, played_on(env))


def test_some_games_are_restored_into_others(env_id):
    env = seat_games(env_id, seed=3, seat="rotating", autoreset="disabled", max_steps=500)
    played_on(env, 3)
    env.set_state([0, 1], env.get_state([5, 2]))
    assert env.seats[0] == env.seats[5] and env.seats[1] == env.seats[2]
    assert env.get_state([0]) == env.get_state([5])
    for bad in (b"", env.get_state([0])[:-1], env.games.get_state(), env.get_state([0, 1])):
        before = env.get_state()
        with pytest.raises(ludovec.InvalidState):
            env.set_state([0], bad)
        assert env.get_state() == before
    broken = bytearray(env.get_state([0]))
    for i in range(len(broken)):
        broken[i] ^= 1
        with pytest.raises(ludovec.InvalidState):
            env.set_state([0], bytes(broken))
        broken[i] ^= 1


def test_functions_are_handed_in_when_games_are_restored():
    def last(observations, action_masks):
        return action_masks.shape[1] - 1 - action_masks[:, ::-1].argmax(axis=1)

    env = ludovec.make("tilewe", 3, opponents=last, players=2, seed=1)
    played_on(env, 4)
    with pytest.raises(ludovec.LudovecError, match="set_state"):
        pickle.dumps(env)
    twin = ludovec.make("tilewe", 3, opponents=last, players=2, seed=8)
    twin.set_state(None, env.get_state())
    assert_same(played_on(env), played_on(twin))


def test_forks_share_position_and_seats_not_the_future(env_id):
    env = seat_games(env_id, seed=3, seat="rotating", max_steps=500)
    played_on(env, 2)
    env.fork(1, [0, 4])
    for i in (0, 4):
        np.testing.assert_array_equal(env.games.observations[i], env.games.observations[1])
        np.testing.assert_array_equal(env.action_masks()[i], env.action_masks()[1])
    assert (env.seats[[0, 4]] == env.seats[1]).all()
    assert env.get_state([0]) != env.get_state([1])
    played_on(env, 3)


def test_single_environments_are_saved_like_batches(env_id):
    spec = ludovec.spec(env_id)
    env = gymnasium.make(f"ludovec/{spec.name}-v{spec.version}", opponents="greedy").unwrapped
    env.reset(seed=4)
    for _ in range(3):
        env.step(int(env.action_masks().argmax()))
    state, twin = env.get_state(), pickle.loads(pickle.dumps(env))
    other = gymnasium.make(f"ludovec/{spec.name}-v{spec.version}", opponents="greedy").unwrapped
    other.set_state(state)
    for _ in range(3):
        action = int(env.action_masks().argmax())
        obs, reward, *_ = env.step(action)
        for copied in (twin, other):
            again, paid, *_ = copied.step(action)
            np.testing.assert_array_equal(obs, again)
            assert reward == paid


def test_positions_are_played_on_to_the_learner(env_id):
    """As JSON and as snapshots, by reset and set_position."""
    source = ludovec.make(env_id, 1, seed=6, max_steps=500)
    source.step_sampled(7)
    json_ = json.loads(source.game(0).to_json())["position"]
    shown = []
    for position in (json_, json.dumps(json_), source.get_state()):
        env = seat_games(env_id, seed=2, seat=0, opponents="greedy", max_steps=500)
        env.reset(options={"starts": {2: position}})
        going = ~env.games.done
        assert (env.games.current_player[going] == 0).all()
        shown.append([env.game(2).to_json()])
        env.set_position(4, position)
        assert env.games.done[4] or env.games.current_player[4] == 0
        shown[-1].append(env.game(4).to_json())
        env.step(env.sample_actions())
    assert shown[0] == shown[1] == shown[2]


def test_added_rewards_are_paid_with_the_step(env_id, autoreset):
    env = seat_games(env_id, autoreset=autoreset, seat="rotating", seed=1)
    twin = seat_games(env_id, autoreset=autoreset, seat="rotating", seed=1)
    players = env.game_spec.players
    extra = np.arange(6 * players, dtype=np.float32).reshape(6, players) / 8
    ends = 0
    for _ in range(20):
        if autoreset == "disabled" and env.games.done.any():
            for one in (env, twin):
                one.reset(options={"reset_mask": one.games.done.copy()})
        seats, waiting = env.seats.copy(), env.games.done.copy()
        actions = env.action_masks().argmax(axis=1)
        _, reward, terminated, truncated, _ = env.step(actions)
        _, plain, *_ = twin.step(actions)
        np.testing.assert_array_equal(reward, plain)
        assert env.add_reward(extra) is reward
        # In next-step mode, a step that starts an episode is paid to its seat.
        seats[waiting] = env.seats[waiting]
        np.testing.assert_allclose(reward, plain + extra[np.arange(6), seats], rtol=1e-6)
        ends += (terminated | truncated).sum()
    assert ends
    with pytest.raises(ludovec.InvalidConfig, match="extra"):
        env.add_reward(extra[0])


@pytest.mark.skipif(sys.version_info < (3, 11), reason="needs notes of exceptions")
@pytest.mark.parametrize("time_limit", [None, 5.0])
def test_a_player_that_fails_names_itself(time_limit):
    """Its exception keeps its type and message."""

    def careless(observations, masks):
        raise ZeroDivisionError("too little")

    with pytest.raises(ZeroDivisionError, match=r"^too little") as error:
        ludovec.make("tilewe", 2, players=2, opponents=careless, time_limit=time_limit, seed=0)
    assert error.value.args == ("too little",) and error.value.__notes__ == ["raised by the player careless"]
    with pytest.raises(ludovec.IllegalAction, match="bot none: "):
        none = lambda observations, masks: np.full(len(masks), 10**6)
        none.__name__ = "none"
        ludovec.make("tilewe", 2, players=2, opponents=none, seed=0)


COLUMNS = [
    name for name in Batch.__annotations__ if name not in ("num_envs", "render_mode", "returns_copies")
]


@pytest.mark.parametrize("mask", ["bytes", "bits"])
def test_columns_have_the_names_and_shapes_of_a_vector_environment(env_id, autoreset, mask):
    more = {"autoreset": autoreset, "mask": mask}
    env, whole = short_games(env_id, 6, opponents="random", **more), short_games(env_id, 6, **more)
    assert {name for name in COLUMNS if hasattr(whole, name)} == {
        name for name in COLUMNS if hasattr(env, name)
    }
    assert set(COLUMNS) <= set(dir(env))
    for name in COLUMNS:
        ours, theirs = (getattr(one, name, None) for one in (env, whole))
        if isinstance(theirs, np.ndarray):
            assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype), name
    env.reset(seed=4)
    ends = 0
    for _ in range(40):
        if autoreset == "disabled" and env.done.any():
            env.reset(options={"reset_mask": env.done})
            assert not env.done.any() and not env.reward.any()
        obs, reward, terminated, truncated, info = env.step(env.sample_actions())
        assert env.reward is reward
        for name, value in (("terminated", terminated), ("truncated", truncated), ("observations", obs)):
            np.testing.assert_array_equal(getattr(env, name), value)
        np.testing.assert_array_equal(env.done, terminated | truncated)
        for i in np.flatnonzero(env.done).tolist():
            ends += 1
            final = info["final_info"] if autoreset == "same_step" else info
            np.testing.assert_array_equal(env.final_returns[i], final["returns"][i])
            if autoreset == "same_step":
                np.testing.assert_array_equal(env.final_observations[i], info["final_obs"][i])
                assert env.final_player[i] == final["seat"][i]
    assert ends
