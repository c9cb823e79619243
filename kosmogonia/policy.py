"""A sensible quick player: the rule-based choice, used as a bot and to play games out.

It sends balanced champions to Olympus, the last one so that the team can beat Kronos, places the champion that adds
most to what a side is worth, uses symbols where a few of them change a duel, reach a monster or beat Kronos
(`_uses.py`), and equips the items that beat Kronos with the most keys. Cards in hand count in what a team can do, and
one without which Kronos cannot be beaten is kept for him (`_prospects.py`). The fitted numbers come from a random
coordinate search against a simple player and earlier versions; what the last champion is chosen by, and what a card
that must be kept costs, from matches against the policy before.
"""

from cardkit import bits
from cardkit.jit import kernel, outlined_kernel
from kosmogonia._deploying import legal_deployments, legal_sides
from kosmogonia._gathering import (
    is_last_round,
    legal_first_players,
    legal_picks,
    legal_sends,
    next_seat,
    num_sent,
    quest_at,
    top_of_column,
)
from kosmogonia._prospects import (
    equip_best,
    missing_with_hand,
    team_margins,
    team_of,
    with_vault,
)
from kosmogonia._symbols import face_of, printed_total
from kosmogonia._uses import (
    aim_best,
    cancel_best,
    cancel_number_best,
    card_cost,
    choose_use,
    replace_best,
    spread_best,
    treasure_value,
)
from kosmogonia.cards import ALL_CHAMPIONS, CATEGORIES, CHAMPIONS, IN_STACK, STACKS
from kosmogonia.state import (
    CHALLENGE_CARD,
    CHALLENGE_ORIENT,
    CLOSED,
    DEPLOY_CARD,
    DEPLOY_ORIENT,
    DEPLOY_PLACE,
    DRAFT,
    END,
    END_CHAMPION,
    END_PERMUTATION,
    EQUIP,
    FIRST_PLAYER,
    MOST_CLOSED,
    NONE,
    OPEN,
    SYM7,
    SYM8_CARD,
    TEAM,
    TOURN_DISCARD,
    USE,
)

# Olympus.
_GOAL = 16.19  # what a team should have in a category
_STRENGTH = 0.019  # for each point of a champion, beyond the goal or not
_SPARED = 0.0  # for each point of its best value, which a quest could use
_BALANCE = 0.1  # all this, where a point that the complete team lacks against Kronos is 1
_TO_COME = 3.0  # points in a category that Kronos wins in the last round

# Deployment.
_SCALE = 13.83  # points of lead that make a category likely
_LEAD = 4.99  # how surely the categories decide
_HUNT_SCALE = 0.948  # points above a monster that make a hunt likely
_HELP = 2.34  # points that symbols add to a hunt
_COMING = 10.27  # what an opponent who is not there yet will have in a category
_MEAN = 1.75  # value of a card that nobody knows
_SAVED = 0.029  # worth of a point kept for later rounds
_LEAST = 0.542  # gain for which a champion is placed, if it could be kept

# The draft.
_DRAFTED = 4.0  # points of a champion for each treasure value that a reinforcement card is worth

_WORST = -1e9  # less than any choice is worth


@kernel
def policy(rules, state, rng):
    """The rule-based choice of the seat to move; reads only what that seat knows. Uses no randomness."""
    phase = int(state.phase)
    if phase == USE:
        return choose_use(rules, state)
    if phase == DEPLOY_CARD:
        return _choose_deployment(rules, state)
    if phase == DEPLOY_PLACE:
        return _choose_side(rules, state)
    if phase == DEPLOY_ORIENT:
        return CLOSED if state.lineups[int(state.place)] != bits.ZERO else OPEN
    if phase == CHALLENGE_CARD:
        return _choose_send(rules, state)
    if phase == CHALLENGE_ORIENT:
        return CLOSED if num_sent(state, int(state.actor)) > 0 else OPEN
    if phase == DRAFT:
        return _choose_pick(rules, state)
    if phase == EQUIP:
        return equip_best(rules, state)
    if phase == END_CHAMPION:
        return aim_best(rules, state)
    if phase == END_PERMUTATION:
        return spread_best(rules, state)
    if phase == FIRST_PLAYER:
        return _choose_first_player(rules, state)
    if phase == TOURN_DISCARD:
        return _choose_discard(rules, state)
    if phase == SYM7:
        return replace_best(rules, state)
    return cancel_best(rules, state) if phase == SYM8_CARD else cancel_number_best(rules, state)


