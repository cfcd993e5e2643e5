"""JAX: environments inside jitted functions."""

from .adapters.jax import TimeStep, compiled, functions, raising
from .adapters.jax_search import CompiledSearch, Found, Leaves

__all__ = ["CompiledSearch", "Found", "Leaves", "TimeStep", "compiled", "functions", "raising"]
