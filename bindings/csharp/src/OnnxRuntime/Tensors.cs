using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;

namespace Gradmote.OnnxRuntime.Tensors
{
    /// <summary>The types of a tensor's elements, with onnxruntime's numbers.</summary>
    public enum TensorElementType { Float = 1, UInt8 = 2, Int8 = 3, Int16 = 5, Int32 = 6, Int64 = 7 }

    /// <summary>A tensor of elements of any type.</summary>
    public abstract class TensorBase
    {
        internal readonly Array Memory;
        private readonly int[] dimensions;

        internal TensorBase(Array memory, int[] dimensions)
        {
            Memory = memory;
            this.dimensions = (int[])dimensions.Clone();
            if (Size(0) != memory.Length)
                throw new ArgumentException($"{memory.Length} elements do not have shape [{string.Join(", ", dimensions)}]");
        }

        public int[] Dimensions => (int[])dimensions.Clone();

        public int Rank => dimensions.Length;

        /// <summary>The number of elements.</summary>
        public long Length => Memory.Length;

        /// <summary>Returns the product of the dimensions from `axis` on.</summary>
        internal int Size(int axis) => dimensions.Skip(axis).Aggregate(1, (a, b) => checked(a * b));

        internal int Position(int[] indices)
        {
            if (indices.Length != Rank) throw new ArgumentException($"{indices.Length} indices do not fit {Rank} dimensions");
            int position = 0;
            for (int i = 0; i < Rank; i++)
            {
                if (indices[i] < 0 || indices[i] >= dimensions[i]) throw new IndexOutOfRangeException($"index {indices[i]} of dimension {i}");
                position = position * dimensions[i] + indices[i];
            }
            return position;
        }
    }

    /// <summary>A tensor of float, int, sbyte, byte, short or long numbers. long numbers must fit an int.</summary>
    public abstract class Tensor<T> : TensorBase, IEnumerable<T>
    {
        internal Tensor(T[] memory, int[] dimensions) : base(memory, dimensions) { }

        private T[] Elements => (T[])Memory;

        public T this[params int[] indices]
        {
            get => Elements[Position(indices)];
            set => Elements[Position(indices)] = value;
        }

        /// <summary>Returns the element with this number, as they are in memory.</summary>
        public T GetValue(int index) => Elements[index];

        public void SetValue(int index, T value) => Elements[index] = value;

        public void Fill(T value)
        {
            for (int i = 0; i < Elements.Length; i++) Elements[i] = value;
        }

        /// <summary>Returns a tensor of the same memory.</summary>
        public Tensor<T> Reshape(int[] dimensions) => new DenseTensor<T>(Elements, dimensions);

        public DenseTensor<T> ToDenseTensor() => new DenseTensor<T>(this.ToArray(), Dimensions);

        /// <summary>Returns all elements as text, each row of the last dimension on a line.</summary>
        public string GetArrayString(bool includeWhitespace = true) => Rank == 0 ? $"{{{GetValue(0)}}}" : Text(0, 0, includeWhitespace);

        private string Text(int axis, int at, bool spaced)
        {
            string indent = spaced ? new string(' ', 4 * axis) : "", line = spaced ? Environment.NewLine : "";
            int size = Size(axis + 1);
            if (axis == Rank - 1) return $"{indent}{{{string.Join(",", Elements.Skip(at).Take(Dimensions[axis]))}}}";
            var rows = Enumerable.Range(0, Dimensions[axis]).Select(row => Text(axis + 1, at + row * size, spaced));
            return $"{indent}{{{line}{string.Join("," + line, rows)}{line}{indent}}}";
        }

        public IEnumerator<T> GetEnumerator() => ((IEnumerable<T>)Elements).GetEnumerator();

        IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
    }

    /// <summary>A tensor whose elements are one array.</summary>
    public class DenseTensor<T> : Tensor<T>
    {
        /// <summary>A tensor of this memory, which is not copied.</summary>
        public DenseTensor(T[] memory, int[] dimensions) : base(memory, dimensions) { }

        /// <summary>A tensor of zeros.</summary>
        public DenseTensor(int[] dimensions) : this(new T[dimensions.Aggregate(1, (a, b) => checked(a * b))], dimensions) { }

        public DenseTensor(int length) : this(new[] { length }) { }

        public T[] Buffer => (T[])Memory;
    }
}
