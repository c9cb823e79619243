"""The end of a round, and the final: equipment, the order of the challengers, and the fight with Kronos."""

from cardkit import bits
from cardkit.jit import kernel, outlined_kernel
from kosmogonia._encounters import clear_table, share_spoils, start_encounter
from kosmogonia._gathering import is_last_round, next_seat, note_kept
from kosmogonia._symbols import corner_total
from kosmogonia.cards import CATEGORIES, TREASURES
from kosmogonia.rules import FROM_CARDS, HARD, HIDDEN_AFTER_GATHER, MOST_SEATS, STANDARD, TOURNAMENT
from kosmogonia.state import (
    BEATEN,
    CARDS_NEWS,
    EQUIP,
    EQUIPMENT_NEWS,
    GAME_OVER,
    KRONOS,
    NONE,
    NOT_BEATEN,
    NOTHING,
    SIDES,
    TEAM,
    TO_FIGHT,
    TO_FINAL,
    TO_ROUND,
)

WIN, LOST_KEYS, LOST_FINAL = range(3)


@kernel
def kronos_face(rules):
    """Which face of the Kronos board is used: 0 is 13, 1 is 15 [R2]."""
    return 1 if rules.difficulty == HARD else 0


@kernel
def key_limit(rules):
    """Keys in Kronos' treasury at which all lose [R83]."""
    if rules.key_limit != FROM_CARDS:
        return int(rules.key_limit)
    setting = 3 if rules.variant == TOURNAMENT else MOST_SEATS - rules.num_players
    return int(rules.cards[0].limits[kronos_face(rules), setting])


@outlined_kernel
def keys_of(rules, treasures):
    """Keys on a set of treasures."""
    keys = 0
    for treasure in range(TREASURES):
        if (int(treasures) >> treasure) & 1 == 1:
            keys += int(rules.cards[0].keys[treasure])
    return keys


@outlined_kernel
def finish_round(rules, state):
    """Share the spoils, test the key limit, start another round or the final [R80-R86]. Modified in place: `state`."""
    share_spoils(rules, state)
    if keys_of(rules, state.treasury) >= key_limit(rules):
        _end_game(state, LOST_KEYS)
        return
    if rules.variant == STANDARD:
        state.citadels_used = 0
    if is_last_round(rules, state):
        state.phase = TO_FINAL
        return
    if rules.hands_public == HIDDEN_AFTER_GATHER:
        note_kept(rules, state)
    state.rounds_done += 1
    state.round_number += 1
    state.phase = TO_ROUND


@kernel
def _end_game(state, outcome):
    """The game is over, and with it its last round. Modified in place: `state`."""
    state.outcome = outcome
    state.rounds_done += 1
    state.phase = GAME_OVER


@kernel
def start_final(state):
    """Turn up all cards on Olympus, and let seat 0 equip its champions [R86, R87]. Modified in place: `state`."""
    state.olympus_closed = 0
    for side in range(SIDES):
        state.owners[side] = NONE
    state.news = CARDS_NEWS
    state.actor = 0
    state.phase = EQUIP


@kernel
def num_equipped(state, seat):
    """How many of its champions a seat has been asked about."""
    number = 0
    while number < TEAM and state.equipped[seat, number] != NONE:
        number += 1
    return number


@kernel
def legal_equipment(state):
    """Treasures of the vault that no champion has yet, and nothing [R87]."""
    seat = int(state.actor)
    mask = bits.bit(NOTHING)
    for treasure in range(TREASURES):
        if (state.vaults[seat] >> treasure) & 1 == 1:
            mask |= bits.bit(treasure)
    for i in range(TEAM):
        if 0 <= state.equipped[seat, i] < NOTHING:
            mask &= ~bits.bit(state.equipped[seat, i])
    return mask


@outlined_kernel
def equip(rules, state, treasure):
    """Give a treasure, or nothing, to the next champion of the seat [R87]. Modified in place: `state`."""
    seat = int(state.actor)
    number = num_equipped(state, seat)
    state.equipped[seat, number] = treasure
    if number + 1 < TEAM:
        return
    state.actor = seat + 1
    if state.actor == rules.num_players:
        state.news = EQUIPMENT_NEWS
        _order_challengers(rules, state)
        state.position = NONE
        state.phase = TO_FIGHT


@kernel
def equipped_keys(rules, state, seat):
    """Keys on the treasures that a seat's champions carry [R88]."""
    keys = 0
    for i in range(TEAM):
        if 0 <= state.equipped[seat, i] < NOTHING:
            keys += int(rules.cards[0].keys[int(state.equipped[seat, i])])
    return keys


@kernel
def _rank(rules, state, seat, turn):
    """A number that orders challengers: equipped keys, treasures in the vault, later in turn order [R88-R90]."""
    return (equipped_keys(rules, state, seat) * 32 + bits.count(state.vaults[seat])) * 8 + turn


@outlined_kernel
def _order_challengers(rules, state):
    """Find in which order the seats challenge Kronos [R88-R91]. Modified in place: `state`."""
    seat = int(state.first_player)
    for turn in range(rules.num_players):
        place = 0
        other = int(state.first_player)
        for other_turn in range(rules.num_players):
            if _rank(rules, state, other, other_turn) > _rank(rules, state, seat, turn):
                place += 1
            other = next_seat(rules, other)
        state.challengers[place] = seat
        seat = next_seat(rules, seat)


@outlined_kernel
def next_fight(rules, state):
    """The next seat challenges Kronos; all lose if nobody is left [R91, R94]. Modified in place: `state`."""
    position = int(state.position) + 1
    if position == rules.num_players:
        _end_game(state, LOST_FINAL)
        return
    start_encounter(state, KRONOS, position, 0)


@outlined_kernel
def kronos_total(rules, state, category):
    """What Kronos has in a category [R92]."""
    total = int(rules.cards[0].bases[kronos_face(rules), category]) - int(state.cancelled[category])
    for treasure in range(TREASURES):
        if (state.treasury >> treasure) & 1 == 1:
            total += rules.cards[0].factors[treasure, category]
    return total


@outlined_kernel
def finish_fight(rules, state):
    """Compare with Kronos [R92-R94]. Modified in place: `state`."""
    is_won = True
    for category in range(CATEGORIES):
        is_won = is_won and corner_total(rules, state, 0, category) >= kronos_total(rules, state, category)
    state.result = BEATEN if is_won else NOT_BEATEN
    for category in range(CATEGORIES):
        state.totals[0, category] = corner_total(rules, state, 0, category)
        state.totals[1, category] = kronos_total(rules, state, category)
        state.cancelled[category] = 0
    seat = int(state.actor)
    state.discard |= state.pulled
    state.pulled = bits.ZERO
    clear_table(state)
    if is_won:
        state.winner = seat
        _end_game(state, WIN)
    else:
        state.phase = TO_FIGHT
