"""A small Hanabi: a cooperative game, in which players know every card but their own."""

import ludovec
import numpy as np

COPIES = np.array([3, 2, 2, 1])  # cards of each rank, for each color
COLORS, RANKS, HAND = 2, len(COPIES), 3
KINDS = COLORS * RANKS
COLOR, RANK = np.divmod(np.arange(KINDS), RANKS)


@ludovec.register
class Hanabi:
    """Two players build a row of each color together; tell the other one its cards."""

    players = 2
    payoff = "common"
    reward_range = (0, KINDS)
    max_episode_steps = 70
    TOKENS, LIVES = 4, 3
    actions = {"play": HAND, "discard": HAND, "tell_color": COLORS, "tell_rank": RANKS}
    state = [
        ("hands", np.int8, (2, HAND)),  # kinds, or -1
        ("possible", np.bool_, (2, HAND, KINDS)),  # kinds that the owner was not told to be wrong
        ("deck", np.uint8, KINDS),
        ("discards", np.uint8, KINDS),
        ("rows", np.uint8, COLORS),
        ("tokens", np.uint8),
        ("lives", np.uint8),
        ("left", np.uint8),  # decisions after the last card, from 3 down
        ("decisions", np.uint8),
    ]
    observation = {
        "other": (HAND * KINDS, 1),
        "possible": (2 * HAND * KINDS, 1),
        "discards": (KINDS, 3),
        "rows": (COLORS * (RANKS + 1), 1),
        "tokens": (1, TOKENS),
        "lives": (1, LIVES),
        "deck": (1, COLORS * 8),
        "left": (1, 3),
    }

    def init(self, state, chance):
        state["deck"] = np.tile(COPIES, COLORS)
        state["tokens"], state["lives"], state["left"] = self.TOKENS, self.LIVES, 3
        for player in (0, 1):
            for slot in range(HAND):
                self._draw(state, player, slot, chance)

    def _draw(self, state, player, slot, chance):
        has_cards = bool(state["deck"].any())
        kind = chance.weighted(state["deck"].tolist()) if has_cards else -1
        if has_cards:
            state["deck"][kind] -= 1
        state["hands"][player, slot] = kind
        state["possible"][player, slot] = has_cards

    def legal(self, state):
        player = int(state["decisions"]) % 2
        holds = state["hands"][player] >= 0
        kinds = state["hands"][1 - player]
        kinds = kinds[kinds >= 0]
        tells = bool(state["tokens"])
        return np.concatenate(
            [
                holds,
                holds & bool(state["tokens"] < self.TOKENS),
                np.isin(np.arange(COLORS), COLOR[kinds]) & tells,
                np.isin(np.arange(RANKS), RANK[kinds]) & tells,
            ]
        )

    def step(self, state, action, chance):
        player = int(state["decisions"]) % 2
        state["left"] -= not state["deck"].any()
        if action < 2 * HAND:
            slot, kind = action % HAND, int(state["hands"][player, action % HAND])
            fits = state["rows"][COLOR[kind]] == RANK[kind]
            if action < HAND and fits:
                state["rows"][COLOR[kind]] += 1
            else:
                state["discards"][kind] += 1
                state["lives"] -= action < HAND
                state["tokens"] += action >= HAND
            self._draw(state, player, slot, chance)
        else:
            state["tokens"] -= 1
            told = action - 2 * HAND
            matches = COLOR == told if told < COLORS else RANK == told - COLORS
            for slot, kind in enumerate(state["hands"][1 - player]):
                if kind >= 0:
                    state["possible"][1 - player, slot] &= matches == matches[kind]
        state["decisions"] += 1

    def current_player(self, state):
        over = state["lives"] == 0 or state["left"] == 0 or state["rows"].sum() == KINDS
        return None if over else int(state["decisions"]) % 2

    def observe(self, state, player):
        return np.concatenate(
            [
                (state["hands"][1 - player][:, None] == np.arange(KINDS)).ravel(),
                state["possible"][[player, 1 - player]].ravel(),
                state["discards"],
                (state["rows"][:, None] == np.arange(RANKS + 1)).ravel(),
                [state["tokens"], state["lives"], state["deck"].sum(), state["left"]],
            ]
        )

    def scores(self, state):
        return [int(state["rows"].sum())] * 2

    returns = scores

    def validate(self, state):
        held = state["hands"][state["hands"] >= 0]
        rows = (RANK < state["rows"][COLOR]).astype(int)
        counts = np.bincount(held, minlength=KINDS) + state["deck"] + state["discards"] + rows
        if (counts != np.tile(COPIES, COLORS)).any():
            raise ValueError("cards are missing, or there are too many")
        for player, slot in np.argwhere(state["hands"] >= 0):
            if not state["possible"][player, slot, state["hands"][player, slot]]:
                raise ValueError("a card is not what its owner was told")

    def determinize(self, state, player, chance):
        slots = np.flatnonzero(state["hands"][player] >= 0)
        pool = state["deck"].astype(int)
        np.add.at(pool, state["hands"][player, slots], 1)
        while True:  # a hand and a deck, until the hand fits the hints of its owner
            left, hand = pool.copy(), []
            for _ in slots:
                hand.append(chance.weighted(left.tolist()))
                left[hand[-1]] -= 1
            if state["possible"][player, slots, hand].all():
                break
        state["hands"][player, slots], state["deck"] = hand, left

    def action_to_string(self, state, action):
        for name, number in self.actions.items():
            if action < number:
                return f"{name} {action + (name != 'tell_color')}"
            action -= number
        raise IndexError(action)

    def to_text(self, state, player):
        def shown(seat, kind):
            return "-" if kind < 0 else "?" if seat == player else f"{'AB'[COLOR[kind]]}{RANK[kind] + 1}"

        hands = [" ".join(shown(seat, kind) for kind in state["hands"][seat]) for seat in (0, 1)]
        return (
            f"rows {state['rows'].tolist()}, {state['tokens']} tokens, {state['lives']} lives, "
            f"{state['deck'].sum()} cards left\n"
            + "\n".join(f"player {i}: {hand}" for i, hand in enumerate(hands))
        )
