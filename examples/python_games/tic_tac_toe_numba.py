"""Tic-tac-toe compiled by Numba: the same rules as in `tic_tac_toe.py`, about forty times as fast.

python -m ludovec --load examples/python_games/tic_tac_toe_numba.py bench fast_tic_tac_toe
"""

import ludovec
import numba
import numpy as np

LINES = np.array([(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)])


@ludovec.register
class FastTicTacToe:
    """Three of your own marks in a row win."""

    players = 2
    actions = {"mark": 9}
    state = [("board", np.uint8, 9), ("marks", np.uint8), ("winner", np.uint8)]
    observation = {"own": (9, 1), "opponent": (9, 1)}
    max_episode_steps = 9

    @staticmethod
    @numba.njit
    def init(state, chance):
        state["marks"] = 0

    @staticmethod
    @numba.njit
    def legal(state):
        return state["board"] == 0

    @staticmethod
    @numba.njit
    def step(state, action, chance):
        player = 1 + state["marks"] % 2
        board = state["board"]
        board[action] = player
        state["marks"] += 1
        for a, b, c in LINES:
            if board[a] == player and board[b] == player and board[c] == player:
                state["winner"] = player

    @staticmethod
    @numba.njit
    def current_player(state):
        return -1 if state["marks"] == 9 or state["winner"] > 0 else state["marks"] % 2

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
