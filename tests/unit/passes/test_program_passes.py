"""Each pass on a flat program: what it does, and what it must leave."""

import pytest

from gradmote import optimizers
from gradmote.compiler import Options, compile_image
from gradmote.compiler.passes import (
    accumulate_gradients,
    direct_writes,
    fuse_add,
    fuse_relu,
    fuse_update,
    schedule,
    share_in_place,
)
from gradmote.errors import GradmoteError
from gradmote.generated.opcodes import OPCODES
from gradmote.ir.generated.instructions import INSTRUCTIONS, Relu
from gradmote.ir.program import Binding, Buffer, Compiled, Parameter, Program, Ref
from gradmote.ir.verify import BrokenPass, verify_program
from support import digits


def scratch(name, elements):
    return Buffer(name, 4 * elements, "scratch")


def instruction(opcode, params=None, **operands):
    """Buffers as operands; parameters that are not given are 1, strides and flags 0, enumerations their first value."""
    refs = {n: Ref(b) if isinstance(b, Buffer) else b for n, b in operands.items()}
    kinds = OPCODES[opcode]["params"]
    given = {"dim": 1, "f32": 1, "stride": 0, "flag": False}
    defaults = {n: choices[0] if choices else given[kind] for n, (kind, choices) in kinds.items()}
    return INSTRUCTIONS[opcode](**refs, **{**defaults, **(params or {})})


def flat(n):
    """Parameters of a binary instruction over n contiguous elements."""
    return {"d3": n, "a3": 1, "b3": 1}


def compiled(program, parameters=()):
    verify_program(program)
    return Compiled([program], list(parameters), [], [], Buffer("control", 48, "control"), [], 1, 0.1)


def run(module, program, parameters=()):
    module.run(compiled(program, parameters))
    verify_program(program)
    return [i.opcode for i in program.instructions]


X, W = Buffer("x", 24, "input"), Buffer("w", 24, "parameter")


# ---- fuse_relu


def product_and_relu(elements=6, **gemm):
    h, y = scratch("h", 6), scratch("y", elements)
    product = instruction("GEMM", {"m": 2, "n": 3, "k": 2, **gemm}, a=X, b=W, y=h)
    return h, y, Program("infer", [product, instruction("RELU", {"n": elements}, x=h, y=y)])


def test_relu_is_fused_into_the_product():
    _, y, program = product_and_relu()
    assert run(fuse_relu, program) == ["GEMM"]
    assert program.instructions[0].params["activation"] == "relu" and program.instructions[0].operands["y"] == Ref(y)


def test_relu_stays_where_something_else_reads_the_sum():
    h, y, program = product_and_relu()
    program.instructions.append(instruction("ADD", flat(6), a=h, b=y, y=scratch("z", 6)))
    assert run(fuse_relu, program) == ["GEMM", "RELU", "ADD"]


def test_relu_stays_where_the_sum_is_an_output():
    h, _, program = product_and_relu()
    program.bindings.append(Binding("h", "output", "f32", (2, 3), Ref(h)))
    assert run(fuse_relu, program) == ["GEMM", "RELU"]


def test_relu_of_a_part_stays():
    assert run(fuse_relu, product_and_relu(elements=4)[2]) == ["GEMM", "RELU"]


def test_second_relu_stays():
    _, _, program = product_and_relu(activation=1)
    assert run(fuse_relu, program) == ["GEMM", "RELU"]


# ---- fuse_add


def sum_of_products(second="GEMM", **add):
    """x w + x w, in two products of 6 elements."""
    a, b, y = scratch("a", 6), scratch("b", 6), scratch("y", 6)
    makers = {
        "GEMM": instruction("GEMM", {"m": 2, "n": 3, "k": 2}, a=X, b=W, y=b),
        "TANH": instruction("TANH", {"n": 6}, x=X, y=b),
    }
    first = instruction("TANH", {"n": 6}, x=X, y=a)
    total = instruction("ADD", {**flat(6), **add}, a=a, b=b, y=y)
    result = scratch("r", 6)
    return a, b, Program("step", [first, makers[second], total, instruction("TANH", {"n": 6}, x=y, y=result)])


