"""Tasks with outstanding replies."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from flwr.app import Message
from flwr.serverapp import Grid


@dataclass(frozen=True)
class _Asked:
    """A message sent to a node: the devices in it, its round, and when to give it up."""

    names: tuple[str, ...]
    message: str
    round: int
    until: float


class Outstanding:
    """At most one task for each node. A node that was given up can get another one.

    Flower's Grid.send_and_receive() waits for all replies, and drops those that arrive after its timeout.
    Here a task stays, whatever its round, until its reply arrives.
    """

    def __init__(self) -> None:
        """Begin without tasks."""
        self._asked: dict[int, _Asked] = {}

    def nodes(self, number: int | None = None) -> set[int]:
        """Return the nodes with an outstanding reply; with a number, only those whose task is from that round."""
        now = time.monotonic()
        return {node for node, asked in self._asked.items() if number in (None, asked.round) and now < asked.until}

    def push(
        self, grid: Grid, messages: Iterable[Message], names: Mapping[int, Sequence[str]], number: int, seconds: float
    ) -> None:
        """Send the messages of a round.

        names: the devices in each node's task. number: of the round. seconds: until a node is given up.
        """
        sent, until = list(messages), time.monotonic() + seconds
        accepted = set(grid.push_messages(sent)) if sent else set()
        for about in (message.metadata for message in sent):
            if about.message_id in accepted:  # devices of any other node are silent in this round
                self._asked[about.dst_node_id] = _Asked(
                    tuple(names[about.dst_node_id]), about.message_id, number, until
                )

    def pull(self, grid: Grid) -> list[tuple[Message, tuple[str, ...]]]:
        """Return the replies since the last call, each with the devices in its node's task."""
        nodes = {self._asked[node].message: node for node in self.nodes()}
        replies = []
        for reply in grid.pull_messages(list(nodes)) if nodes else ():
            node = nodes.pop(reply.metadata.reply_to_message_id, None)
            if node is not None:
                replies.append((reply, self._asked.pop(node).names))
        return replies
