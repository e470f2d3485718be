"""The shape that the code has reached stays."""

from pathlib import Path

import pytest
import structure


def test_no_import_goes_round():
    assert structure.circles() == []


def test_every_import_is_of_a_room_above():
    """The table of docs/ARCHITECTURE.md is the order of the rooms."""
    assert structure.imports_against_the_rows() == []


def test_the_table_has_every_room():
    assert structure.rooms() == set(structure.rows_of_rooms())


def test_no_c_module_goes_round():
    assert structure.c_circles("runtime_c/src") == []
    assert structure.c_circles("bindings/micropython/gradmote") == []
    assert structure.c_circles("firmware/src", structure.REPLACED) == []


def test_no_file_of_the_bindings_goes_round():
    assert structure.ts_circles("bindings/js/src") == []
    assert structure.ts_circles("bindings/js/studio/src") == []


def test_a_circle_of_types_is_found(tmp_path: Path):
    (tmp_path / "a.ts").write_text('import type { B } from "./b.js";\n')
    (tmp_path / "b.ts").write_text('export { A } from "./c";\n')
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "index.ts").write_text('const a = await import("../a.js");\n')
    found = structure.ts_circles(str(tmp_path))
    assert [{Path(name).name for name in group} for group in found] == [{"a.ts", "b.ts", "index.ts"}]


def test_a_circle_through_calls_is_found_without_an_include(tmp_path: Path):
    (tmp_path / "run.c").write_text('#include "public.h"\nint run(void)\n{\n    return end();\n}\n')
    (tmp_path / "end.c").write_text('#include "public.h"\nint end(void)\n{\n    return run();\n}\n')
    assert structure.c_circles(str(tmp_path)) == [{"run", "end"}]
    assert structure.c_circles(str(tmp_path), replaced=["end"]) == []
    (tmp_path / "end.c").write_text("/* run() */\nstatic int run(void)\n{\n    return 0;\n}\n")
    structure.c_modules.cache_clear()
    assert structure.c_circles(str(tmp_path)) == []


def test_few_modules_stand_at_the_top():
    assert len(structure.top_modules()) <= 6


def test_few_files_have_one_name():
    assert structure.names_used_often() == {}


def test_an_operator_is_four_files():
    found = structure.files_by_hand(structure.OPERATOR_ADDED)
    if found is None:
        pytest.skip("this clone does not have the commit")
    assert len(found) == 4


def test_prose_has_short_lines():
    assert structure.long_prose() == 0


def test_docstrings_begin_with_a_verb_or_a_thing():
    assert structure.without_verb() == []
