"""The verbs of Kosmogonia: what is legal, what happens, when it ends and what it is worth.

The stages have closets of their own, in the order of a game: `_gathering.py` (set-up, gathering, Challenge),
`_deploying.py`, `_encounters.py` (duels, harvest, hunts), `_symbols.py` and `_final.py` (end of a round, final). Their
kernels leave the record in a decision, at a chance event or in a stage; `_advance` goes from stage to stage.
"""

from cardkit import bits
from cardkit.jit import kernel, outlined_kernel
from cardkit.verbs import CHANCE, OVER
from kosmogonia._deploying import (
    deploy,
    discard_card,
    end_deployment,
    legal_deploy_orientations,
    legal_deployments,
    legal_discards,
    legal_sides,
    start_deployment,
    start_discard,
)
from kosmogonia._encounters import clear_table, finish_duel, finish_hunt, harvest, next_duel, next_hunt, next_turn
from kosmogonia._end_effects import LEGAL_PERMUTATIONS, aim, next_end_effect, spread
from kosmogonia._final import (
    equip,
    finish_fight,
    finish_round,
    legal_equipment,
    next_fight,
    start_final,
)
from kosmogonia._gathering import (
    choose_card,
    choose_first_player,
    clear_round,
    draw_b_quest,
    draw_citadels,
    draw_crown,
    draw_sides,
    draw_stacks,
    first_draw,
    gather,
    legal_challenge_orientations,
    legal_first_players,
    legal_picks,
    legal_sends,
    pick,
    send,
    start_challenge,
)
from kosmogonia._symbols import (
    FIRST_FACTORS,
    cancel_number,
    cancel_treasure,
    draw_pull,
    draw_steal,
    legal_cancels,
    legal_numbers,
    legal_replacements,
    legal_uses,
    lineup,
    replace_category,
    use,
)
from kosmogonia.cards import CARDS, CATEGORIES, CHAMPIONS, MORTALS, STACKS
from kosmogonia.rules import MOST_SEATS
from kosmogonia.state import (
    B_QUEST_NEWS,
    CHALLENGE_CARD,
    CHALLENGE_ORIENT,
    CITADELS_NEWS,
    CROWN_NEWS,
    DEPLOY_CARD,
    DEPLOY_ORIENT,
    DEPLOY_PLACE,
    DRAFT,
    DRAW_B_QUEST,
    DRAW_CITADELS,
    DRAW_CROWN,
    DRAW_PULL,
    DRAW_SIDES,
    DRAW_STACKS,
    DRAW_STEAL,
    DUEL,
    END,
    END_CHAMPION,
    END_PERMUTATION,
    EQUIP,
    FIRST_PLAYER,
    GAME_OVER,
    HUNT,
    MOST_CLOSED,
    NO_NEWS,
    NO_RESULT,
    NONE,
    PAST_ROUNDS,
    SIDES,
    SIDES_NEWS,
    SYM7,
    SYM8_CARD,
    SYM8_NUMBER,
    TEAM,
    TO_CHALLENGE,
    TO_DEPLOYMENT,
    TO_DISCARD,
    TO_DUEL,
    TO_END_EFFECTS,
    TO_FIGHT,
    TO_GATHERING,
    TO_HARVEST,
    TO_HUNT,
    TO_RESULT,
    TO_ROUND,
    TO_SPOILS,
    TO_TURN,
    TOURN_DISCARD,
    UNSEEN,
    USE,
)

QUEUE = 8  # END effects that an encounter can have
KINDS = 8  # chance events of a round
FIRST_DRAW = 64  # number of the first theft or pull


@kernel
def new_game(rules, state):
    """Empty the record; the first node draws the citadels. Modified in place: `state`."""
    clear_cards(state)
    state.b_quest = NONE
    state.first_player = NONE
    state.citadels_used = 0
    state.round_number = 0
    state.draws = 0
    state.drawn = NONE
    state.rounds_done = 0
    state.winner = NONE
    state.outcome = 0
    state.news = NO_NEWS
    state.result = NO_RESULT
    state.actor = 0
    state.position = 0
    clear_round(state)
    clear_table(state)
    state.phase = DRAW_CITADELS


