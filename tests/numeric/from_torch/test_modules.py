"""gradmote.torch: modules train by their own names, as autograd and torch.optim do, and state_dicts go both ways."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradmote.torch as front
from gradmote import Session, optimizers
from gradmote.errors import CheckpointError, GradmoteError, ModelError
from gradmote.formats.checkpoint import unpack

torch = pytest.importorskip("torch")
nn, F = torch.nn, torch.nn.functional
from numeric.from_torch.modules import BATCH, MODULES, Adapted, Convolutions, Parametrized, Recurrent, Tied  # noqa: E402


@pytest.fixture(autouse=True)
def _seeded() -> None:
    torch.manual_seed(0)


def labels_for(module: Any, x: Any) -> Any:
    """Classes for a module's scores, whose last dimension has them."""
    with torch.no_grad():
        shape = copy.deepcopy(module)(x).shape
    return torch.randint(0, shape[-1], shape[:-1])


def scores_last(scores: Any, labels: Any) -> Any:
    return F.cross_entropy(scores.flatten(0, -2), labels.flatten())


def arrays(*tensors: Any) -> list[np.ndarray]:
    return [tensor.numpy() for tensor in tensors]


@pytest.mark.parametrize("name", MODULES)
def test_gradients_steps_and_states_are_autograds(name: str) -> None:
    module, x = MODULES[name]()
    labels = labels_for(module, x)
    optimizer = torch.optim.AdamW([p for p in module.parameters() if p.requires_grad], 1e-3)
    before = {name: tensor.clone() for name, tensor in module.state_dict().items()}
    made = front.compile(module, x, scores_last, optimizer, batch=BATCH, example_labels=labels)
    found = front.check(made, module, x, labels, optimizer)
    assert found.agrees, str(found)
    trained = [name for name, p in module.named_parameters() if p.requires_grad]
    assert {made.recipe.ties.get(name, name) for name in trained} == {each.name for each in found.parameters}
    assert all(torch.equal(before[name], tensor) for name, tensor in module.state_dict().items())
    compare_after_steps(made, module, optimizer, x, labels)


def compare_after_steps(made: Any, module: Any, optimizer: Any, x: Any, labels: Any) -> None:
    """Six steps on the twin and in torch; then on from the twin's state_dicts, and back."""
    with made.session() as session:
        for _ in range(6):
            ours = session.step(*arrays(x, labels))
        learned = made.state_dict(session)
        assert learned._metadata == module.state_dict()._metadata
        moments = made.optimizer_state_dict(session)
        saved = session.save()
    for _ in range(6):
        optimizer.zero_grad()
        loss = scores_last(module(x), labels)
        loss.backward()
        optimizer.step()
    assert ours == pytest.approx(loss.item(), rel=1e-4)
    for name, tensor in module.state_dict().items():
        np.testing.assert_allclose(learned[name], tensor, rtol=2e-3, atol=2e-5, err_msg=name)
    again = copy.deepcopy(module)
    again.load_state_dict(learned)
    other = torch.optim.AdamW([p for p in again.parameters() if p.requires_grad], 1e-3)
    other.load_state_dict(moments)
    back = made.checkpoint(again, other)
    assert unpack(back).control == unpack(saved).control
    for name, array in unpack(saved).tensors.items():
        compare = np.testing.assert_allclose if name == "bias_correction" else np.testing.assert_array_equal
        compare(unpack(back).tensors[name], array)


# ---- Losses ----------------------------------------------------------------------------------------------------------

