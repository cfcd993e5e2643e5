"""stable-baselines3 and sb3-contrib: one seat learns, bots play the others."""

from .adapters.sb3 import SeatVecEnv

__all__ = ["SeatVecEnv"]
