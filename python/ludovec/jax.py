"""JAX: environments inside jitted functions."""

from .adapters.jax import TimeStep, functions, raising

__all__ = ["TimeStep", "functions", "raising"]
