"""What the game remembers: one record a game, 128 bytes.

Actions are numbers within a phase:

    bid     0 .. 51 lay that card; it has a higher number than the one laid before   52 DONE
    shift   0 .. 12 raise all bids by 1 .. 13      13 .. 25 lower them by 1 .. 13
            26 decline      27 HIGH   28 LOW, without shift
    play    0 .. 51 play that card

An observer sees a card that another seat plays face down as 52 + its suit.
"""

import numpy as np

from cardkit.spec import Column, columns_dtype
from truf.cards import SUIT_NAMES
from truf.rules import SEATS

PHASES = ("deal", "bid", "shift", "play", "over")
DEAL_HANDS, BID, SHIFT, PLAY, GAME_OVER = range(len(PHASES))
NUM_ACTIONS = 53

DONE = 52
RAISE, LOWER, DECLINE, CHOOSE_HIGH, CHOOSE_LOW = 0, 13, 26, 27, 28
FACE_DOWN = 52  # + suit: a card whose rank is hidden

NONE = -1
MODES = ("HIGH", "LOW", "neutral", "none")
HIGH, LOW, NEUTRAL, UNSETTLED = range(len(MODES))
OUTCOMES = ("target", "capped")

STATE = np.dtype(
    [
        ("hands", "u8", (SEATS,)),  # cards dealt in this hand; in a view of another seat, those known to be its own
        ("laid", "u8", (SEATS,)),  # bid cards laid in this hand
        ("played", "u8"),  # cards played in this hand, by anybody
        ("trick", "u8"),  # byte i: the i-th card of this trick + 1, 0 not played; the last trick until the next lead
        ("totals", "i4", (SEATS,)),  # points in the game so far
        ("final_bids", "i2", (SEATS,)),  # bids that count for scoring, from the reveal on
        ("sets", "i1", (SEATS,)),  # tricks won in this hand
        ("voids", "u1", (SEATS,)),  # bit s: the seat has shown that it is void in suit s
        ("hands_done", "i2"),  # complete hands
        ("phase", "u1"),  # index into PHASES
        ("actor", "i1"),  # seat to act
        ("leader", "i1"),  # seat that led the trick in `trick`
        ("top_bidder", "i1"),  # seat; -1 before the reveal
        ("truf", "i1"),  # suit; -1 none
        ("mode", "i1"),  # index into MODES
        ("unlocked", "i1"),  # 1: truf may be led
        ("tricks_done", "i1"),  # complete tricks of this hand
        ("trick_size", "i1"),  # cards in the current trick, 0..3
        ("winner", "i1"),  # seat that took the last complete trick; -1 while the trick is being played
    ],
    align=True,
)

DEAL_COLUMNS = (
    Column("hand", "u8", "bit mask", "cards received: bit 13 x suit + rank, suits C D H S, ranks 2 .. 10 J Q K A"),
    Column("truf", "i1", "suit", "the trump suit", (*SUIT_NAMES, "none")),
    Column("mode", "i1", "mode", "how misses count: HIGH or LOW, or neutral after declining", MODES[:NEUTRAL + 1]),
    Column("bid_cards", "u8", "bit mask", "cards laid for the bid, numbered as in hand"),
    Column("bid", "i2", "sets", "the revealed bid"),
    Column("final_bid", "i2", "sets", "the bid that counts, after a shift"),
    Column("sets", "i1", "sets", "tricks won"),
    Column("points", "i2", "points", "points scored in this hand"),
    Column("total", "i4", "points", "points in the game after this hand"),
    Column("is_top_bidder", "i1", "flag", "1 where the seat won the bidding"),
)  # fmt: skip
DEAL = columns_dtype(DEAL_COLUMNS)
