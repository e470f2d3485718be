"""Convolutions of real networks: the sizes with which kernels are counted."""

from __future__ import annotations

from dataclasses import dataclass

from gradmote.ir.instruction import Buffer, Instruction, Ref


@dataclass(frozen=True)
class Layer:
    """pad: on every side."""

    name: str
    h: int
    w: int
    groups: int
    in_channels: int
    out_channels: int
    kernel_h: int
    kernel_w: int
    stride: int = 1
    pad: int = 0

    def out(self) -> tuple[int, int]:
        return tuple(  # type: ignore[return-value]
            (size + 2 * self.pad - kernel) // self.stride + 1
            for size, kernel in ((self.h, self.kernel_h), (self.w, self.kernel_w))
        )

    def weights(self) -> int:
        return self.groups * self.out_channels * self.in_channels * self.kernel_h * self.kernel_w

    def macs(self) -> int:
        out_h, out_w = self.out()
        return out_h * out_w * self.weights()

    def is_pointwise(self) -> bool:
        return self.groups == self.kernel_h == self.kernel_w == 1

    def is_depthwise(self) -> bool:
        return self.groups > 1 and self.in_channels == self.out_channels == 1

    def instruction(self, kind: type[Instruction]) -> Instruction:
        """The instruction of this layer, as far as the size of its panel depends on it."""
        known = dict.fromkeys([*kind.__annotations__], 0) | {
            "batch": 1, "groups": self.groups, "in_channels": self.in_channels, "out_channels": self.out_channels,
            "in_h": self.h, "in_w": self.w, "out_h": self.out()[0], "out_w": self.out()[1],
            "kernel_h": self.kernel_h, "kernel_w": self.kernel_w, "stride_h": self.stride, "stride_w": self.stride,
            "dilation_h": 1, "dilation_w": 1, "x_group": self.in_channels, "y_group": self.out_channels,
        }  # fmt: skip
        some = Ref(Buffer("any", 4, "scratch"))
        return kind(**{name: some if "Ref" in str(kind.__annotations__[name]) else known[name] for name in known})


LAYERS = (
    Layer("pointwise 96 to 96, 8x8", 8, 8, 1, 96, 96, 1, 1),
    Layer("pointwise 96 to 16, 8x8", 8, 8, 1, 96, 16, 1, 1),
    Layer("pointwise 16 to 96, 8x8", 8, 8, 1, 16, 96, 1, 1),
    Layer("pointwise 64 to 64, 25x5", 25, 5, 1, 64, 64, 1, 1),
    Layer("3x3, 16 to 16, 16x16", 16, 16, 1, 16, 16, 3, 3, 1, 1),
    Layer("3x3, 32 to 32, 8x8", 8, 8, 1, 32, 32, 3, 3, 1, 1),
    Layer("first 10x4, 1 to 64, 49x10", 49, 10, 1, 1, 64, 10, 4, 2, 1),
    Layer("first 3x3, 3 to 16, 32x32", 32, 32, 1, 3, 16, 3, 3, 2, 1),
    Layer("depthwise 3x3, 16, 16x16", 16, 16, 16, 1, 1, 3, 3, 1, 1),
    Layer("depthwise 3x3, 64, 25x5", 25, 5, 64, 1, 1, 3, 3, 1, 1),
    Layer("depthwise 3x3 by 2, 96, 16x16", 16, 16, 96, 1, 1, 3, 3, 2, 1),
    Layer("depthwise 5x5, 96, 10x10", 10, 10, 96, 1, 1, 5, 5, 1, 2),
    Layer("depthwise 7x7, 96, 10x10", 10, 10, 96, 1, 1, 7, 7, 1, 3),
)
