"""A sensible quick player: the rule-based choice, used as a bot and to play games out.

It counts how many tricks its cards are worth, and asks of every choice how well the tricks still needed fit the cards
that would be left; with two cards left it thinks of the last trick. The fitted numbers come from random coordinate
searches that maximised points for 2, 3, 4 and 6 seats, first half against the frozen baseline of the tests and half
against earlier versions of this player, then against earlier versions only.
"""

from cardkit import bits
from cardkit.jit import kernel, outlined_kernel
from kronions._dealing import deck_mask, next_seat
from kronions._tricks import held_paradox, held_suited, legal_plays, suit_mask
from kronions.cards import FUTURE, PARADOX, PAST, RANKS
from kronions.kernels import legal_mask
from kronions.rules import LEFT_LEADS, TRICKS_PLUS_BONUS
from kronions.state import BID, FUTURE_POWER, LED_POWER, NAME_TRUMP, NONE, TRUMP_POWER

# What a card is worth: 1 / (1 + a x higher + b x higher^2), `higher` being the higher cards of its suit with others.
_TRUMP_FADES = 0.61
_SIDE_FADES, _SIDE_FADES_FASTER = 0.58, 0.12
_RUFFED = 1.4  # with a trump, a side suit card loses this / (1 + cards of its suit with each other seat)
_NO_TRUMP = 0.7  # share of its worth that a card keeps where there is no trump: its suit must be led
_MUST_BE_LED = 0.7  # when bidding: a side suit card of a seat that does not lead loses this / hand size of its worth
_MUST_BE_LED_BARE = 1.1  # the same without a trump
_LONG_TRUMP = 0.26  # tricks for each trump beyond a quarter of the hand

# What a bid adds and takes away, in tricks; the first two grow from 0 in one-card rounds to the full amount.
_BID_SCALE, _BID_SHIFT = 0.2, -1.3
_ROOM = 0.2  # for each trick that the earlier bids leave more than their share
_PRESSURE = 5.9  # in play: for each trick a seat that nobody wants any more

# How well needed tricks fit the cards: 1 / (1 + s x distance^2 / (spread + v)).
_BID_STEEPNESS, _PLAY_STEEPNESS, _SPREAD = 2.4, 0.73, 1.3
_PARADOX_LEANS, _PARADOX_REACH = 0.13, 1.1  # tricks that a paradox card moves the middle, and leaves it either way
_OTHERS_FIRST = 0.61  # when bidding: share of a paradox card after the first that is lost where all seats are others

# What the fit does not see.
_KEEP_FUTURE = 0.029  # a Future that takes a trick could take a later one as well
_BEST_FIRST = 0.002  # of cards that fit alike the one worth most, while tricks are needed
_LAST_CHANCE = 14.0  # the last trick needed: 1 / (1 + this x what the cards left lack of a trick, squared)

# The last trick: others keep their best, so a card they may hold counts this often; a Future by what its seat needs.
_KEPT = 1.2
_FUTURE_KEPT, _FUTURE_UNWILLING = 2.2, 0.3

# Chance that a later seat which could beat a card does: where it still needs tricks, and where it does not.
_BEATS, _BEATS_UNWILLING = 0.9, 0.38


@kernel
def policy(rules, state, rng):
    """The rule-based choice of the seat to move; reads only what that seat knows. Uses no randomness."""
    if state.phase == BID:
        return choose_bid(rules, state)
    if state.phase == NAME_TRUMP:
        return _longest_suit(rules, state)
    return _choose_card(rules, state)


@kernel
def _longest_suit(rules, state):
    """The suit of which the dealer holds most; the first of equals."""
    held = held_suited(state, int(state.actor))
    best = 0
    for suit in range(1, rules.num_suits):
        if bits.count(held & suit_mask(suit)) > bits.count(held & suit_mask(best)):
            best = suit
    return best


# What the hand is worth


@kernel
def _unseen_cards(rules, state, seat):
    """The suited cards that a seat has not seen: with other seats or in the stock."""
    unseen = deck_mask(rules) & ~state.played & ~held_suited(state, seat)
    return unseen & ~bits.bit(int(state.flip)) if 0 <= state.flip < PARADOX else unseen


