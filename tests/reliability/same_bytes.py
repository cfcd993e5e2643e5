"""Checks that the same games give the same bytes on every path.

    python tests/reliability/same_bytes.py [--program target/release/ludovec] [--debug target/debug/ludovec]

Every cell is a checksum over every mask, observation, reward and flag of 300 decisions in each of 64 games. It must equal
the one in `tests/data/rollouts.json`. Needs the package, the program, and the package `xxhash`. Exits with 1 for a difference.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import xxhash

import ludovec

ROOT = Path(__file__).resolve().parents[2]
GAMES, SEED, STEPS = 64, 42, 300
WORD = 2**64 - 1


def split_mix(x: int) -> int:
    """SplitMix64, the mixing function for hashes of games."""
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & WORD
    return x ^ (x >> 31)


class Checksum:
    """The engine's checksum, computed in Python from NumPy arrays."""

    def __init__(self) -> None:
        self.games = [0] * GAMES

    def update(self, env: ludovec.VectorEnv, observations: np.ndarray) -> None:
        """Adds the current state of the batch."""
        columns = env.columns
        flags = np.concatenate([columns["terminated"], columns["truncated"]], axis=1)
        rows = (columns["mask_bits"], observations.reshape(GAMES, -1), columns["rewards"], flags)
        for game in range(GAMES):
            for row in rows:
                data = np.ascontiguousarray(row[game]).tobytes()
                self.games[game] = xxhash.xxh3_64_intdigest(data, seed=self.games[game])

    def value(self) -> str:
        """The checksum so far."""
        mixed = (split_mix(hashed ^ split_mix(game)) for game, hashed in enumerate(self.games))
        return f"{sum(mixed) & WORD:016x}"


def of_python(env: ludovec.VectorEnv, bytes_of: Callable[[ludovec.VectorEnv], np.ndarray]) -> str:
    """The checksum of games stepped by Python, with explicit actions in half of the steps."""
    env.reset(seed=SEED)
    checksum = Checksum()
    checksum.update(env, bytes_of(env))
    for step in range(STEPS):
        if step % 2:
            env.step(env.sample_actions())
        else:
            env.step_sampled()
        checksum.update(env, bytes_of(env))
    return checksum.value()


def local(env_id: str, threads: int, **formats: str) -> ludovec.VectorEnv:
    """A batch of this process."""
    return ludovec.make(env_id, GAMES, num_threads=threads, seed=SEED, mask="bits", **formats)


def from_floats(env: ludovec.VectorEnv) -> np.ndarray:
    """Float observations converted back to bytes."""
    floats = env.observations.reshape(GAMES, -1)
    bytes_ = np.zeros(floats.shape, np.uint8)
    for field in env.game_spec.observation:
        field.view(bytes_)[...] = np.rint(field.view(floats) / np.float32(field.scale))
    return bytes_


def bench(program: Path, *arguments: str, **environment: str) -> str:
    """The checksum of the program's own loop."""
    call = [str(program), "bench", "--steps", str(STEPS), "--seed", str(SEED), "--json", *arguments]
    done = subprocess.run(call, capture_output=True, text=True, env=os.environ | environment, check=False)
    return json.loads(done.stdout)["checksum"] if done.returncode == 0 else done.stderr.strip()


def fleet(program: Path, env_id: str, blocks: int, ask: Callable[[str], str]) -> str:
    """The checksum of games in a fleet."""
    name = f"same-bytes-{os.getpid()}"
    call = [str(program), "serve", env_id, "--name", name, "--num-envs", str(GAMES), "--blocks", str(blocks)]
    served = subprocess.Popen([*call, "--mask", "bits", "--threads", "2"], stdout=subprocess.PIPE, text=True)
    try:
        served.stdout.readline()
        return ask(name)
    finally:
        served.terminate()
        served.wait()


def attached(name: str) -> str:
    """The checksum of a fleet's games, stepped by Python."""
    env = ludovec.attach(name)
    try:
        return of_python(env, lambda env: env.observations)
    finally:
        env.close()


def rows(program: Path, debug: Path | None, env_id: str) -> Iterator[tuple[str, str]]:
    """All ways to step the games, with their checksums."""
    size = ("--num-envs", str(GAMES))
    for threads in (1, 2, 3, 7):
        yield f"Rust, {threads} threads", bench(program, env_id, *size, "--threads", str(threads))
    for level in ("portable", "avx2", "avx512"):
        found = bench(program, env_id, *size, "--threads", "1", LUDOVEC_CPU=level)
        yield f"Rust, LUDOVEC_CPU={level}", found
    if debug is not None:
        yield "Rust, debug build", bench(debug, env_id, *size, "--threads", "2")
    for blocks in (1, 3):
        yield (
            f"fleet of {blocks} blocks, Rust",
            fleet(program, env_id, blocks, lambda name: bench(program, "--attach", name)),
        )
    yield "fleet of 3 blocks, Python", fleet(program, env_id, 3, attached)
    yield "Python, u8, 1 thread", of_python(local(env_id, 1), lambda env: env.observations)
    yield "Python, u8, 3 threads", of_python(local(env_id, 3), lambda env: env.observations)
    yield "Python, f32 back to bytes", of_python(local(env_id, 2, obs="f32"), from_floats)
    packed = local(env_id, 2, obs="packed")
    yield (
        "Python, packed, unpacked",
        of_python(packed, lambda env: np.asarray(ludovec.unpack(env.observations, env.game_spec))),
    )


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--program", type=Path, default=ROOT / "target/release/ludovec")
    parser.add_argument("--debug", type=Path, help="a program with overflow checks")
    given = parser.parse_args()
    pinned = json.loads((ROOT / "tests/data/rollouts.json").read_text())
    wrong = 0
    for env_id, (_, expected) in pinned.items():
        print(f"{env_id}: {expected}")
        for name, found in rows(given.program, given.debug, env_id):
            wrong += found != expected
            print(f"    {name:28} {'the same' if found == expected else f'DIFFERENT: {found}'}", flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
