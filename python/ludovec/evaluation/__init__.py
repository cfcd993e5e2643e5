"""Strength of players: matches, tournaments, rankings of payoffs, best responses."""
