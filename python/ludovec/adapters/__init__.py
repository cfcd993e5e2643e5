"""Other libraries' interfaces to the environments. Public as ``ludovec.gym``, ``ludovec.sb3`` and so on."""