@kernel
def soft_sign(x):
    """A smooth sign: -1 .. 1."""
    return x / (1.0 + abs(x))


# Gathering and Olympus


@kernel
def _choose_first_player(rules, state):
    """The seat after this one, so that this one is last; else this one."""
    seat = int(state.actor)
    after = next_seat(rules, seat)
    return after if bits.has(legal_first_players(rules, state), after) else seat


@outlined_kernel
def _choose_pick(rules, state):
    """The column whose free card is worth most."""
    legal = legal_picks(rules, state)
    best = NONE
    best_worth = _WORST
    for stack in range(STACKS):
        if not bits.has(legal, stack):
            continue
        card = int(state.stacks[top_of_column(rules, state, stack)])
        worth = _card_worth(rules, card) - _stack_mean(rules, stack)
        if worth > best_worth:
            best = stack
            best_worth = worth
    return best


@kernel
def _card_worth(rules, card):
    """What a card is worth in a draft."""
    if card >= CHAMPIONS:
        return _DRAFTED * card_cost(rules, int(rules.cards[0].symbols[card - CHAMPIONS]))
    return _strength(rules, card)


@kernel
def _stack_mean(rules, stack):
    """What the cards of a stack are worth on average."""
    total = 0.0
    for i in range(IN_STACK):
        total += _card_worth(rules, IN_STACK * stack + i)
    return total / IN_STACK


@kernel
def _strength(rules, champion):
    """The sum of the values of a champion."""
    values = rules.cards[0].values[champion]
    return float(values[0] + values[1] + values[2])


@outlined_kernel
def _choose_send(rules, state):
    """The champion that brings the team nearest to its goal in all categories, the last one near to beating Kronos."""
    seat = int(state.actor)
    is_last = num_sent(state, seat) == TEAM - 1
    margins = _margins_to_come(rules, state, seat) if is_last else (0.0, 0.0, 0.0)
    left = legal_sends(rules, state)
    best = NONE
    best_worth = _WORST
    while left != bits.ZERO:
        card = bits.lowest(left)
        left = bits.without_lowest(left)
        worth = _send_worth(rules, state, seat, card)
        if is_last:
            worth *= _BALANCE
            if worth > best_worth:  # else it cannot become the best
                worth -= _missing_with(rules, state, seat, margins, card)
        if worth > best_worth:
            best = card
            best_worth = worth
    return best


@kernel
def _send_worth(rules, state, seat, card):
    """How near a champion brings the team to its goal."""
    number = num_sent(state, seat)
    share = _GOAL * (number + 1) / TEAM
    worth = _STRENGTH * _strength(rules, card)
    highest = 0
    for category in range(CATEGORIES):
        value = int(rules.cards[0].values[card, category])
        highest = max(highest, value)
        for i in range(number):
            value += rules.cards[0].values[int(state.olympus[seat, i]), category]
        worth += min(float(value), share)
    return worth - _SPARED * highest


@outlined_kernel
def _margins_to_come(rules, state, seat):
    """What the champions sent so far will have beyond Kronos after the last round."""
    margins = team_margins(rules, state, seat, team_of(state, seat))
    return margins[0] - _TO_COME, margins[1] - _TO_COME, margins[2] - _TO_COME


@outlined_kernel
def _missing_with(rules, state, seat, margins, last):
    """Points that a team will lack against Kronos with this last champion, the seat's vault and its cards."""
    team = team_of(state, seat) | bits.bit(last)
    values = rules.cards[0].values[last]
    margins = (margins[0] + values[0], margins[1] + values[1], margins[2] + values[2])
    margins = with_vault(rules, state, seat, margins)
    return missing_with_hand(rules, state, team, margins, state.hands[seat])


# Deployment


@kernel
def _choose_deployment(rules, state):
    """The champion that adds most to a side, or END where none adds enough."""
    legal = legal_deployments(rules, state)
    card, _, gain = _best_placement(rules, state, legal & ALL_CHAMPIONS)
    return END if gain < _LEAST and bits.has(legal, END) else card


@kernel
def _choose_side(rules, state):
    """The side to which the chosen champion adds most."""
    _, side, _ = _best_placement(rules, state, bits.bit(state.card))
    return side


