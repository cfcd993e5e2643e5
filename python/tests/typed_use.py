"""Example code for type checkers: correct calls have precise types, mistyped ones are errors.

Checked by ``make lint`` and ``test_typing.py``; an unused ``type: ignore`` is an error too.
"""

# pyright: strict, reportUnnecessaryTypeIgnoreComment=true, reportUnknownMemberType=false

from typing import Any

import ludovec
import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Discrete
from ludovec.testing import check_vector_env
from ludovec.typing import ChessOptions, EnvId, Info
from typing_extensions import assert_type


def right() -> None:
    """Results have types that depend on the arguments."""
    env = ludovec.make("chess", 4, autoreset="next_step", obs="f32", mask="bits", flags=["knooks"])
    assert_type(env, ludovec.VectorEnv)
    assert_type(ludovec.make("tilewe", 4, batch_size=2, players=2), ludovec.AsyncVectorEnv)
    assert_type(ludovec.make("tilewe", 4, opponents="greedy", players=2), ludovec.SeatVectorEnv)
    assert_type(
        ludovec.make("tilewe", seed=None, starts=[game.to_json() for game in list[ludovec.Game]()]),
        ludovec.VectorEnv,
    )
    played = ludovec.rollout(env, None, 8, gamma=0.9)
    assert_type(played.rewards, npt.NDArray[np.float32])
    assert_type(ludovec.evaluate("empires", "greedy", "random", 10, width=8), ludovec.Tournament)
    game = ludovec.Game("smallworld", rules="official", map=None)
    assert_type(game.position, ludovec.Position)
    assert_type(env.credit.dtype, np.dtype[np.float32])
    for id in ludovec.list_envs():
        assert_type(id, EnvId)
        ludovec.make(id)
    _, reward, terminated, truncated, info = env.step(env.sample_actions())
    assert_type(reward, npt.NDArray[np.float32])
    assert_type(terminated, npt.NDArray[np.bool_])
    assert_type(info, Info)
    assert_type(info["action_mask"], npt.NDArray[np.int8])
    assert_type(
        env.reset(seed=[1, 2, 3, 4], options={"reset_mask": truncated})[1]["credit"].dtype,
        np.dtype[np.float32],
    )
    if "final_info" in info:
        assert_type(info["final_info"]["scores"], npt.NDArray[np.float32])
    learner = ludovec.make("chess", 4, opponents="random")
    assert_type(learner.step([0, 0, 0, 0])[-1]["seat"], npt.NDArray[np.int32])
    assert_type(env.single_action_space, Discrete)
    assert_type(env.single_observation_space, Box)
    options: ChessOptions = {"variant": "atomic", "max_plies": 100}
    ludovec.make("chess", **options)
    assert_type(ludovec.make("ludovec/Tilewe-v1", 4, on_fault="lose_move"), ludovec.SeatVectorEnv)
    assert_type(ludovec.make("ludovec/Tilewe-selfplay-v1", 4), ludovec.VectorEnv)
    env.fork(0, range(1, 4))
    env.fork(np.array([0, 1]), [np.int32(2), 3], show=False)
    env.get_state(env.done)
    network = ludovec.Network("champion", "tilewe", players=2)
    ludovec.evaluate("tilewe", network, [network, ("greedy",)], players=2)


def by_name(name: str, given: dict[str, Any]) -> None:
    """Ids of any text, such as the ids of registered games, and options that are not known before."""
    assert_type(ludovec.make(name), ludovec.VectorEnv)
    assert_type(ludovec.make(name, 4, batch_size=2), ludovec.AsyncVectorEnv)
    assert_type(ludovec.make(name, 4, opponents="random", players=2), ludovec.SeatVectorEnv)
    ludovec.make("my_game", 4, seed=1, **given)
    assert_type(ludovec.Game(name, 3, **given), ludovec.Game)
    assert_type(ludovec.evaluate(name, "random"), ludovec.Tournament)
    assert_type(ludovec.spec(name), ludovec.Spec)
    ludovec.tournament("my_game", ["random", "search:50"], **given)


