"""Helpers of the whole package: argument checks, errors, buffers, JSON, optional dependencies."""