@outlined_kernel
def clear_cards(state):
    """Put away all cards and treasures. Modified in place: `state`."""
    for seat in range(MOST_SEATS):
        state.hands[seat] = bits.ZERO
        state.vaults[seat] = 0
        state.citadels[seat] = NONE
        state.challengers[seat] = NONE
        for i in range(TEAM):
            state.olympus[seat, i] = NONE
            state.equipped[seat, i] = NONE
        for stack in range(STACKS):
            state.unseen[seat, stack] = 0
        for past in range(PAST_ROUNDS):
            state.kept[past, seat] = 0
    for side in range(SIDES):
        state.lineups[side] = bits.ZERO
        for i in range(MOST_CLOSED):
            state.hidden[side, i] = 0
    for card in range(CARDS):
        state.stacks[card] = UNSEEN
    for champion in range(CHAMPIONS):
        state.since[champion] = 0
    for place in range(QUEUE):
        state.queue[place] = 0
    for category in range(CATEGORIES):
        state.cancelled[category] = 0
        state.totals[0, category] = 0
        state.totals[1, category] = 0
    state.closed = bits.ZERO
    state.discard = bits.ZERO
    state.table = bits.ZERO
    state.pulled = bits.ZERO
    state.moved = bits.ZERO
    state.drafted = bits.ZERO
    state.treasury = 0
    state.olympus_closed = 0
    state.opened = 0
    state.card = NONE
    state.place = NONE


@kernel
def to_move(rules, state):
    """The seat to act, `CHANCE` or `OVER`."""
    if state.phase <= DRAW_PULL:
        return CHANCE
    return OVER if state.phase == GAME_OVER else int(state.actor)


@kernel
def chance_event(rules, state):
    """The pending chance event: 8 x round + kind; thefts and pulls are numbered one after the other from 64 on."""
    if state.phase >= DRAW_STEAL:
        return FIRST_DRAW + int(state.draws)
    return KINDS * int(state.round_number) + int(state.phase)


@kernel
def chance(rules, state, rng):
    """Draw the pending chance event. Modified in place: `state`, `rng`."""
    phase = int(state.phase)
    state.news = NO_NEWS
    state.result = NO_RESULT
    state.drawn = NONE
    if phase == DRAW_CITADELS:
        draw_citadels(rules, state, rng)
        state.news = CITADELS_NEWS
    elif phase == DRAW_STACKS:
        draw_stacks(rules, state, rng)
    elif phase == DRAW_B_QUEST:
        draw_b_quest(state, rng)
        state.news = B_QUEST_NEWS
    elif phase == DRAW_SIDES:
        draw_sides(rules, state, rng)
        state.news = SIDES_NEWS
    elif phase == DRAW_CROWN:
        draw_crown(rules, state, rng)
        state.news = CROWN_NEWS
    elif phase == DRAW_STEAL:
        draw_steal(state, rng)
    else:
        draw_pull(rules, state, rng)
    while state.phase > GAME_OVER:
        _advance(rules, state)


@kernel
def legal_mask(rules, state):
    """The legal actions of the seat to move; empty at a chance node and at the end."""
    phase = int(state.phase)
    if phase == DEPLOY_CARD:
        return legal_deployments(rules, state)
    if phase == DEPLOY_PLACE:
        return legal_sides(rules, state, int(state.actor))
    if phase == DEPLOY_ORIENT:
        return legal_deploy_orientations(state)
    if phase == USE:
        return legal_uses(rules, state)
    if phase == DRAFT:
        return legal_picks(rules, state)
    if phase == CHALLENGE_CARD:
        return legal_sends(rules, state)
    if phase == CHALLENGE_ORIENT:
        return legal_challenge_orientations(state)
    if phase == EQUIP:
        return legal_equipment(state)
    if phase == END_CHAMPION:
        return lineup(state, int(state.corner)) & MORTALS
    if phase == END_PERMUTATION:
        return LEGAL_PERMUTATIONS[int(state.symbol) - FIRST_FACTORS]
    return _rare_legal_mask(rules, state, phase)


