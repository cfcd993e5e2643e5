"""A single game: its positions, analyses, reviews and pictures of searches."""

from .analysis import Analysis
from .game import Game, Position
from .review import GameReview, Mistake

__all__ = ["Analysis", "Game", "GameReview", "Mistake", "Position"]
