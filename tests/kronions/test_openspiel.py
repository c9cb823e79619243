"""The `oh_hell` preset beside OpenSpiel's `oh_hell`: same deals, same moves, an engine that shares no line with ours.

OpenSpiel numbers its cards `rank * num_suits + suit`, and a bid is `num_cards + tricks`. Its chance nodes draw the
hand size (fixed here), the dealer, then card after card to seat 0, 1, 2, ..., and last the card turned up; we impose
our deal on them.
"""

from __future__ import annotations

import random
from typing import Any, NamedTuple

import pyspiel
import pytest

from cardkit.rng import new_rng
from cardkit.verbs import OVER, apply, legal_mask, policy, to_move
from kronions import Game
from kronions.cards import RANKS
from kronions.state import BID

SEED = 77
GAMES_EACH = 44  # of each of the 47 pairs of players and hand size
PAIRS = [(players, size) for players in (3, 4, 5, 6) for size in range(1, 51 // players + 1)]


class Deck(NamedTuple):
    """The suits and ranks in play, which fix OpenSpiel's numbers."""

    num_suits: int = 4
    num_ranks: int = 13

    def their_card(self, card: int) -> int:
        """OpenSpiel's number of our card."""
        suit, rank = divmod(card, RANKS)
        return rank * self.num_suits + suit

    def their_action(self, phase: int, action: int) -> int:
        """OpenSpiel's number of our action."""
        return self.num_suits * self.num_ranks + action if phase == BID else self.their_card(action)


def their_game(players: int, size: int, deck: Deck) -> Any:
    """OpenSpiel's game with our rules: a fixed hand size, 1 point a trick, no penalty for a missed bid."""
    parameters = {
        "players": players,
        "num_suits": deck.num_suits,
        "num_cards_per_suit": deck.num_ranks,
        "num_tricks_fixed": size,
        "off_bid_penalty": False,
        "points_per_trick": 1,
    }
    return pyspiel.load_game("oh_hell", parameters)


def impose_deal(theirs: Any, record: Any, players: int, deck: Deck) -> None:
    """Drive OpenSpiel's chance nodes to our dealer, hands and turned-up card."""
    hands = [[card for card in range(52) if int(record.hands[seat]) >> card & 1] for seat in range(players)]
    theirs.apply_action(int(record.hand_size))
    theirs.apply_action(int(record.dealer))
    for i in range(int(record.hand_size)):
        for hand in hands:
            theirs.apply_action(deck.their_card(hand[i]))
    assert theirs.is_chance_node()
    theirs.apply_action(deck.their_card(int(record.flip)))
    assert not theirs.is_chance_node()


def tricks_won(theirs: Any, players: int) -> list[int]:
    """The tricks of each seat, which OpenSpiel tells in its text only."""
    line = next(line for line in str(theirs).splitlines() if line.startswith("Tricks Won:"))
    return [int(word) for word in line.split(":")[1].split()][:players]


def compare_game(game: Game, theirs: Any, board: int, deck: Deck) -> int:
    """Play one game on both engines, on even boards at random, on odd ones by the policy; the number of tricks."""
    state = game.new_initial_state(seed=SEED, board=board)
    rules, record, players = game.rules, state.record, game.num_players
    impose_deal(theirs, record, players, deck)
    choices, rng = random.Random(board), new_rng(board)
    compared = 0
    while (seat := to_move(rules, record)) != OVER:
        phase, done = int(record.phase), int(record.tricks_done)
        mask = int(legal_mask(rules, record))
        legal = [action for action in range(54) if mask >> action & 1]
        expected = theirs.legal_actions()
        where = f"{state.position_string()}, {game!r}, board {board}"
        assert (seat, sorted(deck.their_action(phase, a) for a in legal)) == (theirs.current_player(), expected), where
        action = int(policy(rules, record, rng)) if board % 2 else choices.choice(legal)
        apply(rules, record, action)
        theirs.apply_action(deck.their_action(phase, action))
        if record.tricks_done > done:
            compared += 1
            if not theirs.is_terminal():  # OpenSpiel's winner is the one who leads
                assert record.winner == theirs.current_player(), where
    assert theirs.is_terminal()
    assert record.tricks[:players].tolist() == tricks_won(theirs, players)
    assert state.returns() == theirs.returns(), state.position_string()
    return compared


def compare_games(game: Game, size: int, num_games: int, deck: Deck) -> int:
    """Play games of one deal on both engines; the number of tricks compared."""
    theirs = their_game(game.num_players, size, deck)
    return sum(compare_game(game, theirs.new_initial_state(), board, deck) for board in range(num_games))


@pytest.mark.parametrize(("players", "size"), PAIRS)
def test_oh_hell_agrees_with_openspiel(players: int, size: int) -> None:
    game = Game("oh_hell", num_players=players, hand_size=size)
    assert compare_games(game, size, GAMES_EACH, Deck()) == GAMES_EACH * size


def test_at_least_two_thousand_games_are_compared() -> None:
    assert len(PAIRS) * GAMES_EACH >= 2000
    assert [max(size for n, size in PAIRS if n == players) for players in (3, 4, 5, 6)] == [17, 12, 10, 8]


@pytest.mark.parametrize("deck", [Deck(1, 13), Deck(2, 6), Deck(2, 13), Deck(3, 4), Deck(4, 3)], ids=str)
def test_oh_hell_with_small_decks_agrees_with_openspiel(deck: Deck) -> None:
    tricks = 0
    for players in (3, 4, 5, 6):
        most = (deck.num_suits * deck.num_ranks - 1) // players
        for size in range(1, most + 1):
            options = {"num_suits": deck.num_suits, "num_ranks": deck.num_ranks, "hand_size": size}
            game = Game("oh_hell", num_players=players, **options)
            tricks += compare_games(game, size, 10, deck)
    assert tricks >= 100


def test_their_default_hand_size_is_ours() -> None:
    for players in (3, 4, 5, 6):
        game = Game("oh_hell", num_players=players)
        assert int(game.rules.round_sizes[0]) == max(size for n, size in PAIRS if n == players)


@pytest.mark.parametrize("options", [{"hook": "off"}, {"first_leader": "dealer"}, {"score_base": 9}], ids=str)
def test_other_rules_than_theirs_are_noticed(options: dict[str, Any]) -> None:
    game = Game("oh_hell", num_players=4, hand_size=2, **options)
    with pytest.raises(AssertionError):
        compare_games(game, 2, GAMES_EACH, Deck())