@kernel
def _unseen_paradox(rules, state, seat):
    """The paradox cards that a seat has not seen."""
    paradox = rules.num_paradox - held_paradox(state, seat) - int(state.turned_up)
    if 0 <= state.flip < PARADOX:
        paradox += 1  # the last card turned up was none
    for other in range(rules.num_players):
        paradox -= int(state.paradox_played[other])
    return paradox


@kernel
def _density(rules, state, seat, unseen):
    """Chance that a card the seat has not seen is in another hand and not in the stock."""
    held = (rules.num_players - 1) * (int(state.hand_size) - int(state.tricks_done)) - int(state.trick_size)
    hidden = bits.count(unseen) + _unseen_paradox(rules, state, seat)
    return min(1.0, held / hidden) if hidden > 0 else 1.0


@kernel
def _worth(rules, state, card, unseen, density):
    """Chance that a suited card takes a trick that is still to come."""
    suit = card // RANKS
    same = unseen & suit_mask(suit)
    higher = density * bits.count(same & ~bits.below(card))
    if suit == state.trump:
        return 1.0 / (1.0 + _TRUMP_FADES * higher)
    worth = 1.0 / (1.0 + _SIDE_FADES * higher + _SIDE_FADES_FASTER * higher * higher)
    if state.trump == NONE:
        return worth * _NO_TRUMP
    length = density * bits.count(same) / (rules.num_players - 1)
    return worth * max(0.0, 1.0 - _RUFFED / (1.0 + length))


@kernel
def _hand_worth(rules, state, seat, side_share, unseen, density):
    """Expected tricks of the suited cards held, and their spread (a variance); side suits keep only a share."""
    tricks = 0.0
    spread = 0.0
    held = held_suited(state, seat)
    while held != bits.ZERO:
        card = bits.lowest(held)
        worth = _worth(rules, state, card, unseen, density)
        if card // RANKS != state.trump:
            worth *= side_share
        tricks += worth
        spread += worth * (1.0 - worth)
        held = bits.without_lowest(held)
    return tricks, spread


@kernel
def _fit(needed, cards, tricks, spread, paradox, steepness):
    """How well needed tricks fit cards worth that many, 0..1; 0 where they cannot be had."""
    if needed < 0 or needed > cards:
        return 0.0
    distance = abs(needed - tricks - _PARADOX_LEANS * paradox) - _PARADOX_REACH * paradox
    if distance <= 0.0:
        return 1.0
    return 1.0 / (1.0 + steepness * distance * distance / (spread + _SPREAD))


# Bidding


@kernel
def choose_bid(rules, state):
    """The legal bid with the best chance times what it pays."""
    seat = int(state.actor)
    hand_size = int(state.hand_size)
    unseen = _unseen_cards(rules, state, seat)
    density = _density(rules, state, seat, unseen)
    leader = next_seat(rules, int(state.dealer)) if rules.first_leader == LEFT_LEADS else int(state.dealer)
    must_be_led = _MUST_BE_LED if state.trump >= 0 else _MUST_BE_LED_BARE
    side_share = 1.0 if seat == leader else max(0.0, 1.0 - must_be_led / hand_size)
    tricks, spread = _hand_worth(rules, state, seat, side_share, unseen, density)
    tricks = _adjust(rules, state, seat, tricks)
    paradox = _paradox_to_bid(rules, state, seat)
    best = 0
    best_value = -1.0
    legal = legal_mask(rules, state)
    while legal != bits.ZERO:
        bid = bits.lowest(legal)
        legal = bits.without_lowest(legal)
        fit = _fit(bid, hand_size, tricks, spread, paradox, _BID_STEEPNESS)
        bonus = 0.5 * bid if rules.scoring == TRICKS_PLUS_BONUS else fit * bid
        if fit * rules.score_base + bonus > best_value:
            best_value = fit * rules.score_base + bonus
            best = bid
    return best


@kernel
def _paradox_to_bid(rules, state, seat):
    """How many paradox cards to count on: with more seats, more of the Futures of others come first."""
    paradox = held_paradox(state, seat)
    lost = _OTHERS_FIRST * (rules.num_players - 2) / rules.num_players
    return paradox - lost * max(0, paradox - 1)


