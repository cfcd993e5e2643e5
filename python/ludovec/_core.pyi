"""The native extension module. All public names are in the package itself."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol, final

import numpy as np
import numpy.typing as npt
from typing_extensions import Self

__version__: str

class LudovecError(Exception):
    """Base of all exceptions of ludovec."""

class IllegalAction(LudovecError):
    """The action is not legal in this position."""

    #: Index of the game in a batch, player, action as given, and reason of the refusal; None
    #: if unknown.
    game: int | None
    player: int | None
    action: int | None
    reason: str | None

class InvalidPhase(IllegalAction):
    """The action exists, but its kind does not belong to the current phase."""

class GameOver(LudovecError):
    """The game is finished and takes no more actions."""

    #: As in :class:`IllegalAction`.
    game: int | None
    player: int | None
    action: int | None
    reason: str | None

class InvalidConfig(LudovecError, ValueError):
    """An option, a configuration, a name or an argument is not acceptable."""

class InvalidState(LudovecError):
    """A snapshot, a JSON position or a recorded game does not describe a reachable state."""

class OutOfMemory(LudovecError, MemoryError):
    """Not enough memory for the call; also a `MemoryError`."""

class RulesError(LudovecError):
    """The rules of a game are wrong: a method returns nonsense, or describes its game wrongly."""

class FleetError(LudovecError):
    """A fleet cannot be started or attached to, or it is gone."""

#: Theme, viewer, board only, flipped, longer side in pixels.
_DrawingOptions = tuple[str, int | None, bool, bool, int | None]
#: Indices of the games that ended, in increasing order.
_Ended = npt.NDArray[np.int64] | None
_ActionArray = npt.NDArray[np.int32] | npt.NDArray[np.int64]
_Arrays = dict[str, npt.NDArray[Any]]
_Weights = Sequence[int] | npt.NDArray[np.integer[Any]]
#: Describes a game under its options, which are keyword arguments.
_Describe = Callable[..., Mapping[str, Any]]
#: From an order to a report, both as JSON.
_Writer = Callable[[str], str]
#: From observations and mask bits to logits and values.
_Evaluate = Callable[
    [npt.NDArray[np.uint8], npt.NDArray[np.uint64]],
    tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]],
]

_Answers = Sequence[int | str] | npt.NDArray[np.int64]

class _Bot(Protocol):
    """A bot written in Python, as the engine calls it."""

    rows: int | None
    takes_games: bool
    def games(self, games: list[SingleGame]) -> _Answers: ...
    def arrays(
        self,
        observations: npt.NDArray[np.uint8],
        masks: npt.NDArray[Any],
        players: npt.NDArray[np.int32],
        games: list[SingleGame],
        count: int,
    ) -> tuple[_Answers, tuple[Any, Any] | None, Any]: ...

class _Sent(Protocol):
    """A network's text with the content of its file."""

    @property
    def text(self) -> str: ...
    @property
    def network(self) -> bytes: ...

_NamedPlayers = Sequence[tuple[str, str | _Sent | _Bot]]
#: A player that analyses positions; a function with its name and a number of simulations.
_Adviser = str | _Sent | tuple[str, _Evaluate, int]
_Content = str | bytes
#: Actions; offsets, probabilities and visits of the policies; values; lost moves.
_Chosen = tuple[
    npt.NDArray[np.int32],
    tuple[npt.NDArray[np.int64], npt.NDArray[np.float32], npt.NDArray[np.int32]] | None,
    npt.NDArray[np.float32] | None,
    list[tuple[str, int, int, str]],
]

def attach(name: str, blocks: int | None, split: bool, timeout: float | None) -> tuple[list[Batch], str]:
    """Claims blocks of a fleet: returns one batch over all of them or one per block, and the fleet's
    auto-reset mode. Calls fail if they wait for the fleet for more than `timeout` seconds.
    """

def show_rows(
    shown: npt.NDArray[np.object_],
    rows: npt.NDArray[np.object_],
    ids: npt.NDArray[np.int64],
    hidden: npt.NDArray[np.int64],
) -> None:
    """Sets `shown[id]` to `rows[id]` for every `id` in `ids` and to `None` for every `id` in `hidden`.

    Faster than NumPy's indexing for a few cells of a long array.
    """

def check_player(id: str, options: dict[str, Any], text: str) -> None:
    """Refuses a text that names no player of an environment under some options."""

