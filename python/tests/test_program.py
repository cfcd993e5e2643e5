"""The program inside the package: ``python -m ludovec``."""

import json
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import ludovec
import pytest

PROGRAM = [sys.executable, "-m", "ludovec"]
posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")


def run(*args, **more):
    return subprocess.run([*PROGRAM, *args], capture_output=True, text=True, **more)


def start(*args):
    def handle_interrupts():
        # A runner in the background ignores SIGINT, and its children would, too.
        signal.signal(signal.SIGINT, signal.default_int_handler)

    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([*PROGRAM, *args], preexec_fn=handle_interrupts, **pipes)


def test_every_command_has_help_with_examples():
    said = run("--help")
    assert said.returncode == 0 and said.stderr == ""
    listed = said.stdout.split("Commands:\n")[1].split("\n\n")[0]
    commands = [line.split()[0] for line in listed.splitlines() if line.startswith("  ") and line[2] != " "]
    assert {"web", "play", "tournament", "selfplay", "completions", "man"} <= set(commands)
    for command in commands:
        if command != "help":
            assert f"ludovec {command}" in run(command, "--help").stdout.split("Examples:")[1], command
    assert run("--version").stdout == f"ludovec {ludovec.__version__}\n"


def test_exit_codes_and_messages_are_the_programs():
    done = run("selfplay", "chess", "--games", "3", "--num-envs", "2", "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["games"] == 3
    for args, code, words in [
        (["tournment"], 2, "did you mean tournament?"),
        (["selfplay", "--player", "greedy"], 2, "did you mean --players?"),
        (["selfplay", "smallword"], 2, "did you mean smallworld?"),
        (["selfplay", "chess", "--players", "gredy"], 2, "did you mean greedy?"),
        (["selfplay", "chess", "--set", "variant=atmic"], 2, "did you mean atomic?"),
        (["selfplay", "chess", "--set", "varant=atomic"], 2, "did you mean variant?"),
        (["selfplay", "chess", "--set", "reward=outcomes"], 2, "did you mean outcome?"),
        (["bench", "--obs", "packd"], 2, "did you mean packed?"),
        (["completions", "zsch"], 2, "did you mean zsh?"),
        (["play", "chess", "--players", "me,gredy"], 2, "did you mean greedy?"),
        (["replay", "no/such.json"], None, "no/such.json"),
    ]:
        said = run(*args)
        assert said.returncode in ([code] if code else [1, 2]), (args, said)
        assert said.stderr.count("\n") == 1 and words in said.stderr, (args, said.stderr)
        assert said.stderr.startswith("ludovec: ") and said.stdout == ""


def test_games_and_records_pass_through_files(tmp_path):
    record = tmp_path / "game.json"
    texts = run("play", "empires", "--players", "juan:defensive,pedro:greedy", "--quiet", "--record", record)
    assert texts.returncode == 0 and "juan" in texts.stdout, texts
    assert len(ludovec.Game.from_record(json.loads(record.read_text())).returns()) == 2
    assert run("replay", record, "--html", tmp_path / "game.html").returncode == 0
    assert "<html" in (tmp_path / "game.html").read_text()
    record.write_text(record.read_text().replace('"actions":[', '"actions":[9999,', 1))
    assert run("replay", record).returncode == 1


@pytest.mark.parametrize("shell", ["bash", "elvish", "fish", "powershell", "zsh"])
def test_completions_name_every_command(shell):
    script = run("completions", shell)
    assert script.returncode == 0 and "tournament" in script.stdout and "bot-server" in script.stdout


def test_man_pages_exist_for_every_command(tmp_path):
    assert ".SH SUBCOMMANDS" in run("man").stdout
    assert run("man", "--dir", tmp_path).returncode == 0
    pages = {page.name for page in tmp_path.iterdir()}
    assert {"ludovec.1", "ludovec-web.1", "ludovec-tournament.1"} <= pages


@posix
@pytest.mark.parametrize("with_", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_command_shows_its_results(with_):
    process = start("selfplay", "smallworld", "--seconds", "1000", "--num-envs", "8", "--json")
    caught = 1 << (with_ - 1)
    while Path("/proc").exists() and not handled(process, caught):
        assert process.poll() is None
        time.sleep(0.01)
    time.sleep(0.3)
    process.send_signal(with_)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (130, "")
    assert json.loads(out)["partial"] is True


def handled(process, caught):
    """Whether a handler of the program, not Python's, is there: the program also handles SIGHUP."""
    for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("SigCgt:"):
            mask = int(line.split()[1], 16)
            return mask & caught and mask & (1 << (signal.SIGHUP - 1))
    return False


@posix
def test_a_command_without_results_ends_like_other_programs():
    process = start("perft", "--depth", "9")
    while Path("/proc").exists() and not python_is_done(process):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == -signal.SIGINT
    process.communicate()


def python_is_done(process):
    """Whether the interpreter has handed SIGINT over to the program."""
    for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("SigCgt:"):
            caught = int(line.split()[1], 16) & (1 << (signal.SIGINT - 1))
            # Before its start, Python has no handler either.
            return not caught and "ludovec" in Path(f"/proc/{process.pid}/maps").read_text()
    return False


@posix
def test_a_closed_pipe_ends_the_program_quietly():
    process = start("spec")
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(timeout=30) == -signal.SIGPIPE
    assert process.stderr.read() == ""


@posix
def test_the_page_is_served_until_ctrl_c():
    process = start("web", "--port", "0")
    address = process.stdout.readline().split()[0]
    assert b"<html" in urllib.request.urlopen(address, timeout=30).read()
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 0
    process.communicate()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_an_error():
    with open("/dev/full", "w") as full:
        said = subprocess.run([*PROGRAM, "--version"], stdout=full, stderr=subprocess.PIPE, text=True)
        more = subprocess.run([*PROGRAM, "spec", "chess"], stdout=full, stderr=subprocess.PIPE, text=True)
    for done in (said, more):
        assert done.returncode in (0, 1) and done.stderr.count("\n") <= 1
    assert more.returncode == 1 and "standard output" in more.stderr


def test_the_command_is_declared():
    tomllib = pytest.importorskip("tomllib")
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert project["scripts"] == {"ludovec": "ludovec.__main__:main"}
