"""Games as environments of TextArena, made and stepped by the package itself."""

import ludovec
import pytest

ta = pytest.importorskip("textarena", reason="the package textarena is not installed")


def played(env, replies=None):
    """Plays first legal moves to the end; returns rewards, infos and all observations by player."""
    shown, done = {}, False
    while not done:
        player, messages = env.get_observation()
        shown.setdefault(player, []).extend(text for _, text, _ in messages)
        game = env.game
        assert player == game.current_player and messages
        done, _ = env.step(replies or f"Move: {game.action_to_string(game.legal_actions()[0])}")
    rewards, infos = env.close()
    return rewards, infos, shown


def test_every_game_is_played_to_its_end(env_id):
    from ludovec.text.textarena import register

    assert register() == register()
    options = {"max_turns": 10, "width": 8, "height": 8} if env_id == "empires" else {}
    env = ta.make(f"ludovec-{env_id}", **options)
    env.reset(num_players=2, seed=3)
    rewards, infos, shown = played(env)
    assert list(rewards.values()) == env.game.returns().tolist()
    assert not any(info["invalid_move"] for info in infos.values())
    for texts in shown.values():
        assert sum(ludovec.text.rules(env_id, short=True) in text for text in texts) == 1


def test_wrong_replies_lose():
    from ludovec.text.textarena import TextArenaEnv

    env = TextArenaEnv("chess", retries=1)
    env.reset(num_players=2, seed=0)
    rewards, infos, shown = played(env, "no idea")
    assert rewards == {0: -1.0, 1: 0.0} and infos[0]["invalid_move"]
    assert len(shown[0]) == 2 and "not a legal move" in shown[0][1]
    with pytest.raises(ludovec.InvalidConfig, match="num_players=3"):
        env.reset(num_players=3)
