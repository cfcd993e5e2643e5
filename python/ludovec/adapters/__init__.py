"""Adapters for other libraries, public as ``ludovec.gym``, ``ludovec.sb3`` and so on."""
