"""Writes the static pages, a folder that any web server can serve: `make web-pages` writes target/web.

Each game is one WebAssembly file, with its rules, bots, drawings, search and champion. Prints the sizes, and
fails if a compressed file is larger than 4 MB.
"""

import gzip
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
TARGET = "wasm32-unknown-unknown"
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


def main() -> None:
    """Builds the games named on the command line, by default all."""
    reason = missing()
    if reason:
        sys.exit(f"the static pages are left out: {reason}")
    folder = ROOT / "target" / "web"
    folder.mkdir(parents=True, exist_ok=True)
    too_large = []
    for env in sys.argv[1:] or games():
        size = sizes(compile_game(env, folder))
        print(
            f"{env}: " + ", ".join(f"{bytes / 1e6:.2f} MB {how}" for how, bytes in size.items()), flush=True
        )
        if min(size.values()) > MOST:
            too_large.append(env)
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