@kernel
def _adjust(rules, state, seat, tricks):
    """Expected tricks corrected for long trumps and the earlier bids."""
    hand_size = int(state.hand_size)
    if state.trump >= 0:
        length = bits.count(held_suited(state, seat) & suit_mask(int(state.trump)))
        tricks += _LONG_TRUMP * max(0.0, length - 0.25 * hand_size)
    for other in range(rules.num_players):
        if state.bids[other] >= 0:
            tricks += _ROOM * (hand_size / rules.num_players - state.bids[other])
    scale = (hand_size - 1.0) / (hand_size + 1.0)
    return tricks + scale * (_BID_SCALE * tricks + _BID_SHIFT)


# Play


@kernel
def _choose_card(rules, state):
    """The legal card after which, whether it wins or not, the tricks still needed fit the cards left best."""
    seat = int(state.actor)
    unseen = _unseen_cards(rules, state, seat)
    density = _density(rules, state, seat, unseen)
    left = int(state.hand_size) - int(state.tricks_done)
    needed = _aim(rules, state, seat, left)
    if left == 2:
        return _choose_of_two(rules, state, needed, unseen, density)
    able, spread = _hand_worth(rules, state, seat, 1.0, unseen, density)
    pressure = _PRESSURE * (left - _wanted(rules, state, NONE)) / rules.num_players
    tricks = able + (pressure if needed > 0 else max(0.0, pressure))
    paradox = held_paradox(state, seat)
    best = 0
    best_value = -1.0
    legal = legal_plays(rules, state)
    while legal != bits.ZERO:
        action = bits.lowest(legal)
        legal = bits.without_lowest(legal)
        win = _win_chance(rules, state, seat, action, unseen, density)
        worth = 0.0 if action >= FUTURE else _worth(rules, state, action, unseen, density)
        rest = tricks - worth
        rest_spread = spread - worth * (1.0 - worth)
        free = paradox - 1 if action >= FUTURE else paradox
        later = _fit(needed, left - 1, rest, rest_spread, free, _PLAY_STEEPNESS)
        if needed == 1 and free == 0:
            later *= _last_chance(able - worth)
        value = win * _fit(needed - 1, left - 1, rest, rest_spread, free, _PLAY_STEEPNESS) + (1.0 - win) * later
        if action == FUTURE:
            value -= _KEEP_FUTURE * win
        elif needed > 0:
            value += _BEST_FIRST * worth
        if value > best_value:
            best_value = value
            best = action
    return best


@kernel
def _last_chance(able):
    """Share of the fit that stays where one trick is needed and the cards left are worth so many."""
    lacks = max(0.0, 1.0 - able)
    return 1.0 / (1.0 + _LAST_CHANCE * lacks * lacks)


@kernel
def _wanted(rules, state, but):
    """How many tricks the seats, without one of them, still need together."""
    wanted = 0
    for seat in range(rules.num_players):
        if seat != but:
            wanted += max(0, int(state.bids[seat]) - int(state.tricks[seat]))
    return wanted


@kernel
def _aim(rules, state, seat, left):
    """Tricks to go for: those the bid still needs; with a dead bid all or none, whichever spoils more for others."""
    needed = int(state.bids[seat]) - int(state.tricks[seat])
    if 0 <= needed <= left:
        return needed
    return left if _wanted(rules, state, seat) >= left else 0


@kernel
def _win_chance(rules, state, seat, action, unseen, density):
    """Chance that an action takes the trick it is played to."""
    is_lead = state.trick_size == 0
    power_to_beat = 0 if is_lead else int(state.power)
    if action == FUTURE:
        return 1.0 if power_to_beat < FUTURE_POWER else 0.0
    if action == PAST:
        return 0.0
    suit = action // RANKS
    led = suit if is_lead or state.led_suit == NONE else int(state.led_suit)
    rank = action - suit * RANKS
    power = TRUMP_POWER + rank if suit == state.trump else (LED_POWER + rank if suit == led else 0)
    if power <= power_to_beat:
        return 0.0
    chance = 1.0
    other = seat
    for _ in range(rules.num_players - 1 - state.trick_size):
        other = next_seat(rules, other)
        will = _BEATS if state.bids[other] > state.tricks[other] else _BEATS_UNWILLING
        chance *= 1.0 - will * _can_beat(rules, state, other, action, led, unseen, density)
    return chance


