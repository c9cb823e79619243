"""What all commands share: exit codes, errors in one line, options written KEY=VALUE."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import click

from experiments.streams import Unwritable, standard_streams
from experiments.terminal import prompt_interrupts, results_apart, show_warnings_plainly

FAULT = 1
BAD_INPUT = 2
INTERRUPTED = 130
PIPE_CLOSED = 141
TERMINATED = 143

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class Command(click.Command):
    """A command that says what is wrong with its arguments in one line."""

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run a command; bad input is one line on the standard error, and exit code 2.

        So is a standard output that cannot be written; one that nobody reads any more ends the command.
        """
        if not extra.get("standalone_mode", True):
            return super().main(*args, **extra)
        show_warnings_plainly()
        with results_apart(), standard_streams() as flush:
            try:
                try:
                    self._run(args, extra)
                finally:
                    flush()
            except Unwritable as error:
                sys.exit(PIPE_CLOSED) if error.is_closed else fail(error, BAD_INPUT)

    def _run(self, args: tuple[Any, ...], extra: dict[str, Any]) -> NoReturn:
        """Run a command and leave with its exit code."""
        try:
            with prompt_interrupts(INTERRUPTED):
                code = super().main(*args, **extra | {"standalone_mode": False})
            sys.exit(code or 0)
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.format_message(), err=True)
            sys.exit(BAD_INPUT)
        except click.UsageError as error:
            command = error.ctx.command_path if error.ctx else "hiddenhand"
            click.echo(f"Error: {' '.join(error.format_message().split())} (see '{command} --help')", err=True)
            sys.exit(BAD_INPUT)
        except click.Abort as error:
            if isinstance(error.__cause__, EOFError):  # click takes one for Ctrl-D at a prompt, of which there are none
                raise error.__cause__ from None
            sys.exit(INTERRUPTED)


class Group(Command, click.Group):
    """A group that lists its commands in the order of their definition."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order of their definition."""
        return list(self.commands)


class Place(click.ParamType):  # type: ignore[type-arg]  # older clicks know no [Any] here
    """A path or an address; an empty text is refused, as it comes from a variable of a shell that is not set."""

    name = "path"

    def __init__(self, kind: Callable[[str], Any] = str) -> None:
        self._kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The place as its kind, such as a `Path`."""
        if not str(value):
            self.fail("it is empty, expected a path or an address.", param, ctx)
        return self._kind(value)


@contextlib.contextmanager
def plain_errors() -> Iterator[None]:
    """Turn what users can get wrong into one line and exit code 2, a bot's fault into exit code 1."""
    from cardkit.spec import IllegalAction, InvalidRules, InvalidText
    from experiments.cluster import ClusterError
    from experiments.run_store import RunError
    from experiments.table import BotFault
    from experiments.tournament import WorkerDied

    try:
        yield
    except (BotFault, WorkerDied) as error:
        fail(error, FAULT)
    except (IllegalAction, InvalidRules, InvalidText, ClusterError, RunError) as error:
        fail(error, BAD_INPUT)


def fail(error: Exception, code: int) -> NoReturn:
    """Say what is wrong in one line, whatever a user's own class put into its error, and leave."""
    click.echo(f"Error: {' '.join(str(error).split())}", err=True)
    sys.exit(code)


def rule_options(texts: tuple[str, ...]) -> dict[str, str]:
    """The options in `--rule KEY=VALUE` words."""
    from cardkit.spec import InvalidRules

    options: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key or not value:
            raise InvalidRules(f"rule {text!r}: expected KEY=VALUE, such as hook=off")
        if key in options:
            raise InvalidRules(f"rule {key!r} is given twice")
        options[key] = value
    return options
