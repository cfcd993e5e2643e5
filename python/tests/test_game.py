"""Single games."""

import copy
import json
import pathlib
import pickle

import ludovec
import numpy as np
import pytest


def played(env_id, steps=12, seed=0, **options):
    game = ludovec.Game(env_id, seed=seed, **options)
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        if game.is_terminal:
            break
        game.step(rng.choice(game.legal_actions()))
    return game


def test_a_single_game_equals_game_zero_of_a_batch(env_id):
    env = ludovec.make(env_id, num_envs=2, seed=5)
    env.reset(seed=5)
    game = ludovec.Game(env_id, seed=5)
    for _ in range(15):
        assert game.current_player == env.current_player[0]
        np.testing.assert_array_equal(game.action_mask(), env.action_mask[0])
        np.testing.assert_array_equal(game.observation(), env.observations[0])
        actions = env.sample_actions()
        env.step(actions)
        game.step(actions[0])
    copied = env.game(0)
    assert copied.to_json() == game.to_json()


def test_a_finished_game_has_a_result(env_id):
    game = played(env_id, steps=100_000)
    assert game.is_terminal and game.legal_actions() == []
    assert game.returns().shape == game.scores().shape == (game.spec.players,)
    assert abs(game.returns().sum()) < 1e-5
    with pytest.raises(ludovec.GameOver):
        game.step(0)
    with pytest.raises(ludovec.GameOver):
        game.bot_action("random")


def test_actions_convert_to_text_and_objects(env_id):
    game = played(env_id, 6)
    moves = game.legal_moves()
    labels = [game.action_to_string(a) for a in game.legal_actions()]
    assert len(set(labels)) == len(labels) == len(moves)
    for action, label, move in zip(game.legal_actions(), labels, moves):
        assert isinstance(move["type"], str)
        assert game.string_to_action(label) == action
        assert game.move_to_action(move) == action and game.action_to_move(action) == move
    twin = game.clone()
    twin.submit(game.current_player, moves[-1])
    game.step(game.legal_actions()[-1])
    assert twin.to_json() == game.to_json()


def test_bad_calls_are_refused_and_change_nothing(env_id):
    game = played(env_id, 4)
    before = game.to_json()
    illegal = int(np.flatnonzero(game.action_mask() == 0)[0])
    for bad in (illegal, -1, game.spec.num_actions, 2**40):
        with pytest.raises((ludovec.IllegalAction, ludovec.InvalidPhase)):
            game.step(bad)
    with pytest.raises(TypeError):
        game.step("a")
    move = game.legal_moves()[0]
    with pytest.raises(ludovec.LudovecError, match="turn"):
        game.submit((game.current_player + 1) % game.spec.players, move)
    for bad in ({}, {"type": "NONSENSE"}, {"type": 3}):
        with pytest.raises(ludovec.LudovecError):
            game.submit(game.current_player, bad)
    with pytest.raises(ludovec.IllegalAction):
        game.string_to_action("no such move")
    for seat in (-1, 99):
        with pytest.raises(ludovec.InvalidConfig):
            game.observation(seat)
    assert game.to_json() == before


def test_undo_returns_to_the_start(env_id):
    game = ludovec.Game(env_id, seed=2)
    positions = []
    for _ in range(5):
        positions.append(game.to_json())
        game.step(game.legal_actions()[0])
    while positions:
        assert game.undo()
        assert game.to_json() == positions.pop()
    assert not game.undo()


def test_positions_as_json(env_id):
    game = played(env_id, 9)
    again = ludovec.Game.from_json(game.to_json())
    assert again.to_json() == game.to_json() and again.legal_actions() == game.legal_actions()
    data = json.loads(game.to_json())
    for broken in (
        "",
        "[]",
        "{}",
        json.dumps({**data, "position": {}}),
        json.dumps({**data, "position": 3}),
        json.dumps({**data, "version": 10**6}),
    ):
        with pytest.raises(ludovec.InvalidState):
            ludovec.Game.from_json(broken)
    with pytest.raises(ludovec.InvalidConfig):
        ludovec.Game.from_json(json.dumps({**data, "env": "halma"}))
    with pytest.raises(ludovec.InvalidConfig):
        ludovec.Game.from_json(json.dumps({**data, "options": {"colour": 1}}))


