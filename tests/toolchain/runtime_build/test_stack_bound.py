"""The deepest way through a call graph: what it adds up, and what it refuses to guess."""

from __future__ import annotations

import pytest
from stack_bound import (
    Graph,
    Unbounded,
    add_pointed_to,
    count_registers,
    deepest,
    frame_of,
    goes_to,
    interrupted,
    read_graph,
    require_reached,
)

POINTER = "__indirect_call"


def graph_of(folder, frames, calls, kind="static"):
    """frames: {"file.c:function": bytes}; the compiler titles functions static_* with their file."""
    folder.mkdir(exist_ok=True)
    title = {place.partition(":")[2]: place.partition(":")[2] for place in frames}
    title |= {name: place for place in frames if (name := place.partition(":")[2]).startswith("static_")}
    lines = ['graph: { title: "x"']
    for place, frame in frames.items():
        file, _, name = place.partition(":")
        lines.append(f'node: {{ title: "{title[name]}" label: "{name}\\n{file}:1:2\\n{frame} bytes ({kind})" }}')
    for caller, called in calls:
        lines.append(f'edge: {{ sourcename: "{title[caller]}" targetname: "{title.get(called, called)}" label: "x" }}')
    (folder / "x.ci").write_text("\n".join([*lines, "}"]))
    graph = read_graph([folder / "x.ci"])
    add_pointed_to(graph)
    return graph


def test_the_deepest_way_is_found(tmp_path):
    frames = {"a.c:main": 8, "a.c:wide": 40, "a.c:long": 16, "a.c:leaf": 30}
    graph = graph_of(tmp_path, frames, [("main", "wide"), ("main", "long"), ("long", "leaf")])
    assert deepest(graph, "main", {}, []) == (54, ["main", "long", "leaf"])


def test_a_pointer_reaches_the_functions_of_its_file_that_nobody_calls(tmp_path):
    frames = {"a.c:main": 8, "a.c:static_one": 40, "a.c:static_two": 48, "b.c:other": 100}
    graph = graph_of(tmp_path, frames, [("main", POINTER)])
    assert deepest(graph, "main", {}, []) == (56, ["main", "a.c:static_two"])


def test_kernels_are_reached_from_the_executor(tmp_path):
    frames = {"runtime_c/src/execute.c:gm_run": 8, "k.c:gm_kernel_relu": 4, "k.c:gm_kernel_conv": 64, "k.c:more": 999}
    graph = graph_of(tmp_path, frames, [("gm_run", POINTER), ("gm_kernel_relu", "gm_kernel_conv")])
    assert deepest(graph, "gm_run", {}, []) == (76, ["gm_run", "gm_kernel_relu", "gm_kernel_conv"])


def test_checkpoints_are_checked_without_writing():
    runtime, slots = "runtime_c/src/checkpoint.c", "firmware/src/storage/slots.c"
    files = {"gm_checkpoint_load": runtime, f"{runtime}:append": runtime}
    files |= {"slots_read": slots, f"{slots}:write_flash": slots}
    graph = Graph(dict.fromkeys(files, 8), files, {name: {POINTER} for name in files if runtime in files[name]})
    add_pointed_to(graph)
    assert graph.calls == {"gm_checkpoint_load": {"slots_read"}, f"{runtime}:append": {f"{slots}:write_flash"}}


def test_what_a_save_appends_is_counted():
    """The next base of a round comes word by word, through two pointers."""
    runtime, base = "runtime_c/src/checkpoint.c", "runtime_c/src/new_base.c"
    files = {f"{runtime}:{name}": runtime for name in ("append_body", "append_next_base", "put_word_in_file")}
    files |= {"gm_new_base_make": base, f"{base}:put_word_in_place": base}
    graph = Graph(
        dict.fromkeys(files, 8), files, {name: {POINTER} for name in (f"{runtime}:append_body", "gm_new_base_make")}
    )
    add_pointed_to(graph)
    assert graph.calls == {
        f"{runtime}:append_body": {f"{runtime}:append_next_base"},
        "gm_new_base_make": {f"{runtime}:put_word_in_file", f"{base}:put_word_in_place"},
    }


