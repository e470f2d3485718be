using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;

namespace Gradmote
{
    /// <summary>The programs that an image may have.</summary>
    public enum Program { Infer, Eval, Train, Optimizer, Step }

    /// <summary>An input, label, output or parameter.</summary>
    public sealed class Tensor
    {
        internal const int NameBytes = 256, RecordBytes = NameBytes + 4 * (4 + 6);

        /// <summary>The name in the ONNX model; it is empty where the image has no names.</summary>
        public readonly string Name;
        /// <summary>Whether its elements are int and not float.</summary>
        public readonly bool IsInteger;
        /// <summary>The number of its elements.</summary>
        public readonly int Size;
        public readonly IReadOnlyList<int> Shape;
        internal readonly uint Role, Index;
        private readonly uint programs;

        /// <summary>Reads a record gm_handle_tensor: the name, then programs, dtype, size, rank and dims.</summary>
        internal Tensor(uint role, uint index, byte[] record)
        {
            Func<int, int> word = at => BitConverter.ToInt32(record, NameBytes + 4 * at);
            Role = role;
            Index = index;
            Name = Encoding.UTF8.GetString(record, 0, Array.IndexOf(record, (byte)0));
            programs = (uint)word(0);
            IsInteger = word(1) == 1;
            Size = word(2) / 4;
            Shape = Enumerable.Range(4, word(3)).Select(word).ToArray();
        }

        /// <summary>Returns whether a program has it.</summary>
        public bool IsIn(Program program) => (programs >> (int)program & 1) != 0;
    }
}
