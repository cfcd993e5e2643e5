"""JAX: environments inside jitted functions."""

from .adapters.jax import TimeStep, functions

__all__ = ["TimeStep", "functions"]