def test_a_function_to_which_no_way_leads_is_refused(tmp_path):
    """Only a pointer leads there, and it was taken for one to other functions. Functions that the linker dropped do not
    count."""
    frames = {"a.c:main": 8, "a.c:static_one": 40, "b.c:static_two": 400, "b.c:dropped": 4, "b.c:fault_handler": 4}
    graph = graph_of(tmp_path, frames, [("main", POINTER)])
    linked = ["main", "static_one", "fault_handler"]
    require_reached(graph, linked, "main")
    with pytest.raises(Unbounded, match="no way leads to b.c:static_two: say in REACHED"):
        require_reached(graph, [*linked, "static_two"], "main")


def test_one_interrupt_comes_on_top(tmp_path):
    frames = {"a.c:main": 8, "a.c:leaf": 30, "b.c:tick_interrupt": 12, "b.c:byte_interrupt": 4, "b.c:put": 16}
    graph = graph_of(tmp_path, frames, [("main", "leaf"), ("byte_interrupt", "put")])
    way = deepest(graph, "main", {}, [])
    assert interrupted(graph, way, 36) == (38 + 36 + 20, ["main", "leaf", "byte_interrupt", "put"])
    del graph.frames["byte_interrupt"], graph.frames["tick_interrupt"]
    assert interrupted(graph, way, 36) == way


def test_what_has_no_bound_is_refused(tmp_path):
    with pytest.raises(Unbounded, match="varying size"):
        graph_of(tmp_path, {"a.c:main": 8}, [], kind="dynamic")
    with pytest.raises(Unbounded, match="nobody knows whom"):
        graph_of(tmp_path, {"a.c:main": 8, "a.c:f": 4, "b.c:g": 4}, [("f", POINTER), ("main", "f"), ("g", "main")])
    graph = graph_of(tmp_path, {"a.c:main": 8, "a.c:f": 4}, [("main", "f"), ("f", "main")])
    with pytest.raises(Unbounded, match="main -> f -> main: a function calls itself"):
        deepest(graph, "main", {}, [])


def test_frames_of_library_functions_are_read_from_their_code():
    assert count_registers("r3, r4-r7, lr") == 6 and count_registers("s16-s31") == 16
    body = "  0:\te92d 41f0 \tstmdb\tsp!, {r4, r5, r6, r7, r8, lr}\n  4:\tb084 \tsub\tsp, #16\n"
    assert frame_of(body) == 40
    assert frame_of("  0:\tb510 \tpush\t{r4, lr}\n  2:\tf84d 0d04 \tstr.w\tr0, [sp, #-4]!\n") == 12
    assert frame_of("  0:\t4770 \tbx\tlr\n") == 0
    assert frame_of("  0:\tf84d ed08 \tstr.w\tlr, [sp, #-8]!\n") == 8


def test_library_functions_call_jump_and_run_on():
    called = "  0:\tf7ff fff4 \tbl\te3f0 <compare>\n  4:\tdb10 \tblt.n\te0b8 <within+0x5c>\n"
    left = "  6:\te7ff \tb.n\te3f0 <other>\n  8:\tbf00 \tnop\n"
    assert goes_to(called + left, "next") == {"compare", "within", "other"}
    assert goes_to("  0:\tbd10 \tpop\t{r4, pc}\n", "next") == set()
    assert goes_to("  0:\tbd02 \tpop\t{r1, pc}\n  2:\t46c0 \tnop\t\t\t@ (mov r8, r8)\n", "next") == set()
    assert goes_to("  0:\tf081 4100 \teor.w\tr1, r1, #2147483648\n  4:\tbf00 \tnop\n", "next") == {"next"}


def test_library_functions_of_risc_v():
    taken = "  0:\t1101                \tadd\tsp,sp,-32\n  2:\tca26                \tsw\ts1,20(sp)\n"
    within = "  4:\tc4b5                \tbeqz\ts1,2041070a <__divsf3+0x92>\n"
    called = "  6:\t2a3d                \tjal\t204112b6 <__clzsi2>\n  8:\t00830067 \tjr\t8(t1) # 20400010 <other>\n"
    freed = "  c:\t6105                \tadd\tsp,sp,32\n  e:\t8082                \tret\n"
    assert frame_of(taken + freed) == 32
    assert goes_to(taken + within + called + freed, "next") == {"__divsf3", "__clzsi2", "other"}
    assert goes_to(taken, "next") == {"next"}
    assert goes_to("  0:\tbfd9                \tj\t20400010 <other>\n", "next") == {"other"}