def network_parts(text: str) -> tuple[str, str | None, str | None] | None:
    """The file of a network's text, its precision and number of simulations; `None` for other players."""

def chess_variant(name: str, flags: Sequence[str]) -> tuple[str, str, list[str]]:
    """Name and summary of a variant, and sentences on what differs from chess."""

def chess_variants() -> list[str]:
    """The names of the shipped variants."""

def empires_costs() -> dict[str, Any]:
    """Costs and yields of each structure, by name."""

def smallworld_answers(options: dict[str, Any], position: str) -> str:
    """Answers about a position under some options, as JSON."""

def smallworld_constants() -> str:
    """The races, the powers, the faces of the die and the turns of each number of players, as JSON."""

def starwars_risk_board() -> tuple[str, str]:
    """The board and the decks, as JSON."""

def tilewe_action(m: tuple[int, int, int, int]) -> int:
    """The action index of the placement that a move makes on the largest board."""

def tilewe_move(text: str) -> tuple[int, int, int, int]:
    """Parses a move in the original's notation."""

def tilewe_shapes() -> list[list[tuple[list[int], list[int], int]]]:
    """By piece, then by rotation: tiles and contacts, counted from the lower left, and the number of
    corners.
    """

def openings(
    id: str, options: dict[str, Any], file: str, plies: int | None, nodes: str
) -> list[tuple[str, int]]:
    """The openings of a file as JSON, with the number of lines that have each of them."""

def ratings(
    players: int, games: Sequence[tuple[Sequence[int], Sequence[float]]]
) -> list[tuple[float, float]]:
    """Elo and margin of every player from the seats and results of games played elsewhere."""

def ratings_of_counts(
    pairs: Sequence[tuple[int, int, float, float, float]], known: Sequence[float | None]
) -> list[tuple[float, float]]:
    """Elo and margin of every player from wins, draws and losses of pairs: ``(a, b, wins, draws, losses)``.
    Known ratings, one entry per player, are fixed.
    """

def nash_average(payoffs: Sequence[Sequence[float]]) -> tuple[list[float], list[float]]:
    """Weights and ratings of Nash averaging over a payoff matrix."""

def alpha_rank(payoffs: Sequence[Sequence[float]], alpha: float, population: int) -> list[float]:
    """The stationary distribution of alpha-rank over a payoff matrix."""

def tournament(
    id: str, options: dict[str, Any], players: _NamedPlayers, how: Mapping[str, Any]
) -> tuple[BaseException | None, str | None]:
    """Plays a tournament; returns the table as JSON.

    An exception (of a signal or a bot) is returned with the results up to then, or alone.
    """

def tournament_part(
    id: str,
    options: dict[str, Any],
    players: _NamedPlayers,
    how: Mapping[str, Any],
    width: int,
    slots: tuple[int, int],
) -> str:
    """Plays the games of slots `slots[0]..slots[1]` of `width`; returns the results as JSON, or the
    exception that ended the run.
    """

def tournament_slots(id: str, options: dict[str, Any], players: _NamedPlayers, how: Mapping[str, Any]) -> int:
    """Number of slots of a tournament; slots are independent of each other."""

def tournament_table(
    id: str,
    options: dict[str, Any],
    players: _NamedPlayers,
    how: Mapping[str, Any],
    parts: Sequence[str],
    partial: bool,
) -> str:
    """The table of the combined parts, as JSON."""

def grid(games: Sequence[tuple[int, SingleGame]], columns: int, look: _DrawingOptions) -> str:
    """The boards of several games side by side as one SVG document, each labelled with its number."""

def png(svg: str) -> bytes:
    """Renders an SVG document as a PNG file."""

def program(arguments: Sequence[str], writer: _Writer) -> int:
    """Runs the program with `arguments`, the first of which is its name; returns the exit code.
    `writer` plays games and writes data: it takes an order as JSON and returns a report, or an
    error message and nothing.

    The program sets signal handlers of its own, so that the call is for a process that does nothing
    else.
    """

def most_threads() -> int:
    """Maximum number of threads of a call: 8 per core."""

def similar(word: str, known: Sequence[str]) -> str | None:
    """The most similar of the `known` words, if one is similar enough to be meant."""

def list_envs() -> list[tuple[str, str, str]]:
    """Id, name and summary of every environment."""

def forget_for_xla(number: int) -> None:
    """Forgets a batch or a search that was made known to compiled programs of JAX."""

def xla_target() -> int:
    """The address of the function that compiled programs of JAX call."""

