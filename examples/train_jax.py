"""JAX learns Small World by self-play in a jitted loop: pip install '.[jax]'; python FILE [UPDATES]"""

import sys

import jax
import jax.numpy as jnp
import ludovec.adapters.jax

env = ludovec.make("smallworld", 64, players=2, reward="score", mask="bits", num_threads=1)
spec, updates = env.game_spec, int([*sys.argv, 40][1])
reset, step = ludovec.jax.functions(env)
sizes = [(spec.observation_len, 256), (256, spec.num_actions + 1)]
params = [jax.random.normal(jax.random.key(i), sizes[i]) / (20 if i == 0 else 160) for i in (0, 1)]


def ask(params, observation, mask):
    found = jax.nn.relu(jnp.log1p(jnp.float32(observation)) @ params[0]) @ params[1]
    return jax.nn.log_softmax(jnp.where(mask, found[..., :-1], -1e9)), found[..., -1]


def loss(params, played, actions, returns):
    log_probs, values = ask(params, played.observation, played.action_mask)
    chosen = jnp.take_along_axis(log_probs, actions[..., None], -1)[..., 0]
    good = jax.lax.stop_gradient((returns - values) / (returns - values).std())
    entropy = -(jnp.exp(log_probs) * log_probs * played.action_mask).sum(-1)
    return (0.5 * (returns - values) ** 2 - chosen * good - 0.02 * entropy).mean()


@jax.jit
def update(params, squares, now, number):
    def play(now, key):
        actions = jax.random.categorical(key, ask(params, now.observation, now.action_mask)[0])
        return (after := step(actions)), (now, actions, after.rewards, after.terminated | after.truncated)

    def back(future, row):
        future = row[0] * 0.1 + 0.97 * jnp.where(row[1][:, None], 0, future)
        return future, jnp.take_along_axis(future, row[2][:, None], 1)[:, 0]

    now, (played, actions, *ends) = jax.lax.scan(play, now, jax.random.split(jax.random.key(number), 64))
    _, returns = jax.lax.scan(back, jnp.zeros((64, 2)), (*ends, played.player), reverse=True)
    slopes = jax.grad(loss)(params, played, actions, returns)
    squares = [0.99 * square + 0.01 * slope**2 for square, slope in zip(squares, slopes)]
    roots = [jnp.sqrt(square / (1 - 0.99**number)) + 1e-8 for square in squares]
    return [w - 1e-3 * slope / root for w, root, slope in zip(params, roots, slopes)], squares, now


def policy(observations, action_masks):
    return ask(params, observations, action_masks)[0].argmax(1)


squares, now = [jnp.zeros(size) for size in sizes], jax.jit(reset)(0)
for number in range(updates + 1):
    if number in (0, updates):
        share = ludovec.evaluate("smallworld", policy, "random", 200, players=2)["policy"].point_share
        print(f"share of points after {4096 * number:,} decisions: {100 * share:.1f} %", flush=True)
    params, squares, now = update(params, squares, now, number + 1)
