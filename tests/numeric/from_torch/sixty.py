"""Sixty modules through gradmote.torch: torchvision's, timm's, transformers', and hand-written ones.

    cd tests && python -m numeric.from_torch.sixty [--only NAME] [--json FILE] [--page FILE] [--at-least 54]

It needs torchvision, timm and transformers: .ci/nightly torch-modules makes an environment for it, build/torch-modules,
of .ci/requirements-torch-modules.txt. Weights are random and sizes small. For each module: loss and each gradient by
name beside autograd in float64, one step and six steps of AdamW beside torch.optim, state_dict() there and back to the
bit, and the seconds of compile(). The worst relative error is at most 1e-4, or, in a network so badly conditioned that
autograd in float32 itself is off by much of that, at most TIMES_OWN times autograd's error.
"""

from __future__ import annotations

import argparse
import copy
import json
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / part) for part in ("tests", "host_tools", "bindings/python")]

import torch  # noqa: E402
from numeric.from_torch import modules, networks  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

import gradmote.torch as front  # noqa: E402
from gradmote.errors import GradmoteError  # noqa: E402
from gradmote.formats.checkpoint import unpack  # noqa: E402
from gradmote.torch.against_autograd import TOLERANCE, array_of, by_autograd, compared, rounding  # noqa: E402

BATCH, CLASSES, STEPS = 4, 5, 6
#: How many times autograd's own error in float32 an image's may be, if that is more than TOLERANCE.
TIMES_OWN = 4
#: A network in which autograd's own error is more than this shows nothing.
NOTHING = 0.1
#: The same for the losses of six steps, in which rounding grows: AdamW's first steps are the signs of gradients,
#: however small.
OF_STEPS, TIMES_OWN_STEPS = 1e-2, 100
#: How many inputs are drawn until one holds: at a kink, such as ReLU's at 0, rounding alone decides on a slope, and of
#: some hundred thousand activations one may be there.
DRAWS = 3
#: A module, and one input of BATCH samples.
Made = Callable[[], tuple[nn.Module, torch.Tensor]]


class Logits(nn.Module):
    """The first of the tensors that a module of transformers returns, by its name."""

    def __init__(self, module: nn.Module, name: str = "logits") -> None:
        super().__init__()
        self.model, self.name = module, name

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return getattr(self.model(x), self.name)


def picture(size: int = 32) -> torch.Tensor:
    return torch.randn(BATCH, 3, size, size)


def tokens(length: int = 12, words: int = 40) -> torch.Tensor:
    return torch.randint(0, words, (BATCH, length))


# ---- torchvision


def of_torchvision(name: str, size: int = 64, **options: Any) -> Made:
    def make() -> tuple[nn.Module, torch.Tensor]:
        from torchvision import models

        return getattr(models, name)(weights=None, num_classes=CLASSES, **options), picture(size)

    return make


def vgg() -> tuple[nn.Module, torch.Tensor]:
    """VGG with a small classifier of one's own, as people replace its 120 million parameters."""
    from torchvision.models import vgg11_bn

    module = vgg11_bn(weights=None)
    module.avgpool, module.classifier = nn.AdaptiveAvgPool2d(1), nn.Linear(512, CLASSES)
    return module, picture(64)


def swin() -> tuple[nn.Module, torch.Tensor]:
    from torchvision.models import SwinTransformer

    sizes: dict[str, Any] = {
        "patch_size": [2, 2],
        "window_size": [4, 4],
        "embed_dim": 16,
        "depths": [2, 2],
        "num_heads": [2, 4],
    }
    return SwinTransformer(**sizes, stochastic_depth_prob=0.0, num_classes=CLASSES), picture()


def vision_transformer() -> tuple[nn.Module, torch.Tensor]:
    from torchvision.models import VisionTransformer

    return VisionTransformer(32, 8, 2, 2, 32, 64, num_classes=CLASSES), picture()


