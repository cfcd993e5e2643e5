"""Invalid calls: a one-line error of the package with its data, and no change of state."""

import ast
import copy
import pickle
import unicodedata
from pathlib import Path

import ludovec
import ludovec.pettingzoo
import numpy as np
import pytest
from helpers import short_games


def test_a_refusal_carries_its_data(env_id):
    env = ludovec.make(env_id, 5)
    actions = env.sample_actions()
    actions[3] = wrong = int(np.flatnonzero(env.action_mask[3] == 0)[0])
    with pytest.raises(ludovec.IllegalAction) as refused:
        env.step(actions)
    error = refused.value
    assert (error.game, error.player, error.action) == (3, env.current_player[3], wrong)
    assert error.reason and error.reason in str(error) and "\n" not in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert (again.game, again.player, again.action, again.reason) == (3, error.player, wrong, error.reason)
    huge = actions.astype(np.int64)
    huge[3] = 2**40
    with pytest.raises(ludovec.IllegalAction) as refused:
        env.step(huge)
    assert refused.value.action == 2**40
    over = short_games(env_id, 2, autoreset="disabled")
    for _ in range(5):
        over.step(over.sample_actions())
    with pytest.raises(ludovec.GameOver) as refused:
        over.step([0, 0])
    assert refused.value.game == 0 and refused.value.reason
    assert ludovec.IllegalAction("x").game is None and ludovec.GameOver("x").reason is None


def test_a_wrong_phase_is_an_illegal_action():
    assert issubclass(ludovec.InvalidPhase, ludovec.IllegalAction)
    game = ludovec.Game("smallworld", seed=0)
    with pytest.raises(ludovec.InvalidPhase) as refused:
        game.step(next(f.offset for f in game.spec.actions if f.name != game.spec.actions[0].name))
    assert isinstance(refused.value, ludovec.IllegalAction) and refused.value.reason


def deep(levels=200_000):
    nested = []
    for _ in range(levels):
        nested = [nested]
    return nested


