"""The text of --help: it wraps so that every option's name is whole in 80 columns."""

from __future__ import annotations

import inspect
import re
import shutil
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

from typer.core import TyperCommand, TyperGroup

#: Columns of a name and the space after it. The explanation of a longer name is below it.
NAME = 26
#: The commands that most options are for.
USUAL = ("compile", "train")
#: The longest lines, in a wide window, and the shortest, in a narrow one.
WIDEST, NARROWEST = 100, 60

Rows = Iterable[tuple[str, str]]


class Command(TyperCommand):
    """A subcommand."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; the error for an unknown option names the command that has it. Called by typer."""
        try:
            return super().parse_args(ctx, args)
        except Exception as error:  # NoSuchOption is click's, or typer's own in newer versions
            owner = owner_of(getattr(error, "option_name", None), ctx.find_root().command)
            if owner is not None:
                error.message += f"; gradmote {owner} has it"  # type: ignore[attr-defined]
            raise

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the command's help. Called by typer."""
        formatter.write(text_of(self, ctx))


class Group(TyperGroup):
    """The tool itself, with its commands in their panels, and its options."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help of all commands. Called by typer."""
        commands = [self.commands[name] for name in self.list_commands(ctx)]
        panels: dict[str, list[tuple[str, str]]] = {}
        for command in commands:
            panel = str(getattr(command, "rich_help_panel", "Commands"))
            panels.setdefault(panel, []).append((str(command.name), summary(command.help or "")))
        formatter.write(text_of(self, ctx, panels))


def owner_of(option: str | None, group: Any) -> str | None:
    """Return a command of a group that has an option, such as --batch, the usual ones first; None without one."""
    commands = getattr(group, "commands", {})
    names = (name for name in (*USUAL, *commands) if name in commands)
    found = (name for name in names if any(option in each.opts for each in commands[name].params))
    return None if option is None else next(found, None)


def text_of(command: Any, ctx: Any, panels: dict[str, list[tuple[str, str]]] | None = None) -> str:
    """Return the whole help of a command."""
    parameters: dict[str, list[tuple[str, str]]] = {"argument": [], "option": []}
    for parameter in command.get_params(ctx):
        record = parameter.get_help_record(ctx)
        if record is not None:
            parameters[parameter.param_type_name].append(record)
    usage = " ".join(["Usage:", ctx.command_path, *command.collect_usage_pieces(ctx)])
    parts = [wrapped(usage, "", "    "), *paragraphs(command.help or "")]
    sections = {**(panels or {}), "Arguments": parameters["argument"], "Options": parameters["option"]}
    parts += [section(title, rows) for title, rows in sections.items() if rows]
    parts += paragraphs(command.epilog or "")
    return "\n\n".join(parts) + "\n"


def summary(text: str) -> str:
    """Return the first sentence of a help text."""
    first = inspect.cleandoc(text).split("\n\n")[0].replace("\n", " ")
    return re.split(r"(?<=[.!?]) |: (?=`)", first)[0].rstrip(":")


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a help text, wrapped and indented."""
    parts = [" ".join(part.split()) for part in inspect.cleandoc(text).split("\n\n")]
    return [wrapped(part, "  ", "  ") for part in parts if part]


def section(title: str, rows: Sequence[tuple[str, str]]) -> str:
    """Return a section of the help: a title, and a row for each name."""
    return "\n".join([f"{title}:", *(row(name, text) for name, text in rows)])


def row(name: str, text: str) -> str:
    """Return a name and its explanation, which is below the name if that is long."""
    head = wrapped(name.replace("|", "| "), "  ", "      ").replace("| ", "|")
    body = wrapped(text, " " * NAME, " " * NAME)
    short = "\n" not in head and len(head) <= NAME - 2
    return (head + body[len(head) :] if short else f"{head}\n{body}") if text else head


def wrapped(text: str, first: str, then: str) -> str:
    """Return the text in lines as wide as the terminal, without breaking names."""
    columns = min(max(shutil.get_terminal_size((80, 24)).columns, NARROWEST), WIDEST)
    return textwrap.fill(text, columns, initial_indent=first, subsequent_indent=then, break_on_hyphens=False)
