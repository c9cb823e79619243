"""Which legal actions are worth searching: one of those that come to the same, and bids near the policy's."""

from cardkit import bits
from cardkit.jit import kernel
from kronions._dealing import deck_mask
from kronions._tricks import held_suited, legal_plays
from kronions.cards import FUTURE, PARADOX, PAST, RANKS
from kronions.kernels import legal_mask
from kronions.policy import choose_bid
from kronions.state import BID, FUTURE_POWER, LED_POWER, PLAY, TRUMP_POWER

BID_WINDOW = 3  # tricks above and under the bid of the policy


@kernel
def sensible_mask(rules, state):
    """The legal actions worth searching, never none.

    Of a card and a higher one of its suit with no card between that could still matter, the lower is kept; of Future
    and Past in a trick that a Future takes anyway, Future. Both lose nothing. Bids are a heuristic cut: three tricks
    around the policy's. All suits may be named trump.
    """
    if state.phase == PLAY:
        return _sensible_plays(rules, state)
    legal = legal_mask(rules, state)
    if state.phase == BID:
        return legal & _window(choose_bid(rules, state))
    return legal


@kernel
def _window(bid):
    """The bids that are near one."""
    return bits.below(bid + BID_WINDOW + 1) & ~bits.below(max(0, bid - BID_WINDOW))


@kernel
def _sensible_plays(rules, state):
    """One of each group of plays that come to the same."""
    legal = legal_plays(rules, state)
    suited = legal & bits.below(PARADOX)
    seat = int(state.actor)
    between = deck_mask(rules) & ~state.played & ~held_suited(state, seat)
    if 0 <= state.flip < PARADOX:
        between &= ~bits.bit(int(state.flip))
    if state.trick_size > 0:
        between |= _card_to_beat(state)
        if state.power == FUTURE_POWER and bits.has(legal, FUTURE):  # a Future is led already: neither can win [R34]
            legal &= ~bits.bit(PAST)
    return legal & ~bits.touching(suited, between)


@kernel
def _card_to_beat(state):
    """The suited card that takes the trick so far; empty where that is a Future or a Past."""
    power = int(state.power)
    if power >= FUTURE_POWER or power < LED_POWER:
        return bits.ZERO
    if power >= TRUMP_POWER:
        return bits.bit(int(state.trump) * RANKS + power - TRUMP_POWER)
    return bits.bit(int(state.led_suit) * RANKS + power - LED_POWER)
