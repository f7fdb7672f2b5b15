"""Five papers: the numbers they print, their splits, and how far results reproduce them."""
