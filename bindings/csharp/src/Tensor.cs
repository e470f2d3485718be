using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;

namespace Gradmote
{
    /// <summary>The programs that an image may have.</summary>
    public enum Program { Infer, Eval, Train, Optimizer, Step }

    /// <summary>The types of elements: float, int, sbyte, byte and short.</summary>
    public enum DType { F32, I32, I8, U8, I16 }

    /// <summary>An input, label, output or parameter.</summary>
    public sealed class Tensor
    {
        /// <summary>The types of elements by dtype.</summary>
        internal static readonly Type[] Types = { typeof(float), typeof(int), typeof(sbyte), typeof(byte), typeof(short) };
        internal const int NameBytes = 256, RecordBytes = NameBytes + 4 * (4 + 6);

        /// <summary>The name in the ONNX model; empty if the image has no names.</summary>
        public readonly string Name;
        public readonly DType DType;
        /// <summary>Whether its elements are integers (of any type) rather than float.</summary>
        public bool IsInteger => DType != DType.F32;
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
            DType = (DType)word(1);
            Size = word(2) / Width;
            Shape = Enumerable.Range(4, word(3)).Select(word).ToArray();
        }

        /// <summary>The bytes of an element.</summary>
        internal int Width => Buffer.ByteLength(Elements(1));

        /// <summary>Returns an array for this many elements.</summary>
        internal Array Elements(int count) => Array.CreateInstance(Types[(int)DType], count);

        /// <summary>Returns the name and the type, for messages.</summary>
        public override string ToString() => $"{Name} ({DType})";

        /// <summary>Returns whether a program has it.</summary>
        public bool IsIn(Program program) => (programs >> (int)program & 1) != 0;
    }
}