def test_logs_replay_and_are_checked(env_id):
    game = played(env_id, 20)
    options = game.spec.options
    log = json.loads(json.dumps(game.log))
    again = ludovec.Game.replay(env_id, options, log)
    assert again.to_json() == game.to_json() and again.log == game.log
    assert len(log) == 20 and {"player", "action", "label", "move"} <= log[0].keys()
    for change in ({"player": 7}, {"label": "?"}, {"action": 10**9}, {"chance": [2**31] * 50}):
        with pytest.raises(ludovec.LudovecError):
            ludovec.Game.replay(env_id, options, [*log[:10], {**log[10], **change}, *log[11:]])
    with pytest.raises(ludovec.InvalidState):
        ludovec.Game.replay(env_id, options, [{"nothing": 1}])
    positioned = ludovec.Game.from_json(game.to_json())
    positioned.step(positioned.legal_actions()[0])
    assert ludovec.Game.replay(env_id, options, positioned.log).to_json() == positioned.to_json()
    record = game.record()
    assert ludovec.Game.from_record(record).to_json() == game.to_json()
    record["scores"][0] += 1
    with pytest.raises(ludovec.InvalidState):
        ludovec.Game.from_record(json.dumps(record))


def test_clones_and_pickles_continue_identically(env_id):
    game = played(env_id, 8)
    twins = [game.clone(), copy.copy(game), copy.deepcopy(game), pickle.loads(pickle.dumps(game))]
    positioned = pickle.loads(pickle.dumps(ludovec.Game.from_json(game.to_json())))
    assert positioned.to_json() == game.to_json()
    for _ in range(8):
        if game.is_terminal:
            break
        action = game.legal_actions()[-1]
        for one in (game, *twins):
            one.step(action)
    for twin in twins:
        assert twin.to_json() == game.to_json() and twin.log == game.log


def test_probabilities_of_outcomes_sum_to_one_and_outcomes_can_be_scripted(env_id):
    game = played(env_id, 10)
    checked = 0
    for action in game.legal_actions():
        try:
            outcomes = game.outcomes(action, limit=2000)
        except ludovec.InvalidConfig:
            continue
        checked += 1
        assert abs(sum(p for p, _, _ in outcomes) - 1) < 1e-9
        for _, script, after in outcomes[:5]:
            twin = game.clone()
            twin.step_scripted(action, script)
            assert twin.to_json() == after.to_json()
        if checked == 10:
            break
    assert checked
    with pytest.raises(ludovec.InvalidState):
        game.step_scripted(game.legal_actions()[0], [0] * 500)


@pytest.mark.parametrize("wide", [2**40, -7, 2**32])
def test_an_error_shows_the_action_as_given(env_id, wide):
    game = ludovec.Game(env_id, seed=1)
    with pytest.raises(ludovec.IllegalAction, match=f"action {wide}: actions are 0 to"):
        game.step(wide)
    env = ludovec.make(env_id, num_envs=4, seed=1)
    actions = env.sample_actions().astype(np.int64)
    actions[2] = wide
    with pytest.raises(ludovec.IllegalAction, match=f"game 2, player .*, action {wide}: actions are 0 to"):
        env.step(actions)


