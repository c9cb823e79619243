"""Which card the quick player plays: the one with the most points to expect, whether it wins or not.

What it knows of the cards to come: a master is worth most, a card of a side suit that all others beat nothing. Where
nobody can ruff, a suit wins only if it is led, which the seat that has the lead can do. A later seat that has made its
bid beats a card less often than one that is short. A nil that still stands is kept as safe as can be. The numbers were
chosen by points a hand and exact bids against the version before it.
"""

from cardkit import bits
from cardkit.jit import kernel
from truf._bidding import bid_value, deck_mask, hand_size, suit_mask
from truf._scoring import is_nil
from truf._tricks import covered_cards, held, led_suit, legal_plays, next_seat, power, trick_card
from truf._worth import WORST, above, card_worth, long_truf, nil_chance, points, side_worth
from truf.cards import RANKS
from truf.rules import SEATS
from truf.state import FACE_DOWN, HIGH, LOW, NONE

_STEEPNESS, _SOFTNESS, _MISS = 0.05, 1.65, 0.01  # how flat the bonus is, and what part of a miss counts (`points`)
_PRESSURE = 0.5  # sets for each trick a seat that nobody wants any more
_BEATS_SHORT, _BEATS_MADE = 0.4, 0.25  # chance that a later seat which could beat a card does: short of its bid, or not
_LED_LOW = 0.5  # a card that is led takes its trick less often by this times the share of higher ones in its suit

# Where nobody can ruff a side suit.
_UNLED = 0.3  # a card waits for others to lead its suit: it keeps c / (c + this), c being the suit's cards with others
_CASHED = 0.7  # the lead gives back this / tricks to come of what that takes away


@kernel
def choose_card(rules, state):
    """The legal card with the most points to expect; with a nil that still stands the one that keeps it safest."""
    seat = int(state.actor)
    covered = covered_cards(rules, state, seat)
    unseen = deck_mask(rules) & ~state.hands[seat] & ~(state.played & ~covered)
    mine = held(state, seat)
    left = int(hand_size(rules)) - int(state.tricks_done)
    sets, with_lead, spread = _sets_to_come(rules, state, mine, unseen, left)
    bid = int(state.final_bids[seat])
    bonus = float(bid)
    has_nil = is_nil(rules, bid_value(state.laid[seat]), bid)
    if has_nil:
        bid = 0
        bonus = float(rules.nil_bonus - rules.nil_fail)
    needed = bid - int(state.sets[seat])
    extra = 2.0 if state.mode == LOW else 1.0
    missing = 2.0 if state.mode == HIGH else 1.0
    best = 0
    best_value = WORST
    legal = legal_plays(rules, state)
    while legal != bits.ZERO:
        card = bits.lowest(legal)
        legal = bits.without_lowest(legal)
        win = _win_chance(rules, state, seat, card, unseen, covered)
        if has_nil and needed == 0:
            value = (1.0 - win) * nil_chance(rules, mine & ~bits.bit(card), unseen)
        else:
            worth, lead = _worth_to_come(rules, state, card, unseen, left)
            soft = (spread - worth * (1.0 - worth) + _SOFTNESS) / _STEEPNESS
            won = points(needed - 1, left - 1, with_lead - worth - lead, soft, bonus, extra, missing, _MISS)
            value = win * won
            value += (1.0 - win) * points(needed, left - 1, sets - worth, soft, bonus, extra, missing, _MISS)
        if value > best_value:
            best_value = value
            best = card
    return best


@kernel
def _sets_to_come(rules, state, mine, unseen, left):
    """Sets that the cards held are worth, the same for the seat that leads next, and their spread (a variance)."""
    sets = 0.0
    lead = 0.0
    spread = 0.0
    rest = mine
    while rest != bits.ZERO:
        worth, more = _worth_to_come(rules, state, bits.lowest(rest), unseen, left)
        sets += worth
        lead += more
        spread += worth * (1.0 - worth)
        rest = bits.without_lowest(rest)
    wanted = 0
    for other in range(SEATS):
        wanted += max(0, int(state.final_bids[other]) - int(state.sets[other]))
    sets += long_truf(mine, int(state.truf)) + _PRESSURE * (left - wanted) / SEATS
    return sets, sets + lead, spread


