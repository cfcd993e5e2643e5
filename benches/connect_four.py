"""Connect Four compiled by Numba, as a game of Ludovec and as the logic that gumbel-mcts asks for."""

import numba
import numpy as np

ROWS, COLUMNS = 6, 7


@numba.njit
def row_of(board, column):
    """The lowest empty row of a column that is not full."""
    row = ROWS - 1
    while board[row, column] != 0:
        row -= 1
    return row


@numba.njit
def wins(board, row, column):
    """Whether the disc there makes a line of four."""
    player = board[row, column]
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        length = 1
        for sign in (-1, 1):
            y, x = row + sign * down, column + sign * right
            while 0 <= y < ROWS and 0 <= x < COLUMNS and board[y, x] == player:
                length, y, x = length + 1, y + sign * down, x + sign * right
        if length >= 4:
            return True
    return False


class ConnectFour:
    """The game of Ludovec."""

    players = 2
    actions = {"drop": COLUMNS}
    state = [("board", np.uint8, ROWS * COLUMNS), ("discs", np.uint8), ("winner", np.uint8)]
    observation = {"own": (ROWS * COLUMNS, 1), "opponent": (ROWS * COLUMNS, 1)}
    max_episode_steps = ROWS * COLUMNS

    @staticmethod
    @numba.njit
    def init(state, chance):
        state["discs"] = 0

    @staticmethod
    @numba.njit
    def legal(state):
        return state["board"][:COLUMNS] == 0

    @staticmethod
    @numba.njit
    def step(state, action, chance):
        board = state["board"].reshape(ROWS, COLUMNS)
        row = row_of(board, action)
        board[row, action] = 1 + state["discs"] % 2
        state["discs"] += 1
        if wins(board, row, action):
            state["winner"] = board[row, action]

    @staticmethod
    @numba.njit
    def current_player(state):
        return -1 if state["discs"] == ROWS * COLUMNS or state["winner"] > 0 else state["discs"] % 2

    @staticmethod
    @numba.njit
    def observe(state, player):
        board = state["board"]
        return np.concatenate((board == player + 1, board == 2 - player))

    @staticmethod
    @numba.njit
    def returns(state):
        winner = state["winner"]
        return (0.0, 0.0) if winner == 0 else (1.0, -1.0) if winner == 1 else (-1.0, 1.0)


class Logic:
    """The logic of gumbel-mcts; players are 1 and 2."""

    NUM_ACTIONS, BOARD_SHAPE, MAX_MOVES, MAX_LEGAL_MOVES = COLUMNS, (ROWS, COLUMNS), ROWS * COLUMNS, COLUMNS
    PLAYER_1, PLAYER_2 = 1, 2

    @staticmethod
    @numba.njit
    def fast_step(board, action, player):
        board = board.copy()
        row = row_of(board, action)
        board[row, action] = player
        won = wins(board, row, action)
        return (1.0 if won else 0.0), (player if won else 0), won or np.all(board[0] != 0), board

    @staticmethod
    @numba.njit
    def get_valid_mask(board, player):
        return (board[0] == 0).astype(np.float32)
