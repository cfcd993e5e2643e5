"""Analysis of positions by players."""

import json
from xml.etree import ElementTree

import ludovec
import numpy as np
import pytest


def played(env_id, steps=4):
    game = ludovec.Game(env_id, seed=2)
    for _ in range(steps):
        game.step(game.bot_action("random"))
    return game


def likes_low_indices(observations, bits):
    """Logits that decrease with the index; the value is the first byte."""
    rows = np.asarray(observations).reshape(len(observations), -1)
    count = likes_low_indices.actions
    return np.tile(-0.01 * np.arange(count, dtype=np.float32), (len(rows), 1)), rows[:, 0] / 1000


def check(game, analysis):
    legal = game.legal_actions()
    assert analysis.policy.dtype == np.float32 and analysis.policy.shape == (game.spec.num_actions,)
    assert abs(analysis.policy.sum() - 1) < 1e-3 and analysis.policy.min() >= 0
    assert set(np.flatnonzero(analysis.policy)) <= set(legal)
    assert analysis.values.dtype == np.float32 and analysis.values.shape == (game.spec.players,)
    best = analysis.best(3)
    assert best[0][0] == analysis.action and len(best) == min(3, len(legal))
    assert best[0][1] == game.action_in_words(analysis.action)
    shares = [share for _, _, share in best[1:]]
    assert shares == sorted(shares, reverse=True)
    ElementTree.fromstring(analysis.to_svg("dark", size=200))
    assert analysis.to_png(size=100)[:4] == b"\x89PNG"
    html = analysis._repr_html_()
    assert "<svg" in html and "would play" in html and f"{int(100 * best[0][2] + 0.5)} %" in html
    assert best[0][1] in str(analysis) and game.spec.env in repr(analysis)


def test_a_search_has_policy_and_values(env_id):
    game = played(env_id)
    before = game.position
    analysis = game.analyse("search", simulations=20)
    check(game, analysis)
    assert analysis.forecast == "lead" and analysis.player == "search:20"
    assert np.abs(analysis.values).max() <= 1
    assert analysis.action == game.bot_action("search:20")
    assert game.position == before
    # The analysis keeps its own copy of the position.
    game.step(analysis.action)
    check(analysis.game, analysis)


@pytest.mark.parametrize("simulations", [None, 0, 12])
def test_functions_on_arrays_are_analysed(env_id, simulations):
    game = played(env_id)
    likes_low_indices.actions = game.spec.num_actions
    if game.spec.players > 2:

        def network(observations, bits):
            logits, values = likes_low_indices(observations, bits)
            seats = np.zeros((len(values), game.spec.players), np.float32)
            seats[:, 0] = values
            return logits, seats
    else:
        network = likes_low_indices
    analysis = game.analyse(network, simulations)
    check(game, analysis)
    if not simulations:
        assert analysis.action == game.legal_actions()[0]
        value = game.observation().reshape(-1)[0] / 1000
        assert analysis.values[game.current_player] == pytest.approx(value)


def test_the_champion_gives_equal_analyses_as_text_and_as_network(env_id):
    game = ludovec.Game(env_id, seed=1)
    options = {key: value for key, value in game.spec.options.items() if value is not None}
    try:
        network = ludovec.Network("champion", env_id, **options)
    except ludovec.InvalidConfig as error:
        pytest.skip(str(error))
    for _ in range(5):
        game.step(game.bot_action("greedy"))
    for simulations in (None, 16):
        as_text = game.analyse("net:champion", simulations)
        as_network = game.analyse(network, simulations)
        check(game, as_text)
        np.testing.assert_allclose(as_text.policy, as_network.policy, atol=1e-5)
        np.testing.assert_allclose(as_text.values, as_network.values, atol=1e-4)
        assert (as_text.action, as_text.forecast) == (as_network.action, as_network.forecast)
        assert as_text.forecast == network.reward
        assert as_network.player == ("net:champion" if simulations is None else f"net:champion:{simulations}")
    as_text, as_function = game.analyse("net:champion"), game.analyse(lambda seen, bits: network(seen, bits))
    assert as_text.action == as_function.action
    np.testing.assert_allclose(as_text.policy, as_function.policy, atol=1e-5)
    np.testing.assert_allclose(as_text.values, as_function.values, atol=1e-4)


def test_a_function_is_given_what_a_search_would_give_it(env_id):
    game, seen = played(env_id), []

    def network(observations, bits):
        seen.append((observations.copy(), bits.copy()))
        logits = np.zeros((len(observations), game.spec.num_actions), np.float32)
        return logits, np.zeros((len(observations), game.spec.players), np.float32)

    analysis = game.analyse(network, 3)
    assert analysis.player == "network, 3 simulations"
    env = ludovec.make(env_id, 1, **{k: v for k, v in game.spec.options.items() if v is not None})
    env.set_position(0, json.loads(game.to_json())["position"])
    np.testing.assert_array_equal(seen[0][0], env.observations)
    np.testing.assert_array_equal(seen[0][1], env.action_mask_bits)
    assert len(seen) > 1 and all(len(o) == len(b) == 1 for o, b in seen)

    def failing(observations, bits):
        raise RuntimeError("it has failed")

    with pytest.raises(RuntimeError, match="it has failed"):
        game.analyse(failing, 3)


def test_players_without_policy_and_values_are_refused(env_id):
    game = played(env_id)
    for player, word in [
        ("greedy", "search:N"),
        ("search:0", "playouts"),
        ("net:/no/file", "/no/file"),
        (7, "text is needed"),
    ]:
        with pytest.raises(ludovec.InvalidConfig, match=word):
            game.analyse(player)
    with pytest.raises(ludovec.InvalidConfig, match="simulations"):
        game.analyse("search", simulations=-1)
    with pytest.raises(ludovec.InvalidConfig, match="logits of shape"):
        game.analyse(lambda observations, bits: (np.zeros((1, 3)), np.zeros(1)))
    while not game.is_terminal:
        game.step(game.bot_action("random"))
    likes_low_indices.actions = game.spec.num_actions
    for player in ("search:4", likes_low_indices):
        with pytest.raises(ludovec.GameOver):
            game.analyse(player)