@kernel
def _worth_to_come(rules, state, card, unseen, left):
    """What a card is worth in later tricks, and what it is worth beyond that to the seat that leads the next one.

    A card of a side suit that nobody can ruff must be led: by others, who do not once they have none, or by the seat.
    """
    suit = card // RANKS
    truf = int(state.truf)
    if suit == truf:
        return card_worth(rules, card, unseen, truf), 0.0
    lower = _share_of_lower(rules, card, unseen)
    if truf != NONE and unseen & suit_mask(truf) != bits.ZERO:
        return lower * card_worth(rules, card, unseen, truf), 0.0
    worth = lower * side_worth(rules, card, unseen)
    count = bits.count(unseen & suit_mask(suit))
    waiting = worth * count / (count + _UNLED)
    return waiting, (worth - waiting) * min(1.0, _CASHED / max(1, left - 1))


@kernel
def _share_of_lower(rules, card, unseen):
    """Share of the cards of its suit with others that are lower: 1 for a master, 0 for a card that all of them beat."""
    count = bits.count(unseen & suit_mask(card // RANKS))
    return 1.0 - bits.count(above(rules, unseen, card)) / count if count > 0 else 1.0


@kernel
def _win_chance(rules, state, seat, card, unseen, covered):
    """Chance that a card takes the trick it is played to; cards face down count by what they may be."""
    suit = card // RANKS
    led = suit if state.trick_size == 0 else led_suit(state)
    strength = power(rules, state, card, led)
    if strength == 0:
        return 0.0
    chance = 1.0
    for i in range(int(state.trick_size)):
        other_card = trick_card(state, i)
        if other_card < FACE_DOWN and not bits.has(covered, other_card):
            if power(rules, state, other_card, led) > strength:
                return 0.0
        elif suit != state.truf:
            return 0.0
        else:
            hidden = unseen & suit_mask(suit)
            chance *= 1.0 - bits.count(above(rules, hidden, card)) / max(1, bits.count(hidden))
    if state.trick_size == 0:
        chance = 1.0 - _LED_LOW * (1.0 - _share_of_lower(rules, card, unseen))
    other = seat
    for _ in range(SEATS - 1 - int(state.trick_size)):
        other = next_seat(rules, state, other)
        beats = _BEATS_SHORT if state.final_bids[other] > state.sets[other] else _BEATS_MADE
        chance *= 1.0 - beats * _can_beat(rules, state, other, card, led, unseen)
    return chance


@kernel
def _can_beat(rules, state, other, card, led, unseen):
    """Chance that a later seat holds a card that beats this one and that it may play; its shown bid cards are known."""
    suit = card // RANKS
    following = unseen & suit_mask(led)
    count = bits.count(following) / (SEATS - 1)
    short = 0.0 if state.laid[other] & following != bits.ZERO else 1.0 / (1.0 + count + count * count)
    if (int(state.voids[other]) >> led) & 1 == 1:
        short = 1.0
    in_suit = _chance_to_hold(state, other, above(rules, unseen, card))
    if suit != led:
        return short * in_suit
    beats = in_suit if short < 1.0 else 0.0
    if state.truf != NONE and suit != state.truf and (int(state.voids[other]) >> int(state.truf)) & 1 == 0:
        beats += (1.0 - beats) * short * _chance_to_hold(state, other, unseen & suit_mask(int(state.truf)))
    return beats


@kernel
def _chance_to_hold(state, other, cards):
    """Chance that a seat holds one of some unseen cards."""
    if state.laid[other] & cards != bits.ZERO:
        return 1.0
    count = bits.count(cards) / (SEATS - 1)
    return count / (1.0 + count)