def test_the_second_product_starts_from_the_first_result():
    a, _, program = sum_of_products()
    assert run(fuse_add, program) == ["TANH", "GEMM", "TANH"]
    product, reader = program.instructions[1:]
    assert product.params["accumulate"] == 1 and product.operands["y"] == Ref(a) and reader.operands["x"] == Ref(a)


def test_what_cannot_start_from_something_is_added():
    assert run(fuse_add, sum_of_products(second="TANH")[2]) == ["TANH", "TANH", "ADD", "TANH"]


def test_a_broadcast_summand_is_added():
    assert run(fuse_add, sum_of_products(b3=0)[2]) == ["TANH", "GEMM", "ADD", "TANH"]


@pytest.mark.parametrize("which", [0, 1])
def test_a_summand_that_is_read_elsewhere_is_added(which):
    *summands, program = sum_of_products()
    program.instructions.insert(2, instruction("RELU", {"n": 6}, x=summands[which], y=scratch("z", 6)))
    assert run(fuse_add, program) == ["TANH", "GEMM", "RELU", "ADD", "TANH"]


@pytest.mark.parametrize("which", [0, 1])
def test_a_summand_that_the_caller_sees_is_added(which):
    *summands, program = sum_of_products()
    program.bindings.append(Binding("seen", "output", "f32", (2, 3), Ref(summands[which])))
    assert run(fuse_add, program) == ["TANH", "GEMM", "ADD", "TANH"]


# ---- accumulate_gradients


def trained(name="w"):
    return Parameter(name, (2, 3), Buffer(name, 24, "parameter"), Buffer(f"{name}_grad", 24, "gradient"))


def gradient_program(opcode="GEMM"):
    g = scratch("g", 6)
    makers = {
        "GEMM": instruction("GEMM", {"m": 2, "n": 3, "k": 2}, a=X, b=X, y=g),
        "REDUCE_SUM": instruction("REDUCE_SUM", {"k3": 6, "ks3": 1, "scale": 1.0}, x=X, y=g),
        "TANH": instruction("TANH", {"n": 6}, x=X, y=g),
    }
    return g, Program("train", [makers[opcode]], gradients={"w": Ref(g)})


@pytest.mark.parametrize("opcode", ["GEMM", "REDUCE_SUM"])
def test_sums_start_from_the_gradient(opcode):
    parameter, (_, program) = trained(), gradient_program(opcode)
    assert run(accumulate_gradients, program, [parameter]) == [opcode]
    assert program.instructions[0].params["accumulate"] == 1
    assert program.instructions[0].operands["y"] == Ref(parameter.gradient)


def test_other_results_are_added():
    parameter, (g, program) = trained(), gradient_program("TANH")
    assert run(accumulate_gradients, program, [parameter]) == ["TANH", "ADD"]
    added = program.instructions[1].operands
    assert (added["a"], added["b"], added["y"]) == (Ref(parameter.gradient), Ref(g), Ref(parameter.gradient))


def test_a_gradient_that_is_read_elsewhere_is_added():
    g, program = gradient_program()
    program.instructions.append(instruction("RELU", {"n": 6}, x=g, y=scratch("y", 6)))
    assert run(accumulate_gradients, program, [trained()]) == ["GEMM", "RELU", "ADD"]


def test_a_gradient_of_two_parameters_is_added_to_both():
    g, program = gradient_program()
    program.gradients["v"] = Ref(g)
    assert run(accumulate_gradients, program, [trained("w"), trained("v")]) == ["GEMM", "ADD", "ADD"]


def test_only_the_program_train_accumulates():
    _, program = gradient_program()
    program.kind = "step"
    assert run(accumulate_gradients, program, [trained()]) == ["GEMM"]


def test_a_missing_gradient_is_a_defect():
    _, program = gradient_program()
    program.gradients.clear()
    with pytest.raises(GradmoteError, match="no gradient for 'w'"):
        run(accumulate_gradients, program, [trained()])


# ---- fuse_update

