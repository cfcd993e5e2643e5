"""Writes the static pages, a folder that any web server can serve: `make web-pages` writes target/web.

Each game is one WebAssembly file, with its rules, bots, drawings, search and champion. Sizes and the processor
time of a move are printed and, if all games were built, written into docs/figures/engine.md. A compressed file that is
larger than 4 MB is a failure.
"""

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "benches"))
import figures  # noqa: E402

TARGET = "wasm32-unknown-unknown"
#: The players of :func:`milliseconds`.
PLAYERS = ("net:champion", "net:champion:64")
#: The largest compressed file of a game, in bytes.
MOST = 4_000_000


def games() -> list[str]:
    """The environments in the order of the pages, one per feature."""
    return re.findall(r'cfg\(feature = "game-(\w+)"\)', (ROOT / "src/wasm/pages.rs").read_text())


def missing() -> str | None:
    """The reason why the pages cannot be built here."""
    installed = subprocess.run(
        ["rustc", "--print", "target-libdir", "--target", TARGET], capture_output=True, text=True
    )
    if installed.returncode != 0 or not Path(installed.stdout.strip()).is_dir():
        return f"the compiler lacks WebAssembly: rustup target add {TARGET}"
    if not shutil.which("node"):
        return "Node.js is needed to list the games"
    return None


def compile_game(env: str, folder: Path) -> Path:
    """Compiles a game into `folder`."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    flags = {**os.environ, "RUSTFLAGS": "-C target-feature=+simd128"}
    command = [
        "cargo",
        "rustc",
        "--locked",
        "--quiet",
        "--profile",
        "pages",
        "--package",
        "ludovec-wasm",
        "--lib",
    ]
    command += [
        "--crate-type",
        "cdylib",
        "--target",
        TARGET,
        "--no-default-features",
        "--features",
        f"game-{env}",
    ]
    subprocess.run(command, cwd=ROOT, env=flags, check=True)
    file = folder / f"{env}.wasm"
    shutil.copyfile(target / TARGET / "pages" / "ludovec_wasm.wasm", file)
    return file


def sizes(file: Path) -> dict[str, int]:
    """The size of a file in bytes, as it is and compressed."""
    found = {"plain": file.stat().st_size, "gzip": len(gzip.compress(file.read_bytes(), 9))}
    if shutil.which("brotli"):
        packed = subprocess.run(["brotli", "--stdout", "--best", str(file)], capture_output=True, check=True)
        found["brotli"] = len(packed.stdout)
    return found


def milliseconds(file: Path) -> dict[str, float]:
    """Mean processor time of a move by player, in one thread of Node.js."""
    command = ["node", "src/wasm/speed.js", "20", str(file)]
    told = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    found: dict[str, float] = json.loads(told)
    return found


def row(file: Path) -> list[str]:
    """The row of a game in the table: name, sizes, milliseconds."""
    size, speed = sizes(file), milliseconds(file)
    command = ["node", "src/wasm/environments.js", "/api/environments", str(file)]
    (env,) = json.loads(subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout)
    packed = [f"{size[how] / 1e6:.2f} MB" if how in size else "" for how in ("plain", "gzip", "brotli")]
    return [env["name"], *packed, *(f"{speed[name]:.0f}" for name in PLAYERS)]


def main() -> None:
    """Builds the games named on the command line, by default all."""
    reason = missing()
    if reason:
        sys.exit(f"the static pages are left out: {reason}")
    folder = ROOT / "target" / "web"
    folder.mkdir(parents=True, exist_ok=True)
    asked = sys.argv[1:] or games()
    table = [["game", "file", "gzip", "brotli", *(f"`{name}`, ms a move" for name in PLAYERS)], ["---"] * 6]
    too_large = []
    for env in asked:
        file = compile_game(env, folder)
        table.append(row(file))
        print(" | ".join(table[-1]), flush=True)
        if min(sizes(file).values()) > MOST:
            too_large.append(env)
    if asked == games():
        rows = "\n".join(f"| {' | '.join(cells)} |" for cells in table)
        node = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
        told = f"Node.js {node.removeprefix('v')} on {figures.machine()}, commit {figures.git('rev-parse', '--short=8', 'HEAD')}."
        figures.write(ROOT / "docs" / "figures" / "engine.md", ".ci/web_pages.py", f"{rows}\n\n{told}")
    # The page of the program, with the files of the static pages over it.
    for page in ["src/cli/web/page", "src/wasm/page"]:
        shutil.copytree(ROOT / page, folder, dirs_exist_ok=True)
    files = [str(folder / f"{env}.wasm") for env in games() if (folder / f"{env}.wasm").exists()]
    for name, path in [
        ("environments", "/api/environments"),
        ("rules", "/api/rules"),
        ("cards-light", "/api/cards?theme=light"),
        ("cards-dark", "/api/cards?theme=dark"),
    ]:
        command = ["node", "src/wasm/environments.js", path, *files]
        answer = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
        (folder / f"{name}.json").write_bytes(answer.stdout)
    if too_large:
        sys.exit(f"larger than {MOST / 1e6:.0f} MB: {', '.join(too_large)}")


if __name__ == "__main__":
    main()
