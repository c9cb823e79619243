"""Runs described in a file: `hiddenhand tournament --config run.toml`, or the run.json of any run."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cardkit.spec import InvalidText, nearest
from experiments.spec import bot_texts

# What a configuration may say: the options of the command by the names of its parameters, and what they look like.
KEYS: dict[str, tuple[str, type | tuple[type, ...]]] = {
    "game": ("game", str),
    "bot": ("bots", list),
    "players": ("players", int),
    "boards": ("boards", int),
    "seed": ("seed", int),
    "out": ("out", str),
    "preset": ("preset", str),
    "rule": ("rules", dict),
    "cards": ("cards", str),
    "format": ("format_", str),
    "seating": ("seating", str),
    "workers": ("workers", int),
    "cluster": ("cluster", str),
    "move-limit": ("move_limit", (int, float)),
    "moves": ("moves", bool),
    "stop-when": ("stop_when", str),
}
_WORDS = {str: "a text", int: "an integer", list: "a list of texts", dict: "a table", bool: "true or false"}


def read_config(path: Path) -> dict[str, Any]:
    """The parameters of the command `tournament` that a file gives.

    Args:
        path: a TOML file whose keys are the options without their dashes, with `game`, `bot` a list and `rule` a table;
            or the run.json of a run, which gives everything that decides the bytes of that run.

    Raises:
        InvalidText: no such file, no TOML or JSON, an unknown key, or a value of another kind.
    """
    try:
        text = path.read_text("utf-8")
        is_json = path.suffix == ".json"
        data = _options_of_run(json.loads(text), path) if is_json else tomllib.loads(text)
    except OSError as error:
        raise InvalidText(f"cannot read {str(path)!r}: {error.strerror}") from None
    except json.JSONDecodeError as error:
        what = f"no JSON ({error})" if text.strip("\0 \r\n") else "empty"
        raise InvalidText(f"{str(path)!r} is no run.json: it is {what}") from None
    except (ValueError, RecursionError) as error:
        raise InvalidText(f"{str(path)!r} cannot be read as {path.suffix[1:] or 'TOML'}: {error}") from None
    return dict(_checked(key, value, path) for key, value in data.items())


def _checked(key: str, value: Any, path: Path) -> tuple[str, Any]:
    """The parameter of the command and its value."""
    if key not in KEYS:
        raise InvalidText(f"{str(path)!r} has the key {key!r}{nearest(key, list(KEYS))}")
    name, kind = KEYS[key]
    is_right = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
    if not is_right or (kind is list and not all(isinstance(word, str) for word in value)):
        expected = _WORDS.get(kind, "a number") if isinstance(kind, type) else "a number"
        raise InvalidText(f"{str(path)!r} has {key} = {value!r}: expected {expected}")
    if "\0" in str(value):
        raise InvalidText(f"{str(path)!r} has {key} = {value!r}: expected no zero bytes")
    if kind is dict:
        value = [f"{rule}={_as_rule(setting)}" for rule, setting in value.items()]
    return name, value


def _as_rule(value: Any) -> str:
    """A rule's value as it is written on the command line: switches are on and off."""
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)


def _options_of_run(data: Any, path: Path) -> dict[str, Any]:
    """The options that repeat the run of a run.json."""
    if not isinstance(data, Mapping) or not isinstance(data.get("spec"), Mapping):
        raise InvalidText(f"{str(path)!r} is no run.json: it has no spec")
    spec = data["spec"]
    try:
        found = {
            "game": spec["game"],
            "bot": bot_texts((_text(label), _text(text)) for label, text in spec["bots"]),
            "rule": dict(spec["options"]),
            **{key: spec[key] for key in ("boards", "seed", "format", "seating", "moves")},
        }
        return found | ({"stop-when": spec["stop_when"]} if spec["stop_when"] else {})
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidText(f"{str(path)!r} is no run.json: {error}") from None


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"a bot is named by {value!r} instead of a text")
    return value
