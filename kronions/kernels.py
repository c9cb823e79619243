"""What is legal, what happens, when it ends and what it is worth."""

import numpy as np

from cardkit import bits
from cardkit.jit import kernel, stack_bytes
from cardkit.rng import absorb, integer
from cardkit.verbs import CHANCE, OVER
from kronions.cards import FUTURE, PARADOX, PAST, RANKS, SUITED_CARDS
from kronions.rules import (
    DEALER_NAMES,
    FIXED,
    FLIP_IF_POSSIBLE,
    FREES_TRICK,
    HOOK_OFF,
    LAST_PAST,
    LEFT_LEADS,
    MAX_ROUNDS,
    NOBODY,
    ONLY_WHEN_VOID,
    RANDOM_DEALER,
    REDRAW,
    SEAT_ORDER,
    TRICKS_PLUS_BONUS,
    ZEROS_MADE,
)
from kronions.state import (
    BID,
    DEAL_CARDS,
    FIRST_DEALER,
    FLIP,
    FREED,
    FUTURE_POWER,
    GAME_OVER,
    LED_POWER,
    NAME_TRUMP,
    NO_BID,
    NONE,
    PAST_POWER,
    PLAY,
    TRUMP_POWER,
)

SUITED = np.uint64((1 << SUITED_CARDS) - 1)
SUIT = np.uint64((1 << RANKS) - 1)  # the cards of suit 0
DECLARATIONS = np.uint64(1 << FUTURE | 1 << PAST)
BYTE = np.uint64(0xFF)


# The series of rounds


@kernel
def num_rounds(rules):
    """How many rounds a game has [R6, R7, R7b]."""
    if rules.round_sizes[0] > 0:
        listed = 0
        while listed < MAX_ROUNDS and rules.round_sizes[listed] > 0:
            listed += 1
        return listed
    if rules.only_round > 0:
        return 1
    return series_cap(rules)


@kernel
def series_cap(rules):
    """Hand size of the last round of the rising series [R6]."""
    if rules.round_cap > 0:
        return rules.round_cap
    return (rules.num_suits * rules.num_ranks + rules.num_paradox) // rules.num_players


@kernel
def _hand_size(rules, round_index):
    """Cards dealt to each seat in a round, counted from 0."""
    if rules.round_sizes[0] > 0:
        return rules.round_sizes[round_index]
    if rules.only_round > 0:
        return rules.only_round
    return round_index + 1


@kernel
def _has_flip(rules, state):
    """Whether a card is turned up in the round just dealt [R13, R14]."""
    left = rules.num_suits * rules.num_ranks + rules.num_paradox - rules.num_players * state.hand_size
    is_last = state.rounds_done + 1 == num_rounds(rules)
    if rules.only_round > 0:
        is_last = rules.only_round == series_cap(rules)
    return left > 0 and (not is_last or rules.last_round_trump == FLIP_IF_POSSIBLE)


# Who acts


@kernel
def new_game(rules, state):
    """Empty the record; the first node draws the dealer, or deals. Modified in place: `state`."""
    for seat in range(state.hands.size):
        state.totals[seat] = 0
        state.zero_bids[seat] = 0
    _clear_round(rules, state)
    state.rounds_done = 0
    state.hand_size = 0
    state.dealer = 0 if rules.first_dealer == RANDOM_DEALER else rules.first_dealer
    state.phase = FIRST_DEALER if rules.first_dealer == RANDOM_DEALER else DEAL_CARDS


@kernel
def to_move(rules, state):
    """The seat to act, `CHANCE` or `OVER`."""
    if state.phase <= FLIP:
        return CHANCE
    return OVER if state.phase == GAME_OVER else int(state.actor)


@kernel
def _next_seat(rules, seat):
    """The left neighbour [R5]."""
    return seat + 1 if seat + 1 < rules.num_players else 0


# Chance


@kernel
def chance_event(rules, state):
    """The pending chance event: round x 256 + kind x 64 + cards already turned up."""
    return int(state.rounds_done) * 256 + int(state.phase) * 64 + int(state.turned_up)


