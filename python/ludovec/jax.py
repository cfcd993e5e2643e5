"""JAX: environments and tree searches inside jitted functions, as custom calls of XLA."""

from .adapters.jax import TimeStep, compiled, functions, raising
from .adapters.jax_search import CompiledSearch, Found, Leaves

__all__ = ["CompiledSearch", "Found", "Leaves", "TimeStep", "compiled", "functions", "raising"]