RATE, RULE = Buffer("rate", 4, "control"), Buffer("rule", 32, "constant", bytes(32))


def update(g, p=W, **operands):
    return instruction("UPDATE", {"n": 6}, g=g, p=p, lr=RATE, rule=RULE, **operands)


def gradient(a=X, b=X, name="g", **params):
    g = scratch(name, 6)
    return g, instruction("GEMM", {"m": 2, "n": 3, "k": 2, **params}, a=a, b=b, y=g)


def test_gradient_and_update_become_one():
    g, gemm = gradient(a_col=5)
    program = Program("step", [gemm, update(g)])
    assert run(fuse_update, program) == ["GEMM_UPDATE"]
    fused = program.instructions[0]
    assert fused.params["a_col"] == 5 and fused.operands["row"].buffer.size == 12 and fused.operands["p"] == Ref(W)


@pytest.mark.parametrize("why", ["clipped", "read twice", "batched", "activated"])
def test_gradient_that_must_exist_as_a_whole(why):
    g, gemm = gradient(**{"batched": {"batch": 2}, "activated": {"activation": 1}}.get(why, {}))
    program = Program("step", [gemm])
    if why == "read twice":
        program.instructions.append(instruction("SUM_SQUARES", {"n": 6}, x=g, y=scratch("norm", 1)))
    factor = {"scale": Buffer("factor", 4, "constant", bytes(4))} if why == "clipped" else {}
    program.instructions.append(update(g, **factor))
    assert run(fuse_update, program)[-1] == "UPDATE"


def joined(count=2, stride=1):
    """A gradient of `count` blocks of 6, each made by a GEMM and copied to its place."""
    g, made = Buffer("g", 24 * count, "scratch"), []
    for index in range(count):
        part, gemm = gradient(name=f"part_{index}", a_col=index)
        params = {f"{d}5": v for d, v in (("d", 6), ("s", 1), ("t", stride))}
        params |= {f"d{i}": 1 for i in range(5)}
        copy = instruction("COPY", params, x=part, y=Ref(g, 24 * index))
        made += [gemm, copy]
    return g, made


@pytest.mark.parametrize("width", [4, 2])
def test_blocks_of_rows_are_updated_by_themselves(width):
    """width: bytes of a moment."""
    g, made = joined()
    weights, moment = Buffer("v", 48, "parameter"), Buffer("m", 12 * width, "slot")
    last = instruction("UPDATE", {"n": 12}, g=g, p=weights, slot1=moment, lr=RATE, rule=RULE)
    program = Program("step", [*made, last])
    assert run(fuse_update, program) == ["GEMM_UPDATE", "GEMM_UPDATE"]
    places = [(i.params["a_col"], i.operands["p"], i.operands["slot1"]) for i in program.instructions]
    assert places == [(n, Ref(weights, 24 * n), Ref(moment, 6 * width * n)) for n in (0, 1)]


@pytest.mark.parametrize("why", ["block read twice", "block missing", "spread", "other maker"])
def test_blocks_that_must_exist_as_a_whole(why):
    g, made = joined(stride=2 if why == "spread" else 1)
    if why == "block read twice":
        made.append(instruction("SUM_SQUARES", {"n": 6}, x=made[0].operands["y"], y=scratch("norm", 1)))
    elif why == "block missing":
        made = made[:2]
    elif why == "other maker":
        made[0] = instruction("RELU", {"n": 6}, x=X, y=made[0].operands["y"])
    last = instruction("UPDATE", {"n": 12}, g=g, p=Buffer("v", 48, "parameter"), lr=RATE, rule=RULE)
    assert run(fuse_update, Program("step", [*made, last]))[-1] == "UPDATE"


def test_gradient_made_from_the_parameter_itself():
    g, gemm = gradient(b=W)
    assert run(fuse_update, Program("step", [gemm, update(g)])) == ["GEMM", "UPDATE"]