@kernel
def chance(rules, state, rng):
    """Draw the first dealer, the hands or the next card turned up. Modified in place: `state`, `rng`."""
    if state.phase == FIRST_DEALER:
        state.dealer = integer(rng, rules.num_players)
        state.phase = DEAL_CARDS
    elif state.phase == DEAL_CARDS:
        _deal(rules, state, rng)
    else:
        _turn_up(rules, state, rng)


@kernel
def _deal(rules, state, rng):
    """Shuffle all cards and give every seat its hand [R6, R9, R10, R12]: a partial Fisher-Yates shuffle."""
    if state.rounds_done > 0 and rules.rotate_deal != FIXED:
        state.dealer = _next_seat(rules, int(state.dealer))
    _clear_round(rules, state)
    hand_size = int(_hand_size(rules, int(state.rounds_done)))
    state.hand_size = hand_size
    deck = stack_bytes()
    left = 0
    for suit in range(rules.num_suits):
        for rank in range(rules.num_ranks):
            deck[left] = suit * RANKS + rank
            left += 1
    for copy in range(rules.num_paradox):
        deck[left] = PARADOX + copy
        left += 1
    for seat in range(rules.num_players):
        hand = bits.ZERO
        for _ in range(hand_size):
            place = integer(rng, left)
            left -= 1
            hand |= bits.bit(deck[place])
            deck[place] = deck[left]
        state.hands[seat] = _alike(hand)
    if _has_flip(rules, state):
        state.phase = FLIP
    else:
        _start_bidding(rules, state)


@kernel
def _clear_round(rules, state):
    """Put away everything that belongs to one round. Modified in place: `state`."""
    for seat in range(state.hands.size):
        state.hands[seat] = bits.ZERO
        state.bids[seat] = NO_BID
        state.tricks[seat] = 0
        state.voids[seat] = 0
        state.paradox_played[seat] = 0
    state.played = bits.ZERO
    state.trick = bits.ZERO
    state.leader = 0
    state.actor = 0
    state.trump = NONE
    state.flip = NONE
    state.turned_up = 0
    state.tricks_done = 0
    state.trick_size = 0
    state.led_suit = NONE
    state.power = 0
    state.winner = 0


@kernel
def _alike(hand):
    """The hand with its k paradox cards in the lowest k places [R4]."""
    copies = bits.count(hand >> np.uint64(PARADOX))
    return (hand & SUITED) | (((bits.ONE << np.uint64(copies)) - bits.ONE) << np.uint64(PARADOX))


@kernel
def _turn_up(rules, state, rng):
    """Turn up one stock card, uniformly, and act on it [R13, R16]."""
    dealt = bits.ZERO
    paradox = rules.num_paradox - state.turned_up
    for seat in range(rules.num_players):
        dealt |= state.hands[seat] & SUITED
        paradox -= bits.count(state.hands[seat] >> np.uint64(PARADOX))
    stock = bits.ZERO
    for suit in range(rules.num_suits):
        stock |= bits.below(rules.num_ranks) << np.uint64(suit * RANKS)
    stock &= ~dealt
    suited = bits.count(stock)
    place = integer(rng, suited + paradox)
    state.turned_up += 1
    if place < suited:
        card = bits.select(stock, place)
        state.flip = card
        state.trump = card // RANKS
    else:
        state.flip = PARADOX
        if rules.paradox_flip == DEALER_NAMES:
            state.phase = NAME_TRUMP
            state.actor = state.dealer
            return
        if rules.paradox_flip == REDRAW and suited + paradox > 1:
            return
    _start_bidding(rules, state)


@kernel
def _start_bidding(rules, state):
    """The dealer's left neighbour bids first [R18]."""
    state.phase = BID
    state.actor = _next_seat(rules, int(state.dealer))


# Decisions


@kernel
def legal_mask(rules, state):
    """The legal actions of the seat to move; empty at a chance node and at the end."""
    if state.phase == PLAY:
        return _legal_plays(rules, state)
    if state.phase == BID:
        return _legal_bids(rules, state)
    if state.phase == NAME_TRUMP:
        return bits.below(rules.num_suits)
    return bits.ZERO


