"""Which number is which card.

    suited cards          13 x suit + (rank - 1)

                 rank   1    2    3   ...   13
        Chrono  (C)     0    1    2   ...   12
        Nova    (N)    13   14   15   ...   25
        Void    (V)    26   27   28   ...   38
        Flux    (F)    39   40   41   ...   51

    paradox cards (P)  52 .. 57      identical [R4]: a hand with k of them has the lowest k bits set

As *actions*, 52 plays a paradox card as Future and 53 plays one as Past.
Smaller decks use the same numbers; the missing cards never occur.
"""

SUIT_NAMES = ("Chrono", "Nova", "Void", "Flux")
SUIT_LETTERS = "CNVF"
RANKS = 13
SUITED_CARDS = 52
PARADOX = 52  # the number of any paradox card where copies do not matter, such as a turned-up one
FUTURE = 52  # action: play a paradox card as Future
PAST = 53  # action: play a paradox card as Past

CARD_NAMES = tuple(f"{suit} {rank}" for suit in SUIT_NAMES for rank in range(1, RANKS + 1))
PLAY_NAMES = (*CARD_NAMES, "Future", "Past")
SHORT_PLAY_NAMES = (*(f"{letter}{rank}" for letter in SUIT_LETTERS for rank in range(1, RANKS + 1)), "Fut", "Past")
