"""Flower's strategy of federated learning by quantized deltas, with exact sums."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from logging import INFO, WARNING, getLogger
from pathlib import Path

from flwr.app import Array, ArrayRecord, ConfigRecord, Message, MessageType, MetricRecord, RecordDict
from flwr.serverapp import Grid
from flwr.serverapp.strategy import Result, Strategy

from gradmote_runtime import Session

from ..data.dataset import Dataset
from ..device.evaluation import evaluate
from ..device.twin_target import TwinTarget
from ..errors import DataError, GradmoteError
from ..federated.coordinator import Coordinator, RoundRecord
from ..federated.fleet import fault_of, samples_to_test
from ..federated.privacy import GaussianNoise, poisson_sample
from ..federated.replies import DeviceReply, DeviceTest
from ..federated.server import CAP_EXAMPLES, REFUSE_ABOVE
from ..federated.server_optimizers import ServerOptimizer
from ..federated.summary import SumRequest
from ..federated.task import RoundTask
from . import contents
from .outstanding import Outstanding
from .results import Results

log = getLogger("flwr").log
#: How many rounds in a row may fail for lack of deltas before the run ends.
TRIES = 3
#: The seconds between two checks for replies: at first, and at most.
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 2.0


class DeltaStrategy(Strategy):
    """Rounds of quantized deltas: the next base has the same bits whatever the order of replies.

    The devices that take part in a round are drawn from seed, round and names, and so do not depend on
    Flower's node numbers; with privacy, they are drawn from a secret key instead of the seed. A node answers
    only for the devices that it named first. A delta counts once: in its own round or, if `late` is set, up
    to that many rounds later. Later ones are refused, because their base is gone.

    Attributes:
        coordinator: The server, its journal and the figures of all rounds.
        nodes: The names of each node's devices.
    """

    def __init__(
        self,
        image: bytes,
        *,
        optimizer: ServerOptimizer | None = None,
        bits: int = 4,
        bits_down: int = 8,
        clip: bool = True,
        epochs: int = 1,
        seed: int = 0,
        shared: Sequence[str] | None = None,
        deadline_s: float = 0.0,
        fraction: float = 1.0,
        minimum: int = 1,
        test: Dataset | None = None,
        test_devices: bool = False,
        folder: Path | None = None,
        refuse_above: float | None = REFUSE_ABOVE,
        cap_examples: float | None = CAP_EXAMPLES,
        model: Path | None = None,
        late: int = 0,
        wait_s: float | None = None,
        sums: bool = False,
        privacy: GaussianNoise | None = None,
    ) -> None:
        """Begin, or continue from the journal in the folder.

        image: the compiled model of all devices. optimizer, bits_down, clip, refuse_above, cap_examples,
        late, privacy: as for Server. bits, epochs, seed, shared, deadline_s: as for RoundTask.
        fraction: the share of devices that take part in a round. minimum: the number of devices needed to
        begin a round, and of deltas to end it. test: samples for testing each new base here. test_devices:
        also test it on the devices' own samples. folder: for the journal, a checkpoint of each base and the
        report; without it, an interrupted run begins again. model: the ONNX model that was compiled; a
        trained copy is written to folder. wait_s: the seconds after which a round that has `minimum` deltas
        ends without the nodes that are still working; such a node gets no new task before it has replied,
        and `late` decides whether that reply counts. None waits for all nodes, until the timeout. sums: let
        gateways keep the deltas of their devices, and send one sum of them, which leads to the same base.
        With privacy, each device takes part in a round with probability `fraction`, independently: set its
        devices_per_round to fraction times the number of devices. If fewer than `minimum` are drawn, even
        none, these suffice to end the round.
        Raises DataError.
        """
        if wait_s is not None and not 0 <= wait_s < math.inf:
            raise DataError(f"wait_s is {wait_s}", "give seconds from 0 on, or None")
        if not 0 < fraction <= 1 or minimum < 1:
            raise DataError(f"a fraction of {fraction}, {minimum} at least", "use 0 < fraction <= 1, minimum >= 1")
        if privacy is not None and shared is not None:
            raise DataError("shared with privacy", "leave it out: each device shares all parameters then")
        self.coordinator = Coordinator(
            image, optimizer, bits_down, clip, folder, refuse_above, cap_examples, late, sums, privacy
        )
        self.nodes: dict[int, list[str]] = {}
        names = None if shared is None else tuple(shared)
        self._settings = {"bits": bits, "epochs": epochs, "seed": seed, "shared": names, "deadline_s": deadline_s}
        self._task(None)  # raises if a setting is impossible
        self.results = Results(self.coordinator, model)
        self._fraction, self._minimum, self._seed = fraction, minimum, seed
        self._test, self._test_devices = test, test_devices
        self._timeout, self._wait, self._outstanding = 3600.0, wait_s, Outstanding()
        self._asked: dict[int, list[str]] = {}
        self._grid: Grid | None = None
        self._runs = False
        self.on_round: Callable[[RoundRecord], None] = say_round  #: called with the figures of each round

    # ---- A whole run

    def start(
        self,
        grid: Grid,
        initial_arrays: ArrayRecord | None = None,
        num_rounds: int = 3,
        timeout: float = 3600,
        train_config: ConfigRecord | None = None,
        evaluate_config: ConfigRecord | None = None,
        evaluate_fn: Callable[[int, ArrayRecord], MetricRecord | None] | None = None,
    ) -> Result:
        """Run rounds until there are num_rounds of them, including those before a restart.

        timeout: seconds for the replies of a round. initial_arrays and both configs are ignored: the base is
        the image's, and settings are the strategy's. evaluate_fn: as in Flower. Raises GradmoteError if too
        few deltas arrived three times in a row.
        """
        self._timeout, self._runs, result, failed = timeout, True, Result(), 0
        self.summary()
        while self.coordinator.server.round < num_rounds:
            number = self.coordinator.server.round + 1
            self._collect(number, grid)
            arrays, metrics = self.aggregate_train(number, ())
            failed = failed + 1 if arrays is None else 0
            if failed == TRIES:
                raise GradmoteError(self._too_few(), "look at the nodes' logs; what came so far is kept")
            if arrays is not None and metrics is not None:
                result.train_metrics_clientapp[number] = metrics
                self._evaluate(number, arrays, grid, result, evaluate_fn)
                self.on_round(self.coordinator.history[-1])
                self.results.write_report()
        self.results.write()
        self.results.show()
        result.arrays = self.arrays()
        return result

    def _collect(self, number: int, grid: Grid) -> None:
        """Give the round's task to the nodes that have none, and count replies until the round may end.

        A delta is written to the journal as soon as it arrives.
        """
        messages = self.configure_train(number, self.arrays(), ConfigRecord(), grid)
        self._outstanding.push(grid, messages, self._asked, number, self._timeout)
        begun, pause = time.monotonic(), FIRST_PAUSE
        while True:
            for message, asked in self._outstanding.pull(grid):
                self.coordinator.take(self._rows_of(message, asked))
            if self._may_end(number, time.monotonic() - begun):
                return
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    def _may_end(self, number: int, seconds: float) -> bool:
        """Return whether a round that has lasted `seconds` need not wait for anybody."""
        enough, all_nodes = len(self.coordinator.now.counted) >= self._needed(), self._outstanding.nodes()
        if enough and (not self._outstanding.nodes(number) or (self._wait is not None and seconds >= self._wait)):
            return True
        return not all_nodes or seconds >= self._timeout

    def _evaluate(
        self, number: int, arrays: ArrayRecord, grid: Grid, result: Result,
        evaluate_fn: Callable[[int, ArrayRecord], MetricRecord | None] | None,
    ) -> None:  # fmt: skip
        """Test the base of a finished round, in all requested ways."""
        messages = list(self.configure_evaluate(number, arrays, ConfigRecord(), grid))
        if messages:
            found = self.aggregate_evaluate(number, grid.send_and_receive(messages, timeout=self._timeout))
            result.evaluate_metrics_clientapp.update({} if found is None else {number: found})
        figures = self._tested() if evaluate_fn is None else evaluate_fn(number, arrays)
        if figures is not None:
            result.evaluate_metrics_serverapp[number] = figures
            self.coordinator.tested({name: float(value) for name, value in figures.items()})

    def arrays(self) -> ArrayRecord:
        """Return the parameters of the base by their names, in the ONNX model's shapes."""
        return ArrayRecord({name: Array(values) for name, values in self.coordinator.server.parameters().items()})

    def _tested(self) -> MetricRecord | None:
        """Return the figures of the base on the test samples; None without any."""
        if self._test is None:
            return None
        with Session(self.coordinator.image) as session:
            session.load(self.coordinator.server.checkpoint())
            found = evaluate(TwinTarget.of(session), self._test, *samples_to_test(self._test))
        return MetricRecord({"loss": found.loss, "accuracy": found.accuracy})

    # ---- Training

    def configure_train(
        self, server_round: int, arrays: ArrayRecord, config: ConfigRecord, grid: Grid
    ) -> Iterable[Message]:
        """Return the messages with this round's task for the nodes whose devices take part.

        A node with an outstanding task gets none. Raises DataError if the loop of another strategy calls this, as
        Flower's wrappers for differential privacy do: their changes to arrays would reach no device.
        """
        if not self._runs:
            raise DataError(
                "DeltaStrategy does not work inside another strategy: its replies are deltas, and its base is its own",
                "for differential privacy, give DeltaStrategy(privacy=GaussianNoise(...)), or wrap Flower's FedAvg",
            )
        self._grid = grid
        self._meet(grid)
        chosen = set(self._chosen()) - set(self.coordinator.now.counted)
        free = self.nodes.keys() - self._outstanding.nodes()
        self._asked = {node: kept for node in sorted(free) if (kept := sorted(chosen & set(self.nodes[node])))}
        return [
            Message(contents.task_content(self._task(names)), dst_node_id=node, message_type=MessageType.TRAIN)
            for node, names in self._asked.items()
        ]

    def aggregate_train(
        self, server_round: int, replies: Iterable[Message]
    ) -> tuple[ArrayRecord | None, MetricRecord | None]:
        """Count the replies, and end the round if they suffice; otherwise return (None, None)."""
        for message in replies:
            self.coordinator.take(self._rows_of(message, self._asked.get(message.metadata.src_node_id, [])))
        answered = self.coordinator.now.rows
        silent = [name for names in self._asked.values() for name in names if name not in answered]
        self.coordinator.take(DeviceReply(name, fault="no reply came") for name in silent)
        for name, row in self.coordinator.now.rows.items():
            if row["fault"]:
                log(WARNING, "%s: %s", name, row["fault"])
        if len(self.coordinator.now.counted) >= self._needed():
            self.coordinator.gather(self._task(None), self.nodes, self._sums)
        if len(self.coordinator.now.counted) < self._needed():
            log(WARNING, self._too_few())
            return None, None
        return self._finished()

    def _sums(self, requests: Mapping[int, SumRequest]) -> dict[int, bytes | GradmoteError]:
        """Ask nodes for the sums of deltas that their gateways keep."""
        assert self._grid is not None
        messages = [
            Message(contents.request_content(request), dst_node_id=node, message_type=MessageType.QUERY)
            for node, request in requests.items()
        ]
        found: dict[int, bytes | GradmoteError] = {}
        for reply in self._grid.send_and_receive(messages, timeout=self._timeout):
            node = reply.metadata.src_node_id
            try:
                found[node] = contents.sum_of(_content_of(reply))
            except GradmoteError as error:
                found[node] = error
        return found

    def _finished(self) -> tuple[ArrayRecord, MetricRecord]:
        """End the round, and return the new base and the round's figures."""
        done = self.coordinator.finish()
        figures = {"devices": len(done.counted), "failed": len(done.rows) - len(done.counted), "loss": done.loss,
                   "bytes-up": int(done.total("bytes_up")), "bytes-down": int(done.total("bytes_down"))}  # fmt: skip
        return self.arrays(), MetricRecord(figures)

    def _too_few(self) -> str:
        now = self.coordinator.now
        return f"round {now.round}: {len(now.counted)} deltas came, {self._needed()} are needed"

    def _needed(self) -> int:
        """Return how many deltas end a round: the minimum, or with privacy all drawn devices if fewer."""
        return self._minimum if self.coordinator.server.privacy is None else min(self._minimum, len(self._chosen()))

    def _task(self, devices: Sequence[str] | None) -> RoundTask:
        return self.coordinator.task(devices, **self._settings)

    def _rows_of(self, message: Message, asked: Sequence[str]) -> list[DeviceReply]:
        """Return a node's rows for the devices in its task; for a node that failed, a fault for each of them."""
        try:
            rows = contents.replies_of(_content_of(message))
        except GradmoteError as error:
            return [DeviceReply(name, fault=fault_of(error)) for name in asked]
        for row in rows:
            if row.device not in asked:
                log(WARNING, "a node replied for %s, which it was not asked for", row.device)
        return [row for row in rows if row.device in asked]

    # ---- The devices that take part

    def _meet(self, grid: Grid) -> None:
        """Ask new nodes for their devices, and wait until there are enough for a round."""
        end = time.monotonic() + self._timeout
        while True:
            there = set(grid.get_node_ids())
            self.nodes = {node: names for node, names in self.nodes.items() if node in there}
            self._ask(grid, sorted(there - set(self.nodes)))
            count = sum(map(len, self.nodes.values()))
            if count >= self._minimum:
                return
            if time.monotonic() > end:
                raise GradmoteError(f"{count} devices are connected, {self._minimum} are needed", "start more nodes")
            log(INFO, "%d devices are connected, waiting for %d", count, self._minimum)
            time.sleep(1)

    def _ask(self, grid: Grid, nodes: Sequence[int]) -> None:
        """Ask nodes for the names of their devices; a name stays with the node that already has it."""
        messages = [Message(RecordDict(), dst_node_id=node, message_type=MessageType.QUERY) for node in nodes]
        for reply in grid.send_and_receive(messages, timeout=self._timeout) if messages else []:
            try:
                names = contents.names_of(_content_of(reply))
            except GradmoteError as error:
                log(WARNING, "%s", fault_of(error))
                continue
            if not names:
                log(INFO, "a node has no devices")
            taken = {name for others in self.nodes.values() for name in others}
            twice = sorted(taken & set(names))
            if twice:
                log(WARNING, "%d devices such as %s belong to two nodes: the first keeps them", len(twice), twice[0])
            self.nodes[reply.metadata.src_node_id] = sorted(set(names) - taken)

    def _chosen(self) -> list[str]:
        """Return the devices of this round: those with the smallest hashes, or with privacy a sample."""
        number, names = self.coordinator.server.round, [n for names in self.nodes.values() for n in names]
        if self.coordinator.server.privacy is not None:
            return poisson_sample(names, self._fraction, self.coordinator.sampling_key, number)
        wanted = max(math.ceil(len(names) * self._fraction), self._minimum)
        return sorted(names, key=lambda n: hashlib.sha256(f"{self._seed}\n{number}\n{n}".encode()).digest())[:wanted]

    # ---- Tests on devices

    def configure_evaluate(
        self, server_round: int, arrays: ArrayRecord, config: ConfigRecord, grid: Grid
    ) -> Iterable[Message]:
        """Return messages that request tests of the base from all idle nodes; none unless enabled."""
        if not self._test_devices:
            return []
        busy = self._outstanding.nodes()
        self._asked = {node: names for node, names in self.nodes.items() if names and node not in busy}
        return [
            Message(contents.task_content(self._task(names)), dst_node_id=node, message_type=MessageType.EVALUATE)
            for node, names in self._asked.items()
        ]

    def aggregate_evaluate(self, server_round: int, replies: Iterable[Message]) -> MetricRecord | None:
        """Return the mean of the devices' figures, weighted by their examples; None without any."""
        tests: dict[str, DeviceTest] = {}
        for message in replies:
            asked = self._asked.get(message.metadata.src_node_id, [])
            try:
                rows = contents.tests_of(_content_of(message))
            except GradmoteError as error:
                rows = [DeviceTest(name, fault=fault_of(error)) for name in asked]
            tests.update({row.device: row for row in rows if row.device in asked})
        self.coordinator.tested({}, [tests[name] for name in sorted(tests)])
        for name in sorted(tests):
            if tests[name].fault:
                log(WARNING, "test of %s: %s", name, tests[name].fault)
        return mean_of_tests([tests[name] for name in sorted(tests) if not tests[name].fault])

    def summary(self) -> None:
        """Log the settings of this strategy."""
        server = self.coordinator.server
        log(INFO, "DeltaStrategy: round %d, %s, %d bits down, %s, privacy %s", server.round, server.optimizer.name,
            server.bits, self._settings, server.privacy)  # fmt: skip