CALLS = {
    "make": lambda env, game: ludovec.make(None),
    "make, callable": lambda env, game: ludovec.make(len),
    "autoreset": lambda env, game: ludovec.make("tilewe", autoreset=None),
    "obs": lambda env, game: ludovec.make("tilewe", obs=np.float32),
    "option": lambda env, game: ludovec.make("tilewe", players=len),
    "Game": lambda env, game: ludovec.Game(None),
    "spec": lambda env, game: ludovec.spec(3),
    "bots": lambda env, game: ludovec.bots(None),
    "symmetries": lambda env, game: ludovec.symmetries(None),
    "tournament, env": lambda env, game: ludovec.tournament(None, ["random", "greedy"]),
    "tournament, bots": lambda env, game: ludovec.tournament("tilewe", 3),
    "tournament, text": lambda env, game: ludovec.tournament("tilewe", "random"),
    "tournament, pairings": lambda env, game: ludovec.tournament("tilewe", ["random", "greedy"], pairings=3),
    "tournament, name": lambda env, game: ludovec.tournament("tilewe", {1: "random", 2: "greedy"}),
    "play": lambda env, game: ludovec.play("tilewe", ["random", "random"]),
    "play, env": lambda env, game: ludovec.play(None, {"a": "random"}),
    "evaluate": lambda env, game: ludovec.evaluate(None, "random"),
    "bot_actions": lambda env, game: env.bot_actions(lambda observations, masks: 0),
    "bot_actions, numbers": lambda env, game: env.bot_actions([1, 2]),
    "bot_action": lambda env, game: game.bot_action(len),
    "from_json": lambda env, game: ludovec.Game.from_json("[" * 200_000),
    "from_json, object": lambda env, game: ludovec.Game.from_json('{"position": ' + '{"a":' * 200_000),
    "from_record": lambda env, game: ludovec.Game.from_record("[" * 200_000),
    "from_record, object": lambda env, game: ludovec.Game.from_record({"env": deep()}),
    "set_position": lambda env, game: env.set_position(0, "[" * 200_000),
    "set_position, number": lambda env, game: env.set_position(0, 3),
    "submit": lambda env, game: game.submit(0, {"type": deep()}),
    "submit, object": lambda env, game: game.submit(0, {"type": object()}),
    "move_to_action": lambda env, game: game.move_to_action({"type": deep()}),
    "step": lambda env, game: game.step("a"),
    "step, None": lambda env, game: game.step(None),
    "step_all": lambda env, game: game.step_all(3),
    "step_scripted": lambda env, game: game.step_scripted(0, ["x"]),
    "observation": lambda env, game: game.observation("x"),
    "string_to_action": lambda env, game: game.string_to_action(3),
    "to_svg": lambda env, game: game.to_svg(theme=3),
    "outcomes": lambda env, game: game.outcomes("x"),
    "export": lambda env, game: game.export(3),
    "replay": lambda env, game: ludovec.Game.replay("tilewe", {}, 3),
    "replay, options": lambda env, game: ludovec.Game.replay("tilewe", 3, []),
    "set_state": lambda env, game: env.set_state(None, "abc"),
    "game": lambda env, game: env.game("x"),
    "options": lambda env, game: env.reset(options=3),
    "options, key": lambda env, game: env.reset(options={"postions": {}}),
    "starts": lambda env, game: env.reset(options={"starts": 3}),
    "starts, few": lambda env, game: env.reset(options={"starts": [None]}),
    "starts, game": lambda env, game: env.reset(options={"starts": {99: {}}}),
    "seeds": lambda env, game: env.reset(seed=[1, 2]),
    "seeds, text": lambda env, game: env.reset(seed="abcd"),
    "step_sampled": lambda env, game: env.step_sampled("x"),
    "step_sampled, negative": lambda env, game: env.step_sampled(-1),
    "num_threads": lambda env, game: ludovec.make("tilewe", num_threads=0),
    "env.to_svg": lambda env, game: env.to_svg(columns="x"),
    "make, surrogate": lambda env, game: ludovec.make("\ud800"),
    "option, surrogate": lambda env, game: ludovec.make("chess", variant="\ud800"),
    "option, name": lambda env, game: ludovec.make("tilewe", **{"\ud800": 1}),
    "option, deep": lambda env, game: ludovec.make("tilewe", players=deep()),
    "bot_actions, surrogate": lambda env, game: env.bot_actions("\ud800"),
    "tournament, surrogate": lambda env, game: ludovec.tournament("chess", {"\ud800": "random", "b": "pass"}),
    "string_to_action, surrogate": lambda env, game: game.string_to_action("\ud800"),
    "set_position, surrogate": lambda env, game: env.set_position(0, "\ud800"),
    "from_json, surrogate": lambda env, game: ludovec.Game.from_json("\ud800"),
    "export, surrogate": lambda env, game: game.export("\ud800"),
    "memory": lambda env, game: ludovec.make("tilewe", 2**31, num_threads=1),
    "seat": lambda env, game: ludovec.make("tilewe", seat=1),
    "time_limit": lambda env, game: ludovec.make("tilewe", time_limit=3.0),
    "on_fault": lambda env, game: ludovec.make("tilewe", on_fault="lose_move"),
    "seat, number": lambda env, game: ludovec.make("tilewe", opponents="random", seat=9),
    "opponents": lambda env, game: ludovec.make("tilewe", opponents=3),
    "opponents, nobody": lambda env, game: ludovec.make("tilewe", opponents="gredy"),
    "time_limit, inf": lambda env, game: ludovec.make("chess", opponents="random", time_limit=np.inf),
    "actions, floats": lambda env, game: env.step([0.5] * 4),
    "actions, None": lambda env, game: env.step(None),
    "actions, bools": lambda env, game: env.step([True] * 4),
    "actions, deep": lambda env, game: env.step(deep(1000)),
    "actions, huge": lambda env, game: env.step([10**40, 0, 0, 0]),
    "actions, unsigned": lambda env, game: env.step(np.array([2**64 - 1, 0, 0, 0], np.uint64)),
    "step_games, twice": lambda env, game: env.step_games([1, 1], [0, 0]),
    "step_games, floats": lambda env, game: env.step_games([0.5], [0]),
    "step_games, negative": lambda env, game: env.step_games([-1], [0]),
    "fork": lambda env, game: env.fork([0, 1], [1, 2, 3]),
    "reset_mask": lambda env, game: env.reset(options={"reset_mask": np.array([1, 0, 0, 0])}),
    "reset_mask, nobody": lambda env, game: env.reset(options={"reset_mask": np.zeros(4, bool)}),
    "options, number": lambda env, game: env.reset(options={3: None}),
    "seeds, fraction": lambda env, game: env.reset(seed=[1, None, 2.5, 3]),
    "seeds, floats": lambda env, game: env.reset(seed=[1.0, 2, 3, 4]),
    "search, num_threads": lambda env, game: ludovec.TreeSearch(env, 4, num_threads=0),
    "evaluate, num_threads": lambda env, game: ludovec.evaluate("tilewe", "random", num_threads=0),
    "evaluate, bot": lambda env, game: ludovec.evaluate("starwars_risk", "random", games=1)["nobody"],
    "to_svg, legal": lambda env, game: game.to_svg(legal=3),
    "to_svg, size": lambda env, game: game.to_svg(size="x"),
    "to_png, size": lambda env, game: game.to_png(size=10**9),
    "names": lambda env, game: setattr(game, "names", 3),
    "unpack": lambda env, game: ludovec.unpack(np.zeros((2, 8), np.uint8), 3),
    "unpack, rows": lambda env, game: ludovec.unpack(3, game.spec),
    "Network": lambda env, game: ludovec.Network(None),
    "play, log": lambda env, game: ludovec.play("tilewe", {"a": "random", "b": "random"}, log=3.5, players=2),
    "attach": lambda env, game: getattr(ludovec, "attach", ludovec.make)(3),
    "family": lambda env, game: game.spec.family(-1),
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_every_error_is_a_one_line_ludovec_error(call):
    env, game = ludovec.make("tilewe", 4, players=2), ludovec.Game("tilewe", players=2)
    state, position = env.get_state(), game.to_json()
    with pytest.raises(ludovec.LudovecError) as refused:
        CALLS[call](env, game)
    assert "\n" not in str(refused.value) and len(str(refused.value)) < 500
    assert env.get_state() == state and game.to_json() == position


@pytest.mark.draws_seeds
def test_seed_none_draws_a_seed(env_id):
    first, second = (ludovec.make(env_id, 2, seed=None) for _ in range(2))
    assert first.get_state() != second.get_state()
    assert ludovec.Game(env_id, seed=None)._core.stream() != ludovec.Game(env_id, seed=None)._core.stream()


def test_a_list_of_seeds_has_one_per_game(env_id):
    seeds = [5, 2**63, 5, 0]
    env = ludovec.make(env_id, 4)
    env.step_sampled(3)
    obs, info = env.reset(seed=seeds)
    for i, seed in enumerate(seeds):
        game = ludovec.Game(env_id, seed=seed)
        np.testing.assert_array_equal(obs[i], game.observation())
        assert env.game(i)._core.stream() == game._core.stream()
    assert not info["credit"].any() and (info["acting_player"] == -1).all()
    drawn = [env.sample_actions() for _ in range(3)]
    env.reset(seed=seeds)
    np.testing.assert_array_equal(drawn, [env.sample_actions() for _ in range(3)])
    some = np.array([True, False, False, True])
    env.step_sampled(2)
    before = env.get_state([1, 2])
    env.reset(seed=np.array([9, 9, 9, 9]), options={"reset_mask": some})
    assert env.get_state([1, 2]) == before and env.get_state([0])[-900:] == env.get_state([3])[-900:]


def test_positions_of_a_reset_are_set(env_id):
    import json

    source = ludovec.make(env_id, 4, seed=3)
    source.step_sampled(6)
    positions = [json.loads(source.game(i).to_json())["position"] for i in range(4)]
    env = ludovec.make(env_id, 4)
    env.reset(options={"starts": {1: positions[2], 3: json.dumps(positions[0])}})
    np.testing.assert_array_equal(env.observations[[1, 3]], source.observations[[2, 0]])
    env.reset(options={"starts": [positions[3], None, None, positions[0]]})
    np.testing.assert_array_equal(env.observations[[0, 3]], source.observations[[3, 0]])
    before = env.get_state()
    for bad in ([positions[3]], {0: positions[1], 1: {}}, {0: "nonsense"}, {4: positions[0]}):
        with pytest.raises(ludovec.LudovecError):
            env.reset(options={"starts": bad})
        assert env.get_state() == before


def test_writing_to_views_does_not_affect_games(env_id):
    env, twin = short_games(env_id, 4), short_games(env_id, 4)
    for _ in range(12):
        for array in env.columns.values():
            if array.flags.writeable:
                array[...] = np.nan if array.dtype.kind == "f" else 77
        env.set_state(None, env.get_state())
        env.fork([0], [1])
        twin.fork([0], [1])
        actions = twin.sample_actions()
        env.step(actions)
        twin.step(actions)
        np.testing.assert_array_equal(env.credit, twin.credit)
        np.testing.assert_array_equal(env.observations, twin.observations)


def test_a_pickled_copy_draws_the_same_samples(env_id, autoreset):
    env = short_games(env_id, 6, autoreset=autoreset, seed=2)
    env.step_sampled(2)
    env.sample_actions()
    twins = [pickle.loads(pickle.dumps(env)), copy.copy(env)]
    for _ in range(3):
        actions = env.sample_actions()
        for twin in twins:
            np.testing.assert_array_equal(actions, twin.sample_actions())
            twin.step(actions)
        env.step(actions)


def test_positions_compare_and_hash(env_id):
    one, two = ludovec.Game(env_id, seed=4), ludovec.Game(env_id, seed=4)
    seen = {one.position: 1}
    assert seen[two.position] == 1 and one.position == one.clone().position
    one.step(one.legal_actions()[0])
    assert one.position not in seen and one.position != two.position
    two.step(two.legal_actions()[0])
    assert one.position == two.position and hash(one.position) == hash(two.position)
    one.undo()
    assert one.position in seen
    other = next(o for o in ludovec.spec(env_id).option_list if o["name"] == "reward")
    assert other and ludovec.Game(env_id, seed=4).position != 3


def test_credit_of_the_current_player_is_never_from_a_finished_game(env_id, autoreset):
    env = ludovec.make(env_id, 16, max_steps=7, autoreset=autoreset, reward="score")
    env.reset(seed=0)
    earned = np.zeros((16, env.game_spec.players), np.float32)
    for _ in range(30):
        obs, reward, terminated, truncated, info = env.step(env.sample_actions())
        rows, done = np.arange(16), terminated | truncated
        fresh = info["acting_player"] < 0
        earned[fresh] = 0
        earned[rows[~fresh], info["acting_player"][~fresh]] = 0
        earned += info["rewards"]
        expected = np.where(done, 0, earned[rows, info["current_player"]])
        np.testing.assert_allclose(info["credit_of_mover"], expected, rtol=1e-6)
        assert info["credit_of_mover"].dtype == np.float32
        earned[done] = 0
        if autoreset == "disabled" and done.any():
            env.reset(options={"reset_mask": done})


def test_a_copied_aec_environment_is_independent(env_id):
    for make in (ludovec.pettingzoo.aec_env, ludovec.pettingzoo.parallel_env):
        env = make(env_id, max_steps=20)
        env.reset(seed=1)
        before = env.game.get_state()
        for twin in (copy.copy(env), copy.deepcopy(env)):
            agent = twin._current_agent
            action = int(twin.observe(agent)["action_mask"].argmax())
            twin.step(action if twin.__class__.__name__ == "AECEnv" else dict.fromkeys(twin.agents, action))
            assert twin.game.get_state() != before == env.game.get_state()
            assert twin.agents is not env.agents
            twin.agents.clear()
        assert env.agents == env.possible_agents


def test_asynchronous_environments_have_the_methods_of_a_batch(env_id):
    env = ludovec.make(env_id, 6, batch_size=2, seed=1)
    whole = ludovec.make(env_id, 6, seed=1)
    env.async_reset(seed=list(range(6)))
    whole.reset(seed=list(range(6)))
    held = [env.recv() for _ in range(3)]
    assert env.get_state() == whole.get_state() and env.get_state([1, 4]) == whole.get_state([1, 4])
    assert env.game(4).to_json() == whole.game(4).to_json() and env.to_svg([0, 5]) == whole.to_svg([0, 5])
    whole.step_sampled(3)
    env.set_state(None, whole.get_state())
    np.testing.assert_array_equal(env.blocks[1].observations, whole.observations[2:4])
    env.set_state([0, 3], whole.get_state([5, 5]))
    assert env.get_state([3]) == whole.get_state([5])
    assert env.action_masks().shape[0] == 2 and env.sample_actions().shape == (2,)
    assert env.bot_actions("random").shape == (2,) and len(held) == 3


def test_mask_bits_export_dlpack(env_id):
    if np.lib.NumpyVersion(np.__version__) < "2.1.0":
        pytest.skip("NumPy exports no read-only arrays before 2.1")
    env = ludovec.make(env_id, 3)
    np.testing.assert_array_equal(np.from_dlpack(env.action_mask_bits), env.action_mask_bits)
    torch = pytest.importorskip("torch")
    tensor = torch.from_dlpack(env.action_mask_bits)
    np.testing.assert_array_equal(tensor.view(torch.int64).numpy(), env.action_mask_bits.view(np.int64))


def test_an_error_shows_a_huge_integer_as_given():
    env = ludovec.make("tilewe", 2)
    with pytest.raises(ludovec.IllegalAction, match="18446744073709551615"):
        env.step(np.array([2**64 - 1, 0], np.uint64))
    one = ludovec.evaluate("starwars_risk", "random", games=2)
    with pytest.raises(ludovec.InvalidConfig, match="one of random, random 2 is allowed"):
        one["nobody"]


HIDDEN = "a\u202egpj\u0000\u001b[31m\u2028\ufeff"


def hides(text):
    return any(unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") for c in text)


@pytest.mark.parametrize("text", [HIDDEN, "x" * 5_000_000, HIDDEN * 100_000])
def test_untrusted_text_is_escaped_and_cut(text, tmp_path):
    plain = text.replace("\u0000", "")
    for call in (
        lambda: ludovec.make(text),
        lambda: ludovec.make("chess", variant=text),
        lambda: ludovec.make("chess", **{text: 1}),
        lambda: ludovec.make("chess", obs=text),
        lambda: ludovec.Game("chess").string_to_action(text),
        lambda: ludovec.Game.from_json(text),
        lambda: ludovec.tournament("chess", [text, "random"]),
        lambda: ludovec.tournament("chess", {text: "random", "b": "nobody"}),
        lambda: ludovec.tournament("chess", ["random", f"net:{plain}"]),
        lambda: ludovec.tournament("chess", ["random", "pass"], 1, state=tmp_path / "no" / plain),
        lambda: ludovec.Network(plain, "chess"),
        lambda: ludovec.evaluate("chess", text),
    ):
        with pytest.raises(ludovec.LudovecError) as caught:
            call()
        assert not hides(str(caught.value)) and len(str(caught.value)) < 2200, str(caught.value)[:3000]


def test_names_in_tables_and_drawings_hide_nothing():
    table = ludovec.tournament("chess", {HIDDEN: "random", "b" * 500: "random"}, 2, max_steps=4)
    lines = str(table).splitlines()
    # A head, a line for each player, the statistics of the pairing, the seed.
    assert len(lines) == 5 and not any(map(hides, lines)) and max(map(len, lines)) < 300
    game = ludovec.play("chess", {HIDDEN: "random", "b": "random"}, max_steps=4)
    for shown in (game.to_svg(), str(game)):
        assert not any(map(hides, shown.splitlines()))


RAISING = {"config_error", "type_error"}


def wrapped_errors(source):
    """Lines of ``try`` blocks that may raise an error of ours and catch it as a foreign ValueError.

    Calls are followed within the file.
    """
    tree = ast.parse(source)
    called = lambda node: {
        call.func.id
        for call in ast.walk(node)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
    }
    functions = {node.name: called(node) for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    raising = set(RAISING)
    while more := {name for name, calls in functions.items() if calls & raising} - raising:
        raising |= more
    for block in ast.walk(tree):
        if not isinstance(block, ast.Try) or not any(called(one) & raising for one in block.body):
            continue
        for handler in block.handlers:
            names = {ast.unparse(name) for name in getattr(handler.type, "elts", [handler.type]) if name}
            if any(name.endswith("LudovecError") for name in names):
                break
            if names & {"ValueError", "Exception"} and called(handler) & RAISING:
                yield block.lineno


def test_our_errors_are_not_caught_as_those_of_others():
    # InvalidConfig is a ValueError: caught as one, its message appears inside another one.
    bad = "def check():\n    raise config_error('x')\ntry:\n    check()\n"
    bad += "except ValueError:\n    raise config_error('y')"
    assert list(wrapped_errors(bad)) == [3]
    assert not list(wrapped_errors(bad.replace("except Val", "except LudovecError:\n    raise\nexcept Val")))
    package = Path(ludovec.__file__).parent
    found = [
        f"{file.relative_to(package)}:{line}"
        for file in package.rglob("*.py")
        for line in wrapped_errors(file.read_text(encoding="utf-8"))
    ]
    assert found == []