@outlined_kernel
def _rare_legal_mask(rules, state, phase):
    """The legal actions in the phases that a game sees a few times at most."""
    if phase == FIRST_PLAYER:
        return legal_first_players(rules, state)
    if phase == TOURN_DISCARD:
        return legal_discards(state)
    if phase == SYM7:
        return legal_replacements(rules, state)
    if phase == SYM8_CARD:
        return legal_cancels(rules, state)
    return legal_numbers(rules, state) if phase == SYM8_NUMBER else bits.ZERO


@kernel
def apply(rules, state, action):
    """Carry out a decision, and everything after it that is nobody's. Modified in place: `state`."""
    phase = int(state.phase)
    state.news = NO_NEWS
    state.result = NO_RESULT
    state.drawn = NONE
    if phase == USE:
        use(rules, state, action)
    elif phase == DEPLOY_CARD:
        if action == END:
            end_deployment(rules, state)
        else:
            choose_card(state, action, DEPLOY_PLACE)
    elif phase == DEPLOY_PLACE:
        state.place = action
        state.phase = DEPLOY_ORIENT
    elif phase == DEPLOY_ORIENT:
        deploy(rules, state, action)
    elif phase == DRAFT:
        pick(rules, state, action)
    elif phase == CHALLENGE_CARD:
        choose_card(state, action, CHALLENGE_ORIENT)
    elif phase == CHALLENGE_ORIENT:
        send(rules, state, action)
    elif phase == EQUIP:
        equip(rules, state, action)
    else:
        _apply_rare(rules, state, phase, action)
    while state.phase > GAME_OVER:
        _advance(rules, state)


@outlined_kernel
def _apply_rare(rules, state, phase, action):
    """Carry out a decision of a phase that a game sees a few times at most. Modified in place: `state`."""
    if phase == END_CHAMPION:
        aim(rules, state, action)
    elif phase == END_PERMUTATION:
        spread(state, action)
    elif phase == FIRST_PLAYER:
        choose_first_player(state, action)
    elif phase == TOURN_DISCARD:
        discard_card(rules, state, action)
    elif phase == SYM7:
        replace_category(state, action)
    elif phase == SYM8_CARD:
        cancel_treasure(rules, state, action)
    else:
        cancel_number(rules, state, action)


@outlined_kernel
def _advance(rules, state):
    """Do what a stage does by itself: to the next stage, decision or chance event. Modified in place: `state`."""
    stage = int(state.phase)
    if stage == TO_TURN:
        next_turn(state)
    elif stage == TO_END_EFFECTS:
        next_end_effect(state)
    elif stage == TO_RESULT:
        _finish_encounter(rules, state)
    elif stage == TO_DUEL:
        next_duel(rules, state)
    elif stage == TO_HUNT:
        next_hunt(rules, state)
    elif stage == TO_FIGHT:
        next_fight(rules, state)
    elif stage == TO_DEPLOYMENT:
        start_deployment(rules, state)
    elif stage == TO_HARVEST:
        harvest(rules, state)
    elif stage == TO_SPOILS:
        finish_round(rules, state)
    elif stage == TO_ROUND:
        state.phase = first_draw(rules)
    elif stage == TO_GATHERING:
        gather(rules, state)
    elif stage == TO_CHALLENGE:
        start_challenge(state)
    elif stage == TO_DISCARD:
        start_discard(state)
    else:
        start_final(state)


@kernel
def _finish_encounter(rules, state):
    """Compare and clear away. Modified in place: `state`."""
    if state.fight == DUEL:
        finish_duel(rules, state)
    elif state.fight == HUNT:
        finish_hunt(rules, state)
    else:
        finish_fight(rules, state)
