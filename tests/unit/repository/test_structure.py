"""The shape that the code has reached stays."""

import structure


def test_no_import_goes_round():
    assert structure.circles() == []


def test_no_module_of_the_runtime_goes_round():
    assert structure.c_circles("runtime_c/src", with_calls=True) == []
    assert structure.c_circles("firmware/src", with_calls=False) == []


def test_few_modules_stand_at_the_top():
    assert len(structure.top_modules()) <= 6


def test_few_files_have_one_name():
    assert structure.names_used_often() == {}


def test_prose_has_short_lines():
    assert structure.long_prose() == 0


def test_docstrings_begin_with_a_verb_or_a_thing():
    assert structure.without_verb() == []
