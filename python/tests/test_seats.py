"""Single-agent environments: the caller plays one seat, opponents play the others."""

import warnings

import gymnasium
import ludovec
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers.vector import RecordEpisodeStatistics


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
    env = gymnasium.make_vec("ludovec/Tilewe-v1", 2, max_episode_steps=3)
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
    """Its samples ignore masks, so it gets legal actions of the game that it plays next."""
    spec = ludovec.spec(env_id)
    one = gymnasium.make(f"ludovec/{spec.name}-v{spec.version}", render_mode=render_mode).unwrapped
    one.action_space.seed = lambda seed: one.reset(seed=seed)
    one.action_space.sample = lambda: int(one.action_masks().argmax())
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