def _content_of(message: Message) -> RecordDict:
    """Return the content of a node's message. Raises DataError if it contains an error instead."""
    if message.has_error():
        raise DataError(f"its node failed: {message.error.reason}")
    return message.content


def mean_of_tests(tests: Sequence[DeviceTest]) -> MetricRecord | None:
    """Return the means of devices' figures, weighted by their examples; None without any device.

    A device without some figure does not count in its mean, which is NaN if no device has it.
    """
    if not tests:
        return None
    means = {}
    for name in ("loss", "accuracy"):
        having = [test for test in tests if not math.isnan(getattr(test, name))]
        weight = sum(test.examples for test in having)
        means[name] = sum(getattr(test, name) * test.examples for test in having) / weight if weight else math.nan
    return MetricRecord({**means, "num-examples": sum(test.examples for test in tests)})


def say_round(done: RoundRecord) -> None:
    """Log a round in one line."""
    tests = "".join(f", test {name} {value:.4g}" for name, value in done.test.items())
    failed, sent = len(done.rows) - len(done.counted), f"{int(done.total('bytes_up')):,}"
    log(INFO, "round %d: %d devices, %d failed, loss %.4g%s, %s B up, base %s",
        done.round + 1, len(done.counted), failed, done.loss, tests, sent, done.base[:16])  # fmt: skip
