"""@pytest.mark.gradmote_emulator: who skips, who fails, and what they say."""

from __future__ import annotations

NAMED = """
@pytest.fixture
def long():
    raise RuntimeError("began")

@pytest.mark.gradmote_emulator("mps2-an386")
def test_it(long, gradmote_board):
    pass
"""
ASKED = """
@pytest.mark.gradmote_emulator
def test_it(gradmote_board):
    gradmote_board("mps2-an505", "model.mote")
    raise RuntimeError("went on")
"""
UNMARKED = ASKED.replace("@pytest.mark.gradmote_emulator", "")
NO_QEMU = "qemu-system-arm is not installed - install it: apt-get install qemu-system-arm"
NO_COMPILER = "arm-none-eabi-gcc with its C library, which compiles *, is not installed - install it: *"


def test_without_qemu_a_test_that_names_its_board_skips_before_its_fixtures(run, no_emulator) -> None:
    result = run(NAMED)
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(f"SKIPPED*{NO_QEMU}")


def test_without_qemu_any_marked_test_skips_where_it_asks_for_a_board(run, no_emulator) -> None:
    result = run(ASKED)
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(f"SKIPPED*{NO_QEMU}")


def test_without_firmware_and_compiler_it_skips_and_says_what_to_install(run, no_firmware) -> None:
    result = run(NAMED)
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(f"SKIPPED*{NO_COMPILER}")


def test_an_unmarked_test_fails_in_one_line(run, no_emulator) -> None:
    result = run(UNMARKED)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(f"{NO_QEMU}; to skip the test instead, mark it: @pytest.mark.gradmote_emulator")
    result.stdout.no_fnmatch_line("*Traceback*")


def test_a_marked_test_runs_where_a_port_is_given(run, no_emulator) -> None:
    result = run(NAMED, "--gradmote-board=/dev/there_is_none")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines("*RuntimeError: began")


def test_a_firmware_of_ones_own_may_be_missing_too(run, no_firmware) -> None:
    result = run(ASKED.replace("'model.mote'", "").replace('"model.mote")', '"model.mote", firmware="own.elf")'))
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines("SKIPPED*there is no firmware own.elf*")


def test_a_board_that_does_not_exist_is_an_error_and_no_skip(run) -> None:
    run(NAMED.replace("an386", "an3886")).assert_outcomes(errors=1)
    result = run(ASKED.replace("an505", "an5055"))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines("*there is no board mps2-an5055 - boards are *")


def test_the_marker_is_registered(run) -> None:
    run("", "--markers").stdout.fnmatch_lines("@pytest.mark.gradmote_emulator(*boards): skips if*")


def test_another_marker_is_not(run) -> None:
    result = run("@pytest.mark.gradmote_emulation\ndef test_it():\n    pass\n")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines("*'gradmote_emulation' not found in `markers` configuration option")
