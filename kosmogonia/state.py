"""What the game remembers: one record a game, 496 bytes.

Actions are numbers within a phase:

    first_player                  0 .. 3   seat
    draft                         0 .. 4   stack - 1
    challenge_card, deploy_card   0 .. 47  champion in hand         63 END (deploy_card)
    challenge_orient, deploy_orient        0 open   1 closed
    deploy_place                  0 .. 7   side = 2 x position + (0 left, 1 right)
    tourn_discard                 0 .. 47  champion                 48 .. 59 reinforcement card
    use                           0 .. 11  reinforcement card       12 .. 14 citadel symbol   15 PASS
    sym7                          3 x removed + added category
    sym8_card                     0 .. 17  treasure of Kronos
    sym8_number                   0 .. 2   category
    end_champion                  0 .. 47  champion in the line-up
    end_permutation               0 .. 5   who gets 1st, 2nd, 3rd factor: FAC FCA AFC ACF CFA CAF
    equip                         0 .. 17  treasure of the vault    18 nothing

An observer sees a card that another seat chooses, and what it equips, as 62: something.
"""

import numpy as np

from cardkit.spec import Column, columns_dtype
from kosmogonia.cards import CARDS, CHAMPIONS, STACKS
from kosmogonia.rules import MOST_SEATS

PHASES = (
    "citadels", "stacks", "b_quest", "sides", "crown", "steal", "pull",
    "first_player", "draft", "challenge_card", "challenge_orient", "deploy_card", "deploy_place", "deploy_orient",
    "tourn_discard", "use", "sym7", "sym8_card", "sym8_number", "end_champion", "end_permutation", "equip", "over",
)  # fmt: skip
(
    DRAW_CITADELS, DRAW_STACKS, DRAW_B_QUEST, DRAW_SIDES, DRAW_CROWN, DRAW_STEAL, DRAW_PULL,
    FIRST_PLAYER, DRAFT, CHALLENGE_CARD, CHALLENGE_ORIENT, DEPLOY_CARD, DEPLOY_PLACE, DEPLOY_ORIENT,
    TOURN_DISCARD, USE, SYM7, SYM8_CARD, SYM8_NUMBER, END_CHAMPION, END_PERMUTATION, EQUIP, GAME_OVER,
) = range(len(PHASES))  # fmt: skip
NUM_ACTIONS = 64

# Stages between decisions: `advance` in kernels.py leaves them at once.
(
    TO_ROUND, TO_GATHERING, TO_CHALLENGE, TO_DEPLOYMENT, TO_DISCARD, TO_DUEL, TO_HARVEST, TO_HUNT, TO_SPOILS,
    TO_FINAL, TO_FIGHT, TO_TURN, TO_END_EFFECTS, TO_RESULT,
) = range(len(PHASES), len(PHASES) + 14)  # fmt: skip

END = 63
SOMETHING = 62
OPEN, CLOSED = 0, 1
CITADEL, PASS = 12, 15
NOTHING = 18

NONE = -1
UNKNOWN = 60  # + stack 0..3, or + 4 where the stack is not known: a card that an observer cannot see
UNKNOWN_STACK = 4
SECRET = 19  # equipment that an observer cannot see
UNSEEN = 255  # a place in a stack whose card is not known, or has left it

NO_FIGHT, DUEL, HUNT, KRONOS = range(4)
OUTCOMES = ("win", "lost_keys", "lost_final")
RESULTS = ("left wins", "right wins", "tie", "beaten", "not beaten")
NO_RESULT, LEFT_WINS, RIGHT_WINS, TIED, BEATEN, NOT_BEATEN = range(6)

MOST_QUESTS = 4
SIDES = 2 * MOST_QUESTS
TEAM = 3  # champions a seat sends to Olympus
MOST_CLOSED = 2  # cards that lie closed on a side: of three the first lies open
PAST_ROUNDS = 2  # before the last one

# What the last event showed beyond the action: `news` hashes it.
NO_NEWS, CITADELS_NEWS, B_QUEST_NEWS, SIDES_NEWS, CROWN_NEWS, CARDS_NEWS, GATHERED_NEWS, EQUIPMENT_NEWS = range(8)