def convnext() -> tuple[nn.Module, torch.Tensor]:
    from torchvision.models.convnext import CNBlockConfig, ConvNeXt

    settings = [CNBlockConfig(16, 32, 2), CNBlockConfig(32, None, 2)]
    return ConvNeXt(settings, stochastic_depth_prob=0.0, num_classes=CLASSES), picture()


def densenet() -> tuple[nn.Module, torch.Tensor]:
    from torchvision.models import DenseNet

    return DenseNet(8, (2, 2, 2), 16, num_classes=CLASSES), picture()


# ---- timm


def of_timm(name: str, size: int = 64, **options: Any) -> Made:
    def make() -> tuple[nn.Module, torch.Tensor]:
        import timm

        return timm.create_model(name, num_classes=CLASSES, **options), picture(size)

    return make


_VIT: dict[str, Any] = {"img_size": 32, "patch_size": 8, "embed_dim": 32, "depth": 2, "num_heads": 2}


def mixer(ratio: Any = (0.5, 4.0), **parts: str) -> Made:
    """Return a maker of a small network of timm's MlpMixer, with parts of its module by their names."""

    def make() -> tuple[nn.Module, torch.Tensor]:
        from timm.models import mlp_mixer

        given = {name: getattr(mlp_mixer, part) for name, part in parts.items()}
        sizes: dict[str, Any] = {"patch_size": 8, "num_blocks": 2, "embed_dim": 32, "mlp_ratio": ratio}
        return mlp_mixer.MlpMixer(CLASSES, 32, **sizes, **given), picture()

    return make


# ---- transformers


def of_transformers(kind: str, config: str, name: str = "logits", **options: Any) -> Made:
    """Return a maker of a small network of this class and configuration."""

    def make() -> tuple[nn.Module, torch.Tensor]:
        import transformers

        settings = getattr(transformers, config)(**options)
        if "Image" in kind:
            return Logits(getattr(transformers, kind)(settings), name), picture()
        return Logits(getattr(transformers, kind)(settings), name), tokens()

    return make


_ENCODER: dict[str, Any] = {
    "vocab_size": 40, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64,
    "max_position_embeddings": 24, "num_labels": CLASSES, "attn_implementation": "eager",
}  # fmt: skip
_DECODER: dict[str, Any] = {
    "vocab_size": 40, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 2,
    "intermediate_size": 64, "max_position_embeddings": 24, "use_cache": False, "attn_implementation": "eager",
    "pad_token_id": 0,
}  # fmt: skip
_GPT2: dict[str, Any] = {
    "vocab_size": 40, "n_embd": 32, "n_layer": 2, "n_head": 2, "n_positions": 24, "use_cache": False,
    "attn_implementation": "eager",
}  # fmt: skip
_PICTURES: dict[str, Any] = {
    "image_size": 32, "patch_size": 8, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2,
    "intermediate_size": 64, "num_labels": CLASSES, "attn_implementation": "eager",
}  # fmt: skip

# ---- The list


def by_hand(name: str) -> Made:
    return lambda: modules.MODULES[name]()