@kernel
def _can_beat(rules, state, other, action, led, unseen, density):
    """Chance that a later seat holds a card of the suit or a trump that beats the action and that it may play."""
    suit = action // RANKS
    share = density / (rules.num_players - 1)
    is_void = (int(state.voids[other]) >> led) & 1 == 1 if led >= 0 else False
    following = share * bits.count(unseen & suit_mask(led)) if led >= 0 else 0.0
    short = 1.0 if is_void else 1.0 / (1.0 + following + following * following)
    higher = share * bits.count(unseen & suit_mask(suit) & ~bits.below(action))
    in_suit = higher / (1.0 + higher)
    if suit != led:
        return short * in_suit
    beats = 0.0 if is_void else in_suit
    if state.trump >= 0 and suit != state.trump and (int(state.voids[other]) >> int(state.trump)) & 1 == 0:
        trumps = share * bits.count(unseen & suit_mask(int(state.trump)))
        beats += (1.0 - beats) * short * trumps / (1.0 + trumps)
    return beats


# The last trick


@outlined_kernel
def _choose_of_two(rules, state, needed, unseen, density):
    """Of two cards the one after which, whether it wins or not, the last trick most likely ends as needed."""
    seat = int(state.actor)
    paradox = _unseen_paradox(rules, state, seat)
    best = 0
    best_value = -1.0
    legal = legal_plays(rules, state)
    while legal != bits.ZERO:
        action = bits.lowest(legal)
        legal = bits.without_lowest(legal)
        win = _win_chance(rules, state, seat, action, unseen, density)
        held = held_suited(state, seat)
        if action < FUTURE:
            held &= ~bits.bit(action)
        card = bits.lowest(held) if held != bits.ZERO else NONE
        value = win * _last_fit(rules, state, card, needed - 1, True, unseen, paradox)
        value += (1.0 - win) * _last_fit(rules, state, card, needed, False, unseen, paradox)
        if action == FUTURE:
            value -= _KEEP_FUTURE * win
        if value > best_value:
            best_value = value
            best = action
    return best


@kernel
def _last_fit(rules, state, card, needed, is_lead, unseen, paradox):
    """Chance that the last card, `NONE` for a paradox card, takes exactly the tricks needed."""
    if needed < 0 or needed > 1:
        return 0.0
    hidden = max(1, bits.count(unseen) + paradox)
    if card == NONE and needed == 0:  # a Past that is led takes a trick of Pasts only [R38]
        return 1.0 - paradox / hidden if is_lead and rules.num_players == 2 else 1.0
    if card == NONE and is_lead:
        return 1.0
    chance = _holds(rules, state, card, unseen, paradox, hidden)
    suit = card // RANKS
    if card != NONE and not is_lead and suit != state.trump:
        chance *= bits.count(unseen & suit_mask(suit) & bits.below(card)) / hidden
    return chance if needed == 1 else 1.0 - chance


@kernel
def _holds(rules, state, card, unseen, paradox, hidden):
    """Chance that no other seat beats a card in the last trick; `NONE` stands for a Future."""
    chance = 1.0
    other = int(state.actor)
    for _ in range(rules.num_players - 1):
        other = next_seat(rules, other)
        is_willing = state.bids[other] > state.tricks[other]
        beats = paradox * (_FUTURE_KEPT if is_willing else _FUTURE_UNWILLING)
        if card != NONE:
            beats += _KEPT * _num_higher(state, other, card, unseen)
        chance *= max(0.0, 1.0 - beats / hidden)
    return chance


@kernel
def _num_higher(state, other, card, unseen):
    """How many unseen cards that a seat may hold beat a card that is led."""
    suit = card // RANKS
    voids = int(state.voids[other])
    higher = bits.count(unseen & suit_mask(suit) & ~bits.below(card)) if (voids >> suit) & 1 == 0 else 0
    if state.trump >= 0 and suit != state.trump and (voids >> int(state.trump)) & 1 == 0:
        higher += bits.count(unseen & suit_mask(int(state.trump)))
    return higher
