"""JAX: environments and tree searches inside jitted functions, as custom calls of XLA."""

from .functions import TimeStep, compiled, functions, raising
from .search import CompiledSearch, Found, Leaves

__all__ = ["CompiledSearch", "Found", "Leaves", "TimeStep", "compiled", "functions", "raising"]