@outlined_kernel
def _best_placement(rules, state, champions):
    """The champion and the side where it adds most, and how much; the first of equals."""
    seat = int(state.actor)
    sides = legal_sides(rules, state, seat)
    best_card = NONE
    best_side = NONE
    best_gain = _WORST
    while sides != bits.ZERO:
        side = bits.lowest(sides)
        sides = bits.without_lowest(sides)
        card, gain = _best_for_side(rules, state, seat, side, champions)
        if gain > best_gain:
            best_card = card
            best_side = side
            best_gain = gain
    return best_card, best_side, best_gain


@outlined_kernel
def _best_for_side(rules, state, seat, side, champions):
    """The champion that adds most to a side of the seat, and how much."""
    cards = rules.cards[0]
    quest = quest_at(rules, state, side // 2)
    face = face_of(rules, quest)
    own = treasure_value(rules, int(state.treasures[side]))
    other = treasure_value(rules, int(state.treasures[side ^ 1]))
    saved = 0.0 if is_last_round(rules, state) else _SAVED
    opponent = int(state.owners[side ^ 1])
    covered = _num_covered(state, side ^ 1) if opponent != NONE else 0
    here = state.lineups[side]
    there = state.lineups[side ^ 1] & ~state.closed
    mine0, mine1, mine2 = printed_total(rules, here, 0), printed_total(rules, here, 1), printed_total(rules, here, 2)
    theirs0 = _their_total(rules, state, there, opponent, covered, 0)
    theirs1 = _their_total(rules, state, there, opponent, covered, 1)
    theirs2 = _their_total(rules, state, there, opponent, covered, 2)
    before = 0.0
    if here != bits.ZERO:
        before = _side_worth(rules, quest, face, mine0 - theirs0, mine1 - theirs1, mine2 - theirs2,
                             mine0, mine1, mine2, own, other)  # fmt: skip
    best = NONE
    best_gain = _WORST
    while champions != bits.ZERO:
        card = bits.lowest(champions)
        champions = bits.without_lowest(champions)
        a = mine0 + int(cards.values[card, 0])
        b = mine1 + int(cards.values[card, 1])
        c = mine2 + int(cards.values[card, 2])
        gain = _side_worth(rules, quest, face, a - theirs0, b - theirs1, c - theirs2, a, b, c, own, other) - before
        gain -= saved * _strength(rules, card)
        if gain > best_gain:
            best = card
            best_gain = gain
    return best, best_gain


@kernel
def _side_worth(rules, quest, face, lead0, lead1, lead2, total0, total1, total2, own, other):
    """Treasure value to expect from a side with so much lead and so many points in the three categories."""
    lead = 0.0
    hunt = 1.0
    for category in range(CATEGORIES):
        ahead = lead0 if category == 0 else (lead1 if category == 1 else lead2)
        if rules.cards[0].categories[quest, face, category] != 0:
            lead += soft_sign(ahead / _SCALE)
        value = int(rules.cards[0].monsters[quest, face, category])
        if value > 0:
            total = total0 if category == 0 else (total1 if category == 1 else total2)
            hunt *= 0.5 + 0.5 * soft_sign((total + _HELP - value) / _HUNT_SCALE)
    won = 0.5 + 0.5 * soft_sign(_LEAD * lead)
    return won * (own + hunt * other)


@kernel
def _num_covered(state, side):
    """How many cards lie closed on a side, in a full record or in a view."""
    number = bits.count(state.lineups[side] & state.closed)
    for i in range(MOST_CLOSED):
        number += 1 if state.hidden[side, i] > 0 else 0
    return number


@kernel
def _their_total(rules, state, there, opponent, covered, category):
    """What the opponent has in a category, closed cards at their mean; or what one is expected to bring."""
    if opponent == NONE:
        return _COMING
    return printed_total(rules, there, category) + covered * _MEAN


# The discard


@kernel
def _choose_discard(rules, state):
    """The champion held back, or the reinforcement card that is worth least in the final."""
    hand = state.hands[int(state.actor)]
    if hand & ALL_CHAMPIONS != bits.ZERO:
        return bits.lowest(hand)
    best = NONE
    best_cost = -_WORST
    while hand != bits.ZERO:
        card = bits.lowest(hand)
        hand = bits.without_lowest(hand)
        cost = card_cost(rules, int(rules.cards[0].symbols[card - CHAMPIONS]))
        if cost < best_cost:
            best = card
            best_cost = cost
    return best
