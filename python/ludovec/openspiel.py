"""OpenSpiel: every environment as a Python game of ``pyspiel``."""

from .adapters.openspiel import OpenSpielGame, OpenSpielState, load_game, register

__all__ = ["OpenSpielGame", "OpenSpielState", "load_game", "register"]