CLASSES, PROBABILITIES, REAL, SIGNS = "classes", "probabilities", "real", "signs"
LOSSES: dict[str, tuple[Callable[[], Any], str]] = {
    "cross entropy": (lambda: nn.CrossEntropyLoss(), CLASSES),
    "weighted": (lambda: nn.CrossEntropyLoss(torch.tensor([0.2, 1.0, 3.0]), reduction="sum"), CLASSES),
    "smoothed": (lambda: nn.CrossEntropyLoss(label_smoothing=0.2), CLASSES),
    "weighted and smoothed": (lambda: nn.CrossEntropyLoss(torch.tensor([0.2, 1.0, 3.0]), label_smoothing=0.2), CLASSES),
    "ignoring": (lambda: nn.CrossEntropyLoss(ignore_index=1), CLASSES),
    "probabilities": (lambda: nn.CrossEntropyLoss(), PROBABILITIES),
    "mse": (lambda: nn.MSELoss(), REAL),
    "summed mse": (lambda: nn.MSELoss(reduction="sum"), REAL),
    "l1": (lambda: nn.L1Loss(), REAL),
    "smooth l1": (lambda: nn.SmoothL1Loss(beta=0.7), REAL),
    "huber": (lambda: nn.HuberLoss(delta=0.6), REAL),
    "bce with logits": (lambda: nn.BCEWithLogitsLoss(), PROBABILITIES),
    "bce with pos_weight": (lambda: nn.BCEWithLogitsLoss(pos_weight=torch.tensor([1.0, 2.0, 0.5])), PROBABILITIES),
    "bce with weight": (lambda: nn.BCEWithLogitsLoss(weight=torch.tensor([1.0, 2.0, 0.5])), PROBABILITIES),
    "kl": (lambda: nn.KLDivLoss(reduction="batchmean"), PROBABILITIES),
    "kl of logarithms": (lambda: nn.KLDivLoss(reduction="sum", log_target=True), REAL),
    "nll": (lambda: lambda y, t: F.nll_loss(F.log_softmax(y, 1), t), CLASSES),
    "focal": (lambda: lambda y, t: focal(y, t), CLASSES),
}


def focal(scores: Any, labels: Any) -> Any:
    """A function of one's own, with a constant of its own."""
    log = F.log_softmax(scores, 1).gather(1, labels[:, None])[:, 0]
    return -((1 - log.exp()) ** 2 * log).mean()


def labels_of_kind(kind: str) -> Any:
    return {
        CLASSES: torch.tensor([0, 2, 1, 2]),
        PROBABILITIES: torch.softmax(torch.randn(BATCH, 3), 1),
        REAL: torch.randn(BATCH, 3),
    }[kind]


@pytest.mark.parametrize("name", LOSSES)
def test_losses_are_torchs(name: str) -> None:
    make, kind = LOSSES[name]
    module, loss, labels = nn.Sequential(nn.Linear(6, 5), nn.Tanh(), nn.Linear(5, 3)), make(), labels_of_kind(kind)
    optimizer = torch.optim.SGD(module.parameters(), 0.1, momentum=0.9, nesterov=True, weight_decay=0.01)
    x = torch.randn(BATCH, 6)
    example = labels if not isinstance(loss, nn.Module) or kind == PROBABILITIES else None
    made = front.compile(module, x, loss, optimizer, batch=BATCH, example_labels=example)
    found = front.check(made, module, x, labels, optimizer)
    assert found.agrees, str(found)