def test_gradients_made_from_each_others_parameters():
    """Check that only the product whose inputs are not yet updated at its own update can wait for it."""
    v = Buffer("v", 24, "parameter")
    (g, first), (h, second) = gradient(a=v), gradient(a=W, name="h")
    program = Program("step", [first, second, update(g, W), update(h, v)])
    assert run(fuse_update, program) == ["GEMM", "GEMM_UPDATE", "UPDATE"]


# ---- schedule


def test_what_frees_scratch_goes_first():
    """Two wide branches, each reduced to one number: one after the other, not side by side."""
    wide = [scratch(f"wide{i}", 100) for i in range(2)]
    sums = [scratch(f"sum{i}", 1) for i in range(2)]
    program = Program(
        "infer",
        [
            *(instruction("TANH", {"n": 100}, x=X, y=b) for b in wide),
            *(instruction("REDUCE_SUM", {"r3": 100, "rs3": 1, "scale": 1.0}, x=b, y=s) for b, s in zip(wide, sums)),
        ],
    )
    assert run(schedule, program) == ["TANH", "REDUCE_SUM", "TANH", "REDUCE_SUM"]


def test_update_comes_after_every_reader_of_the_old_value():
    h, y, g = scratch("h", 6), scratch("y", 6), scratch("g", 6)
    program = Program(
        "step",
        [
            instruction("TANH", {"n": 6}, x=W, y=g),
            instruction("ADD", flat(6), a=W, b=X, y=h),
            instruction("MUL", flat(6), a=h, b=W, y=y),
            update(g),
        ],
        [Binding("y", "output", "f32", (6,), Ref(y))],
    )
    assert run(schedule, program)[-1] == "UPDATE"


def test_checks_come_before_any_write_of_state():
    g = scratch("g", 6)
    program = Program(
        "step", [instruction("CHECK_FINITE", {"n": 6}, x=X), instruction("TANH", {"n": 6}, x=X, y=g), update(g)]
    )
    order = run(schedule, program)
    assert order.index("CHECK_FINITE") < order.index("UPDATE")


def test_schedule_keeps_every_instruction_and_every_dependency():
    """The schedule of a whole training step is a permutation in which no read passes a write of its buffer."""
    before = compile_image(digits.artifacts(optimizers.adamw(clip_norm=1.0)), Options(batch=2)).compiled
    for program in before.programs:
        shuffled = Program(program.kind, schedule.order(program), program.bindings)
        assert {id(i) for i in shuffled.instructions} == {id(i) for i in program.instructions}
        assert history(shuffled) == history(program)


def history(program):
    """Return, for each buffer, who wrote it, and who read each of its values."""
    made = {}
    for i in program.instructions:
        for ref in i.reads:
            made.setdefault(ref.buffer, [(None, set())])[-1][1].add(id(i))
        for ref in i.writes:
            made.setdefault(ref.buffer, [(None, set())]).append((id(i), set()))
    return made


# ---- share_in_place


def chain(last_read=False):
    a, b, y = scratch("a", 6), scratch("b", 6), scratch("y", 6)
    program = Program("infer", [instruction("TANH", {"n": 6}, x=X, y=a), instruction("RELU", {"n": 6}, x=a, y=b)])
    program.instructions.append(instruction("ADD", flat(6), a=b, b=a if last_read else X, y=y))
    return a, b, y, program


def test_output_takes_over_a_dying_input():
    a, _, y, program = chain()
    program.bindings.append(Binding("y", "output", "f32", (6,), Ref(y)))
    run(share_in_place, program)
    assert all(i.operands["y"] == Ref(a) for i in program.instructions)
    assert program.bindings[0].ref == Ref(a)


def test_input_that_is_read_later_keeps_its_bytes():
    _, b, _, program = chain(last_read=True)
    run(share_in_place, program)
    assert program.instructions[1].operands["y"] == Ref(b)


def test_an_output_of_the_program_keeps_its_bytes():
    a, b, _, program = chain()
    program.bindings.append(Binding("a", "output", "f32", (6,), Ref(a)))
    run(share_in_place, program)
    assert program.instructions[1].operands["y"] == Ref(b)