SIXTY: dict[str, Made] = {
    "torchvision resnet18": of_torchvision("resnet18"),
    "torchvision vgg11_bn": vgg,
    "torchvision mobilenet_v2": of_torchvision("mobilenet_v2", width_mult=0.25, dropout=0.0),
    "torchvision mobilenet_v3_small": of_torchvision("mobilenet_v3_small", width_mult=0.5, dropout=0.0),
    "torchvision shufflenet_v2": of_torchvision("shufflenet_v2_x0_5"),
    "torchvision squeezenet1_1": of_torchvision("squeezenet1_1", dropout=0.0),
    "torchvision mnasnet0_5": of_torchvision("mnasnet0_5", dropout=0.0),
    "torchvision efficientnet_b0": of_torchvision("efficientnet_b0", dropout=0.0, stochastic_depth_prob=0.0),
    "torchvision regnet_y_400mf": of_torchvision("regnet_y_400mf"),
    "torchvision densenet": densenet,
    "torchvision convnext": convnext,
    "torchvision swin": swin,
    "torchvision vit": vision_transformer,
    "timm resnet10t": of_timm("resnet10t"),
    "timm resnext": of_timm("resnext26ts"),
    "timm mobilenetv3_small_050": of_timm("mobilenetv3_small_050"),
    "timm ghostnet_050": of_timm("ghostnet_050"),
    "timm lcnet_035": of_timm("lcnet_035"),
    "timm tinynet_e": of_timm("tinynet_e"),
    "timm repvgg_a0": of_timm("repvgg_a0"),
    "timm mobileone_s0": of_timm("mobileone_s0"),
    "timm convnext_atto": of_timm("convnext_atto"),
    "timm edgenext_xx_small": of_timm("edgenext_xx_small"),
    "timm poolformer": of_timm("poolformer_s12"),
    "timm vit": of_timm("vit_tiny_patch16_224", 32, **_VIT),
    "timm deit": of_timm("deit_tiny_patch16_224", 32, **_VIT),
    "timm beit": of_timm("beit_base_patch16_224", 32, **_VIT),
    "timm mixer": mixer(),
    "timm gmlp": mixer(4, block_layer="SpatialGatingBlock", mlp_layer="GatedMlp"),
    "timm resmlp": mixer(4, block_layer="ResBlock", norm_layer="Affine"),
    "transformers BERT": of_transformers("BertForSequenceClassification", "BertConfig", **_ENCODER),
    "transformers RoBERTa": of_transformers("RobertaForSequenceClassification", "RobertaConfig", **_ENCODER),
    "transformers ELECTRA": of_transformers("ElectraForSequenceClassification", "ElectraConfig", **_ENCODER),
    "transformers ALBERT": of_transformers("AlbertForSequenceClassification", "AlbertConfig", **_ENCODER),
    "transformers DistilBERT": of_transformers(
        "DistilBertForSequenceClassification", "DistilBertConfig", vocab_size=40, dim=32, n_layers=2, n_heads=2,
        hidden_dim=64, max_position_embeddings=24, num_labels=CLASSES, attn_implementation="eager",
    ),
    "transformers DeBERTa": of_transformers("DebertaV2ForSequenceClassification", "DebertaV2Config", **_ENCODER),
    "transformers ConvBERT": of_transformers("ConvBertForSequenceClassification", "ConvBertConfig", **_ENCODER),
    "transformers GPT-2": of_transformers("GPT2LMHeadModel", "GPT2Config", **_GPT2),
    "transformers GPT-NeoX": of_transformers("GPTNeoXForCausalLM", "GPTNeoXConfig", **_DECODER),
    "transformers Llama": of_transformers("LlamaForCausalLM", "LlamaConfig", **_DECODER),
    "transformers Mistral": of_transformers("MistralForCausalLM", "MistralConfig", **_DECODER),
    "transformers Qwen2": of_transformers("Qwen2ForCausalLM", "Qwen2Config", **_DECODER),
    "transformers Phi": of_transformers("PhiForCausalLM", "PhiConfig", **_DECODER),
    "transformers Gemma": of_transformers("GemmaForCausalLM", "GemmaConfig", head_dim=16, **_DECODER),
    "transformers ViT": of_transformers("ViTForImageClassification", "ViTConfig", **_PICTURES),
    "transformers DINOv2": of_transformers("Dinov2ForImageClassification", "Dinov2Config", **_PICTURES),
    **{f"by hand: {name}": by_hand(name) for name in ("tied", "parametrized", "of its weight", "Llama", "adapted")},
    **{f"by hand: {name}": make for name, make in networks.NETWORKS.items()},
}  # fmt: skip


# ---- What is measured ----------------------------------------------------------------------------------------------


@dataclass
class Row:
    """The figures of a module; `why` is empty if all of it holds. own, own_steps: PyTorch's errors in float32."""

    name: str
    parameters: int = 0
    seconds: float = 0.0
    error: float = float("nan")
    own: float = float("nan")
    steps: float = float("nan")
    own_steps: float = float("nan")
    why: str = ""


