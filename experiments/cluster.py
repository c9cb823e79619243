"""Parts that are played on a Dask cluster, whose workers may join, leave and die while the run goes on.

Dask decides which worker plays a part, and sends a part again when its worker has died. What is added: a worker that
would play otherwise than the coordinator refuses, and the run goes on where Dask gives a part up.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import pickle
import re
import signal
import threading
import time
import uuid
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from functools import cache
from typing import Any

from cardkit.cache import spare_folder
from cardkit.spec import InvalidText
from experiments.processes import be_started_apart, starts_apart
from experiments.spec import RunSpec, check_sources, versions
from experiments.table import BotFault
from experiments.terminal import show_warnings_plainly
from experiments.tournament import Elastic, WorkerDied

CONNECT_SECONDS = 10.0  # how long a scheduler may take to answer
MOST_DEATHS = 5  # of workers with the same part, until it is given up
RETURN_SECONDS = 60.0  # how long the worker processes of this machine may all be gone
_CLOSE_SECONDS = 15.0  # how long worker processes of this machine may take to end
_FORMS = "host:port, tcp://host:port, tls://host:port or local:N"

Tell = Callable[[str], None]  # is told in a sentence what happens to the workers


class ClusterError(ValueError):
    """A cluster that cannot be used: Dask is not installed, nobody answers, or a worker has other versions."""


@contextlib.contextmanager
def open_cluster(
    address: str, tell: Tell = lambda sentence: None, connect_seconds: float = CONNECT_SECONDS
) -> Iterator[Cluster]:
    """Connect to a cluster; it can then be given to `tournament.run` in place of a number of workers.

    Args:
        address: of a Dask scheduler, such as tcp://host:8786; or local:N, for N worker processes on this machine that
            end with the block.
        tell: is told what happens to the workers.
        connect_seconds: how long the scheduler may take to answer.

    Raises:
        ClusterError: Dask is not installed, the address has another form, or nobody answers.
    """
    try:
        import dask
        import distributed
    except ImportError:
        raise ClusterError("a cluster needs Dask: pip install 'hiddenhand[dask]'") from None
    with contextlib.ExitStack() as opened:
        opened.enter_context(_quiet())
        if address.startswith("local:"):
            opened.enter_context(dask.config.set({"distributed.deploy.lost-worker-timeout": "1 day"}))
            opened.enter_context(starts_apart())  # as long as it lasts: Dask starts those that die again
            with contextlib.suppress(OSError):  # no place for temporary files
                spare_folder()  # which they share
            place = _local_cluster(distributed, address)
            opened.callback(_close, place)
        else:
            place = _checked(distributed, address)
            _greet(distributed, address, connect_seconds)
        try:
            client = opened.enter_context(distributed.Client(place, timeout=connect_seconds, set_as_default=False))
        except OSError as error:
            raise _nobody_answers(address, connect_seconds, str(error)) from None
        yield Cluster(client, address, tell)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep what Dask logs about workers that come and go off the terminal; the workers keep their own logs."""
    logger = logging.getLogger("distributed")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)


def _checked(distributed: Any, address: str) -> str:
    """An address that Dask can use; its client would take 20 seconds to refuse another.

    Raises:
        ClusterError: it has another form, or no certificates are there for TLS.
    """
    if not re.fullmatch(r"(tcp://|tls://)?[^\s/]+:\d+", address):
        raise ClusterError(f"cannot use cluster {address!r}: expected {_FORMS}")
    if address.startswith("tls://"):
        try:
            has_keys = distributed.Security().get_connection_args("client").get("ssl_context") is not None
        except OSError as error:
            raise ClusterError(f"cannot use the certificates in Dask's configuration: {error}") from None
        if not has_keys:
            raise ClusterError(f"cannot use cluster {address!r}: Dask's configuration names no certificates for TLS")
    return address


def _greet(distributed: Any, address: str, seconds: float) -> None:
    """See that a scheduler answers in time: Dask's client would wait for ever for something else at the address.

    Raises:
        ClusterError: none does.
    """

    async def identity() -> dict[str, Any]:
        arguments = distributed.Security().get_connection_args("client")
        async with distributed.rpc(address, timeout=seconds, connection_args=arguments) as scheduler:
            return await asyncio.wait_for(scheduler.identity(), seconds)

    with ThreadPoolExecutor(1) as thread:  # a notebook has a loop of its own in this one
        try:
            found = thread.submit(asyncio.run, identity()).result()["type"]
        except (OSError, ValueError) as error:
            raise _nobody_answers(address, seconds, str(error) or "it does not speak Dask's protocol") from None
    if found != "Scheduler":
        raise ClusterError(f"there is no scheduler at {address!r} but a {found.lower()}")


