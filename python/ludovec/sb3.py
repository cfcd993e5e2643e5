"""stable-baselines3 and sb3-contrib: the learner plays one seat, bots play the others."""

from .adapters.sb3 import SeatVecEnv

__all__ = ["SeatVecEnv"]
