"""Goofspiel: bids at the same time, as sealed decisions in turn."""

import ludovec
import numpy as np

CARDS = 5


@ludovec.register
class Goofspiel:
    """Bid a card for every prize at the same time; the highest single bid takes it, the most points win."""

    options = {"players": range(2, 5)}
    hidden_actions = True
    simultaneous = "has_bid"

    def __init__(self, players=2):
        self.players = players
        self.actions = {"bid": CARDS}
        self.state = [
            ("prizes", np.bool_, CARDS),  # prizes to come
            ("prize", np.uint8),  # of this round, from 1; 0 at the end
            ("hands", np.bool_, (players, CARDS)),  # a sealed card stays until all have bid
            ("sealed", np.uint8, players),  # bids of this round from 1, or 0
            ("points", np.uint8, players),
            ("decisions", np.uint8),
        ]
        most = CARDS * (CARDS + 1) // 2
        self.observation = {
            "prizes": (CARDS, 1),
            "prize": (1, CARDS),
            "hands": (players * CARDS, 1),
            "own_bid": (1, CARDS),
            "has_bid": (players, 1),  # players with a sealed bid; all 0 when the bids are opened
            "points": (players, most),
        }
        self.reward_range = (0, most)
        self.max_episode_steps = players * CARDS

    def init(self, state, chance):
        state["prizes"], state["hands"] = True, True
        self._turn_up(state, chance)

    def _turn_up(self, state, chance):
        left = np.flatnonzero(state["prizes"])
        prize = int(chance.choice(left.tolist())) if len(left) else -1
        state["prize"] = prize + 1
        if len(left):
            state["prizes"][prize] = False

    def legal(self, state):
        return state["hands"][self.current_player(state)].copy()

    def step(self, state, action, chance):
        state["sealed"][self.current_player(state)] = action + 1
        state["decisions"] += 1
        if state["sealed"].all():
            self._open(state)
            self._turn_up(state, chance)

    def _open(self, state):
        bids = state["sealed"].tolist()
        for player, bid in enumerate(bids):
            state["hands"][player, bid - 1] = False
        single = [bid for bid in bids if bids.count(bid) == 1]
        if single:
            state["points"][bids.index(max(single))] += state["prize"]
        state["sealed"] = 0

    def current_player(self, state):
        return int(state["decisions"]) % self.players if state["prize"] else None

    def observe(self, state, player):
        order = [(player + step) % self.players for step in range(self.players)]
        return np.concatenate(
            [
                state["prizes"],
                [state["prize"]],
                state["hands"][order].ravel(),
                [state["sealed"][player]],
                state["sealed"][order] > 0,
                state["points"][order],
            ]
        )

    def returns(self, state):
        return state["points"].tolist()

    scores = returns

    def validate(self, state):
        bidders = int(state["decisions"]) % self.players
        sealed = state["sealed"].tolist()
        if any((bid > 0) != (player < bidders) for player, bid in enumerate(sealed)):
            raise ValueError("players bid in turn")
        if any(bid and not state["hands"][player, bid - 1] for player, bid in enumerate(sealed)):
            raise ValueError("a bid is not in the hand")

    def determinize(self, state, player, chance):
        for other in range(self.players):
            if other != player and state["sealed"][other]:
                state["sealed"][other] = 1 + chance.choice(np.flatnonzero(state["hands"][other]).tolist())

    def action_to_string(self, state, action):
        return f"bid {action + 1}"

    def to_text(self, state, player):
        rows = [f"prize {state['prize']}, then {[int(card) + 1 for card in np.flatnonzero(state['prizes'])]}"]
        for seat in range(self.players):
            bid = (
                int(state["sealed"][seat]) if player in (None, seat) else "?" * int(state["sealed"][seat] > 0)
            )
            hand = [int(card) + 1 for card in np.flatnonzero(state["hands"][seat])]
            rows.append(f"player {seat}: {state['points'][seat]} points, hand {hand}, bid {bid or '-'}")
        return "\n".join(rows)