@pytest.mark.parametrize(
    "why, params, elements",
    [
        ("broadcast", {"d2": 2, "d3": 3, "a3": 1, "b2": 3, "b3": 1}, 3),
        ("transposed", {"d2": 2, "d3": 3, "a2": 1, "a3": 2, "b2": 3, "b3": 1}, 6),
    ],
)
def test_input_that_is_walked_otherwise_keeps_its_bytes(why, params, elements):
    a, y = scratch("a", elements), scratch("y", 6)
    program = Program(
        "infer", [instruction("TANH", {"n": elements}, x=X, y=a), instruction("ADD", params, a=a, b=X, y=y)]
    )
    run(share_in_place, program)
    assert program.instructions[1].operands["y"] == Ref(y), why


def test_input_under_two_operands_keeps_its_bytes():
    """x + x' would read what it has overwritten."""
    a, y = scratch("a", 6), scratch("y", 6)
    twice = instruction("ADD", {"d2": 2, "d3": 3, "a2": 3, "a3": 1, "b2": 1, "b3": 2}, a=a, b=a, y=y)
    program = Program("infer", [instruction("TANH", {"n": 6}, x=X, y=a), twice])
    run(share_in_place, program)
    assert twice.operands["y"] == Ref(y)


def test_opcodes_that_cannot_share_do_not():
    a, y = scratch("a", 6), scratch("y", 6)
    program = Program(
        "infer", [instruction("TANH", {"n": 6}, x=X, y=a), instruction("GEMM", {"m": 2, "n": 3, "k": 3}, a=a, b=W, y=y)]
    )
    run(share_in_place, program)
    assert program.instructions[1].operands["y"] == Ref(y)


# ---- the verifier


def test_verifier_finds_scratch_that_nothing_wrote():
    program = Program("infer", [instruction("RELU", {"n": 6}, x=scratch("h", 6), y=scratch("y", 6))])
    with pytest.raises(BrokenPass, match="infer: RELU reads 'h' before it is written"):
        verify_program(program)


@pytest.mark.parametrize("region", ["constant", "input"])
def test_verifier_finds_writes_where_none_belong(region):
    program = Program("infer", [instruction("RELU", {"n": 6}, x=X, y=Buffer("y", 24, region, bytes(24)))])
    with pytest.raises(BrokenPass, match=f"RELU writes {region} 'y'"):
        verify_program(program)


def test_verifier_reads_accumulating_outputs():
    program = Program("train", [instruction("SUM_SQUARES", {"n": 6, "accumulate": 1}, x=X, y=scratch("norm", 1))])
    with pytest.raises(BrokenPass, match="reads 'norm' before it is written"):
        verify_program(program)


def test_instructions_are_checked_against_their_spec():
    with pytest.raises(GradmoteError, match="RELU .* lacks operand x"):
        Relu(x=None, y=Ref(W), n=6)
    with pytest.raises(TypeError, match="'x'"):
        Relu(y=Ref(W), n=6)
    with pytest.raises(TypeError, match="'m'"):
        Relu(x=Ref(X), y=Ref(W), n=6, m=1)


# ---- direct_writes


def copy_of(source, target, dims, read, written, reason="Concat"):
    """COPY of elements (dims) by the strides read to the strides written."""
    lead = 6 - len(dims)
    params = {}
    for i, (d, s, t) in enumerate(zip([1] * lead + dims, [0] * lead + read, [0] * lead + written, strict=True)):
        params |= {f"d{i}": d, f"s{i}": s, f"t{i}": t}
    found = instruction("COPY", params, x=source, y=target)
    found.reason = reason
    return found


def pool(y, pixels=4, channels=3):
    """A MAX_POOL of `pixels` in one row, channels last."""
    params = {"channels": channels, "in_w": pixels, "out_w": pixels, "x_w": channels, "x_channel": 1}
    return instruction("MAX_POOL", {**params, "y_w": channels, "y_channel": 1}, x=X, y=y)


