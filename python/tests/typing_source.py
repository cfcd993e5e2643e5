"""Source of ``ludovec/typing.py``: names and options as types, generated from the engine."""

import re
import textwrap

import ludovec

ALIASES = {
    "autoreset": ("Autoreset", "Auto-reset modes, as in Gymnasium."),
    "obs": ("ObservationFormat", "Formats of observations."),
    "mask": ("MaskFormat", "Formats of action masks."),
    "pairings": ("Pairings", "Pairings of tournaments."),
    "opening_nodes": ("OpeningNodes", "Positions of games that are openings."),
    "model": ("EloModel", "Scales of Elo differences in sequential tests."),
}


def _games(**arguments):
    return ludovec.make("tilewe", **arguments)


#: Types with words that the engine lists when it refuses another word, and a call with that word.
REFUSALS = {
    "Theme": (lambda word: _games().to_svg(theme=word), "Colour themes of drawings."),
    "SearchMethod": (lambda word: ludovec.TreeSearch(_games(), method=word), "Methods of tree search."),
    "SearchValue": (
        lambda word: ludovec.TreeSearch(_games(), value=word),
        "Values of a network: one, for the current player, or one per player.",
    ),
    "Precision": (
        lambda word: ludovec.Network("champion", "chess", precision=word),
        "Precisions of a network's arithmetic.",
    ),
    "Rewards": (lambda word: ludovec.TreeSearch(_games(), reward=word), "Rewards that a search adds up."),
    "Evaluator": (
        lambda word: ludovec.TreeSearch(_games(players=2), evaluator=word),
        "Leaf evaluators of a tree search without a network.",
    ),
}


def allowed(call):
    """The words that a call allows, from the error for another word."""
    try:
        call("?")
    except ludovec.InvalidConfig as error:
        listed = re.search(r": (?:one of )?([^:]*) is (?:allowed|needed)$", str(error))[1]
        return re.split(", | or ", listed)
    raise AssertionError("every word is allowed")


def literal(words, quote='"'):
    listed = [f"{quote}{word}{quote}" for word in words]
    line = ", ".join(listed)
    return f"Literal[{line}]" if len(line) < 95 else "Literal[\n    " + ",\n    ".join(listed) + ",\n]"


def seat_ids():
    specs = [ludovec.spec(id) for id in ludovec.list_envs()]
    return [f"ludovec/{spec.name}-v{spec.version}" for spec in specs]


def type_of(option):
    """The type of an option."""
    match option["type"]:
        case "int":
            plain = "int"
        case "bool":
            plain = "bool"
        case "choice":
            plain = literal(option["values"])
        case "flags":
            # Comma-separated, or a list of words.
            plain = "str | Sequence[str]"
        case _:
            plain = "str | PathLike[str]"
    return f"{plain} | None" if option["default"] is None else plain


def members(options):
    lines = []
    for option in options:
        lines.append(f"    {option['name']}: {type_of(option)}")
        text = option["help"][0].upper() + option["help"][1:] + "."
        lines += [f"    {line}" for line in textwrap.wrap(f'"""{text}"""', 100)]
    return "\n".join(lines)


def everything():
    """The options of all environments, one per line; types of options with the same name are joined."""
    found = {}
    for id in ludovec.list_envs():
        for option in ludovec.spec(id).option_list:
            found.setdefault(option["name"], []).append(type_of(option))
    lines = {}
    for name, types in found.items():
        parts = dict.fromkeys(part for type in types for part in type.split(" | "))
        lines[name] = f"    {name}: " + " | ".join(parts)
    return lines


#: Description of info entries.
DESCRIPTIONS = {
    "current_player": "The current player.",
    "acting_player": "The player of the last action, -1 after a reset.",
    "rewards": "Rewards of the last step, all players.",
    "credit": "Reward of each player since its own last decision.",
    "credit_of_mover": "Credit of the current player, 0 at the start of a game.",
    "episode_length": "Decisions so far in the episode of the rewards.",
    "action_mask": '1 for a legal action of the current player; not with ``mask="bits"``.',
    "legal_action_mask": 'The same memory as bool; not with ``mask="bits"``.',
    "action_mask_bits": 'Legal actions as bits; with ``mask="bits"``.',
    "final_obs": "In same-step mode: the last observation of games that ended, None for the others.",
    "final_info": "In same-step mode: the infos of games that ended.",
    "scores": "In next-step and disabled mode: scores of games that ended.",
    "returns": "In next-step and disabled mode: outcomes in [-1, 1] of games that ended.",
    "env_id": "Game indices of the rows, from ``recv``.",
    "seat": "The learner's seat.",
    "seed": "The seed of every game, from the first reset on.",
}
IN_FINAL = {"scores": "The scores.", "returns": "The outcome in [-1, 1], for any reward mode."}