@kernel
def _legal_bids(rules, state):
    """0 to the hand size; the hook takes one bid from the dealer [R19-R21]."""
    hand_size = int(state.hand_size)
    mask = bits.below(hand_size + 1)
    if state.actor != state.dealer or rules.hook == HOOK_OFF:
        return mask
    forbidden = hand_size
    for seat in range(rules.num_players):
        if seat != state.dealer:
            forbidden -= int(state.bids[seat])
    return mask & ~bits.bit(forbidden) if forbidden >= 0 else mask


@kernel
def held_suited(state, seat):
    """The suited cards a seat still holds."""
    return state.hands[seat] & SUITED & ~state.played


@kernel
def held_paradox(state, seat):
    """How many paradox cards a seat still holds."""
    return bits.count(state.hands[seat] >> np.uint64(PARADOX)) - int(state.paradox_played[seat])


@kernel
def suit_mask(suit):
    """All cards of a suit."""
    return SUIT << np.uint64(suit * RANKS)


@kernel
def _legal_plays(rules, state):
    """Follow suit or play a paradox card; anything when void or while no suit is led [R24-R28]."""
    seat = int(state.actor)
    suited = held_suited(state, seat)
    declarations = DECLARATIONS if held_paradox(state, seat) > 0 else bits.ZERO
    if state.led_suit >= 0:
        following = suited & suit_mask(int(state.led_suit))
        if following != bits.ZERO:
            if rules.paradox_when_able_to_follow == ONLY_WHEN_VOID:
                return following
            return following | declarations
    return suited | declarations


@kernel
def apply(rules, state, action):
    """Name trump, bid or play a card. Modified in place: `state`."""
    if state.phase == PLAY:
        _play(rules, state, action)
    elif state.phase == BID:
        _bid(rules, state, action)
    else:
        state.trump = action
        _start_bidding(rules, state)


@kernel
def _bid(rules, state, tricks):
    """Bid openly, once; after the dealer's bid the first trick is led [R18, R22]."""
    seat = int(state.actor)
    state.bids[seat] = tricks
    state.actor = _next_seat(rules, seat)
    if seat == state.dealer:
        state.phase = PLAY
        if rules.first_leader != LEFT_LEADS:
            state.actor = seat


@kernel
def _play(rules, state, action):
    """Play a card to the trick, and finish the trick and the round where it is the last one."""
    seat = int(state.actor)
    if state.trick_size == 0:
        state.leader = seat
        state.trick = bits.ZERO
        state.led_suit = NONE
        state.power = 0
    power = _lay_down(rules, state, seat, action)
    if power > state.power or (power == PAST_POWER and state.power == PAST_POWER and rules.all_past == LAST_PAST):
        state.power = power
        state.winner = seat
    state.trick |= np.uint64(action + 1) << np.uint64(8 * state.trick_size)
    state.trick_size += 1
    if state.trick_size < rules.num_players:
        state.actor = _next_seat(rules, seat)
    else:
        _finish_trick(rules, state)


@kernel
def _lay_down(rules, state, seat, action):
    """Take the card from the hand, note what it shows, and return its power [R25, R31-R37]."""
    led = int(state.led_suit)
    if action >= FUTURE:
        state.paradox_played[seat] += 1
        if led >= 0 and rules.paradox_when_able_to_follow == ONLY_WHEN_VOID:
            state.voids[seat] |= np.uint8(1 << led)
        if action == PAST:
            return PAST_POWER
        if led == NONE and rules.future_led == FREES_TRICK:
            state.led_suit = FREED
        return FUTURE_POWER
    state.played |= bits.bit(action)
    suit = action // RANKS
    rank = action - suit * RANKS
    if led == NONE:
        state.led_suit = suit
    elif led >= 0 and suit != led:
        state.voids[seat] |= np.uint8(1 << led)
    if suit == state.trump:
        return TRUMP_POWER + rank
    return LED_POWER + rank if suit == state.led_suit else 0


@kernel
def _finish_trick(rules, state):
    """The winner takes the trick and leads; a trick of Pasts only may go to nobody [R23, R32-R38]."""
    state.trick_size = 0
    state.tricks_done += 1
    if state.power == PAST_POWER and rules.all_past == NOBODY:
        state.winner = NONE
        state.actor = state.leader
    else:
        state.tricks[state.winner] += 1
        state.actor = state.winner
    if state.tricks_done == state.hand_size:
        _score_round(rules, state)


