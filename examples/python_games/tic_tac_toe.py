"""Tic-tac-toe: the rules of a game as a class.

python -m ludovec --load examples/python_games/tic_tac_toe.py play tic_tac_toe
"""

import ludovec
import numpy as np

LINES = np.array([(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)])


@ludovec.register
class TicTacToe:
    """Three of your own marks in a row win."""

    players = 2
    actions = {"mark": 9}
    state = [("board", np.uint8, 9), ("marks", np.uint8), ("winner", np.uint8)]
    observation = {"own": (9, 1), "opponent": (9, 1)}
    max_episode_steps = 9

    def init(self, state, chance):
        pass  # an empty board: every field is 0

    def legal(self, state):
        return state["board"] == 0

    def step(self, state, action, chance):
        player = 1 + int(state["marks"]) % 2
        board = state["board"]
        board[action] = player
        state["marks"] += 1
        if (board[LINES] == player).all(1).any():
            state["winner"] = player

    def current_player(self, state):
        marks = int(state["marks"])
        return None if marks == 9 or state["winner"] else marks % 2

    def observe(self, state, player):
        board = state["board"]
        return np.concatenate([board == player + 1, board == 2 - player])

    def returns(self, state):
        winner = int(state["winner"])
        return [0, 0] if winner == 0 else [1, -1] if winner == 1 else [-1, 1]

    def to_text(self, state, player):
        rows = state["board"].reshape(3, 3).tolist()
        return "\n".join(" ".join(".XO"[mark] for mark in row) for row in rows)
