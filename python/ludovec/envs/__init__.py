"""Vector environments: their construction, spaces, observations and fleets."""
