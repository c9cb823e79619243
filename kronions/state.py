"""What the game remembers: one record a game, 120 bytes.

Actions are numbers within a phase:

    name_trump   0 Chrono   1 Nova   2 Void   3 Flux
    bid          0 .. hand size
    play         0 .. 51 that suited card (see cards.py)   52 a paradox card as Future   53 as Past
"""

import numpy as np

from cardkit.spec import Column, columns_dtype
from kronions.cards import CARD_NAMES, SUIT_NAMES
from kronions.rules import MAX_SEATS

PHASES = ("first_dealer", "deal", "flip", "name_trump", "bid", "play", "over")
FIRST_DEALER, DEAL_CARDS, FLIP, NAME_TRUMP, BID, PLAY, GAME_OVER = range(len(PHASES))
NUM_ACTIONS = 54

NO_BID = -1
NONE = -1  # no trump, nothing turned up, no led suit yet
FREED = -2  # led suit of a trick that a Future has freed [R25]

# The field `power` orders the cards of a trick; a higher one takes the trick.
#   0 cannot win    1 Past    2..14 led suit, rank 1..13    15..27 trump, rank 1..13    28 Future
PAST_POWER, LED_POWER, TRUMP_POWER, FUTURE_POWER = 1, 2, 15, 28

STATE = np.dtype(
    [
        (
            "hands",
            "u8",
            (MAX_SEATS,),
        ),  # cards dealt in this round; bits 0-51, and the lowest k of 52-57 for k paradox cards
        ("played", "u8"),  # suited cards played in this round, by anybody
        ("trick", "u8"),  # byte i: the i-th action of this trick + 1, 0 not played; the last trick until the next lead
        ("totals", "i2", (MAX_SEATS,)),  # points in the game so far
        ("bids", "i1", (MAX_SEATS,)),  # tricks; -1 not bid yet
        ("tricks", "i1", (MAX_SEATS,)),  # tricks won in this round
        ("voids", "u1", (MAX_SEATS,)),  # bit s: the seat has shown that it is void in suit s
        ("zero_bids", "i1", (MAX_SEATS,)),  # zero bids of complete rounds that count in a tie [R44]
        ("paradox_played", "i1", (MAX_SEATS,)),  # paradox cards played in this round
        ("rounds_done", "i1"),  # complete rounds
        ("phase", "u1"),  # index into PHASES
        ("hand_size", "i1"),  # cards dealt to each seat in this round
        ("dealer", "i1"),  # seat
        ("leader", "i1"),  # seat that led the trick in `trick`
        ("actor", "i1"),  # seat to act
        ("trump", "i1"),  # suit; -1 no trump
        ("flip", "i1"),  # card turned up last; 52 a paradox card, -1 none
        ("turned_up", "i1"),  # cards turned up in this round
        ("tricks_done", "i1"),  # complete tricks of this round
        ("trick_size", "i1"),  # cards in the current trick, 0..num_players-1
        ("led_suit", "i1"),  # suit of the trick in `trick`; -1 none yet, -2 freed
        ("power", "i1"),  # of the card that wins the trick so far, see above; 0 none
        ("winner", "i1"),  # seat of that card
    ],
    align=True,
)

DEAL_COLUMNS = (
    Column("hand", "u8", "bit mask", "cards received: bits 0-51, then the lowest k of 52-57 for k paradox cards"),
    Column("dealer", "i1", "seat", "who dealt"),
    Column("hand_size", "i1", "cards", "cards dealt to each seat, which is the number of tricks"),
    Column("flip", "i1", "card", "the card turned up last", (*CARD_NAMES, "paradox", "none")),
    Column("trump", "i1", "suit", "the trump suit", (*SUIT_NAMES, "none")),
    Column("bid", "i1", "tricks", "tricks bid"),
    Column("tricks", "i1", "tricks", "tricks won"),
    Column("points", "i2", "points", "points scored in this deal"),
    Column("total", "i2", "points", "points in the game after this deal"),
)
DEAL = columns_dtype(DEAL_COLUMNS)