def _nobody_answers(address: str, seconds: float, said: str) -> ClusterError:
    return ClusterError(f"no Dask scheduler answers at {address!r} within {seconds:g} seconds ({said})")


def _local_cluster(distributed: Any, address: str) -> Any:
    """A scheduler in this process and worker processes of one thread on this machine, without a dashboard.

    A part whose worker died is given back at once: the count of deaths is then exact. A worker that died is started
    again by its nanny; the cluster gives that up where one is away `lost-worker-timeout` after a death, be it another
    death, so that it has to be long.
    """
    number = address.removeprefix("local:")
    if not number.isdecimal() or not int(number):
        raise ClusterError(f"cannot use cluster {address!r}: expected local:N with a number of worker processes")
    return distributed.LocalCluster(
        n_workers=int(number),
        threads_per_worker=1,
        memory_limit=0,
        worker_dashboard_address="127.0.0.1:0",
        silence_logs=logging.CRITICAL,
        scheduler_kwargs={"allowed_failures": 0, "dashboard": False, "dashboard_address": "127.0.0.1:0"},
        preload=[__name__],
    )


def _close(local_cluster: Any) -> None:
    """End the processes of a local cluster; one that does not answer, say while it starts, ends with this process."""
    with contextlib.suppress(TimeoutError):
        local_cluster.close(timeout=_CLOSE_SECONDS)


def dask_setup(worker: Any) -> None:
    """Leave Ctrl-C to the coordinator, among others: Dask calls this in each worker process of `local:N`."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    be_started_apart()
    show_warnings_plainly()


class Cluster(Elastic):
    """A connection to a Dask scheduler, which takes parts and gives back what its workers make of them."""

    def __init__(self, client: Any, address: str, tell: Tell) -> None:
        self._client, self._address, self._tell = client, address, tell
        self._is_local = address.startswith("local:")
        self._outstanding: set[Future[Any]] = set()
        self._deserted_since: float | None = None

    def room(self, spec: RunSpec) -> int:
        """How many parts may be outstanding now: two a thread of the workers, one where a bot is Python.

        Dask blames a death on all that the worker had: with one part a thread, on those that were played. A worker of
        another machine is waited for; one of `local:N` that dies while it starts, Dask does not start again.

        Raises:
            ClusterError: all of `local:N` are gone for good.
        """
        try:
            threads = sum(self._client.nthreads().values())
        except (OSError, RuntimeError, AttributeError):  # as Dask has it when it loses a connection, or closes it
            return 1  # a part will say so
        now = time.monotonic()
        since, self._deserted_since = self._deserted_since, None if threads else (self._deserted_since or now)
        if (since is None) != (self._deserted_since is None):
            said = "a worker has joined" if threads else "no worker: waiting for one"
            self._tell(f"{self._address}: {said}")
        if self._is_local and since is not None and not threads and now > since + RETURN_SECONDS:
            raise ClusterError(f"all workers of {self._address} have died; what is finished is kept")
        return max(1, threads * (1 if spec.has_python_bots else 2))

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **keywords: Any) -> Future[Any]:
        """Have a worker call `function(spec, part, ...)`.

        The future raises:
            BotFault: a bot failed.
            ClusterError: a worker has other versions, bots or cards, or the scheduler is gone.
            WorkerDied: too many workers died with this part.
        """
        spec, part, *others = arguments
        task = pickle.dumps(_Task(_own_versions(), spec.to_json(), pickle.dumps((function, part, others, keywords))))
        answer = self._answer(spec, part, task)
        future = asyncio.run_coroutine_threadsafe(answer, self._client.loop.asyncio_loop)
        self._outstanding.add(future)
        future.add_done_callback(self._outstanding.discard)
        return future

    async def _answer(self, spec: RunSpec, part: int, task: bytes) -> Any:
        """What a worker makes of a part, however many workers it takes."""
        from distributed import KilledWorker

        deaths = 0
        while True:
            await self._wait_for_scheduler()  # what is submitted while the client closes is never answered
            there = self._client.submit(pickle.loads, task, key=f"part-{part}-{uuid.uuid4().hex}", pure=False)
            try:
                return _opened(*await _unhurt(there.result()))
            except KilledWorker as error:
                deaths += error.allowed_failures + 1
                if deaths >= MOST_DEATHS:
                    raise WorkerDied(_last_words(spec, part, deaths)) from None
                self._tell(f"part {part} is sent again: its worker died, {deaths} so far")
            except CancelledError:  # by the scheduler: it was restarted, or is lost
                continue
            except OSError:  # the connection broke while the answer was fetched, or the worker raised it
                if there.status == "error":
                    raise
            except ImportError as error:
                raise ClusterError(f"a worker at {self._address} has no hiddenhand of this version: {error}") from None
            finally:
                there.release()

    async def _wait_for_scheduler(self) -> None:
        """Wait while Dask tries to reach the scheduler again."""
        while self._client.status == "connecting":
            await asyncio.sleep(0.1)
        if self._client.status != "running":
            raise ClusterError(f"the scheduler at {self._address} is gone; what is finished is kept")

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Cancel what is outstanding; the connection stays open for another run."""
        self._deserted_since = None
        for future in list(self._outstanding):
            future.cancel()


