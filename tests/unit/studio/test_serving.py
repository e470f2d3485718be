"""`gradmote studio`: what its server gives away and what it refuses, and how the command begins and ends."""

from __future__ import annotations

import http.client
import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import webbrowser
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from gradmote import cli
from gradmote.errors import GradmoteError
from gradmote.studio import own_site
from gradmote.studio.own_site import studio_site, write_beside
from gradmote.studio.own_wheel import NAME, own_wheel
from gradmote.studio.server import Server, is_loopback, serving
from gradmote.studio.site import Site
from gradmote.version import __version__

WHEELS = ["other-1.0-py3-none-any.whl", "gradmote-0.0.0-py3-none-any.whl"]
SECRET = "not of this site"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """Return a folder that stands for the built page, with a file beside it that is none of the page's."""
    folder = tmp_path / "page"
    (folder / "wasm").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><title>Studio</title>")
    (folder / "main.js").write_text("export {};")
    (folder / "manifest.webmanifest").write_text("{}")
    (folder / "wasm" / "gradmote.wasm").write_bytes(b"\0asm\1\0\0\0")
    (folder / ".hidden").write_text(SECRET)
    (folder / "pyodide.json").write_text(json.dumps({"base": "https://elsewhere.example/", "wheels": WHEELS}))
    (tmp_path / "secret.txt").write_text(SECRET)
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    return folder