def modules() -> None:
    """Modules that the package imports on first use."""
    assert_type(ludovec.chess.Game("chess").board, ludovec.chess.Board)
    assert_type(ludovec.smallworld.SmallWorldGame().state.phase, ludovec.smallworld.Phase)
    assert_type(ludovec.tilewe.Board(n_players=2).ply, int)


def wrong() -> None:
    """Typos of words and options."""
    ludovec.make("chess", autoreset="same-step")  # type: ignore[call-overload]
    ludovec.make("chess", obs="u16")  # type: ignore[call-overload]
    ludovec.make("chess", varaint="atomic")  # type: ignore[call-overload]
    ludovec.make("smallworld", rules="offical")  # type: ignore[call-overload]
    ludovec.make("chess", "4")  # type: ignore[call-overload]
    ludovec.make("tilewe", players="2")  # type: ignore[call-overload]
    ludovec.make("chess", 4, batch_size=2, varaint="atomic")  # type: ignore[call-overload]
    ludovec.make("tilewe", 4, opponents="random", rules="offical")  # type: ignore[call-overload]
    ludovec.make("tilewe", 4, seat=0)  # type: ignore[call-overload]
    ludovec.make(3)  # type: ignore[call-overload]
    ludovec.Game("chess", varaint="atomic")  # type: ignore[call-arg]
    ludovec.Game(3)  # type: ignore[arg-type]
    ludovec.spec("chess", varaint="atomic")  # type: ignore[call-arg]
    ludovec.tournament("chess", ["random", "greedy"], pairings="swiss")  # type: ignore[arg-type]
    env = ludovec.make("chess")
    print(env.observatons)  # type: ignore[attr-defined]
    env.fork("a", 3)  # type: ignore[arg-type]
    env.fork(0, [1.5])  # type: ignore[list-item]
    env.set_state("0", b"")  # type: ignore[arg-type]
    env.step([0])[-1]["action_masks"]  # type: ignore[typeddict-item]
    env.reset()[1]["final_info"]["score"]  # type: ignore[typeddict-item]
    env.reset(options={"positons": []})  # type: ignore[arg-type]
    env.reset(options={"reset_mask": [True]})  # type: ignore[arg-type]
    env.single_action_space.sampel()  # type: ignore[attr-defined]
    ludovec.make("chess", opponents="random").step([0])[-1]["seats"]  # type: ignore[typeddict-item]
    ludovec.make("chess", render_mode="rgb")  # type: ignore[call-overload]
    ludovec.make("chess", opponents="random", on_fault="lose")  # type: ignore[call-overload]
    check_vector_env(env, checks=["seedling"])  # type: ignore[list-item]
    ludovec.evaluate("chess", "random", palyers=2)  # type: ignore[call-arg]
    ludovec.evaluate("chess", "random", 3)  # type: ignore[arg-type]
    ludovec.TreeSearch(env, method="gumble")  # type: ignore[arg-type]
    ludovec.TreeSearch(env, value="seets")  # type: ignore[arg-type]
    ludovec.TreeSearch(env, evaluator="playouts")  # type: ignore[arg-type]
    ludovec.Network("champion", "chess", palyers=2)  # type: ignore[call-arg]
    env.to_svg(theme="drak")  # type: ignore[arg-type]
    ludovec.Game("chess").to_svg("drak")  # type: ignore[arg-type]
    ludovec.pettingzoo.aec_env("chess", masks="info")  # type: ignore[arg-type]
    ludovec.pettingzoo.parallel_env("chess", on_illegal="skip")  # type: ignore[arg-type]
    ludovec.pettingzoo.parallel_env("chess", varaint="atomic")  # type: ignore[call-arg]
    options: ChessOptions = {"varaint": "atomic"}  # type: ignore[typeddict-unknown-key]
    ludovec.make("chess", **options)