def words() -> list[tuple[str, list[str]]]:
    """The accepted words of each argument of a batch and of a tournament."""

def spec_json(id: str, options: dict[str, Any]) -> str:
    """The spec of an environment under some options, as JSON."""

def symmetries(
    id: str, options: dict[str, Any]
) -> list[tuple[str, npt.NDArray[np.uint32], npt.NDArray[np.uint32]]]:
    """Name, observation permutation and action permutation of every symmetry."""

def register_game(
    id: str,
    name: str,
    summary: str,
    options: str,
    describe: _Describe,
    python: bool,
    c: bool,
    champion: bytes | None,
) -> None:
    """Registers a game, or registers it again with other rules.

    `options` is a JSON list. `describe` gets values for them and returns a `Description`. `python` says
    whether a rule needs the interpreter, `c` whether one is a compiled function. `champion` is the file of a
    network.
    """

def forget_game(id: str) -> bool:
    """Removes a game that was registered; returns whether there was one."""

def chance_functions() -> tuple[int, int]:
    """Addresses of the C functions that draw: `uniform` and `weighted`."""

def stop_rules() -> None:
    """Ends the rules that run: the interpreter ends."""

def check_game(
    id: str, options: dict[str, Any], games: int, steps: int | None, seed: int, seconds: float
) -> tuple[str | None, list[str]]:
    """A sentence about the first contradiction that is found in `games` games of at most `steps`
    decisions, or `None`; and warnings. Without `steps` the check takes `seconds` at most, if its
    positions are quick.
    """

def load_library(path: str) -> list[str]:
    """Loads a compiled library of games and returns their ids."""

@final
class Batch:
    """Many games stepped side by side; `ludovec.VectorEnv` is its public face.

    One call at a time: while a thread is inside a method, or between `begin` and `finish`, other
    calls raise.
    """

    def __new__(cls, id: str, options: dict[str, Any], config: Mapping[str, Any], out: _Arrays) -> Self:
        """A batch of environment `id`; the columns in `out` are written directly into the caller's
        arrays.
        """
    def register_for_xla(self, columns: Sequence[str]) -> int:
        """Makes the batch known to compiled programs of JAX, which return these columns; returns its
        number.
        """
    def hold(self, held: bool) -> None:
        """Pauses the work of later calls, or resumes it. Tests of Ctrl-C interrupt a paused call."""
    def close(self) -> None:
        """Releases the games. Arrays over their columns keep the memory alive."""
    @property
    def spec_json(self) -> str:
        """The spec as JSON."""
    @property
    def obs(self) -> str:
        """The observation format: `"u8"`, `"f32"`, `"packed"` or `"none"`."""
    def columns(self) -> _Arrays:
        """Every column as an array `[num_envs, width]` over the engine's memory, by name."""
    def state_columns(self) -> _Arrays:
        """Every column of the states as a read-only array over the engine's memory, by name."""
    def reset(self, seed: int | None) -> None:
        """Starts a new episode in every game; with a seed, the first episode of that seed."""
    def reset_games(self, ids: npt.NDArray[np.uint32], seed: int | None) -> None:
        """Starts a new episode in the games `ids`."""
    def step(self, actions: _ActionArray) -> _Ended:
        """Plays one action in every game; returns the ids of the games that ended."""
    def step_games(self, ids: npt.NDArray[np.uint32], actions: _ActionArray) -> _Ended:
        """Plays one action in each of the games `ids`; returns all games that ended in their last
        step.
        """
    def step_scripted(
        self, ids: npt.NDArray[np.uint32], actions: _ActionArray, outcomes: Sequence[Sequence[int]]
    ) -> _Ended:
        """Plays one action in each of the games `ids`, in order, with given chance outcomes; returns
        all games that ended in their last step.
        """
    def step_sampled(self, steps: int) -> _Ended:
        """Samples and plays a legal action in every game, `steps` times; returns the games that ended
        in the last step.
        """
    def sample_actions(self) -> npt.NDArray[np.int32]:
        """Samples one legal action per game, uniformly."""
    def bot_actions(self, seats: Sequence[str], ids: npt.NDArray[np.uint32] | None) -> npt.NDArray[np.int32]:
        """One action per game, or per game of `ids`, chosen by the bot of the current player."""
    def note_moves(
        self, players: Players, ids: npt.NDArray[np.uint32] | None, actions: npt.NDArray[np.int32]
    ) -> None:
        """Tells players that read moves of those that the batch is about to make: one action per game,
        or per game of `ids`.
        """
    def play_on(self, players: Players, who: npt.NDArray[np.int32]) -> list[tuple[str, int, int, str]]:
        """Plays every unfinished game on while the current player is one of `players`:
        `who[game][seat]` is the index of the player, or -1 for the caller. Returns the lost moves,
        each with the player's name, game, seat and reason.
        """
    def choose(self, players: Players, who: npt.NDArray[np.int32], tells: bool) -> _Chosen:
        """Chooses an action in every running game with a current player in `who`, as for `play_on`.

        Returns an action per game, 0 without a player; of the players that tell, the policy as
        offsets `[N + 1]`, the probabilities of the legal actions and the visits of a search; values
        `[N, P]`, NaN where unknown; the lost moves. Without `tells`, actions alone.
        """
    def recall(self, players: Players, memories: Sequence[Sequence[Sequence[bytes]]]) -> None:
        """Lets players continue from memories of the games, one per player."""
    def observe(self, id: int, player: int) -> npt.NDArray[np.uint8]:
        """The observation of a player: packed if the batch's observations are packed, else one byte
        per element.
        """
    def begin(self, workers: Workers, actions: _ActionArray) -> None:
        """Starts a step of every game in a worker thread and returns at once; `finish` waits for it."""
    def finish(self) -> _Ended:
        """Waits for the step that `begin` started; raises its error."""
    def save(self, ids: npt.NDArray[np.uint32]) -> bytes:
        """Saves games as a snapshot."""
    def restore(self, ids: npt.NDArray[np.uint32], snapshot: bytes) -> None:
        """Restores the games of a snapshot into the games `ids`."""
    def samples(self) -> npt.NDArray[np.uint64]:
        """Number of action samples drawn in each game."""
    def set_samples(self, samples: npt.NDArray[np.uint64]) -> None:
        """Sets the number of action samples drawn in each game."""
    def fork(self, src: npt.NDArray[np.uint32], dst: npt.NDArray[np.uint32], show: bool) -> None:
        """Copies the positions of games `src` into games `dst`; with `show`, also updates their masks
        and observations.
        """
    def determinize(self, ids: npt.NDArray[np.uint32], seat: int | None, seed: int) -> None:
        """Determinization: resamples everything unknown to `seat`, by default the current player."""
    def game(self, id: int) -> SingleGame:
        """A copy of one game."""
    def set_position(self, id: int, position: str | bytes) -> None:
        """Replaces the position of a game: JSON, or a snapshot of one game."""
    def set_starts(self, positions: Sequence[str | bytes], weights: Sequence[float]) -> None:
        """Sets the positions from which later episodes start, with their weights; none are equal ones."""
    def add_reward(self, extra: npt.NDArray[np.float32]) -> None:
        """Adds rewards to the rewards of the last step: one row per game with one number per player."""