@pytest.fixture
def server(page: Path) -> Iterator[Server]:
    with serving(studio_site(page), "127.0.0.1", 0) as made:
        thread = threading.Thread(target=made.serve_forever, args=(0.01,))
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def ask(server: Server, path: str, method: str = "GET", **headers: str) -> http.client.HTTPResponse:
    """Return an answer that is read; its body is `text`."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    connection.putrequest(method, path, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders()
    answer = connection.getresponse()
    answer.body = answer.read()  # type: ignore[attr-defined]
    connection.close()
    return answer


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/index.html?from=somewhere", "text/html; charset=utf-8"),
        ("/main.js", "text/javascript; charset=utf-8"),
        ("/wasm/gradmote.wasm", "application/wasm"),
        ("/manifest.webmanifest", "application/manifest+json"),
        (f"/{NAME}", "application/zip"),
    ],
)
def test_files_have_their_types(server: Server, path: str, kind: str) -> None:
    answer, head = ask(server, path), ask(server, path, "HEAD")
    assert (answer.status, answer.headers["Content-Type"]) == (200, kind)
    assert (head.status, head.body, head.headers["Content-Length"]) == (200, b"", str(len(answer.body)))
    assert len(answer.body) > 0


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/wasm/../../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "/..\\secret.txt",
        "/%5c..%5csecret.txt",
        "//etc/passwd",
        "/%2fetc%2fpasswd",
        "/C:/secret.txt",
        "/link.txt",
        "/.hidden",
        "/wasm",
        "/wasm/",
        "/index.html%00.js",
        "/index.html/",
        "/nothing.js",
        "http://127.0.0.1/../secret.txt",
        "*",
    ],
)
def test_nothing_else_is_given_away(server: Server, path: str) -> None:
    answer = ask(server, path)
    assert answer.status == 404 and SECRET.encode() not in answer.body


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "NONSENSE"])
def test_nothing_is_taken(server: Server, method: str) -> None:
    assert ask(server, "/", method, Content_Length="0").status == 501


@pytest.mark.parametrize("host", ["127.0.0.1:8765", "127.0.0.1", "localhost:1", "LOCALHOST", "[::1]:8765"])
def test_this_computer_has_these_names(server: Server, host: str) -> None:
    assert ask(server, "/", Host=host).status == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8765", "127.0.0.1.evil.example", "localhost.evil", "", "::"]
)
def test_a_name_that_another_had_lead_here_is_refused(server: Server, host: str) -> None:
    answer = ask(server, "/", Host=host)
    assert answer.status == 421 and b"Studio" not in answer.body and server.address.encode() in answer.body


def test_a_request_without_a_host_is_refused(server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=10) as line:
        line.sendall(b"GET / HTTP/1.0\r\n\r\n")
        assert b" 421 " in line.makefile("rb").readline()


def test_a_browser_asks_again_and_gets_only_what_changed(server: Server, page: Path) -> None:
    first = ask(server, "/main.js")
    assert first.headers["Cache-Control"] == "no-cache"
    again = ask(server, "/main.js", If_None_Match=first.headers["ETag"])
    assert (again.status, again.body) == (304, b"")
    (page / "main.js").write_text("export const changed = 1;")
    third = ask(server, "/main.js", If_None_Match=first.headers["ETag"])
    assert (third.status, third.body) == (200, b"export const changed = 1;")


def test_no_other_site_reads_or_frames_it(server: Server) -> None:
    headers = ask(server, "/").headers
    assert headers["Cross-Origin-Resource-Policy"] == headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["X-Frame-Options"] == "DENY" and headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Access-Control-Allow-Origin"] is None


def test_broken_requests_leave_the_server_as_it_was(server: Server, capfd: pytest.CaptureFixture[str]) -> None:
    for sent in (b"\0\xff\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n", b"GET"):
        with socket.create_connection(("127.0.0.1", server.server_port), timeout=10) as line:
            line.sendall(sent)
    assert ask(server, "/").status == 200
    assert capfd.readouterr() == ("", "")


def test_one_slow_reader_holds_up_nobody(server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=10) as line:
        line.sendall(b"GET / HTTP/1.1\r\n")
        assert ask(server, "/").status == 200


# ---- What the compiler in the page loads -----------------------------------------------------------------------------


def test_the_wheel_of_the_page_is_this_gradmote(server: Server, tmp_path: Path) -> None:
    wheel = tmp_path / NAME
    wheel.write_bytes(ask(server, f"/{NAME}").body)
    pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-index", "--no-deps"]
    subprocess.run([*pip, "--target", str(tmp_path / "there"), str(wheel)], check=True)
    program = "import gradmote, gradmote_runtime; print(gradmote.__file__); gradmote.compile_model, gradmote.analyze"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "there")}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(str(tmp_path / "there"))


def test_the_wheel_has_no_module_of_one_platform_and_is_the_same_each_time() -> None:
    made = own_wheel()
    names = zipfile.ZipFile(io.BytesIO(made)).namelist()
    assert not [name for name in names if name.endswith((".so", ".pyd", ".zip")) or "__pycache__" in name]
    assert {"gradmote/operators/conv.py", "gradmote/device/boards.json", "gradmote_runtime/session.py"} <= set(names)
    assert made == own_wheel()


def test_settings_name_the_wheel_that_is_served(page: Path) -> None:
    found = json.loads(made(studio_site(page), "/pyodide.json"))
    assert found == {"base": "https://elsewhere.example/", "wheels": [WHEELS[0], NAME]}


def test_a_page_of_files_gets_the_wheel_too(page: Path) -> None:
    write_beside(page)
    assert (page / NAME).read_bytes() == own_wheel()
    assert json.loads((page / "pyodide.json").read_text())["wheels"] == [WHEELS[0], NAME]


def test_pyodide_comes_from_a_folder(page: Path, tmp_path: Path) -> None:
    release = tmp_path / "release"
    release.mkdir()
    (release / "pyodide.mjs").write_text("export {};")
    site = studio_site(page, release)
    assert json.loads(made(site, "/pyodide.json"))["base"] == "pyodide/"
    assert made(site, "/pyodide/pyodide.mjs") == b"export {};"
    assert site.find("/pyodide/../index.html") is None


def test_a_folder_without_pyodide_is_refused(page: Path, tmp_path: Path) -> None:
    with pytest.raises(GradmoteError, match=r"has no pyodide\.mjs - name the folder"):
        studio_site(page, tmp_path)


def made(site: Site, path: str) -> bytes:
    found = site.find(path)
    assert found is not None
    with found.open() as content:
        return content.read()


# ---- The place of the page -------------------------------------------------------------------------------------------


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of packages, outside of a checkout."""
    monkeypatch.setattr(own_site, "_CHECKOUT", tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path / "packages"))
    (tmp_path / "packages").mkdir()
    return tmp_path / "packages"


def install_page(packages: Path, version: str) -> Path:
    about = packages / f"gradmote_studio-{version}.dist-info"
    folder = packages / "gradmote_studio" / "page"
    for made in (about, folder):
        made.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: gradmote-studio\nVersion: {version}\n")
    (packages / "gradmote_studio" / "__init__.py").write_text("")
    (folder / "index.html").write_text("")
    return folder


