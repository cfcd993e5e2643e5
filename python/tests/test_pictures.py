"""Drawings, pixels, names and marks."""

import importlib
import struct
import warnings
from xml.etree import ElementTree

import ludovec
import numpy as np
import pytest
from ludovec.pettingzoo import aec_env

gymnasium = pytest.importorskip("gymnasium")


def played(env_id, steps=6, seed=1):
    game = ludovec.Game(env_id, seed=seed)
    for _ in range(steps):
        game.step(game.bot_action("random"))
    return game


def png_size(data):
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", data[16:24])


def test_drawings_have_sizes_titles_and_descriptions(env_id):
    game = played(env_id)
    root = ElementTree.fromstring(game.to_svg(size=300))
    assert root.get("role") == "img"
    assert max(float(root.get("width")), float(root.get("height"))) == 300
    title, description = root[0].text, root[1].text
    assert title == f"{game.title}: {game.standing}"
    assert "6 moves were played." in description
    assert max(png_size(game.to_png(size=300))) == 300
    pixels = game.to_rgb("dark", size=300)
    assert pixels.dtype == np.uint8 and pixels.shape[2] == 3 and max(pixels.shape) == 300
    assert game.to_rgb(frame=(120, 80)).shape == (80, 120, 3)
    assert len(game.to_svg(board_only=True)) <= len(game.to_svg())
    for refused in ({"size": 15}, {"size": 9000}, {"size": 2.5}, {"flipped": 1}, {"frame": (0, 5)}):
        with pytest.raises(ludovec.InvalidConfig):
            game.to_rgb(**refused)


def test_legal_actions_and_weights_are_marked(env_id):
    game = played(env_id)
    plain, legal = game.to_svg(), game.legal_actions()
    assert game.to_svg(legal=False) == plain and game.to_svg(legal=[]) == plain
    marked = game.to_svg(legal=True)
    assert marked != plain
    ElementTree.fromstring(marked)
    ElementTree.fromstring(game.to_svg(legal=legal[:1]))
    weights = np.zeros(game.spec.num_actions)
    assert game.to_svg(weights=weights) == plain
    weights[legal] = 1
    heat = game.to_svg(weights=weights)
    assert heat != plain
    # Weights of illegal actions are ignored.
    weights[np.setdiff1d(np.arange(game.spec.num_actions), legal)[:3]] = 7
    assert game.to_svg(weights=weights) == heat
    assert png_size(game.to_png(weights=weights, legal=True))
    for refused in ({"weights": [1.0]}, {"weights": -weights}, {"weights": np.full(weights.shape, np.inf)}):
        with pytest.raises(ludovec.InvalidConfig):
            game.to_svg(**refused)
    illegal = next(action for action in range(game.spec.num_actions) if action not in legal)
    with pytest.raises(ludovec.IllegalAction):
        game.to_svg(legal=[illegal])


def test_players_have_names(env_id):
    game = played(env_id)
    own = game.names
    given = [f"Ada <{seat}> & co" for seat in range(game.spec.players)]
    game.names = given
    assert game.names == given and game.clone().names == given
    texts = "".join(ElementTree.fromstring(game.to_svg()).itertext())
    assert given[game.current_player] in texts
    record = game.record()
    assert record["names"] == given and ludovec.Game.from_record(record).names == given
    game.names = [""] * len(own)
    assert game.names == own and "names" not in game.record()
    for refused in (["a"] * 9, ["x" * 61] * len(own), 3):
        with pytest.raises(ludovec.InvalidConfig):
            game.names = refused
    assert game.names == own


def test_actions_are_described_in_words(env_id):
    game = played(env_id)
    for action in game.legal_actions()[:50]:
        words = game.action_in_words(action)
        assert words and "\n" not in words and "_" not in words
    with pytest.raises(ludovec.IllegalAction):
        game.action_in_words(game.spec.num_actions)


def test_frames_of_environments_are_pixels(env_id):
    env = ludovec.make(env_id, num_envs=2, render_mode="rgb_array")
    first = env.render()
    for _ in range(5):
        env.step(env.sample_actions())
    later = env.render()
    assert len(first) == len(later) == 2
    shapes = {frame.shape for frame in (*first, *later)}
    assert len(shapes) == 1, "the frames of a video have one size"
    height, width, colours = shapes.pop()
    assert colours == 3 and height % 2 == width % 2 == 0 and first[0].dtype == np.uint8
    assert env._repr_html_() == env.to_svg() and png_size(env.to_png())


def test_single_environments_render_pixels(env_id):
    spec = ludovec.spec(env_id)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        env = gymnasium.make(f"ludovec/{spec.name}-v{spec.version}", render_mode="rgb_array")
        env.reset(seed=0)
        frame = env.render()
    assert frame.dtype == np.uint8 and frame.ndim == 3
    assert env.metadata["render_fps"] > 0 and "rgb_array" in env.metadata["render_modes"]


def test_pettingzoo_renders_pixels(env_id):
    env = aec_env(env_id, render_mode="rgb_array")
    env.reset(seed=0)
    assert env.render().shape[2] == 3


def frames_of(file):
    """Width, height and number of frames of a video."""
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    frames = imageio_ffmpeg.read_frames(str(file))
    width, height = next(frames)["size"]
    return width, height, sum(1 for _ in frames)