def loss_of(scores: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Return the cross-entropy of scores whose last dimension has the classes."""
    return F.cross_entropy(scores.flatten(0, -2), labels.flatten())


def measured(name: str) -> Row:
    """Return a module's row."""
    row = Row(name)
    try:
        torch.manual_seed(0)
        module, x = SIXTY[name]()
        fill(row, without_dropout(module), x)
    except GradmoteError as error:
        row.why = f"{type(error).__name__}: {error}".splitlines()[0][:160]
    except Exception as error:  # whatever a library raises is this row's result
        row.why = f"fails: {type(error).__name__}: {error}".splitlines()[0][:160]
    return row


def without_dropout(module: nn.Module) -> nn.Module:
    """Return the module in train() without active Dropout, whose masks are not PyTorch's."""
    module.train()
    for part in module.modules():
        if isinstance(part, nn.modules.dropout._DropoutNd):
            part.p = 0.0
        if isinstance(getattr(part, "dropout", None), float):
            part.dropout = 0.0
        if isinstance(getattr(part, "attention_dropout", None), float):
            part.attention_dropout = 0.0
    return module


def fill(row: Row, module: nn.Module, x: torch.Tensor) -> None:
    """Compile, check, and train six steps."""
    with torch.no_grad():
        shape = copy.deepcopy(module)(x).shape
    labels = torch.randint(0, shape[-1], shape[:-1])
    row.parameters = sum(p.numel() for p in module.parameters() if p.requires_grad)
    optimizer = adamw(module)
    began = time.perf_counter()
    made = front.compile(module, x, loss_of, optimizer, batch=BATCH, example_labels=labels)
    row.seconds = time.perf_counter() - began
    for _ in range(DRAWS):
        compare(row, made, module, (x, labels), optimizer)
        if not row.why:
            break
        x = torch.randn_like(x) if x.is_floating_point() else x.flip(1)
    compare_steps(row, made, module, x, labels)


def adamw(module: nn.Module) -> torch.optim.Optimizer:
    return torch.optim.AdamW([p for p in module.parameters() if p.requires_grad], 1e-3)


def compare(row: Row, made: front.Made, module: nn.Module, data: tuple[torch.Tensor, ...], optimizer: Any) -> None:
    """Compare loss, gradients and one step with autograd in float64, and autograd in float32 with it."""
    given = ((data[0],), data[1:])
    theirs = by_autograd(made, module, given)
    row.own = max(rounding(made, module, given, theirs).values())
    found = compared(made, module, [array_of(each) for each in data], theirs, optimizer)
    row.error, row.why = found.worst, ""
    if not row.own <= NOTHING:
        row.why = f"shows nothing: autograd in float32 is off by {row.own:.1e} itself"
    elif not found.worst <= max(TOLERANCE, TIMES_OWN * row.own):
        worst = max(found.parameters, key=lambda each: max(each.gradient, each.step or 0.0))
        row.why = f"differs from autograd, most in {worst.name}: gradient {worst.gradient:.1e}, step {worst.step:.1e}"


def compare_steps(row: Row, made: front.Made, module: nn.Module, x: torch.Tensor, labels: torch.Tensor) -> None:
    """Compare the losses of six steps with those of float64, and each state_dict with what it was made of."""
    exact = torch_losses(copy.deepcopy(module).double(), x.double() if x.is_floating_point() else x, labels)
    row.own_steps = worst_of(torch_losses(copy.deepcopy(module), x, labels), exact)
    row.steps = worst_of(our_losses(made, module, x, labels), exact)
    if not row.why and not row.steps <= max(OF_STEPS, TIMES_OWN_STEPS * row.own_steps):
        row.why = f"six steps differ from torch.optim's by {row.steps:.1e}"


def worst_of(losses: list[float], exact: list[float]) -> float:
    """Return the worst relative difference."""
    return max(abs(loss - other) / abs(other) for loss, other in zip(losses, exact, strict=True))


def torch_losses(module: nn.Module, x: torch.Tensor, labels: torch.Tensor) -> list[float]:
    """Train a module, and return the loss of each step."""
    optimizer, losses = adamw(module), []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = loss_of(module(x), labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def our_losses(made: front.Made, module: nn.Module, x: torch.Tensor, labels: torch.Tensor) -> list[float]:
    """Train the image, and return the loss of each step.

    Raises AssertionError unless the state_dicts come back to the bit.
    """
    data = [x.numpy() if x.is_floating_point() else x.int().numpy(), labels.int().numpy()]
    with made.session() as session:
        losses = [session.step(*data) for _ in range(STEPS)]
        saved, learned, moments = session.save(), made.state_dict(session), made.optimizer_state_dict(session)
    again = copy.deepcopy(module)
    again.load_state_dict(learned)
    other = adamw(again)
    other.load_state_dict(moments)
    before, after = (unpack(each).tensors for each in (saved, made.checkpoint(again, other)))
    for name, array in before.items():
        assert name == "bias_correction" or array.tobytes() == after[name].tobytes(), f"{name} comes back different"
    return losses


HEAD = f"{'':34}{'parameters':>12}{'compile, s':>12}{'error':>10}{'float32':>10}{'six steps':>11}{'float32':>10}"


def line(row: Row) -> str:
    """Return a row of the table."""
    errors = f"{row.error:10.1e}{row.own:10.1e}{row.steps:11.1e}{row.own_steps:10.1e}"
    return f"{row.name:34}{row.parameters:12,}{row.seconds:12.1f}{errors}  {row.why}".rstrip()


PAGE = """\
# Modules of PyTorch beside autograd

Sixty modules of torchvision, timm, transformers and by hand, with random weights and small sizes,
as `gradmote.torch.compile()` takes them ([guide](guides/pytorch.md)).
`python -m numeric.from_torch.sixty --page ../docs/PYTORCH_MODULES.md`, in `tests`, measures and
writes this page, and `.ci/nightly torch-modules` makes an environment for it.

- **error**: the worst relative error of the loss, of each gradient, and of a step of AdamW, beside
  autograd in float64; it is at most 1e-4, or at most {times} times PyTorch's own.
- **six steps**: the worst relative difference of the losses of six steps of AdamW. Rounding grows
  in them: it is at most 1e-2, or {steps} times PyTorch's own.
- **float32**: PyTorch's own error in float32. A BatchNorm over four samples and few pixels makes a
  network badly conditioned, so that float32 itself is off. If it is off by more than {nothing}, the
  comparison shows nothing.
- After the steps, `state_dict()` and the optimizer's come back to the bit.

{held} of {count} hold.

| module | parameters | compile, s | error | float32 | six steps | float32 | holds |
|---|--:|--:|--:|--:|--:|--:|---|
"""


def page(rows: list[Row]) -> str:
    """Return the page with a row for each module."""
    text = PAGE.format(
        times=TIMES_OWN, steps=TIMES_OWN_STEPS, nothing=NOTHING, held=sum(not row.why for row in rows), count=len(rows)
    )
    for r in rows:
        errors = " | ".join(f"{each:.1e}" for each in (r.error, r.own, r.steps, r.own_steps))
        why = r.why.replace("|", "/") or "yes"
        text += f"| {r.name} | {r.parameters:,} | {r.seconds:.0f} | {errors} | {why} |\n"
    return text


def main() -> int:
    """Print the table; return 1 if fewer hold than must."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=[""], nargs="+", metavar="NAME", help="modules whose name contains one")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows here")
    parser.add_argument("--page", type=Path, metavar="FILE", help="write a page with the table here")
    parser.add_argument("--at-least", type=int, metavar="N", help="as many must hold; all by default")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    rows: list[Row] = []
    print(HEAD)
    for name in (name for name in SIXTY if any(part in name for part in given.only)):
        rows.append(measured(name))
        print(line(rows[-1]), flush=True)
        if given.json is not None:
            given.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    if given.page is not None:
        given.page.write_text(page(rows))
    hold = sum(not row.why for row in rows)
    print(f"{hold} of {len(rows)} hold")
    return int(hold < (len(rows) if given.at_least is None else given.at_least))


if __name__ == "__main__":
    raise SystemExit(main())
