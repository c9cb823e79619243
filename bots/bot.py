"""Bots as Python objects: `make` turns a specification into something with `choose(view, rng)`."""

from __future__ import annotations

import importlib
import inspect
import sys
from functools import cached_property
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np

from bots.players import NO_WORLD, choose
from bots.room import Room, new_room
from bots.settings import BIDS, BOT, MONTE_CARLO
from bots.specs import BotSpec, parse_bot
from cardkit.game import Game
from cardkit.rng import new_rng
from cardkit.spec import InvalidText
from cardkit.state import State


class PythonBot(Protocol):
    """What a bot of one's own must have. It is made anew for every game as `Class(game, **keys)`."""

    def choose(self, view: State, rng: np.random.Generator) -> int:
        """A legal action for the seat to move; `view` is what that seat knows."""
        ...


class Bot:
    """A built-in bot that can be asked from Python.

    Raises:
        InvalidText: its worlds are to be weighted by bids, which the game does not have.

    Attributes:
        spec: what it was made from.
        game: the game it plays.
        settings: its settings as the kernels read them, one record.
    """

    def __init__(self, spec: BotSpec, game: Game) -> None:
        self.spec, self.game = spec, game
        self.settings: Any = bot_settings(spec)
        if self.settings[0].belief == BIDS and not game.has_bids:
            raise InvalidText(
                f"bot {spec.text!r} has belief=bids, but {game.name} has no bids: expected belief=uniform"
            )

    @cached_property
    def room(self) -> Room | None:
        """Where it thinks, made when it is first asked; None for a bot that does not search."""
        return room_for(self.game, self.settings)

    def choose(self, view: State, rng: np.random.Generator) -> int:
        """The action of the seat to move.

        Args:
            view: a view, or a full state, of which only the view of the seat to move is used.
            rng: source of the bot's randomness.

        Raises:
            ValueError: the game is over, another seat than the viewer is to move, or no deal agrees with the view.
        """
        hidden = self.checked_view(view)
        stream = new_rng(int(rng.integers(2**64, dtype=np.uint64)))
        action = int(choose(self.game.rules, hidden.record, self.settings[0], stream, self.room))
        if action == NO_WORLD:
            raise ValueError(
                f"bot {self.spec.label!r} cannot move: no hidden cards agree with {view.position_string()}"
            )
        return action

    def checked_view(self, view: State) -> State:
        """The view of the seat to move.

        Raises:
            ValueError: the game is over, or this is the view of another seat.
        """
        if view.is_terminal():
            raise ValueError(f"bot {self.spec.label!r} cannot move: the game is over")
        return view.view(view.current_player())


def bot_settings(spec: BotSpec) -> Any:
    """The settings of a bot for the kernels, one record of `BOT`."""
    settings = np.zeros(1, BOT).view(np.recarray)
    settings[0].kind = spec.code
    if not spec.is_python:
        for key, value in spec.values().items():
            setattr(settings[0], key, value)
    return settings


def room_for(game: Game, settings: Any, stop: Any = None) -> Room | None:
    """The room that bots with these settings need to think (see `new_room`); None where none of them searches."""
    return new_room(game, settings, stop) if any(bot.kind >= MONTE_CARLO for bot in settings) else None


def make(spec: str | BotSpec, game: Game) -> PythonBot:
    """The bot of a specification, for a game.

    Raises:
        InvalidText: a bad specification, or a class that cannot be loaded or built.
    """
    parsed = parse_bot(spec) if isinstance(spec, str) else spec
    if not parsed.is_python:
        return Bot(parsed, game)
    bot_class = load_class(parsed)
    try:
        bot = bot_class(game, **{key: _number_or_text(value) for key, value in parsed.keys.items()})
    except (Exception, SystemExit) as error:
        raise InvalidText(f"bot {parsed.text!r} cannot be built: {type(error).__name__}: {error}") from error
    return bot  # type: ignore[no-any-return]


def load_class(spec: BotSpec) -> Any:
    """The class of a user's bot; modules are looked for in the current folder too.

    Raises:
        InvalidText: no such module or class, or it has no method `choose`.
    """
    module_name, class_name = spec.name.split(":")
    CurrentFolder.search(module_name)
    try:
        found = getattr(importlib.import_module(module_name), class_name)
    except (Exception, SystemExit) as error:
        raise InvalidText(f"bot {spec.text!r} cannot be loaded: {type(error).__name__}: {error}") from error
    if not callable(getattr(found, "choose", None)):
        raise InvalidText(f"bot {spec.text!r} has no method choose(view, rng)")
    for name in ("__init__", "choose"):
        if inspect.iscoroutinefunction(getattr(found, name)):
            raise InvalidText(
                f"bot {spec.text!r} has an asynchronous method {name}: expected a plain one, without async"
            )
    return found


class CurrentFolder:
    """Finds what a bot and the files beside it import in the current folder first, as Python does for a script in it.

    Libraries are not to find a user's `random.py` or `rich.py` there, so that Python's own modules come before it, and
    others where a library asks for them.
    """

    _named: ClassVar[set[str]] = set()  # by a bot's specification: found whatever they are called

    @classmethod
    def search(cls, module_name: str) -> None:
        """Search the current folder from now on, for this module and for those that files in it import."""
        cls._named.add(module_name.partition(".")[0])
        if "" not in sys.path:
            sys.path.append("")  # for processes that a bot starts
        if cls not in sys.meta_path:
            sys.meta_path.insert(sys.meta_path.index(PathFinder) if PathFinder in sys.meta_path else 0, cls)

    @classmethod
    def find_spec(cls, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """What Python asks when it imports a module; None leaves the answer to the other finders."""
        is_ours = name in cls._named or (name not in sys.stdlib_module_names and _is_imported_here())
        return PathFinder.find_spec(name, ["", *sys.path], target) if path is None and is_ours else None


def _is_imported_here() -> bool:
    """Whether the import that goes on stands in a file in the current folder."""
    frame = sys._getframe(2)
    while "importlib" in frame.f_code.co_filename and frame.f_back is not None:
        frame = frame.f_back
    file = Path(frame.f_code.co_filename)
    try:
        return file.is_relative_to(Path.cwd()) and "site-packages" not in file.parts
    except OSError:  # a bot went to a folder that is gone
        return False


def _number_or_text(text: str) -> int | float | str:
    """A key's value: an integer or a float where it reads as one."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