@final
class ChessBoard:
    """The board of one game."""

    def __new__(cls, variant: str, flags: Sequence[str], fen: str | None) -> Self:
        """A board of a variant with options applied, at a given position or the start position."""
    @staticmethod
    def from_text(name: str, text: str) -> ChessBoard:
        """A board of a variant described by a text in the format of variant files."""
    @staticmethod
    def from_state(variant: str, flags: Sequence[str], state: str) -> ChessBoard:
        """A board at a state of the environment, given as JSON."""
    def copy(self) -> ChessBoard:
        """An independent copy."""
    def size(self) -> tuple[int, int]:
        """Width and height."""
    def fen(self) -> str:
        """The position as FEN."""
    def letter_of(self, name: str) -> str | None:
        """The letter, in upper case, of the piece kind with this name."""
    def name_of(self, letter: str) -> str | None:
        """The name of the piece kind with this letter."""
    def square(
        self, place: tuple[int, int]
    ) -> tuple[bool, tuple[int, str, str, int | None, tuple[int, int]] | None]:
        """Whether the square exists, and the piece on it."""
    def squares(self) -> list[tuple[int, int]]:
        """The positions of all squares, row by row from the top left."""
    def pieces(self) -> list[tuple[int, str, str, int | None, tuple[int, int]]]:
        """All pieces, row by row from the top left."""
    def position_of(self, piece: int) -> tuple[int, int] | None:
        """The position of the piece with this number, or `None` if it has left the board."""
    def current_player(self) -> int:
        """The seat of the current player."""
    def in_check(self) -> bool:
        """Whether the current player is in check."""
    def ending(self) -> tuple[int | None, str] | None:
        """The result under the variant's own rules: the winner's seat and the reason."""
    def move_options(
        self, host: Any, origin: tuple[int, int]
    ) -> list[tuple[tuple[int, int], list[tuple[int, int]], dict[str, Any]]]:
        """The move options of the piece at a position."""
    def play(self, host: Any, origin: tuple[int, int], option: Any) -> bool:
        """Makes a move; false if a listener cancelled it."""
    def end(self, host: Any, result: str) -> None:
        """Tells the listeners that the game has ended."""
    def set_piece(self, host: Any, place: tuple[int, int], letter: str | None) -> bool:
        """Puts a piece on a square, or clears it; false if a listener cancelled it."""
    def remove_square(self, host: Any, place: tuple[int, int]) -> bool:
        """Turns an empty square into a hole; false if a listener cancelled it."""
    def add_square(self, host: Any, place: tuple[int, int]) -> bool:
        """Turns a hole into a square; false if a listener cancelled it."""
    def set_turns(self, host: Any, number: int) -> None:
        """Installs a turn order that the host implements under a number."""
    def subscribe(self, host: Any, kind: str, priority: int, function: int) -> int:
        """Subscribes the host's function with this number to events; returns a handle that ends the
        subscription.
        """
    def unsubscribe(self, host: Any, number: int) -> None:
        """Ends a subscription."""