STATE = np.dtype(
    [
        ("hands", "u8", (MOST_SEATS,)),  # cards in hand; in a view of another seat also its closed cards
        ("gathered", "u8", (MOST_SEATS,)),  # cards gathered in this round
        ("lineups", "u8", (SIDES,)),  # cards on each side of the quests; in a view without those that lie closed
        ("closed", "u8"),  # champions at quests that lie closed; in a view its own
        ("discard", "u8"),  # the discard pile
        ("table", "u8"),  # reinforcement cards used in this encounter
        ("pulled", "u8"),  # champions that symbol 6 has brought into a line-up or team
        ("moved", "u8"),  # champions that symbol 5 has moved in this duel
        ("drafted", "u8"),  # cards taken in the draft that goes on
        ("treasury", "u4"),  # treasures of Kronos
        ("vaults", "u4", (MOST_SEATS,)),  # treasures of the seats
        ("bonus", "i1", (2, 3)),  # what END effects, and symbol 9 against Kronos, add to a corner's totals
        ("cancelled", "i1", (3,)),  # factors of Kronos that symbol 8 has cancelled for this fight
        ("totals", "i2", (2, 3)),  # of the last result: both sides of a duel, or the seat's and what it met
        ("symbols_used", "u2", (2,)),  # bit s: the corner has activated symbol s in this encounter
        ("olympus_closed", "u2"),  # bit 3 x seat + i: that Olympus card lies closed
        ("stacks", "u1", (CARDS,)),  # 12 x stack + place, top card first: the cards of the stacks and open columns
        ("since", "u1", (CHAMPIONS,)),  # when its owner got the card: 1 + 2 x round gathered, 2 + 2 x round stolen
        ("hidden", "u1", (SIDES, MOST_CLOSED)),  # in a view: backs on a side; 0 none, 1 + stack, 5 stack not shown
        ("kept", "u1", (PAST_ROUNDS, MOST_SEATS)),  # under hidden hands: see `kept_of`
        ("unseen", "u1", (MOST_SEATS, STACKS)),  # in a view of hidden hands: cards by stack that `hands` leaves out
        ("olympus", "i1", (MOST_SEATS, TEAM)),  # champions sent, in order; -1 none, 60 + stack cannot be seen
        ("equipped", "i1", (MOST_SEATS, TEAM)),  # treasure of each; -1 not asked, 18 nothing, 19 cannot be seen
        ("treasures", "i1", (SIDES,)),  # treasure on a side; -1 none
        ("owners", "i1", (SIDES,)),  # seat on a side; -1 nobody
        ("blue", "i1", (MOST_QUESTS,)),  # side, 0 or 1, of the seat that came first to a quest; -1 nobody
        ("queue", "u1", (8,)),  # END effects in order: symbol + 16 x corner
        ("citadels", "i1", (MOST_SEATS,)),  # citadel of a seat; -1 before they are drawn
        ("challengers", "i1", (MOST_SEATS,)),  # seats in the order in which they challenge Kronos; -1 not yet known
        ("deployed", "i1", (MOST_SEATS,)),  # champions placed at quests in this round
        ("duels_won", "i1", (MOST_SEATS,)),  # in this round
        ("duels_tied", "i1", (MOST_SEATS,)),
        ("hunts", "i1", (MOST_SEATS,)),
        ("hunts_won", "i1", (MOST_SEATS,)),
        ("won", "i1", (MOST_SEATS,)),  # treasures won in this round
        ("uses", "i1", (2,)),  # uses a corner has made
        ("hunted", "u1"),  # bit s: the seat on side s has hunted
        ("beaten", "u1"),  # bit s: it has beaten the monster
        ("passed", "u1"),  # bit c: corner c has passed
        ("ended", "u1"),  # bit s: seat s has ended its deployment
        ("citadels_used", "u1"),  # bit s: seat s has used its citadel
        ("in_force", "u1"),  # bit c: category c is compared in this duel
        ("queue_size", "i1"),  # END effects waiting or done
        ("queue_done", "i1"),
        ("phase", "u1"),  # index into PHASES
        ("actor", "i1"),  # seat to act
        ("corner", "i1"),  # side, 0 or 1, of the seat that acts in an encounter
        ("fight", "i1"),  # NO_FIGHT, DUEL, HUNT or KRONOS
        ("position", "i1"),  # quest of the encounter, or how many have challenged Kronos before
        ("fought", "u1"),  # bit p: there was a duel at position p
        ("symbol", "i1"),  # symbol that waits for a choice or a draw
        ("card", "i1"),  # champion that waits for its place, orientation or factors; -1 none, 64 cannot be seen
        ("place", "i1"),  # side that waits for its orientation; -1 none
        ("round_number", "i1"),  # 0 is the first
        ("drafts", "i1"),  # complete gatherings in this round
        ("opened", "i1"),  # cards that have left each stack, those in open columns included
        ("b_quest", "i1"),  # the tournament's fourth quest; -1 none
        ("finder", "i1"),  # who found the crown; -1 before
        ("first_player", "i1"),  # of this round, or of the last before it is chosen; -1 none
        ("draws", "i1"),  # thefts and pulls so far
        ("drawn", "i1"),  # card of the theft or pull that happened last; -1 none
        ("rounds_done", "i1"),
        ("winner", "i1"),  # seat that beat Kronos; -1 none
        ("outcome", "i1"),  # index into OUTCOMES, once the game is over
        ("result", "u1"),  # of the encounter that the last action has ended; 0 none, else 1 + index into RESULTS
        ("news", "u1"),  # what the last event showed
    ],
    align=True,
)

DEAL_COLUMNS = (
    Column("hand", "u8", "bit mask", "cards gathered in the round: bit 12 x (stack - 1) + index"),
    Column("round", "i1", "round", "number of the round, 0 is the first"),
    Column("first_player", "i1", "seat", "who played first in the round"),
    Column("olympus", "i1", "cards", "champions sent to Olympus in the round"),
    Column("deployed", "i1", "cards", "champions placed at quests in the round"),
    Column("duels_won", "i1", "duels", "duels won in the round"),
    Column("duels_tied", "i1", "duels", "duels tied in the round"),
    Column("hunts", "i1", "hunts", "monsters hunted in the round"),
    Column("hunts_won", "i1", "hunts", "monsters beaten in the round"),
    Column("treasures", "i1", "treasures", "treasures won in the round"),
    Column("keys", "i2", "keys", "keys in the vault at the end of the round"),
    Column("kronos_keys", "i2", "keys", "keys in Kronos' treasury at the end of the round"),
    Column("equipped", "i1", "treasures", "treasures equipped, in the last round of a game that reached the final"),
)
DEAL = columns_dtype(DEAL_COLUMNS)