def shown(infos, dims):
    """Keys of infos with types and shapes of their values, recursively."""
    found = {}
    for info in infos:
        for key, value in info.items():
            if isinstance(value, dict):
                found.setdefault(key, {}).update(shown([value], dims))
            else:
                dtype = {"bool": "bool_", "object": "object_"}.get(value.dtype.name, value.dtype.name)
                shape = ", ".join(dims[n] for n in value.shape)
                found[key] = (f"npt.NDArray[np.{dtype}]", f"{value.dtype} [{shape}]")
    return found


#: Types of keys that several infos share: name, keys, descriptions, whether they are always present.
PARTS = [
    ("_Masks", ("action_mask", "legal_action_mask"), DESCRIPTIONS, True),
    (
        "_Steps",
        ("current_player", "acting_player", "rewards", "credit", "episode_length"),
        DESCRIPTIONS,
        True,
    ),
    ("_Seeds", ("seed",), DESCRIPTIONS, True),
    ("_Results", ("scores", "returns"), DESCRIPTIONS | IN_FINAL, True),
    ("_Bits", ("action_mask_bits",), DESCRIPTIONS, False),
    ("_Ends", ("final_obs", "scores", "returns"), DESCRIPTIONS, False),
]


def typed_dict(name, help, keys, words=DESCRIPTIONS, always=True, bases=(), final=None):
    """A TypedDict of infos; keys of shared parts are inherited."""
    keys, bases = {**keys}, list(bases)
    for part, shared, its_words, there in PARTS:
        same = part != name and there == always and all(its_words[key] == words[key] for key in shared)
        if same and keys.keys() >= {*shared}:
            bases.append(part)
            for key in shared:
                del keys[key], keys[f"_{key}"]
    lines = []
    for key, value in keys.items():
        type, array = (final, "") if isinstance(value, dict) else value
        lines.append(f"    {key}: {type}")
        if not key.startswith("_"):
            said = f"{words[key]} {array}".strip().rstrip(".") + "."
            lines += [f"    {line}" for line in textwrap.wrap(f'"""{said}"""', 100)]
    given = ", ".join([*(bases or ["TypedDict"]), *([] if always else ["total=False"])])
    head = f'\nclass {name}({given}):\n    """{help}"""'
    return "\n".join([head, *([""] if lines else []), *lines])


def infos_of(opponents=None, **more):
    """All kinds of infos: of all modes, in the step that ends games."""
    found = []
    for autoreset in ("same_step", "next_step", "disabled"):
        for mask in ("bytes", "bits"):
            env = ludovec.make(
                "tilewe",
                7,
                max_steps=2,
                autoreset=autoreset,
                mask=mask,
                opponents=opponents,
                num_threads=1,
                **more,
            )
            found.append(env.reset()[1])
            if opponents is None:
                env.async_reset()
                found.append(env.recv()[-1])
            for _ in range(2):
                if not env_done(env):
                    found.append(env.step(env.sample_actions())[-1])
    return found


def env_done(env):
    games = getattr(env, "games", env)
    return games.autoreset == "disabled" and games.done.any()