def test_an_installed_page_is_found(installed: Path) -> None:
    folder = install_page(installed, __version__)
    assert own_site.find_page() == folder


def test_a_page_of_another_version_is_refused(installed: Path) -> None:
    install_page(installed, "0.0.1")
    with pytest.raises(
        GradmoteError, match=rf"is of version 0\.0\.1, and gradmote is {re.escape(__version__)} - install"
    ):
        own_site.find_page()


def test_a_page_that_is_not_there_is_told(installed: Path) -> None:
    with pytest.raises(GradmoteError, match="is not installed: it is a package of its own - install gradmote-studio"):
        own_site.find_page()


def test_a_checkout_without_its_page_says_how_to_build_it(installed: Path) -> None:
    (installed.parent / "SConstruct").write_text("")
    with pytest.raises(GradmoteError, match=r"not built in this checkout - build it: \./run scons studio"):
        own_site.find_page()


# ---- The command -----------------------------------------------------------------------------------------------------


def start(page: Path, *options: str) -> subprocess.Popen[str]:
    """Start the command on a stand-in for the built page."""
    program = (
        "import sys; from pathlib import Path; from gradmote import cli; from gradmote.studio import own_site; "
        "folder = Path(sys.argv.pop(1)); own_site.find_page = lambda: folder; sys.exit(cli.main())"
    )
    command = [sys.executable, "-c", program, str(page), "studio", *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 0), (signal.SIGTERM, 128 + signal.SIGTERM)])
def test_it_tells_its_address_and_ends_when_it_is_told_to(page: Path, number: int, status: int) -> None:
    with start(page, "--json", "--port", "0") as process:
        assert process.stdout is not None
        reported = json.loads(process.stdout.readline())
        connection = http.client.HTTPConnection("127.0.0.1", reported["port"], timeout=10)
        connection.request("GET", "/")
        assert connection.getresponse().status == 200
        assert reported["address"] == f"http://127.0.0.1:{reported['port']}/"
        process.send_signal(number)
        assert process.communicate(timeout=20) == ("", "")
    assert process.returncode == status


def test_a_port_that_is_taken_ends_in_one_message(page: Path, server: Server) -> None:
    with start(page, "--no-browser", "--port", str(server.server_port)) as process:
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (1, "")
    assert err.splitlines() == [
        f"error: port {server.server_port} of 127.0.0.1 is taken by another program",
        " hint: end that, or take another: --port 0 takes a free one",
    ]


@pytest.mark.parametrize("host", ["192.0.2.1", "no such host", "localhost:80"])
def test_an_address_that_is_not_of_this_computer_is_refused(page: Path, host: str) -> None:
    with pytest.raises(GradmoteError, match="--host takes an address of this computer"):
        Server(studio_site(page), host, 0)


@pytest.mark.parametrize(("host", "shown"), [("::1", "[::1]"), ("0.0.0.0", "127.0.0.1"), ("localhost", "localhost")])
def test_its_address_opens_here(page: Path, host: str, shown: str) -> None:
    with serving(studio_site(page), host, 0) as server:
        assert server.address == f"http://{shown}:{server.server_port}/"


def test_it_warns_where_others_can_open_it(page: Path) -> None:
    with start(page, "--host", "0.0.0.0", "--port", "0", "--no-browser") as process:
        assert process.stdout is not None and process.stderr is not None
        assert "http://127.0.0.1:" in process.stdout.readline()
        assert "others on the network can open it" in process.stderr.readline()
        process.send_signal(signal.SIGINT)


def test_a_browser_is_opened_unless_it_is_told_not_to(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setattr(own_site, "find_page", lambda: page)
    monkeypatch.setattr(Server, "serve_forever", lambda _: time.sleep(0.05))
    assert [cli.main(["studio", "--port", "0", *options]) for options in ([], ["--no-browser"], ["--json"])] == [
        0,
        0,
        0,
    ]
    assert len(opened) == 1 and opened[0].startswith("http://127.0.0.1:")


def test_only_loopback_is_this_computers_alone() -> None:
    assert all(map(is_loopback, ("localhost", "127.0.0.1", "127.0.0.2", "::1")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "192.168.1.2", "board.local")))