def side_by_side():
    """Two pools of 3 channels side by side in y."""
    a, b, y, z = scratch("a", 12), scratch("b", 12), scratch("y", 24), scratch("z", 24)
    copies = [copy_of(p, Ref(y, 12 * k), [4, 3], [3, 1], [6, 1]) for k, p in enumerate((a, b))]
    end = instruction("TANH", {"n": 24}, x=y, y=z)
    return a, b, y, Program("infer", [pool(a), pool(b), *copies, end])


def test_parts_are_made_side_by_side():
    _, _, y, program = side_by_side()
    assert run(direct_writes, program) == ["MAX_POOL", "MAX_POOL", "TANH"]
    for k, maker in enumerate(program.instructions[:2]):
        assert maker.operands["y"] == Ref(y, 12 * k)
        assert (maker.params["y_w"], maker.params["y_channel"], maker.params["x_w"]) == (6, 1, 3)


def test_a_part_that_is_also_read_elsewhere_is_copied():
    a, _, _, program = side_by_side()
    program.instructions.insert(2, instruction("TANH", {"n": 12}, x=a, y=scratch("other", 12)))
    assert run(direct_writes, program).count("COPY") == 1


def test_parts_of_a_gradient_are_left_to_its_update():
    _, _, y, program = side_by_side()
    program.gradients = {"w": Ref(y)}
    assert run(direct_writes, program).count("COPY") == 2


def test_what_is_filled_first_is_written_in_its_order():
    _, _, y, program = side_by_side()
    program.instructions.insert(0, copy_of(Buffer("zero", 4, "constant", bytes(4)), y, [24], [0], [1], "fill"))
    assert run(direct_writes, program).count("COPY") == 3


def test_channels_that_come_apart():
    """Transpose (w, c) to (c, w): the pool writes so itself; a kernel that writes side by side cannot."""
    a, y, z = scratch("a", 12), scratch("y", 12), scratch("z", 12)
    turn, end = copy_of(a, y, [4, 3], [3, 1], [1, 4], "row-major"), instruction("TANH", {"n": 12}, x=y, y=z)
    program = Program("infer", [pool(a), turn, end])
    assert run(direct_writes, program) == ["MAX_POOL", "TANH"]
    assert (program.instructions[0].params["y_w"], program.instructions[0].params["y_channel"]) == (1, 4)
    sigmoid = instruction("SIGMOID", {"n": 12}, x=X, y=a)
    assert run(direct_writes, Program("infer", [sigmoid, turn, end])) == ["SIGMOID", "COPY", "TANH"]


def test_relu_of_joined_parts_goes_into_both_products():
    a, b, y, z = scratch("a", 6), scratch("b", 6), scratch("y", 12), scratch("z", 12)
    products = [instruction("GEMM", {"m": 2, "n": 3, "k": 2}, a=X, b=W, y=p) for p in (a, b)]
    copies = [copy_of(p, Ref(y, 24 * k), [6], [1], [1]) for k, p in enumerate((a, b))]
    program = Program("infer", [*products, *copies, instruction("RELU", {"n": 12}, x=y, y=z)])
    run(direct_writes, program)
    assert run(fuse_relu, program) == ["GEMM", "GEMM"]
    assert [i.operands["y"] for i in program.instructions] == [Ref(z), Ref(z, 24)]
    assert all(i.params["activation"] == "relu" for i in program.instructions)


def test_several_products_add_up_in_one_buffer():
    parts = [scratch(f"p{i}", 6) for i in range(3)]
    products = [instruction("GEMM", {"m": 2, "n": 3, "k": 2}, a=X, b=W, y=p) for p in parts]
    first, total, end = scratch("first", 6), scratch("total", 6), scratch("end", 6)
    adds = [instruction("ADD", flat(6), a=parts[0], b=parts[1], y=first)]
    adds.append(instruction("ADD", flat(6), a=first, b=parts[2], y=total))
    program = Program("infer", [*products, *adds, instruction("TANH", {"n": 6}, x=total, y=end)])
    assert run(fuse_add, program) == ["GEMM", "GEMM", "GEMM", "TANH"]
    assert {i.operands["y"].buffer for i in program.instructions[:3]} == {parts[0]}
    assert [i.params["accumulate"] for i in program.instructions[:3]] == [0, 1, 1]
