"""How data is divided, prepared and tuned: what a paper calls its experimental protocol."""
