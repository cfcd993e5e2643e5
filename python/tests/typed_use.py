"""How users write it, for mypy: what is right has its type, what is mistyped is an error.

Checked by ``make lint``; an unused ``type: ignore`` is an error, too.
"""

import ludovec
import numpy as np
from ludovec.typing import ChessOptions, EnvId
from typing_extensions import assert_type


def right() -> None:
    """Results have the types of what was asked for."""
    env = ludovec.make("chess", 4, autoreset="next_step", obs="f32", mask="bits", flags=["knooks"])
    assert_type(env, ludovec.VectorEnv)
    assert_type(ludovec.make("tilewe", 4, batch_size=2, players=2), ludovec.AsyncVectorEnv)
    assert_type(ludovec.make("tilewe", 4, opponents="greedy", players=2), ludovec.SeatVectorEnv)
    assert_type(ludovec.evaluate("greedy", "random", 10, env="empires", width=8), ludovec.Tournament)
    game = ludovec.Game("smallworld", rules="official", map=None)
    assert_type(game.position, ludovec.Position)
    assert_type(env.credit.dtype, np.dtype[np.float32])
    for id in ludovec.list_envs():
        assert_type(id, EnvId)
        ludovec.make(id)
    options: ChessOptions = {"variant": "atomic", "max_plies": 100}
    ludovec.make("chess", **options)


def wrong() -> None:
    """Typos of ids, words and options."""
    ludovec.make("ches")  # type: ignore[call-overload]
    ludovec.make("chess", autoreset="same-step")  # type: ignore[call-overload]
    ludovec.make("chess", obs="u16")  # type: ignore[call-overload]
    ludovec.make("chess", varaint="atomic")  # type: ignore[call-overload]
    ludovec.make("smallworld", rules="offical")  # type: ignore[call-overload]
    ludovec.Game("chess", varaint="atomic")  # type: ignore[call-arg]
    ludovec.Game("ches")  # type: ignore[arg-type]
    ludovec.spec("chess", varaint="atomic")  # type: ignore[call-arg]
    ludovec.tournament("chess", ["random", "greedy"], pairings="swiss")  # type: ignore[arg-type]
    ludovec.evaluate("random", env="chess", palyers=2)  # type: ignore[call-arg]
    options: ChessOptions = {"varaint": "atomic"}  # type: ignore[typeddict-unknown-key]
    ludovec.make("chess", **options)