def test_outcomes_are_lazy_when_there_are_too_many_to_list():
    # The last card of a round: dice, then both players draw three cards.
    game = ludovec.Game("starwars_risk", seed=3)
    while game.turn == 1:
        before, action = game.clone(), game.legal_actions()[-1]
        game.step(action)
    with pytest.raises(ludovec.InvalidConfig, match="more than 1000 chance outcomes"):
        before.outcomes(action, limit=1000)
    total = 0.0
    for (probability, script, after), _ in zip(before.outcomes(action), range(100)):
        assert 0 < probability < 0.01
        total += probability
        twin = before.clone()
        twin.step_scripted(action, script)
        assert twin.to_json() == after.to_json() and after.turn == 2
    assert 0 < total < 1
    shown = repr(before.outcomes(action))
    assert shown.endswith(", ...]") and shown.count("<ludovec.Game") == 3


def test_outcomes_are_a_sequence(env_id):
    game = played(env_id, 10)
    listed = {}
    for action in game.legal_actions():
        try:
            listed[action] = game.outcomes(action, limit=200)
        except ludovec.InvalidConfig:
            continue
    action = max(listed, key=lambda action: len(listed[action]))
    lazy, scripts = game.outcomes(action), [script for _, script, _ in listed[action]]
    assert lazy[0][1] == scripts[0] and lazy[-1][1] == scripts[-1]
    assert [script for _, script, _ in lazy] == scripts == [script for _, script, _ in lazy]
    assert len(lazy) == len(scripts) and [script for _, script, _ in lazy[:2]] == scripts[:2]
    with pytest.raises(IndexError):
        lazy[len(scripts)]
    assert all(repr(game.outcomes(a)) == repr(few) for a, few in listed.items() if len(few) <= 3)


def test_determinized_games_have_the_same_observation(env_id):
    game = played(env_id, 10)
    for seat in range(game.spec.players):
        drawn = game.determinize(seat, seed=3)
        np.testing.assert_array_equal(drawn.observation(seat), game.observation(seat))
        assert drawn.observation_object(seat) == game.observation_object(seat)
        assert isinstance(game.information_state(seat), dict)
        if not game.spec.hidden_information:
            assert drawn.to_json() == game.to_json()
        moves = [[(step["player"], step["move"]) for step in one.log] for one in (drawn, game)]
        assert moves[0] == moves[1] and drawn.steps == game.steps == 10
        # The history does not lead to the redrawn position: no step can be undone, and records start there.
        assert not drawn.undo()
        drawn.step(drawn.legal_actions()[0])
        again = ludovec.Game.from_record(drawn.record())
        assert again.to_json() == drawn.to_json() and again.steps == 1
        assert drawn.undo() and not drawn.undo()


def test_a_game_renders_as_text_and_svg(env_id):
    game = played(env_id, 10)
    assert env_id in repr(game) and "10 steps" in repr(game)
    assert str(game) == game.to_text() and "\n" in str(game)
    assert game._repr_html_() == game.to_svg() and game.to_svg().startswith("<svg")
    assert game.to_svg("dark") != game.to_svg()
    # A determinized game marks the same last step; a game that starts here has no last step.
    bare = ludovec.Game.from_json(game.to_json())
    assert bare.steps == 0 and bare.to_svg() != game.to_svg()
    for seat in range(game.spec.players):
        drawn = game.determinize(seat, seed=5)
        assert drawn.to_svg(player=seat) == game.to_svg(player=seat)
        assert drawn.to_text(player=seat) == game.to_text(player=seat)
    for refused in ({"theme": "pink"}, {"player": game.spec.players}, {"player": -1}):
        with pytest.raises(ludovec.InvalidConfig):
            game.to_svg(**refused)


def test_records_are_small_and_hold_their_random_stream(env_id):
    game = ludovec.Game(env_id, seed=4)
    while not game.is_terminal and len(game.log) < 50:
        game.step(game.legal_actions()[0])
    record = game.record()
    assert record["stream"] == {"seed": 4, "game": 0, "episode": 0} and "chance" not in record
    assert len(record["actions"]) == len(record["players"]) == len(record["labels"]) == len(game.log)
    assert ludovec.Game.from_record(record).log == game.log