class Pair(nn.Module):
    """Two outputs of one embedding, of two inputs."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.embed = nn.Linear(6, 4)
        self.count = count

    def forward(self, *x: Any) -> Any:
        return tuple(self.embed(each) for each in x)


@pytest.mark.parametrize(
    ("loss", "inputs", "labels"),
    [(nn.TripletMarginLoss(), 3, ()), (nn.CosineEmbeddingLoss(margin=0.1), 2, (torch.tensor([1.0, -1.0, 1.0, -1.0]),))],
    ids=["triplet", "cosine"],
)
def test_losses_of_several_outputs(loss: Any, inputs: int, labels: Any) -> None:
    module, x = Pair(inputs), tuple(torch.randn(BATCH, 6) for _ in range(inputs))
    optimizer = torch.optim.Adam(module.parameters(), 1e-3)
    made = front.compile(module, x, loss, optimizer, batch=BATCH)
    found = front.check(made, module, x, labels, optimizer)
    assert found.agrees, str(found)


# ---- What stays, and what is refused ---------------------------------------------------------------------------------


def test_what_does_not_require_gradients_is_constant() -> None:
    module, x = Adapted(), torch.randn(BATCH, 6)
    made = front.compile(module, x, nn.MSELoss(), optimizers.sgd(0.1), batch=BATCH)
    with made.session() as session:
        assert session.parameter_names() == ["a.weight", "b.weight"]
        session.step(*arrays(x, torch.randn(BATCH, 3)))
        learned = made.state_dict(session)
    assert torch.equal(learned["base.weight"], module.base.weight)
    assert not torch.equal(learned["b.weight"], module.b.weight)


def test_a_tied_parameter_comes_back_under_all_its_names() -> None:
    module, x = Tied(), torch.randint(0, 20, (BATCH, 7))
    made = front.compile(module, x, scores_last, optimizers.sgd(0.1), batch=BATCH, example_labels=x)
    with made.session() as session:
        assert len(session.parameter_names()) == 3
        session.step(*arrays(x, x))
        learned = made.state_dict(session)
    assert torch.equal(learned["head.weight"], learned["embedding.weight"])
    assert not torch.equal(learned["head.weight"], module.head.weight)


def test_an_exported_program_is_taken_as_it_was_exported() -> None:
    """Its BatchNorms train, though it has no modules of their kind; what was learned goes into the module."""
    module, x, labels = Convolutions(), torch.randn(BATCH, 1, 8, 8), torch.randint(0, 3, (BATCH,))
    program = torch.export.export(module, (x,))
    optimizer = torch.optim.SGD(program.parameters(), 0.1)
    made = front.compile(program, x, nn.CrossEntropyLoss(), optimizer, batch=BATCH)
    assert front.check(made, program, x, labels, optimizer).agrees
    with made.session() as session:
        session.step(*arrays(x, labels.int()))
        state = made.state_dict(session)
    optimizer = torch.optim.SGD(module.parameters(), 0.1)
    F.cross_entropy(module(x), labels).backward()
    optimizer.step()
    for name, tensor in module.state_dict().items():
        assert torch.allclose(state[name].double(), tensor.double(), rtol=1e-4, atol=1e-6), name
    module.load_state_dict(state)
    assert made.checkpoint(program) == made.checkpoint(module)  # the program has the module's own parameters


class Reversed(torch.autograd.Function):
    """A function whose gradient is not that of what it computes."""

    @staticmethod
    def forward(_: Any, x: Any) -> Any:
        return x.clone()

    @staticmethod
    def backward(_: Any, gradient: Any) -> Any:  # type: ignore[override]
        return -gradient


class Adversarial(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(6, 8), nn.Linear(8, 3)

    def forward(self, x: Any) -> Any:
        return self.last(torch.tanh(Reversed.apply(self.first(x))))


def test_gradients_that_are_another_are_refused() -> None:
    module, x = Adversarial(), torch.randn(BATCH, 6)
    rule = torch.optim.SGD(module.parameters(), 0.1)
    with pytest.raises(ModelError, match=r"gradient of 'first.weight' is another than autograd's, by 2.0e\+00"):
        front.compile(module, x, nn.CrossEntropyLoss(), rule, batch=BATCH)
    made = front.compile(module, x, nn.CrossEntropyLoss(), rule, batch=BATCH, check=False)
    assert not front.check(made, module, x, torch.randint(0, 3, (BATCH,))).agrees


class AtItsKink(torch.autograd.Function):
    """The identity, with another slope if the parameter is exactly 1."""

    @staticmethod
    def forward(context: Any, x: Any) -> Any:
        context.save_for_backward(x)
        return x.clone()

    @staticmethod
    def backward(context: Any, gradient: Any) -> Any:  # type: ignore[override]
        return gradient * (1 + (context.saved_tensors[0] == 1))


class Kinked(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale, self.last = nn.Parameter(torch.ones(6)), nn.Linear(6, 3)

    def forward(self, x: Any) -> Any:
        return self.last(x * AtItsKink.apply(self.scale))


def test_a_gradient_that_is_another_at_one_point_alone_is_taken() -> None:
    module, x = Kinked(), torch.randn(BATCH, 6)
    made = front.compile(module, x, nn.CrossEntropyLoss(), torch.optim.SGD(module.parameters(), 0.1), batch=BATCH)
    assert not front.check(made, module, x, torch.randint(0, 3, (BATCH,))).agrees
    with torch.no_grad():
        module.scale.fill_(1.001)
    assert front.check(made, module, x, torch.randint(0, 3, (BATCH,))).agrees


@pytest.mark.parametrize("option", ["scale_grad_by_freq", "max_norm"])
def test_embeddings_with_rules_of_their_own_are_refused(option: str) -> None:
    module = nn.Sequential(nn.Embedding(9, 6, **{option: True}), nn.Flatten(), nn.Linear(12, 3))
    rule = torch.optim.SGD(module.parameters(), 0.1)
    with pytest.raises(ModelError, match=f"has {option}"):
        front.compile(module, torch.randint(0, 9, (BATCH, 2)), nn.CrossEntropyLoss(), rule)


def test_dropout_drops_while_it_trains_alone() -> None:
    module, x = nn.Sequential(nn.Linear(6, 64), nn.Dropout(0.5), nn.Linear(64, 3)), torch.randn(BATCH, 6)
    made = front.compile(module, x, nn.MSELoss(), optimizers.sgd(0.0), batch=BATCH)
    y = torch.randn(BATCH, 3)
    with made.session() as session, torch.no_grad():
        expected = copy.deepcopy(module).eval()(x)
        np.testing.assert_allclose(np.array(session.infer(x.numpy())[0]), expected, rtol=1e-5, atol=1e-6)
        losses = {session.step(*arrays(x, y)) for _ in range(4)}
        assert len(losses) == 4 and session.eval_step(*arrays(x, y)) == pytest.approx(float(F.mse_loss(expected, y)))
    with pytest.raises(ModelError, match=r"'1' drops at random in train\(\) - compile and check with eval\(\) on it"):
        front.check(made, module, x, y)


def test_a_module_without_a_loss_infers() -> None:
    module, x = Convolutions(), torch.randn(BATCH, 1, 8, 8)
    made = front.compile(module, x, batch=BATCH)
    with made.session() as session, torch.no_grad():
        np.testing.assert_allclose(np.array(session.infer(x.numpy())[0]), module.eval()(x), rtol=1e-4, atol=1e-5)


def test_momentum_of_sgd_comes_back() -> None:
    module, x, y = nn.Linear(6, 3), torch.randn(BATCH, 6), torch.randn(BATCH, 3)
    optimizer = torch.optim.SGD(module.parameters(), 0.1, momentum=0.9)
    made = front.compile(module, x, nn.MSELoss(), optimizer, batch=BATCH)
    with made.session() as session:
        session.step(*arrays(x, y))
        state = made.optimizer_state_dict(session)
        saved = session.save()
        optimizer.load_state_dict(state)
        module.load_state_dict(made.state_dict(saved))
        back = unpack(made.checkpoint(module, optimizer)).tensors
        assert all(np.array_equal(back[name], array) for name, array in unpack(saved).tensors.items())
        session.step(*arrays(x, y))
        F.mse_loss(module(x), y).backward()
        optimizer.step()
        np.testing.assert_allclose(made.state_dict(session)["weight"], module.weight.detach(), rtol=1e-5, atol=1e-7)


def no_decay(module: Any, made: Callable[..., Any]) -> Any:
    """Weight decay for matrices alone, as most recipes have it."""
    groups = [[p for p in module.parameters() if (p.ndim > 1) == is_matrix] for is_matrix in (True, False)]
    return made([{"params": groups[0]}, {"params": groups[1], "weight_decay": 0.0}], lr=1e-2, weight_decay=0.3)


@pytest.mark.parametrize("kind", [torch.optim.AdamW, torch.optim.SGD])
def test_groups_decay_differently(kind: Any) -> None:
    module, x = Tied(), torch.randint(0, 20, (BATCH, 7))
    optimizer = no_decay(module, kind)
    made = front.compile(module, x, scores_last, optimizer, batch=BATCH, example_labels=x)
    found = front.check(made, module, x, x, optimizer)
    assert found.agrees, str(found)
    with made.session() as session:
        session.step(*arrays(x, x))
        groups = made.optimizer_state_dict(session)["param_groups"]
    assert [group["weight_decay"] for group in groups] == [0.3, 0.0]
    same = front.compile(module, x, scores_last, kind(module.parameters(), lr=1e-2), batch=BATCH, example_labels=x)
    assert not front.check(same, module, x, x, optimizer).agrees


def test_a_group_of_what_does_not_train_is_refused() -> None:
    update = optimizers.sgd(0.1).with_groups({"nothing": {"weight_decay": 0.1}})
    with pytest.raises(ModelError, match="a group of 'nothing', and nothing of this name trains - what trains: weight"):
        front.compile(nn.Linear(6, 3), torch.randn(BATCH, 6), nn.MSELoss(), update)


def by_layer(module: Any, kind: Any, **first: Any) -> Any:
    """The head learns ten times as fast, without decay; SGD's embedding has no momentum."""
    own = {"lr": 1e-2, "weight_decay": 0.0} | ({"momentum": 0.9} if kind is torch.optim.SGD else {"eps": 1e-5})
    parts = [list(module[0].parameters()), list(module[2].parameters())]
    return kind([{"params": parts[0], **first}, {"params": parts[1], **own}], lr=1e-3, weight_decay=0.1)