async def _unhurt(fetching: Coroutine[Any, Any, Any]) -> Any:
    """Await what Dask fetches; it is fetched to its end where whoever awaits it is cancelled.

    Dask's client fetches several results at a time: where one of them is cancelled, the others and, if it had not begun
    yet, all later ones would be too.
    """
    task = asyncio.ensure_future(fetching)
    task.add_done_callback(lambda done: done.cancelled() or done.exception())  # seen, though nobody may take it
    await asyncio.wait([task])
    return task.result()


def _last_words(spec: RunSpec, part: int, deaths: int) -> str:
    """What is known of a part with which workers died."""
    first, end = spec.boards_of_part(part)
    own = ", ".join(repr(bot.label) for bot in spec.bot_specs if bot.is_python)
    guests = f", with the bots {own} in them" if own else ""
    return f"{deaths} workers died at the boards {first}..{end - 1}{guests}; what is finished is kept"


def _opened(kind: str, content: Any) -> Any:
    """The content of an answer; raised where it tells of a failure."""
    if kind in _FAILURES:
        raise _FAILURES[kind](content)
    return content


class _Task:
    """A call of `play_here`, which is made when the bytes of the pickled task are read.

    Dask ends a worker that cannot read what it is sent; where this library is missing, bytes can still be told of.
    """

    def __init__(self, *arguments: Any) -> None:
        self._arguments = arguments

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return play_here, self._arguments


# On a worker. Failures travel as text: an exception of a user's own class might not.

_FAILURES: dict[str, type[Exception]] = {"fault": BotFault, "refusal": ClusterError}
_one_guest = threading.Lock()  # Python bots may keep things in their class: one part at a time a process
_loaded: dict[str, str] = {}  # SHA-256 of the file of each module of bots when this process loaded it


def play_here(wanted: dict[str, str], spec_data: dict[str, Any], call: bytes) -> tuple[str, Any]:
    """Play a part in this process, if it would do so exactly as the coordinator.

    Args:
        wanted: the coordinator's versions.
        spec_data: the spec as plain data.
        call: pickled, since only the same version may read it: function, part, more arguments and keywords.

    Returns:
        What kind of answer it is ("part", or a key of `_FAILURES`), and its content.
    """
    try:
        _check_versions(wanted)
        spec = RunSpec.from_json(spec_data)
        function, part, arguments, keywords = pickle.loads(call)
        with _one_guest if spec.has_python_bots else contextlib.nullcontext():
            _check_sources(spec)
            return "part", function(spec, part, *arguments, **keywords)
    except BotFault as error:
        return "fault", str(error)
    except InvalidText as error:
        return "refusal", f"the worker at {_own_address()} does not play this run: {error}"


def _check_versions(wanted: dict[str, str]) -> None:
    """Refuse to play where a version is another than the coordinator's.

    Raises:
        InvalidText: names the first version that differs.
    """
    found = _own_versions()
    for name in sorted(wanted.keys() | found):
        if wanted.get(name) != found.get(name):
            raise InvalidText(f"it has {name} {found.get(name)}, the coordinator {wanted.get(name)}")


@cache
def _own_versions() -> dict[str, str]:
    """The versions when this process began to play: files that change later do not change it."""
    return versions()


def _check_sources(spec: RunSpec) -> None:
    """Refuse to play with other bots or cards than the coordinator's, on disk or loaded before.

    Raises:
        InvalidText: names the bot, or the card set.
    """
    modules = {bot.name.partition(":")[0]: spec.sources[bot.label] for bot in spec.bot_specs if bot.is_python}
    try:
        check_sources(spec)
    except InvalidText:
        for module in modules:
            _loaded.setdefault(module, "another file")
        raise
    for module, source in modules.items():
        if _loaded.setdefault(module, source) != source:
            raise InvalidText(f"it has loaded an earlier file of {module!r}: restart it")


def _own_address() -> str:
    """The address of this worker."""
    from distributed import get_worker

    return str(get_worker().address)
