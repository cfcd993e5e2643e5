"""TorchRL's own checker for its wrappers over our environments, and for our adapter."""

import gymnasium
import ludovec
import numpy as np
import pytest

torch = pytest.importorskip("torch")
torchrl = pytest.importorskip("torchrl")

from ludovec.torchrl import TorchRLEnv  # noqa: E402
from torchrl.envs import GymEnv, GymWrapper, PettingZooWrapper  # noqa: E402
from torchrl.envs.utils import check_env_specs  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")


def name(env_id):
    spec = ludovec.spec(env_id)
    return f"ludovec/{spec.name}-v{spec.version}"


@pytest.fixture(autouse=True)
def supported(request):
    """Earlier versions of TorchRL refuse Gymnasium 1."""
    if "gym" in request.node.name or "infos" in request.node.name:
        if tuple(map(int, torchrl.__version__.split(".")[:2])) < (0, 8):
            pytest.skip("needs TorchRL 0.8")


def test_the_wrappers_of_gymnasium(env_id):
    """``autoreset="disabled"`` is the mode that TorchRL prefers; its own resets follow."""
    for opponents in ({}, {"opponents": "random"}):
        batch = ludovec.make(
            env_id, 3, autoreset="disabled", on_illegal="lose", max_steps=6, num_threads=1, **opponents
        )
        assert batch.autoreset_mode is batch.metadata["autoreset_mode"]
        env = GymWrapper(batch)
        check_env_specs(env)
        ended = env.rollout(20, break_when_any_done=False)["next", "done"]
        assert ended.shape[:2] == (3, 20) and ended.sum() >= 3
    check_env_specs(GymEnv(name(env_id), max_steps=6))


def test_masks_come_with_the_infos():
    env = GymWrapper(ludovec.make("starwars_risk", 3, autoreset="disabled", on_illegal="lose"))
    env = env.auto_register_info_dict()
    check_env_specs(env)
    batch = env.rollout(3, break_when_any_done=False)
    assert batch["next", "action_mask"].shape == (3, 3, 212)


def test_an_unknown_option_is_a_type_error_in_pythons_words(env_id):
    said = r"unexpected keyword argument 'frameskip'.*the options are"
    with pytest.raises(TypeError, match=said) as caught:
        gymnasium.make(name(env_id), frameskip=4)
    assert isinstance(caught.value, ludovec.InvalidConfig)


def test_pettingzoos_wrapper(env_id):
    pytest.importorskip("pettingzoo")
    import ludovec.pettingzoo as pz

    env = PettingZooWrapper(pz.parallel_env(env_id, max_steps=12, noop=True), seed=3)
    batch = env.rollout(8)
    taken = batch["player", "action_mask"].gather(-1, batch["player", "action"][..., None])
    assert taken.all()


@pytest.mark.draws_seeds
def test_pettingzoos_wrapper_takes_drawn_seeds():
    """TorchRL makes int64 tensors of the infos."""
    pytest.importorskip("pettingzoo")
    import ludovec.pettingzoo as pz

    for _ in range(20):
        PettingZooWrapper(pz.parallel_env("tilewe", players=2, noop=True))


MODES = ({"opponents": "random"}, {}, {"agents": True})


@pytest.mark.parametrize("mode", MODES, ids=["seat", "turns", "agents"])
def test_the_adapter(env_id, mode):
    env = TorchRLEnv(env_id, 3, max_steps=6, num_threads=1, seed=1, **mode)
    check_env_specs(env)
    games = []
    for _ in range(2):
        env.set_seed(7)
        torch.manual_seed(0)
        games.append(env.rollout(14, break_when_any_done=False))
    assert (games[0] == games[1]).all() and games[0]["next", "done"].sum() >= 3
    group = games[0]["agents"] if "agents" in mode else games[0]
    assert group["action_mask"].gather(-1, group["action"][..., None]).all()


def test_the_keys_are_the_columns_of_the_batch(env_id):
    """The same actions in a batch of our own lead to the same rows; waiting agents do nothing."""
    for agents in (False, True):
        env = TorchRLEnv(env_id, 2, agents=agents, num_threads=1)
        env.set_seed(5)
        twin = ludovec.make(env_id, 2, autoreset="disabled", num_threads=1)
        twin.reset(seed=5)
        now, rows = env.reset(), np.arange(2)
        for _ in range(5):
            seen = now["agents"] if agents else now
            player = twin.current_player.copy()
            own = (rows, player) if agents else (rows,)
            np.testing.assert_array_equal(seen["observation"].numpy()[own], twin.observations)
            np.testing.assert_array_equal(
                seen["action_mask"].numpy()[own][:, : twin.game_spec.num_actions], twin.action_mask
            )
            np.testing.assert_array_equal(now["current_player"][:, 0].numpy(), player)
            if agents:
                for game in range(2):
                    for seat in range(twin.game_spec.players):
                        view = twin.game(game).observation(seat)
                        np.testing.assert_array_equal(seen["observation"][game, seat].numpy(), view)
                assert (seen["mask"].numpy() == (np.arange(twin.game_spec.players) == player[:, None])).all()
            actions = twin.sample_actions()
            if agents:
                given = np.full((2, twin.game_spec.players), twin.game_spec.num_actions)
                given[rows, player] = actions
                now["agents", "action"] = torch.from_numpy(given)
            else:
                now["action"] = torch.from_numpy(actions.astype(np.int64))
            now = env.step(now)["next"]
            twin.step(actions)
            paid = now["agents", "reward"][..., 0] if agents else now["rewards"]
            np.testing.assert_array_equal(paid.numpy(), twin.rewards)


def test_tensors_are_unpacked_in_every_format():
    for obs in ("f32", "packed"):
        check_env_specs(TorchRLEnv("tilewe", 2, obs=obs, max_steps=4, players=2))
    check_env_specs(TorchRLEnv("starwars_risk", 2, obs="f32", agents=True))


def test_wrong_arguments_and_actions():
    for wrong, said in (
        ({"agents": True, "opponents": "random"}, "agents"),
        ({"autoreset": "same_step"}, "autoreset"),
        ({"agents": 1}, "agents"),
        ({"colour": 1}, "colour"),
    ):
        with pytest.raises(ludovec.InvalidConfig, match=said):
            TorchRLEnv("tilewe", 2, **wrong)
    env = TorchRLEnv("starwars_risk", 2, agents=True)
    now = env.reset()
    now["agents", "action"] = torch.zeros((2, 2), dtype=torch.int64)
    with pytest.raises(ludovec.InvalidConfig, match="it waits"):
        env.step(now)
    env = TorchRLEnv("starwars_risk", 2)
    now = env.reset()
    now["action"] = (~now["action_mask"]).int().argmax(1)
    with pytest.raises(ludovec.IllegalAction):
        env.step(now)