@pytest.mark.parametrize("kind", [torch.optim.AdamW, torch.optim.Adam, torch.optim.SGD])
def test_groups_have_their_own_rates(kind: Any) -> None:
    """Six steps; then the optimizer goes on in PyTorch, and its state comes back, with both rates halved."""
    module = nn.Sequential(nn.Linear(6, 5), nn.Tanh(), nn.Linear(5, 3))
    x, y = torch.randn(6, BATCH, 6), torch.randn(6, BATCH, 3)
    optimizer = by_layer(module, kind)
    made = front.compile(module, x[0], nn.MSELoss(), optimizer, batch=BATCH)
    found = front.check(made, module, x[0], y[0], optimizer)
    assert found.agrees, str(found)
    with made.session() as session:
        for k in range(6):
            session.step(*arrays(x[k], y[k]))
            optimizer.zero_grad()
            F.mse_loss(module(x[k]), y[k]).backward()
            optimizer.step()
        for name, array in made.state_dict(session).items():
            np.testing.assert_allclose(array, module.state_dict()[name], rtol=1e-5, atol=1e-7)
        state = made.optimizer_state_dict(session)
        assert [group["lr"] for group in state["param_groups"]] == pytest.approx([1e-3, 1e-2], rel=1e-6)
        optimizer.load_state_dict(state)
        for group in optimizer.param_groups:
            group["lr"] /= 2
        session.load(made.checkpoint(module, optimizer))
        assert session.learning_rate == pytest.approx(5e-4)
        session.step(*arrays(x[0], y[0]))
        learned = session.save()
    optimizer.zero_grad()
    F.mse_loss(module(x[0]), y[0]).backward()
    optimizer.step()
    for name, array in made.state_dict(learned).items():
        np.testing.assert_allclose(array, module.state_dict()[name], rtol=1e-5, atol=1e-7)