def gymnasium_id(env_id):
    spec = ludovec.spec(env_id)
    return f"ludovec/{spec.name}-v{spec.version}"


def test_gymnasium_records_videos(env_id, tmp_path):
    pytest.importorskip("moviepy", reason="gymnasium's RecordVideo needs moviepy")
    env = gymnasium.make(gymnasium_id(env_id), render_mode="rgb_array")
    env = gymnasium.wrappers.RecordVideo(env, str(tmp_path / "videos"), episode_trigger=lambda _: True)
    env.reset(seed=0)
    height, width, _ = env.render().shape
    steps = 3
    for _ in range(steps):
        env.step(int(np.flatnonzero(env.unwrapped.action_masks())[0]))
    env.close()
    [video] = tmp_path.glob("videos/*.mp4")
    assert frames_of(video) == (width, height, steps + 1)


def test_gymnasium_records_videos_of_batches(tmp_path):
    pytest.importorskip("moviepy", reason="gymnasium's RecordVideo needs moviepy")
    from gymnasium.wrappers.vector import RecordVideo

    env = gymnasium.make_vec(gymnasium_id("tilewe"), 4, render_mode="rgb_array", autoreset="next_step")
    env = RecordVideo(env, str(tmp_path / "videos"), episode_trigger=lambda _: True)
    env.reset(seed=0)
    for _ in range(2):
        env.step(env.unwrapped.sample_actions())
    env.close()
    [video] = tmp_path.glob("videos/*.mp4")
    width, height, frames = frames_of(video)
    assert frames == 3 and width % 2 == height % 2 == 0


def test_renderings_of_a_pettingzoo_game_make_a_video(tmp_path):
    pytest.importorskip("moviepy", reason="makes the video")
    from moviepy.video.io.ImageSequenceClip import ImageSequenceClip

    env = aec_env("starwars_risk", render_mode="rgb_array", max_steps=4)
    env.reset(seed=0)
    frames = [env.render()]
    for _ in env.agent_iter():
        seen, _, terminated, truncated, _ = env.last()
        over = terminated or truncated
        env.step(None if over else np.int32(np.flatnonzero(seen["action_mask"])[0]))
        frames.append(env.render())
    ImageSequenceClip(frames, fps=4).write_videofile(str(tmp_path / "game.mp4"), logger=None)
    height, width, _ = frames[0].shape
    assert frames_of(tmp_path / "game.mp4") == (width, height, len(frames))


def test_adapters_render_pixels(env_id):
    from ludovec.adapters._one_game import OneGame

    one = OneGame()
    one._make(env_id, render_mode="rgb_array")
    assert one.render().dtype == np.uint8 and one.render().shape[2] == 3
    one._make(env_id)
    assert isinstance(one.render(), str)


def test_stable_baselines_renders_pixels():
    pytest.importorskip("stable_baselines3")
    from ludovec.sb3 import SeatVecEnv

    env = SeatVecEnv("tilewe", 4, players=2, render_mode="rgb_array")
    env.reset()
    images = env.get_images()
    assert len(images) == 4 and images[0].dtype == np.uint8 and images[0].shape[2] == 3
    tiled = env.render(mode="rgb_array")
    assert tiled.shape[:2] == (2 * images[0].shape[0], 2 * images[0].shape[1])
    silent = SeatVecEnv("tilewe", 2, players=2)
    assert silent.get_images() == [None, None] and silent.render_mode is None


def test_tianshou_and_rllib_render_pixels():
    missing = []
    for library, make in [
        ("tianshou", lambda: ludovec.tianshou.TianshouEnv("chess", render_mode="rgb_array")),
        ("ray", lambda: ludovec.rllib.RLlibEnv({"id": "chess", "render_mode": "rgb_array"})),
    ]:
        try:
            importlib.import_module(f"ludovec.{'rllib' if library == 'ray' else library}")
        except ImportError:
            missing.append(library)
            continue
        env = make()
        env.reset(seed=0)
        assert env.render_mode == "rgb_array" and env.render().shape[2] == 3
        assert "rgb_array" in env.metadata["render_modes"]
    if missing:
        pytest.skip(f"{' and '.join(missing)}: not installed")


def test_gymnasium_renders_for_people(monkeypatch):
    pytest.importorskip("pygame", reason="gymnasium's HumanRendering needs pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    spec = ludovec.spec("chess")
    env = gymnasium.make(f"ludovec/{spec.name}-v{spec.version}", render_mode="rgb_array")
    env = gymnasium.wrappers.HumanRendering(env)
    env.reset(seed=0)
    env.close()


def test_gymnasium_renders_batches_for_people(monkeypatch):
    pygame = pytest.importorskip("pygame", reason="gymnasium's HumanRendering needs pygame")
    pytest.importorskip("cv2", reason="gymnasium's HumanRendering of batches needs opencv")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    for games in (
        ludovec.make("chess", 4, render_mode="rgb_array"),
        ludovec.make("chess", 3, render_mode="rgb_array", opponents="random"),
    ):
        env = gymnasium.wrappers.vector.HumanRendering(games)
        _, info = env.reset(seed=0)
        before = pygame.surfarray.array3d(env.window)
        env.step(info["action_mask"].argmax(axis=1))
        after = pygame.surfarray.array3d(env.window)
        assert before.std() > 5 and (before != after).any()
        env.close()
