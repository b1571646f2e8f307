"""The game and nothing else: positions, legal plays, states and their transitions."""