def test_groups_that_changed_are_refused() -> None:
    module = nn.Sequential(nn.Linear(6, 5), nn.Tanh(), nn.Linear(5, 3))
    made = front.compile(module, torch.randn(BATCH, 6), nn.MSELoss(), by_layer(module, torch.optim.SGD), batch=BATCH)
    for first, said in (
        ({"lr": 5e-3}, "group 1 has the rate 0.01, and the first 0.005 - the image keeps the ratio of 0.01 to 0.001"),
        ({"weight_decay": 0.2}, "group 0 has weight_decay=0.2 - the image was compiled with 0.1"),
    ):
        with pytest.raises(ModelError, match=re.escape(said)):
            made.checkpoint(module, by_layer(module, torch.optim.SGD, **first))


def two_groups(module: Any) -> Any:
    return torch.optim.Adam([{"params": [module.weight]}, {"params": [module.bias], "betas": (0.5, 0.5)}], 0.1)


REFUSED: dict[str, tuple[Callable[[Any], dict[str, Any]], str]] = {
    "groups": (lambda m: {"optimizer": two_groups(m)}, "groups of parameters differ in betas"),
    "amsgrad": (lambda m: {"optimizer": torch.optim.Adam(m.parameters(), amsgrad=True)}, "Adam with amsgrad=True"),
    "another": (lambda m: {"optimizer": torch.optim.RMSprop(m.parameters())}, "the optimizer is RMSprop - use one of"),
    "missing": (lambda m: {"optimizer": torch.optim.SGD([m.weight], 0.1)}, "the optimizer lacks bias"),
    "foreign": (
        lambda m: {"optimizer": torch.optim.SGD([*m.parameters(), *nn.Linear(1, 1).parameters()], 0.1)},
        "the optimizer has parameters of another module",
    ),
    "no optimizer": (lambda m: {"optimizer": None}, "a loss without an optimizer"),
    "named": (lambda m: {"loss": "mse"}, "the loss is 'mse', of type str - pass a loss of torch.nn"),
    "class": (lambda m: {"loss": nn.MSELoss}, "the loss is the class MSELoss - pass an instance of it: MSELoss()"),
    "optimizer's class": (
        lambda m: {"optimizer": torch.optim.SGD},
        "the optimizer is the class SGD - pass an instance",
    ),
    "labels": (lambda m: {"loss": lambda y, t: (y - t).mean()}, "the labels of <lambda> are unknown - pass an example"),
    "no samples": (lambda m: {"example_inputs": torch.randn(0, 6)}, "an example input has no samples"),
    "no tensors": (lambda m: {"example_inputs": [1, 2]}, "example_inputs are not tensors"),
    "frozen": (lambda m: {"module": m.requires_grad_(False)}, "no parameter of the module requires a gradient"),
    "dictionary": (lambda m: {"module": Named()}, "the module returns dict, not tensors - wrap it"),
    "data": (lambda m: {"module": Branches()}, "torch.export.export() cannot follow the module"),
}