@final
class EmpiresReferee:
    """A game that accepts raw, possibly invalid actions."""

    def __new__(cls, options: dict[str, Any], seed: int) -> Self:
        """Starts a game."""
    def current_player(self) -> int | None:
        """The seat of the current player."""
    def observation(self) -> str:
        """The observation of the current player, as JSON."""
    def submit(self, raw: str) -> tuple[int, int, str, str, bool, str, int]:
        """Submits a raw action as JSON."""
    def journal(self) -> list[tuple[int, int, str, str, bool, str, int]]:
        """All actions submitted so far."""
    def alive(self) -> list[int]:
        """The seats that are alive."""
    def to_terminal(self) -> str:
        """The position in the original's glyphs."""

@final
class TileweBoard:
    """A game in moves, with undo."""

    def __new__(cls, options: dict[str, Any]) -> Self:
        """An empty board under options of the environment."""
    def options(self) -> str:
        """The options, as JSON."""
    def size(self) -> int:
        """Rows and columns."""
    def n_colors(self) -> int:
        """Number of colours."""
    def color_scores(self) -> list[int]:
        """Number of points of each colour."""
    def action(self, m: tuple[int, int, int, int]) -> int:
        """The action index of a move."""
    def parse(self, text: str) -> tuple[int, int, int, int]:
        """The legal move that a text names."""
    def copy(self) -> TileweBoard:
        """An independent copy."""
    def n_players(self) -> int:
        """Number of players."""
    def ply(self) -> int:
        """Number of moves made."""
    def moves(self) -> list[tuple[int, int, int, int]]:
        """The moves made so far."""
    def current_player(self) -> int:
        """The current colour."""
    def finished(self) -> bool:
        """Whether no player can move."""
    def winners(self) -> list[int]:
        """The players with the most points."""
    def scores(self) -> list[int]:
        """Number of points of each player."""
    def remaining_pieces(self, player: int) -> list[int]:
        """The remaining pieces of a player."""
    def player_corners(self, player: int) -> list[int]:
        """The open corners at which a player can place a piece."""
    def can_play(self, player: int) -> bool:
        """Whether a player can still move."""
    def color_at(self, place: int) -> int | None:
        """The colour of the tile at a place, if any."""
    def legal_moves(self, player: int) -> list[tuple[int, int, int, int]]:
        """The legal moves of a player, as if it were the current player."""
    def n_legal_moves(self, player: int) -> int:
        """The number of legal moves of a player."""
    def is_legal(self, m: tuple[int, int, int, int]) -> bool:
        """Whether a move is legal for the current player."""
    def push(self, m: tuple[int, int, int, int]) -> None:
        """Plays a move."""
    def pop(self) -> tuple[int, int, int, int]:
        """Undoes the last move and returns it."""
    def to_text(self) -> str:
        """The board as text."""

