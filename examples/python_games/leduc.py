import ludovec
import numpy as np

FOLD, CALL, RAISE = range(3)


@ludovec.register
class Leduc:
    """Poker with cards 1 to 3, twice each: bets of 2, a shown card, bets of 4. Pairs beat high cards."""

    players = 2
    actions = {"fold": 1, "call": 1, "raise": 1}
    state = [("cards", np.int8, 2), ("shown", np.int8), ("paid", np.int8, 2), ("round", np.int8),
             ("raises", np.int8), ("moves", np.int8), ("player", np.int8), ("folded", np.int8)]  # fmt: skip
    observation = {"card": (1, 3), "shown": (1, 3), "paid": (2, 13), "round": (1, 1)}
    reward_range = (-13, 13)

    def init(self, state, chance):
        state["cards"][0] = self.draw([], chance)
        state["cards"][1] = self.draw(state["cards"][:1].tolist(), chance)
        state["paid"], state["folded"] = 1, -1

    def legal(self, state):
        player, paid = state["player"], state["paid"]
        return [bool(paid[player] < paid[1 - player]), True, bool(state["raises"] < 2)]

    def step(self, state, action, chance):
        player, paid = int(state["player"]), state["paid"]
        if action == FOLD:
            state["folded"] = player
            return
        paid[player] = paid[1 - player] + (action == RAISE) * (2 + 2 * state["round"])
        state["raises"] += action == RAISE
        state["moves"] += 1
        state["player"] = 1 - player
        if action == CALL and state["moves"] > 1:  # the round is over
            if state["round"] == 0:
                state["shown"] = self.draw(state["cards"].tolist(), chance)
                state["player"] = state["moves"] = state["raises"] = 0
            state["round"] += 1

    def current_player(self, state):
        return None if state["folded"] >= 0 or state["round"] == 2 else int(state["player"])

    def observe(self, state, player):
        cards, paid, shown = state["cards"], state["paid"], state["shown"]
        return np.array([cards[player], shown, paid[player], paid[1 - player], shown > 0])

    def returns(self, state):
        hands = [10 * (card == state["shown"]) + card for card in state["cards"].tolist()]
        hands = [-1 if player == state["folded"] else hand for player, hand in enumerate(hands)]
        won = int(state["paid"].min()) * int(np.sign(hands[0] - hands[1]))
        return [won, -won]

    def determinize(self, state, player, chance):
        state["cards"][1 - player] = self.draw([int(state["cards"][player]), int(state["shown"])], chance)

    def draw(self, known, chance):
        return 1 + chance.weighted([2 - known.count(card) for card in (1, 2, 3)])
