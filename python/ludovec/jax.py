"""JAX: environments inside jitted functions."""

from .adapters.jax import TimeStep, compiled, functions, raising

__all__ = ["TimeStep", "compiled", "functions", "raising"]
