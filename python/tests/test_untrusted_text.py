"""Texts from elsewhere name no player, command, address or path: every door, with every prefix.

The server of the Model Context Protocol is tested in test_text_mcp, the web page in Rust.
"""

import json
import threading
import urllib.error
import urllib.request

import ludovec
import pytest
from helpers import REFUSED_PLAYERS
from ludovec import _core

#: Options with paths, by environment.
PATHS = [("chess", "variant", "mine.toml"), ("smallworld", "map", "map.json")]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty folder, in which no program leaves a file."""
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    assert not (tmp_path / "refused").exists()


def test_one_function_decides_about_players(env_id):
    none = _core.Trust([], {})
    for text in REFUSED_PLAYERS:
        with pytest.raises(ludovec.InvalidConfig):
            none.check_player(env_id, {}, text)
        _core.Trust([text], {}).check_player(env_id, {}, text)
    for text in ("random", "greedy", "search:10000", "net:champion", "net:champion:10000"):
        none.check_player(env_id, {}, text)


@pytest.mark.parametrize(("env", "option", "file"), PATHS)
def test_positions_and_records_name_no_files(env, option, file, folder):
    game = ludovec.Game(env, 0)
    position, record = json.loads(game.to_json()), game.record()
    for path in (file, f"/{file}", f"../{file}", f"{folder}/{file}", "/etc/passwd"):
        for data, read in ((position, ludovec.Game.from_json), (record, ludovec.Game.from_record)):
            data["options"] = {option: path}
            with pytest.raises(ludovec.InvalidConfig, match="only taken from the user"):
                read(json.dumps(data))
            # With the user's consent the file is opened.
            with pytest.raises(ludovec.InvalidConfig, match=r"option|file|line 1|not TOML|not JSON"):
                read(json.dumps(data), allow_options={option: path})
            with pytest.raises(ludovec.InvalidConfig, match="only taken from the user"):
                read(json.dumps(data), allow_options={option: "other"})


def test_a_variant_of_the_user_is_written_and_read_with_consent(folder):
    (folder / "mine.toml").write_text('extends = "chess"\n')
    game = ludovec.Game("chess", 0, variant="mine.toml")
    game.step(game.string_to_action("e2e4"))
    allowed = {"variant": "mine.toml"}
    for again in (
        ludovec.Game.from_record(game.record(), allow_options=allowed),
        ludovec.Game.from_json(game.to_json(), allow_options=allowed),
    ):
        assert again.to_json() == game.to_json()


@pytest.mark.parametrize("tag", ["/etc/passwd", "mine.toml", "./mine.toml", "a/b x"])
def test_a_game_in_pgn_names_no_file(tag, folder):
    (folder / "mine.toml").write_text('extends = "chess"\n')
    with pytest.raises(ludovec.InvalidState, match="only taken from the user"):
        ludovec.Game.from_pgn(f'[Variant "{tag}"]\n\n1. e4 *')


def test_datasets_name_no_files(folder):
    parquet = pytest.importorskip("pyarrow.parquet")
    from ludovec import data

    (folder / "mine.toml").write_text('extends = "chess"\n')
    write = {"games": 2, "variant": "mine.toml", "max_steps": 4}
    data.write("games", "chess", num_envs=2, **write)
    assert parquet.ParquetFile(next((folder / "games").glob("*.parquet"))).metadata.num_rows
    with pytest.raises(ludovec.InvalidConfig, match="only taken from the user"):
        data.Dataset("games")
    assert len(data.Dataset("games", allow_options={"variant": "mine.toml"}))


def test_a_request_to_a_bot_server_names_no_player(env_id):
    from ludovec import bot_server

    class First:
        def turn(self, *request):
            return 0

    server = bot_server.serve_bot(env_id, First(), port=0)
    port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        request = ludovec.Game(env_id, 0).bot_request()
        for key in ("bot", "player", "opponents", "options", "file"):
            for text in REFUSED_PLAYERS:
                data = json.dumps({**request, key: text}).encode()
                asked = urllib.request.Request(f"http://127.0.0.1:{port}/turn", data)
                try:
                    urllib.request.urlopen(asked, timeout=10).close()
                except urllib.error.HTTPError as error:
                    error.close()
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


def test_clients_of_openenv_name_no_player_and_no_option():
    pytest.importorskip("openenv.core", reason="the package openenv is not installed")
    from ludovec.text.openenv import OpenEnvironment

    env = OpenEnvironment("tilewe", "random", players=2)
    for key in ("opponents", "options", "map", "variant", "player", "legal"):
        for text in REFUSED_PLAYERS:
            with pytest.raises(ludovec.InvalidConfig, match=key):
                env.reset(seed=0, **{key: text})
    env.close()


@pytest.mark.parametrize("text", REFUSED_PLAYERS)
def test_replies_of_language_models_are_moves_only(text):
    env = ludovec.make_text("tilewe", opponents="random", players=2)
    env.reset(seed=0)
    *_, info = env.step(f"Move: {text}")
    assert info["action"] is None
    env.close()
