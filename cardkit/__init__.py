"""What every game and every bot shares; knows no suit, no trump and no rule."""
