"""A double DQN with masks and n-step credit: pip install '.[torch]'; python FILE [DECISIONS] [SEED]

One network plays both seats of Small World and learns from a replay buffer. `ludovec.Collector` pays every
decision what its player earns until its own next decision, so a step of the n-step return is from a player's
decision to its next one, never to an opponent's.
"""

import copy
import sys
import time

import ludovec
import numpy as np
import torch
from torch import nn

torch.set_num_threads(1)
decisions, seed = int([*sys.argv, 1_200_000][1]), int(sys.argv[2] if len(sys.argv) > 2 else 0)
ENV, OPTIONS, GAMES, STEPS, CAPACITY, BATCH = "smallworld", {"players": 2}, 128, 32, 100_000, 512
N_STEPS, GAMMA, SCALE, UPDATES, TARGET_EVERY = 5, 0.99, 0.1, 24, 200
rng = np.random.default_rng(seed)
torch.manual_seed(seed)
spec = ludovec.spec(ENV, **OPTIONS)
net = nn.Sequential(
    nn.Linear(spec.observation_len, 256),
    nn.ReLU(),
    nn.Linear(256, 256),
    nn.ReLU(),
    nn.Linear(256, spec.num_actions),
)
target, optimizer, explore = copy.deepcopy(net), torch.optim.Adam(net.parameters(), lr=3e-4), 1.0


def best(observations, masks):
    """The legal action of the highest value in every row; illegal ones are never in a target."""
    values = net(torch.from_numpy(observations).float().log1p())
    return values.masked_fill(~torch.from_numpy(masks), -torch.inf).argmax(1)


@torch.no_grad()
def policy(observations, action_masks):
    return best(observations, action_masks).numpy()


def exploring(observations, info):
    """Epsilon-greedy among the legal actions."""
    random = rng.random(GAMES) < explore
    return np.where(random, env.sample_actions(), policy(observations, info["legal_action_mask"]))


def n_step_returns(batch):
    """Returns of up to N_STEPS decisions of a player, discounts (0 after the end) and the rows after them."""
    rows = np.flatnonzero(batch.known)
    returns, after, done = batch.rewards[rows].copy(), batch.next[rows].copy(), batch.done[rows].copy()
    discounts = np.full(len(rows), GAMMA, np.float32)
    for _ in range(N_STEPS - 1):
        # A decision that is still open has no reward: the return ends before it.
        more = ~done & batch.known[after]
        at = after[more]
        returns[more] += discounts[more] * batch.rewards[at]
        discounts[more] *= GAMMA
        after[more], done[more] = batch.next[at], batch.done[at]
    return rows, returns, discounts * ~done, np.where(done, rows, after)


env = ludovec.make(ENV, GAMES, reward="score", seed=seed, num_threads=1, **OPTIONS)
env.reset(seed=seed)
collector, replay, added, updates = ludovec.Collector(env, exploring, reward_scale=SCALE), {}, 0, 0
begin = time.process_time()
while added < decisions:
    explore = max(0.05, 1 - 2 * added / decisions)
    batch = collector.collect(STEPS)
    rows, returns, discounts, after = n_step_returns(batch)
    new = {"observation": batch.observations[rows], "action": batch.actions[rows], "return": returns}
    new |= {"discount": discounts, "next": batch.observations[after], "mask": batch.action_mask_bits[after]}
    at = (added + np.arange(len(rows))) % CAPACITY
    added += len(rows)
    for name, column in new.items():
        replay.setdefault(name, np.zeros((CAPACITY, *column.shape[1:]), column.dtype))[at] = column
    for _ in range(UPDATES):
        chosen = rng.integers(min(added, CAPACITY), size=BATCH)
        obs, action, paid, discount, following, bits = (column[chosen] for column in replay.values())
        with torch.no_grad():
            # Double DQN: one network chooses, the other one values.
            choice = best(following, ludovec.unpack_bits(bits, spec.num_actions))
            future = target(torch.from_numpy(following).float().log1p()).gather(1, choice[:, None])[:, 0]
            wanted = torch.from_numpy(paid) + torch.from_numpy(discount) * future
        found = net(torch.from_numpy(obs).float().log1p())
        loss = nn.functional.smooth_l1_loss(
            found.gather(1, torch.from_numpy(action).long()[:, None])[:, 0], wanted
        )
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 10.0)
        optimizer.step()
        updates += 1
        if updates % TARGET_EVERY == 0:
            target.load_state_dict(net.state_dict())
minutes = (time.process_time() - begin) / 60
print(f"{added:,} decisions, {updates:,} updates, {minutes:.1f} minutes of processor time", flush=True)
for row in ludovec.evaluate(ENV, policy, ["random", "greedy"], 800, seed=seed, **OPTIONS).opponents:
    low, share, high = (100 * x for x in (row.point_low, row.point_share, row.point_high))
    print(f"share of points against {row.opponents[0]}: {share:.1f} % ({low:.1f}-{high:.1f})")