def infos():
    """The types of infos."""
    spec = ludovec.spec("tilewe")
    words = -(-spec.num_actions // 64)
    blocks, everything = [], {}
    for name, who, opponents in (("Info", "VectorEnv", None), ("SeatInfo", "SeatVectorEnv", "random")):
        found = infos_of(opponents)
        dims = {7: "N", spec.players: "P", spec.num_actions: "A", words: "W"}
        keys = shown(found, dims)
        always = set.intersection(*(set(info) for info in found)) | {"action_mask", "legal_action_mask"}
        always |= {f"_{key}" for key in always if f"_{key}" in keys}
        final = keys["final_info"]
        everything |= final | keys
        help = f"Info of :class:`ludovec.{who}` about finished games; valid where ``_<key>`` is set."
        told = {**DESCRIPTIONS, **IN_FINAL}
        blocks += both(
            f"Final{name}", help, final, set(final) - {"action_mask_bits", "_action_mask_bits"}, told
        )
        help = f"Info of ``reset`` and ``step`` of :class:`ludovec.{who}`; valid where ``_<key>`` is set."
        blocks += both(name, help, keys, always, final=f"Final{name}")
    parts = []
    for name, shared, told, there in PARTS:
        part = {key: everything[key] for one in shared for key in (one, f"_{one}")}
        parts.append(typed_dict(name, "Keys of several infos.", part, told, there))
    return parts + blocks


def both(name, help, keys, always, words=DESCRIPTIONS, final=None):
    """The types of infos: keys that are always present, and keys that may be."""
    there = {key: value for key, value in keys.items() if key in always}
    rest = {key: value for key, value in keys.items() if key not in always}
    if not rest:
        return [typed_dict(name, help, there, words)]
    base = f"_{name}Always"
    return [
        typed_dict(base, "Keys that are always present.", there, words),
        typed_dict(name, help, rest, words, always=False, bases=[base], final=final),
    ]


def source():
    """The whole file."""
    blocks = [
        '"""Names and options as types, for annotations and for checks of typos '
        "by type checkers.\n\n"
        "Generated from the engine: ``LUDOVEC_UPDATE=1 pytest python/tests/test_typing.py`` rewrites it.\n"
        '"""',
        "from __future__ import annotations\n\n"
        "from collections.abc import Mapping, Sequence\nfrom os import PathLike\n"
        "from typing import Any, Literal, TypeAlias, TypedDict\n\n"
        "import numpy as np\nimport numpy.typing as npt",
        f'EnvId: TypeAlias = "{literal(ludovec.list_envs(), chr(39))} | str"\n'
        '"""Id of an environment: one of these, or of a registered game."""',
        f'SeatId = {literal(seat_ids())}\n"""Ids of Gymnasium for the problem of one seat."""',
    ]
    for argument, words in ludovec._core.words():
        name, help = ALIASES[argument]
        blocks.append(f'{name} = {literal(words)}\n"""{help}"""')
    for name, (call, help) in REFUSALS.items():
        blocks.append(f'{name} = {literal(allowed(call))}\n"""{help}"""')
    specs = [ludovec.spec(id) for id in ludovec.list_envs()]
    common = [option for option in specs[0].option_list if all(option in s.option_list for s in specs)]
    head = 'class _CommonOptions(TypedDict, total=False):\n    """Options of every environment."""\n\n'
    blocks.append("\n" + head + members(common))
    for spec in specs:
        head = f"class {spec.name}Options(_CommonOptions, total=False):\n"
        own = members([option for option in spec.option_list if option not in common])
        blocks.append(f'\n{head}    """Options of ``{spec.env}``."""\n\n{own}')
    options = everything()
    illegal = options.pop("on_illegal")
    help = '"""Options of all environments except ``on_illegal``, which has more values in PettingZoo."""'
    head = f"class OptionsOfRules(TypedDict, total=False):\n    {help}\n\n"
    blocks.append("\n" + head + "\n".join(options.values()))
    help = '"""Options of all environments; each has some of them."""'
    blocks.append(f"\nclass Options(OptionsOfRules, total=False):\n    {help}\n\n{illegal}")
    blocks += infos()
    options = (
        "reset_mask: npt.NDArray[np.bool_]\n    " + '"""bool [N]: the games to reset, all by default."""'
    )
    position = "str | Mapping[str, Any] | bytes"
    options += f"\n    starts: Sequence[{position} | None] | Mapping[int, {position}]"
    options += '\n    """Start positions by game: text, object or snapshot; None or absent'
    options += ' for a normal start."""'
    blocks.append(
        '\nclass ResetOptions(TypedDict, total=False):\n    """``options`` of ``reset``."""\n\n    ' + options
    )
    blocks.append(
        '\nclass Sprt(TypedDict, total=False):\n    """A sequential test with ``elo0`` and ``elo1``."""\n\n'
        '    elo0: float\n    """Lead under H0."""\n    elo1: float\n    """Lead under H1."""\n'
        '    alpha: float\n    """Probability of accepting H1 under H0, 0.05 by default."""\n'
        '    beta: float\n    """Probability of accepting H0 under H1, 0.05 by default."""\n'
        '    model: EloModel\n    """Scale of the leads: ``"normalized"`` Elo by default."""'
    )
    return "\n\n".join(blocks) + "\n"
