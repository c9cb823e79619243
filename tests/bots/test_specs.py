"""How a bot is written: labels, names, keys, and the errors that name what was meant."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bots.settings import (
    ALL,
    AT_RANDOM,
    BIDS,
    BOT,
    BY_POLICY,
    HEURISTIC,
    ISMCTS,
    MARGIN,
    MOISMCTS,
    MONTE_CARLO,
    PYTHON,
    RANDOM,
    SENSIBLE,
    THE_DEAL,
    THE_GAME,
    UNIFORM,
    WIN,
)
from bots.specs import BOT_KINDS, BotSpec, parse_bot, parse_bots
from cardkit.spec import InvalidText

SEEDED = settings(derandomize=True, database=None, deadline=None)


@pytest.mark.parametrize(
    ("text", "spec", "code"),
    [
        ("random", BotSpec("", "random"), RANDOM),
        ("heuristic", BotSpec("", "heuristic"), HEURISTIC),
        ("heuristic:epsilon=0.25", BotSpec("", "heuristic", {"epsilon": "0.25"}), HEURISTIC),
        ("a=random", BotSpec("a", "random"), RANDOM),
        ("_A.b+c-9=heuristic:epsilon=1", BotSpec("_A.b+c-9", "heuristic", {"epsilon": "1"}), HEURISTIC),
        ("heuristic=random", BotSpec("heuristic", "random"), RANDOM),
        ("mine:Clever", BotSpec("", "mine:Clever"), PYTHON),
        ("my.own.bots:Clever", BotSpec("", "my.own.bots:Clever"), PYTHON),
        ("x=my.bots:Clever:depth=3", BotSpec("x", "my.bots:Clever", {"depth": "3"}), PYTHON),
        ("bots:C:a=1,b=two,c=x=y:z", BotSpec("", "bots:C", {"a": "1", "b": "two", "c": "x=y:z"}), PYTHON),
        ("bots:C:epsilon=7", BotSpec("", "bots:C", {"epsilon": "7"}), PYTHON),
    ],
)
def test_a_text_names_label_bot_and_keys(text: str, spec: BotSpec, code: int) -> None:
    parsed = parse_bot(text)
    assert (parsed.label, parsed.name, parsed.keys) == (spec.label, spec.name, spec.keys)
    assert parsed.code == code
    assert parsed.is_python == (code == PYTHON)
    assert parsed.text == text.removeprefix(f"{spec.label}=")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("randm", "unknown bot 'randm'; did you mean 'random'?"),
        ("Heuristic", "unknown bot 'Heuristic'; did you mean 'heuristic'?"),
        ("zzz", "unknown bot 'zzz'; expected one of random, heuristic, mc, ismcts, moismcts, module.path:Class"),
        ("", "unknown bot ''; expected one of random, heuristic, mc, ismcts, moismcts, module.path:Class"),
        ("a=", "unknown bot ''; expected one of"),
        ("randm:epsilon=1", "unknown bot 'randm'; did you mean 'random'?"),
        ("heuristic:epsilom=0.1", "bot 'heuristic' has no key 'epsilom'; did you mean 'epsilon'?"),
        ("heuristic:depth=3", "bot 'heuristic' has no key 'depth'; expected one of epsilon"),
        ("random:epsilon=0.1", "bot 'random' has no key 'epsilon': it has no keys"),
        ("heuristic:epsilon", "bot 'heuristic:epsilon' has the setting 'epsilon': expected [label=]name"),
        ("heuristic:epsilon=", "bot 'heuristic:epsilon=' has the setting 'epsilon=': expected"),
        ("heuristic:=1", "bot 'heuristic:=1' has the setting '=1': expected"),
        ("heuristic:epsilon=1,", "bot 'heuristic:epsilon=1,' has the setting '': expected"),
        ("heuristic:epsilon=0,epsilon=1", "has the key 'epsilon' twice"),
        ("heuristic:Class", "bot 'heuristic:Class' has the setting 'Class': expected"),
        (
            "a b=random",
            "bot 'a b=random' has the label 'a b' with ' ' in it: expected letters of a-z and A-Z, digits and _ . + -",
        ),
        ("é=random", "bot 'é=random' has the label 'é' with 'é' in it: expected letters of a-z and A-Z, digits"),
        ("a\n=random", "has the label 'a\\n' with '\\n' in it: expected letters of a-z"),
        ("=random", "bot '=random' has an empty label: expected a label before the =, or no ="),
        ("-a=random", "has the label '-a' that begins with '-': expected a letter, a digit or _ at its beginning"),
        (".a=random", "has the label '.a' that begins with '.': expected a letter, a digit or _ at its beginning"),
        ("a#1=random", "has the label 'a#1' with '#' in it: expected letters"),
        ("a=b=random", "has the label 'a=b' with '=' in it: expected letters"),
        (f"{'a' * 101}=random", f"a bot has the label '{'a' * 20}...' of 101 characters: expected 100 at most"),
        ("my-bots:Clever", "bot 'my-bots:Clever' is no class: expected [label=]name"),
        ("my..bots:Clever", "bot 'my..bots:Clever' is no class: expected"),
        (":Clever", "bot ':Clever' is no class: expected"),
        ("mine:Clever:3", "bot 'mine:Clever:3' has the setting '3': expected"),
        ("mine:Clever:a=1,a=2", "bot 'mine:Clever:a=1,a=2' has the key 'a' twice"),
        ("mine:Clever:a-b=1", "has the setting 'a-b=1': expected"),
    ],
)
def test_a_bad_text_is_refused_in_one_sentence(text: str, message: str) -> None:
    with pytest.raises(InvalidText, match=re.escape(message)) as error:
        parse_bot(text)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("label", ["a", "Z9", "_", "0", "v1.2+b-3_x", "a" * 100])
def test_a_label_is_letters_digits_and_a_few_signs(label: str) -> None:
    assert parse_bot(f"{label}=random").label == label


@pytest.mark.parametrize("value", ["0", "1", "0.5", "1e-3", "1.0"])
def test_epsilon_is_a_chance(value: str) -> None:
    assert parse_bot(f"heuristic:epsilon={value}").values() == {"epsilon": float(value)}


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "-0.1", "-1e-9", "1.0001", "2", "1e400", "half", "0.5.1"])
def test_epsilon_outside_0_to_1_is_refused(value: str) -> None:
    with pytest.raises(InvalidText, match=re.escape(f"bot 'heuristic' cannot have epsilon={value}: expected 0..1")):
        parse_bot(f"heuristic:epsilon={value}")


def test_keys_that_are_not_given_have_their_defaults() -> None:
    assert parse_bot("heuristic").values() == {"epsilon": 0.0}
    assert parse_bot("random").values() == {}


def test_every_bot_is_documented_and_every_key_is_a_setting_of_the_kernels() -> None:
    codes = sorted(kind.code for kind in BOT_KINDS.values())
    assert codes == sorted({RANDOM, HEURISTIC, MONTE_CARLO, ISMCTS, MOISMCTS})
    for kind in BOT_KINDS.values():
        assert kind.meaning
        for name, key in kind.keys.items():
            assert name in (BOT.names or ())
            assert key.meaning
            assert not key.default or key.read(key.default) is not None
            assert key.default or name == "time_ms"
            assert key.read("nonsense") is None


SEARCH = ("mc", "ismcts", "moismcts")


@pytest.mark.parametrize("name", SEARCH)
def test_the_settings_of_a_search_are_read_as_the_kernels_want_them(name: str) -> None:
    values = parse_bot(
        f"{name}:iterations=250,rollout=random,utility=win,horizon=game,belief=bids,sensible=off"
    ).values()
    expected = {"iterations": 250, "time_ms": 0, "rollout": AT_RANDOM, "epsilon": 0.1, "utility": WIN,
                "horizon": THE_GAME, "belief": BIDS, "sensible": ALL}  # fmt: skip
    assert values == expected | ({} if name == "mc" else {"exploration": 0.7})
    defaults = parse_bot(name).values()
    assert (defaults["rollout"], defaults["utility"], defaults["horizon"]) == (BY_POLICY, MARGIN, THE_DEAL)
    assert (defaults["belief"], defaults["sensible"], defaults["iterations"]) == (UNIFORM, SENSIBLE, 1000)


@pytest.mark.parametrize("name", SEARCH)
def test_a_time_limit_takes_the_place_of_iterations_and_cannot_be_repeated(name: str) -> None:
    limited = parse_bot(f"{name}:time_ms=25")
    assert (limited.values()["time_ms"], limited.values()["iterations"]) == (25, 2**50)
    assert not limited.is_repeatable
    assert parse_bot(name).is_repeatable
    assert parse_bot("mine:Clever:time_ms=5").is_repeatable


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("iterations=0", "cannot have iterations=0: expected 1..1000000"),
        ("iterations=-5", "cannot have iterations=-5: expected 1..1000000"),
        ("iterations=2.5", "cannot have iterations=2.5: expected 1..1000000"),
        ("iterations=1_000", "cannot have iterations=1_000: expected 1..1000000"),
        ("exploration=1_0", "cannot have exploration=1_0: expected 0..100"),
        ("iterations=1e3", "cannot have iterations=1e3: expected 1..1000000"),
        ("iterations=1000001", "cannot have iterations=1000001: expected 1..1000000"),
        ("time_ms=0", "cannot have time_ms=0: expected 1..3600000"),
        ("time_ms=0.9", "cannot have time_ms=0.9: expected 1..3600000"),
        ("time_ms=nan", "cannot have time_ms=nan: expected 1..3600000"),
        ("exploration=-0.1", "cannot have exploration=-0.1: expected 0..100"),
        ("epsilon=1.5", "cannot have epsilon=1.5: expected 0..1"),
        ("rollout=clever", "cannot have rollout=clever: expected heuristic or random"),
        ("utility=money", "cannot have utility=money: expected margin or points or win"),
        ("horizon=trick", "cannot have horizon=trick: expected deal or game"),
        ("belief=cards", "cannot have belief=cards: expected uniform or bids"),
        ("sensible=yes", "cannot have sensible=yes: expected on or off"),
        ("iteration=5", "has no key 'iteration'; did you mean 'iterations'?"),
        ("iterations=5,time_ms=5", "has iterations and time_ms: expected one of them"),
        ("rollout=random,epsilon=0.1", "has rollout=random and epsilon: expected epsilon with rollout=heuristic only"),
    ],
)
def test_a_search_with_bad_settings_is_refused_with_what_is_allowed(settings: str, message: str) -> None:
    with pytest.raises(InvalidText, match=re.escape(message)) as error:
        parse_bot(f"ismcts:{settings}")
    assert "\n" not in str(error.value)


def test_flat_search_explores_nothing() -> None:
    with pytest.raises(InvalidText, match="bot 'mc' has no key 'exploration'"):
        parse_bot("mc:exploration=1")


NAMES = st.from_regex(r"[a-z_][a-z0-9_]{0,5}", fullmatch=True)
VALUES = st.text(st.characters(exclude_characters=",", exclude_categories=["C"]), min_size=1, max_size=6)


@SEEDED
@given(
    label=st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,5}", fullmatch=True),
    modules=st.lists(NAMES, min_size=1, max_size=3).filter(lambda modules: modules[0] not in BOT_KINDS),
    keys=st.dictionaries(NAMES, VALUES, max_size=3),
)
def test_a_written_specification_reads_back(label: str, modules: list[str], keys: dict[str, str]) -> None:
    spec = BotSpec(label, f"{'.'.join(modules)}:Clever", keys)
    assert parse_bot(f"{label}={spec.text}") == spec
    assert parse_bot(spec.text) == BotSpec("", spec.name, keys)


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        (["random"], ["random"]),
        (["random", "heuristic"], ["random", "heuristic"]),
        (["random", "random"], ["random#1", "random#2"]),
        (["random", "heuristic", "random", "random"], ["random#1", "heuristic", "random#2", "random#3"]),
        (["heuristic", "heuristic:epsilon=0.5"], ["heuristic", "heuristic:epsilon=0.5"]),
        (["heuristic:epsilon=1", "heuristic:epsilon=1"], ["heuristic:epsilon=1#1", "heuristic:epsilon=1#2"]),
        (["a=random", "random"], ["a", "random"]),
        (["a=random", "b=random", "random", "random"], ["a", "b", "random#1", "random#2"]),
        (["mine:Clever", "mine:Clever"], ["mine:Clever#1", "mine:Clever#2"]),
    ],
)
def test_every_bot_of_a_run_has_a_label_of_its_own(texts: list[str], labels: list[str]) -> None:
    specs = parse_bots(texts)
    assert [spec.label for spec in specs] == labels
    assert [spec.text for spec in specs] == [text.rpartition("=")[2] if text[1] == "=" else text for text in texts]


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ([], "no bots: expected at least one, such as --bot heuristic"),
        (["a=random", "a=heuristic"], "2 bots have the label 'a': expected different ones"),
        (["a=random", "b=random", "a=random", "a=random"], "3 bots have the label 'a'"),
        (["heuristic=random", "heuristic"], "2 bots have the label 'heuristic'"),
        (["random", "heurstic"], "unknown bot 'heurstic'; did you mean 'heuristic'?"),
    ],
)
def test_bots_of_a_run_that_cannot_be_told_apart_are_refused(texts: list[str], message: str) -> None:
    with pytest.raises(InvalidText, match=re.escape(message)):
        parse_bots(texts)