@final
class Network:
    """A network under the options of an environment; `ludovec.Network` is its public face."""

    def __new__(
        cls,
        file: _Content | None,
        env: str | None,
        options: dict[str, Any],
        num_threads: int | None,
        precision: str | None,
    ) -> Self:
        """Reads a file or its bytes, or the network shipped with `env` without either. Without `env`,
        the network plays its own environment; options missing from `options` take the first value
        that the network allows.
        """
    def card(self) -> str:
        """Environment, options and rewards as JSON."""
    def answer(
        self,
        observations: npt.NDArray[np.uint8],
        offsets: npt.NDArray[np.int64] | None = None,
        actions: npt.NDArray[np.int32] | None = None,
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Logits `[rows * A]` and values `[rows * P]` for observations `[rows, L]`. With `offsets`,
        `[rows + 1]`, and the `actions` of all rows, logits of these alone.
        """

@final
class SparseInputs:
    """The inputs of a minibatch that are not 0, `[inputs, rows]`, for the first layer of a network
    that learns.
    """

    def __new__(cls, x: npt.NDArray[np.float32]) -> Self: ...
    def count(self) -> int:
        """The number of inputs that are not 0."""
    def product(
        self, weights: npt.NDArray[np.float32], bias: npt.NDArray[np.float32]
    ) -> npt.NDArray[np.float32]:
        """The products `[rows, outputs]` with `weights`, `[outputs, inputs]`, plus `bias`."""
    def gradient(self, gradient: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """The gradient of the weights `[outputs, inputs]`, from that of the products."""

@final
class Players:
    """Players for the games of a batch, which choose there by `Batch.choose` and `Batch.play_on`."""

    def __new__(cls, batch: Batch, players: _NamedPlayers, time_limit: float | None, explore: bool) -> Self:
        """Named players, texts or bots written in Python, for the games of a batch. With `explore`,
        searches have the noise of self-play.
        """
    def remember(self) -> None:
        """Notes from now on what `memory` needs."""
    def memory(self) -> list[list[list[bytes]]]:
        """What each player keeps of the games: by game, snapshots of the positions that it has
        searched.
        """
    def reads_moves(self) -> bool:
        """Whether any player reads the moves of games, and not only their positions."""

@final
class TreeSearch:
    """One search tree per game of a batch; `ludovec.TreeSearch` is its public face.

    One call at a time: while a thread is inside a method, other calls raise. Only `start` and
    `advance` access the batch; they lock the search first, then the batch.
    """

    def __new__(
        cls,
        batch: Batch,
        settings: dict[str, Any],
        evaluator: str | None,
        rollouts: tuple[Network, int, int | None] | None = None,
        out: _Arrays | None = None,
    ) -> Self:
        """One search tree per game of `batch`; `evaluator` evaluates leaves in `run`: with a network, a
        number and plies, by `rollouts`. `out` are the arrays for the observations of the leaves of each
        group of trees, by number of the group.
        """
    def hold(self, held: bool) -> None:
        """Pauses the work of later calls, or resumes it. Tests of Ctrl-C interrupt a paused call."""
    @property
    def buffers(self) -> list[Any]:
        """The leaf buffers: for each group of trees, every column as an array `[rows, width]`."""
    def register_for_xla(self) -> int:
        """Makes the search known to compiled programs of JAX; returns its number."""
    def start(self, ids: npt.NDArray[np.uint32] | None) -> None:
        """Roots a tree at the current position of every game, or of the games `ids`."""
    def follow(self, ids: npt.NDArray[np.uint32] | None) -> None:
        """Roots trees at the current positions, each with the nodes below its position."""
    def advance(self, actions: _ActionArray) -> None:
        """Roots the trees at the positions after `actions`."""
    def select(self) -> tuple[int, int]:
        """Descends every tree that needs more visits; returns the number of waiting leaves and the
        index of their group.
        """
    def legal(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """The legal actions of the waiting leaves: start offsets and actions."""
    def add_reward(self, extra: npt.NDArray[np.float32]) -> None:
        """Adds `[rows, P]` to the rewards of the steps to the waiting leaves."""
    def expand(self, logits: npt.NDArray[np.float32] | None, values: npt.NDArray[np.float32]) -> None:
        """Expands the waiting leaves with logits `[rows, A]`, or uniform logits, and values."""
    def expand_legal(self, logits: npt.NDArray[np.float32], values: npt.NDArray[np.float32]) -> None:
        """Expands the waiting leaves with one logit per legal action, and values."""
    def run(self) -> None:
        """Runs the search to the end with the evaluator.

        The work runs in a helper thread, so this thread can check for signals.
        """
    def actions(self) -> npt.NDArray[np.int32]:
        """The best action of every game."""
    def results(self) -> _Arrays:
        """Results at the roots, by name."""
    def stats(self) -> str:
        """Search statistics so far, as JSON."""
    def tree_json(self, game: int, depth: int) -> str:
        """A tree down to `depth` actions below its root, as JSON."""

@final
class Stop:
    """A flag that ends calls of other threads."""

    def __new__(cls) -> Self:
        """A flag that is not set."""
    def set(self) -> None:
        """Ends the calls that were given this flag, and all later ones."""
    def is_set(self) -> bool:
        """Whether it is set."""

@final
class SingleGame:
    """One game with its history; `ludovec.Game` is its public face. Objects cross the boundary as JSON
    text.
    """

    @staticmethod
    def start(id: str, options: dict[str, Any], seed: int) -> SingleGame:
        """The game that a batch of this seed plays as its game 0."""
    @staticmethod
    def scripted(id: str, options: dict[str, Any], setup: Sequence[int]) -> SingleGame:
        """A game with exactly the set-up outcomes `setup`."""
    @staticmethod
    def from_position(id: str, options: dict[str, Any], position: str, seed: int) -> SingleGame:
        """A game from a position."""
    @staticmethod
    def from_record(record: str, allowed: Trust) -> SingleGame:
        """Replays a record and checks every step."""
    def spec_json(self) -> str:
        """The spec as JSON."""
    def current_player(self) -> int:
        """The seat of the current player."""
    def status(self) -> str:
        """`running`, `terminated` or `truncated`."""
    def legal_actions(self) -> list[int]:
        """Legal action indices in increasing order."""
    def legal_moves(self) -> str:
        """Legal actions as objects, in the same order."""
    def step(self, action: int) -> None:
        """Plays an action."""
    def step_scripted(self, action: int, outcomes: Sequence[int]) -> None:
        """Plays an action with given chance outcomes."""
    def step_all(self, actions: Sequence[int]) -> None:
        """Plays several actions, all or none."""
    def compound_actions(self) -> list[tuple[str, list[int]]]:
        """Compound actions in the game's own terms: their parts as JSON, and the sequence of
        decisions.
        """
    def submit(self, player: int, action: str) -> None:
        """Plays an action given as an object."""
    def undo(self) -> bool:
        """Undoes the last step; false at the start of the game."""
    def outcomes(self, action: int) -> Iterator[tuple[float, list[int], SingleGame]]:
        """Probability, chance script and resulting game of every outcome of an action, one by one."""
    def list_outcomes(self, action: int, limit: int) -> list[tuple[float, list[int], SingleGame]]:
        """The same as a list, if there are at most `limit`."""
    def next_draw(self, action: int | None, script: Sequence[int]) -> list[int] | None:
        """The weights of the draw that follows a chance script after an action, or in the set-up of a
        new game.
        """
    def bot_action(self, name: str, stop: Stop | None = None) -> int:
        """The action of a bot."""
    def bot_attempt(self, name: str) -> str | None:
        """The refused first attempt of a bot, with the reason; `None` if it has none."""
    def analyse(self, player: _Adviser, stop: Stop | None = None) -> str:
        """A player's analysis of the position, as JSON."""
    def review(self, player: _Adviser) -> tuple[str, str]:
        """A player's review of the game so far: as JSON, and as a page."""
    def turn(self) -> int | None:
        """The current turn or round, if the game counts them."""
    def describe(self, step: int) -> str | None:
        """The action of a step and its effects."""
    def bot_request(self) -> str:
        """The request sent to a bot in another program, as JSON."""
    def action_from_bot_reply(self, reply: str) -> int:
        """The legal action in the reply of such a bot."""
    def action_to_string(self, action: int) -> str:
        """An action as text."""
    def string_to_action(self, text: str) -> int:
        """The legal action with this text."""
    def action_to_json(self, action: int) -> str:
        """An action as an object."""
    def action_from_json(self, action: str) -> int:
        """The action that an object describes."""
    def returns(self) -> npt.NDArray[np.float32]:
        """Outcome by seat."""
    def scores(self) -> npt.NDArray[np.float32]:
        """Scores by seat."""
    def observation(self, player: int | None) -> npt.NDArray[np.uint8]:
        """The observation of a player, by default the current one."""
    def action_mask(self) -> npt.NDArray[np.int8]:
        """Action mask: one byte per action, 1 if legal."""
    def position_bytes(self) -> bytes:
        """The position as bytes; equal positions give equal bytes."""
    def observation_to_json(self, player: int) -> str:
        """The observation of a player, as an object."""
    def information_state(self, player: int) -> str:
        """The information state of a player, as an object."""
    def determinize(self, player: int, seed: int) -> SingleGame:
        """A determinization: a game that the seat cannot distinguish from this one."""
    def to_json(self) -> str:
        """The whole position as an object."""
    def copy(self) -> SingleGame:
        """A copy: position, history, random stream."""
    def stream(self) -> tuple[int, int, int, int]:
        """Seed, game, episode and position of the random stream."""
    def set_stream(self, seed: int, game: int, episode: int, position: int) -> None:
        """Continues the random stream at a point returned by `stream`."""
    def steps(self) -> int:
        """Number of steps played."""
    def log(self) -> str:
        """The steps so far, in words."""
    def record(self) -> str:
        """The record of the game so far."""
    def export(self, format: str) -> str:
        """The record in a format of other programs."""
    @staticmethod
    def imported(id: str, format: str, text: str) -> list[tuple[SingleGame, str, str | None]]:
        """The games in a text in a format of other programs: each game with its tags as an object, and
        a sentence if its result contradicts the rules.
        """
    def to_text(self, player: int | None) -> str:
        """The position as plain text."""
    def to_svg(self, look: _DrawingOptions, actions: Sequence[int], weights: Sequence[float]) -> str:
        """The position as an SVG document, with marked actions."""
    def to_png(self, look: _DrawingOptions, actions: Sequence[int], weights: Sequence[float]) -> bytes:
        """The position as a PNG file, with marked actions."""
    def to_rgb(self, look: _DrawingOptions, frame: tuple[int, int] | None) -> npt.NDArray[np.uint8]:
        """The position as pixels, in a frame of the given size or of its own: uint8 `[height, width,
        3]`.
        """
    def names(self) -> list[str]:
        """The players' names, by seat."""
    def set_names(self, names: Sequence[str]) -> None:
        """Sets the players' names."""
    def headline(self) -> tuple[str, str]:
        """The name of the game, and the current standing."""
    def action_in_words(self, action: int) -> str:
        """An action as a sentence."""

@final
class Trust:
    """The texts that clients may use beside the closed list."""

    def __new__(cls, players: Sequence[str], options: dict[str, Any]) -> Self:
        """Allows these players and options too."""
    def check_player(self, id: str, options: dict[str, Any], text: str) -> None:
        """Refuses a client's text for a player of an environment."""
    def check_options(self, id: str, options: dict[str, Any]) -> None:
        """Refuses a client's options of an environment that may be paths."""

@final
class Workers:
    """A few threads that run jobs in the order of submission.

    The threads end after the last reference is dropped and all jobs are done.
    """

    def __new__(cls, threads: int) -> Self:
        """Starts `threads` threads."""

@final
class Fleet:
    """A running fleet; `ludovec.serve` starts one. It stops when it is dropped."""

    @property
    def name(self) -> str:
        """The name that clients attach to."""
    @property
    def num_blocks(self) -> int:
        """Number of blocks: runs of games claimed and stepped separately."""
    @property
    def segment_bytes(self) -> int:
        """Size of the segment in bytes."""
    def __new__(
        cls,
        id: str,
        options: dict[str, Any],
        config: Mapping[str, Any],
        name: str,
        blocks: int | None,
        mode: int,
    ) -> Self:
        """Starts a fleet."""
    def wait(self, seconds: float | None = None) -> bool:
        """Waits until the fleet has stopped, for at most `seconds`; returns whether it has stopped.

        Raises if another program damaged its segment.
        """
    def stop(self) -> None:
        """Stops the fleet: clients get an error, and the name becomes free."""
    def __enter__(self) -> Fleet: ...
    def __exit__(self, *_exception: object) -> None: ...

@final
class Chance:
    """A source of random outcomes, valid while the method that got it runs.

    Every draw is recorded with the game and listed by a search, so that a game draws from here and
    nowhere else.
    """

    def uniform(self, n: int) -> int:
        """One of ``range(n)``, all equally likely."""
    def weighted(self, weights: _Weights) -> int:
        """An index into ``weights``, integers of which one is positive; its probability is
        proportional to its weight.
        """
    def choice(self, elements: Any) -> Any:
        """One of the elements of a sequence, all equally likely."""
    def shuffle(self, elements: Any) -> None:
        """Shuffles a list or an array in place."""
