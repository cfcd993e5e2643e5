"""The C functions that draw from ``chance``, for rules that are C functions themselves."""

from __future__ import annotations

import ctypes

from .. import _core

_uniform, _weighted = _core.chance_functions()

#: ``uint32_t uniform(void *chance, uint32_t n)``: one of ``range(n)``.
uniform = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p, ctypes.c_uint32)(_uniform)
#: ``uint32_t weighted(void *chance, const uint32_t *weights, uint32_t n)``: an index by its weight.
weighted = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32)(_weighted)