@kernel
def _score_round(rules, state):
    """Add the points of the round, and deal again or end the game [R39-R43]."""
    for seat in range(rules.num_players):
        state.totals[seat] += round_points(rules, int(state.bids[seat]), int(state.tricks[seat]))
        if state.bids[seat] == 0 and (rules.tie_zero_count != ZEROS_MADE or state.tricks[seat] == 0):
            state.zero_bids[seat] += 1
    state.rounds_done += 1
    state.phase = GAME_OVER if state.rounds_done == num_rounds(rules) else DEAL_CARDS


@kernel
def round_points(rules, bid, tricks):
    """Points for one round [R39-R41]."""
    if rules.scoring == TRICKS_PLUS_BONUS:
        return tricks + (rules.score_base if tricks == bid else 0)
    return rules.score_base + bid if tricks == bid else 0


# What it is worth


@kernel
def returns(rules, state, out):
    """Fill `out[seat]` with the totals [R46]."""
    for seat in range(rules.num_players):
        out[seat] = state.totals[seat]


@kernel
def _is_ahead(rules, state, seat, other):
    """Whether a seat stands before another on the ladder: total, zero bids, then perhaps seat order [R43-R45]."""
    if state.totals[seat] != state.totals[other]:
        return state.totals[seat] > state.totals[other]
    if state.zero_bids[seat] != state.zero_bids[other]:
        return state.zero_bids[seat] > state.zero_bids[other]
    return rules.tie_final == SEAT_ORDER and seat < other


@kernel
def places(rules, state, place, share):
    """Fill `place[seat]` with 1 + the seats ahead, and `share[seat]` with the share of the win [R45, R46]."""
    first = 0
    for seat in range(rules.num_players):
        place[seat] = 1
        for other in range(rules.num_players):
            if _is_ahead(rules, state, other, seat):
                place[seat] += 1
        if place[seat] == 1:
            first += 1
    for seat in range(rules.num_players):
        share[seat] = 1.0 / first if place[seat] == 1 else 0.0


@kernel
def outcome(rules, state):
    """Every game is played to its last round [R43]."""
    return 0


@kernel
def deals_done(rules, state):
    """How many rounds are complete."""
    return int(state.rounds_done)


@kernel
def deal_value(rules, state, out):
    """Fill `out[seat]` with the points of the last complete round."""
    for seat in range(rules.num_players):
        out[seat] = round_points(rules, int(state.bids[seat]), int(state.tricks[seat]))


@kernel
def deal_row(rules, state, seat, row):
    """Write the last complete round of a seat as a row of `DEAL`. Modified in place: `row`."""
    row.hand = state.hands[seat]
    row.dealer = state.dealer
    row.hand_size = state.hand_size
    row.flip = state.flip if state.flip != NONE else PARADOX + 1
    row.trump = state.trump if state.trump != NONE else 4
    row.bid = state.bids[seat]
    row.tricks = state.tricks[seat]
    row.points = round_points(rules, int(state.bids[seat]), int(state.tricks[seat]))
    row.total = state.totals[seat]


# What was seen


@kernel
def seen_as(rules, state, action, observer):
    """Every decision is public: the action itself."""
    return action


@kernel
def news(rules, state, observer):
    """After a chance event: a hash of the dealer, the new hand or the card turned up; 0 after every decision."""
    if state.phase == DEAL_CARDS and state.rounds_done == 0 and rules.first_dealer == RANDOM_DEALER:
        return _short(absorb(np.uint64(1), int(state.dealer)))
    if state.phase < FLIP or state.phase > BID or not _nobody_has_bid(rules, state):
        return 0
    if state.turned_up == 0:
        return _short(absorb(np.uint64(2), state.hands[observer]))
    if state.phase == BID and state.flip == PARADOX and state.trump != NONE:
        return 0  # the dealer has just named trump
    return _short(absorb(np.uint64(3), int(state.flip) + 64 * int(state.turned_up)))


@kernel
def _short(digest):
    """The upper 32 bits of a digest, never 0."""
    return int(digest >> np.uint64(32)) | 1


@kernel
def _nobody_has_bid(rules, state):
    """Whether the bidding has not begun."""
    return state.bids[_next_seat(rules, int(state.dealer))] == NO_BID
