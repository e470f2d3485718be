"""Names and property keys of files were printed raw: an escape sequence in one could rewrite the lines above it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.markup import escape

import gradmote
from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.cli import main
from gradmote.compiler import Options, compile_image
from gradmote.formats import checkpoint
from gradmote.terminal import terminal
from gradmote.terminal.printable import in_one_line, printable
from support.oracle import make_model, node, values

#: Erases the line above and claims success; rings; turns the direction of writing; a control character of 8 bits.
HOSTILE = "w\x1b[1A\x1b[2Kverified\x07\r\u202e\x9b31m[bold]"
OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@pytest.fixture
def files(tmp_path) -> Path:
    """A model, an image and checkpoints whose names are hostile."""
    nodes = [node("MatMul", "x w", "h", name=HOSTILE), node("Relu", "h", "y", name=HOSTILE + "2")]
    model = make_model(nodes, {"w": values(1, 3, 2)}, {"x": ("N", 3)})
    for tensor in (*model.graph.initializer, *model.graph.input, *model.graph.output):
        tensor.name = HOSTILE + tensor.name
    for found in model.graph.node:
        for names in (found.input, found.output):
            names[:] = [name if name == "h" else HOSTILE + name for name in names]
    model.graph.name = HOSTILE
    (tmp_path / "model.onnx").write_bytes(model.SerializeToString())
    artifacts = build_artifacts(model, None, losses.mse(), optimizers.sgd(0.1))
    image = compile_image(artifacts, Options(batch=1, properties=2)).image
    (tmp_path / "model.mote").write_bytes(image)
    with gradmote.Session(image) as session:
        session.set_property(HOSTILE[:12], 3)
        (tmp_path / "state.gmck").write_bytes(session.save())
    (tmp_path / "desk.gmck").write_bytes(checkpoint.pack({HOSTILE: np.zeros(2, np.float32)}))
    return tmp_path


COMMANDS = [
    "inspect model.mote", "inspect state.gmck", "inspect desk.gmck", "analyze model.mote",
    "analyze model.onnx --loss mse", "plan model.onnx --loss mse", "kernels model.mote", "bench model.mote --for 0.01",
    "compile model.onnx -o again.mote --loss mse", "compile model.onnx -o again.mote --loss mse --train none*",
    "artifacts model.onnx -o made --loss mse", "export model.onnx desk.gmck -o better.onnx",
    "train model.mote --data missing.npz", "header model.mote -o model.h",
]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_prints_what_a_terminal_obeys(files, command, monkeypatch, capsys):
    monkeypatch.chdir(files)
    main(command.split())
    out, err = capsys.readouterr()
    assert out + err and not OBEYED.findall(out + err)


@given(st.text(st.characters(), max_size=30))
def test_printable_text_stays_and_all_else_is_escaped(text):
    shown = printable(text)
    assert not OBEYED.search(shown) and shown.count("\n") == text.count("\n")
    assert "\n" not in in_one_line(text)
    assert printable(shown) == shown
    if text.isascii() and text.isprintable():
        assert shown == text


@given(st.text(st.characters(), min_size=1, max_size=30))
def test_tables_and_sentences_on_the_console(text):
    console = terminal.Console(width=300, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(terminal.table(text, (("name", "size#"), [(text, text)])))
    console.print(escape(text))
    assert not OBEYED.search(console.export_text(styles=False))


def raw_output(path: Path) -> list[str]:
    """Calls of a module that print without escapes, and imports of the console that does."""
    tree = ast.parse(path.read_text())
    calls = [ast.unparse(found) for found in ast.walk(tree) if isinstance(found, ast.Call)]
    imports = [ast.unparse(found) for found in ast.walk(tree) if isinstance(found, ast.ImportFrom)]
    raw = re.compile(r"print\(|typer\.echo\(|typer\.secho\((?!printable)|from rich\.console import Console")
    return [f"{path.name}: {text}" for text in calls + imports if raw.match(text)]


def test_all_that_commands_print_goes_through_here():
    """Only the two modules that escape contain print(), typer.echo() and Rich's own Console."""
    package = Path(gradmote.__file__).parent
    allowed = {package / "report" / "terminal.py", package / "cli" / "output.py"}
    assert [text for path in package.rglob("*.py") if path not in allowed for text in raw_output(path)] == []