def test_bots_choose_legal_actions(env_id):
    game = played(env_id, 5)
    for name in ludovec.bots(env_id):
        assert game.bot_action(name) in game.legal_actions()


def test_symmetries_are_permutations(env_id):
    spec = ludovec.spec(env_id)
    for symmetry in ludovec.symmetries(env_id):
        assert sorted(symmetry.observation) == list(range(spec.observation_len))
        assert sorted(symmetry.action) == list(range(spec.num_actions))


def test_the_spec_is_complete(env_id):
    spec = ludovec.spec(env_id)
    assert spec.env == env_id and spec.actions[-1].offset + spec.actions[-1].count == spec.num_actions
    assert spec.family(spec.num_actions - 1) == spec.actions[-1]
    with pytest.raises(ludovec.IllegalAction):
        spec.family(spec.num_actions)
    assert spec.bots == ludovec.bots(env_id) and {"random", "greedy"} <= set(spec.bots)
    assert {option["name"] for option in spec.option_list} == set(spec.options)
    committed = pathlib.Path(__file__).parents[2] / "env_spec" / f"{env_id}.json"
    assert spec == ludovec.Spec.from_json(committed.read_text())
    assert spec == ludovec.make(env_id).game_spec == ludovec.Game(env_id).spec


def test_compound_actions_are_played_in_one_call():
    seen = 0
    for env_id in ludovec.list_envs():
        game = ludovec.Game(env_id, seed=1)
        for _ in range(60):
            if game.is_terminal:
                break
            for parts, actions in game.compound_actions()[:20]:
                after = game.clone()
                after.step_all(actions)
                assert isinstance(parts, list)
                assert len(after.log) == len(game.log) + len(actions)
                refused = game.clone()
                with pytest.raises(ludovec.LudovecError):
                    refused.step_all([*actions, 10**6])
                assert len(refused.log) == len(game.log)
                seen += 1
            game.step(game.bot_action("random"))
    assert seen > 20


def test_objects_exist_or_are_refused(env_id):
    game = played(env_id)
    try:
        objects = game.objects()
    except ludovec.InvalidConfig as refusal:
        assert env_id in str(refusal)
    else:
        assert type(objects).__module__.startswith(f"ludovec.{env_id}")


def test_text_hides_what_the_current_player_does_not_know():
    """Positions that the current player cannot distinguish have one text."""
    hidden = 0
    for env_id in ludovec.list_envs():
        game = ludovec.Game(env_id, seed=3)
        for _ in range(30):
            game.step(game.bot_action("random"))
            if game.is_terminal:
                break
            twin = game.determinize(seed=hidden)
            assert str(game) == str(twin) == game.to_text() == game.to_text(game.current_player)
            hidden += game.to_text(None) != twin.to_text(None)
        env = ludovec.make(env_id, 1, seed=3, render_mode="ansi")
        assert env.render() == (str(env.game(0)),)
    assert hidden > 10
    while not game.is_terminal:
        game.step(game.bot_action("random"))
    assert str(game) == game.to_text(None)
    with pytest.raises(ludovec.InvalidConfig, match="'current'"):
        game.to_text("all")


def test_games_of_one_origin_share_their_spec(env_id, monkeypatch):
    """Parsing a spec takes as long as many steps: a search over clones must not pay it for each of them."""
    parsed = []
    original = ludovec.Spec.from_json
    monkeypatch.setattr(ludovec.Spec, "from_json", lambda text: parsed.append(text) or original(text))
    game = ludovec.Game(env_id, seed=0)
    action = game.legal_actions()[0]
    for _ in range(3):
        for made in (game.clone(), game.determinize(0, seed=1), game.outcomes(action)[0][2]):
            twin = made.clone()
            assert twin.observation(twin.current_player).shape == twin.spec.observation_shape
            assert twin.spec is game.spec
    assert len(parsed) == 1