class Named(nn.Linear):
    """It returns a dictionary."""

    def __init__(self) -> None:
        super().__init__(6, 3)

    def forward(self, x: Any) -> Any:
        return {"y": super().forward(x)}


class Branches(nn.Linear):
    """Its sign depends on the numbers."""

    def __init__(self) -> None:
        super().__init__(6, 3)

    def forward(self, x: Any) -> Any:
        y = super().forward(x)
        return y if y.sum().item() > 0 else -y


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_taken_is_said(name: str) -> None:
    make, message = REFUSED[name]
    module = nn.Linear(6, 3)
    arguments = {"module": module, "example_inputs": torch.randn(BATCH, 6), "loss": nn.MSELoss(), "batch": BATCH}
    arguments["optimizer"] = optimizers.sgd(0.1)
    with pytest.raises(GradmoteError) as refused:
        front.compile(**{**arguments, **make(module)})
    assert message in str(refused.value)


def test_a_made_image_is_shown_in_a_line() -> None:
    made = front.compile(nn.Linear(6, 3), torch.randn(BATCH, 6), nn.MSELoss(), optimizers.sgd(0.1), batch=BATCH)
    assert re.fullmatch(
        rf"<Made: <Result: image .* bytes; arena .* bytes; batch {BATCH}; trains 2 parameters>>", f"{made}"
    )


def test_a_checkpoint_of_another_model_is_refused() -> None:
    x = torch.randn(BATCH, 6)
    made, other = (front.compile(m, x, nn.MSELoss(), optimizers.sgd(0.1)) for m in (nn.Linear(6, 3), nn.Linear(6, 2)))
    with other.session() as session, pytest.raises(CheckpointError, match="belongs to another model"):
        made.state_dict(session)
    with pytest.raises(ModelError, match="the module has no 'weight'"):
        made.checkpoint(Parametrized())
    with made.session() as session, pytest.raises(ModelError, match=r"without an optimizer of torch\.optim"):
        made.optimizer_state_dict(session)


def test_sizes_of_batches(tmp_path) -> None:
    """An open batch is kept, so that fewer samples run too; check() asks for the whole."""
    module, x = Recurrent(), torch.randn(1, 5, 6)
    made = front.compile(module, x, nn.MSELoss(), optimizers.sgd(0.1), batch=3)
    (tmp_path / "learned.gmck").write_bytes(made.checkpoint(module))
    with Session(made.image) as session:
        session.load((tmp_path / "learned.gmck").read_bytes())
        assert session.inputs()[0]["shape"] == (3, 5, 6)
    with pytest.raises(ModelError, match="1 samples for a batch of 3"):
        front.check(made, module, x, torch.randn(1, 3))
