"""Source of ``ludovec/typing.py``: names and options as types, generated from the engine."""

import re
import textwrap

import ludovec

ALIASES = {
    "autoreset": ("Autoreset", "What happens when a game ends; as in Gymnasium."),
    "obs": ("ObservationFormat", "How observations are written."),
    "mask": ("MaskFormat", "How legal actions are written."),
    "pairings": ("Pairings", "Who meets whom in a tournament."),
}


def _games(**arguments):
    return ludovec.make("tilewe", **arguments)


#: Types with words that the engine lists when it refuses another word, and a call with that word.
REFUSALS = {
    "Theme": (lambda word: _games().to_svg(theme=word), "Colours of drawings."),
    "SearchMethod": (lambda word: ludovec.TreeSearch(_games(), method=word), "How a tree search chooses."),
    "SearchValue": (
        lambda word: ludovec.TreeSearch(_games(), value=word),
        "What a network gives for a leaf: one value, of the seat to move, or one a seat.",
    ),
    "Evaluator": (
        lambda word: ludovec.TreeSearch(_games(players=2), evaluator=word),
        "What answers for the leaves of a tree search without a network.",
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


def literal(words):
    listed = "".join(f'    "{word}",\n' for word in words)
    return f"Literal[\n{listed}]"


def type_of(option):
    """The type of an option."""
    match option["type"]:
        case "int":
            plain = "int"
        case "bool":
            plain = "bool"
        case "choice":
            plain = "Literal[" + ", ".join(f'"{word}"' for word in option["values"]) + "]"
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
SAID = {
    "current_player": "The seat to move.",
    "acting_player": "The seat that made the last decision, -1 after a reset.",
    "rewards": "Of the last step, every seat.",
    "credit": "What each seat has earned since its own last decision.",
    "credit_of_mover": "That of the seat to move, 0 at the start of a game.",
    "episode_length": "Decisions of the episode that the rewards belong to.",
    "action_mask": '1 for a legal action of the seat to move; not with ``mask="bits"``.',
    "legal_action_mask": 'The same memory as bool; not with ``mask="bits"``.',
    "action_mask_bits": 'Legal actions as bits; with ``mask="bits"``.',
    "final_obs": "In the same-step mode, where a game ended: its last observation, None for the others.",
    "final_info": "In the same-step mode, where a game ended: what infos would have said of it.",
    "scores": "Where a game ended, in the modes next-step and disabled: its scores.",
    "returns": "Where a game ended, in the modes next-step and disabled: its outcome in [-1, 1].",
    "env_id": "Numbers of the rows, from ``recv``.",
    "seat": "The learner's seat.",
}
IN_FINAL = {"scores": "The scores.", "returns": "The outcome in [-1, 1], whatever the reward mode."}


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


def typed_dict(name, help, keys, always, words=SAID, final=None):
    """TypedDicts of infos: keys that are always present, and keys that may be."""
    rest = {key: value for key, value in keys.items() if key.removeprefix("_") not in always} or keys
    blocks = []
    for title, text, base, part in (
        (f"_{name}Always", "What is always there.", "TypedDict", {k: keys[k] for k in keys if k not in rest}),
        (name, help, f"_{name}Always, total=False" if len(rest) < len(keys) else "TypedDict", rest),
    ):
        lines = []
        for key, value in part.items():
            type, array = (final, "") if isinstance(value, dict) else value
            lines.append(f"    {key}: {type}")
            if not key.startswith("_"):
                said = f"{words[key]} {array}".strip().rstrip(".") + "."
                lines += [f"    {line}" for line in textwrap.wrap(f'"""{said}"""', 100)]
        if lines:
            head = f'class {title}({base}):\n    """{text}"""\n\n'
            blocks.append("\n" + head + "\n".join(lines))
    return blocks


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
    blocks = []
    for name, who, opponents in (("Info", "VectorEnv", None), ("SeatInfo", "SeatVectorEnv", "random")):
        found = infos_of(opponents)
        dims = {7: "N", spec.players: "P", spec.num_actions: "A", words: "W"}
        keys = shown(found, dims)
        always = set.intersection(*(set(info) for info in found)) | {"action_mask", "legal_action_mask"}
        final = keys["final_info"]
        told = {**SAID, **IN_FINAL}
        help = f"What :class:`ludovec.{who}` says of finished games, where ``_<key>`` is set."
        blocks += typed_dict(
            f"Final{name}", help, final, set(final) - {"action_mask_bits", "_action_mask_bits"}, told
        )
        help = f"What ``reset`` and ``step`` of :class:`ludovec.{who}` say of games, where ``_<key>`` is set."
        blocks += typed_dict(name, help, keys, always, final=f"Final{name}")
    return blocks


def source():
    """The whole file."""
    blocks = [
        '"""Names and options as types: for annotations, and so that a typo is an error '
        "before anything runs.\n\n"
        "Generated from the engine: ``LUDOVEC_UPDATE=1 pytest python/tests/test_typing.py`` writes it anew.\n"
        '"""',
        "from __future__ import annotations\n\n"
        "from collections.abc import Mapping, Sequence\nfrom os import PathLike\n"
        "from typing import Any, Literal, TypedDict\n\n"
        "import numpy as np\nimport numpy.typing as npt",
        f'EnvId = {literal(ludovec.list_envs())}\n"""The ids of the environments."""',
    ]
    for argument, words in ludovec._core.words():
        name, help = ALIASES[argument]
        blocks.append(f'{name} = {literal(words)}\n"""{help}"""')
    for name, (call, help) in REFUSALS.items():
        blocks.append(f'{name} = {literal(allowed(call))}\n"""{help}"""')
    for id in ludovec.list_envs():
        spec = ludovec.spec(id)
        head = f'class {spec.name}Options(TypedDict, total=False):\n    """Options of ``{id}``."""\n\n'
        blocks.append("\n" + head + members(spec.option_list))
    options = everything()
    illegal = options.pop("on_illegal")
    help = '"""Options of any environment, without ``on_illegal``, of which PettingZoo knows more."""'
    head = f"class OptionsOfRules(TypedDict, total=False):\n    {help}\n\n"
    blocks.append("\n" + head + "\n".join(options.values()))
    help = '"""Options of any environment; each has some of them."""'
    blocks.append(f"\nclass Options(OptionsOfRules, total=False):\n    {help}\n\n{illegal}")
    blocks += infos()
    options = (
        "reset_mask: npt.NDArray[np.bool_]\n    " + '"""bool [N]: the games to reset, all by default."""'
    )
    options += (
        "\n    positions: Sequence[str | Mapping[str, Any] | None] | Mapping[int, str | Mapping[str, Any]]"
    )
    options += '\n    """Positions by game, as text or object; None or none for those that start as usual."""'
    blocks.append(
        '\nclass ResetOptions(TypedDict, total=False):\n    """``options`` of ``reset``."""\n\n    ' + options
    )
    return "\n\n".join(blocks) + "\n"
