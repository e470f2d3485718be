using System;

namespace Gradmote.OnnxRuntime
{
    /// <summary>The types of a tensor's elements, with onnxruntime's numbers.</summary>
    public enum TensorElementType { Float = 1, UInt8 = 2, Int8 = 3, Int16 = 5, Int32 = 6, Int64 = 7 }

    /// <summary>The location of onnxruntime's tensors; it has no effect here.</summary>
    public sealed class OrtMemoryInfo
    {
        public static readonly OrtMemoryInfo DefaultInstance = new OrtMemoryInfo();

        private OrtMemoryInfo() { }
    }

    /// <summary>An array of float, int, sbyte, byte, short or long that a step reads or writes. long numbers must fit an int.</summary>
    public sealed class FixedBufferOnnxValue : IDisposable
    {
        internal readonly Array Memory;

        private FixedBufferOnnxValue(Array memory) { Memory = memory; }

        public static FixedBufferOnnxValue CreateFromMemory<T>(
            OrtMemoryInfo memoryInfo, T[] memory, TensorElementType elementType, long[] shape, long bytesSize)
        {
            if (Buffer.ByteLength(memory) != bytesSize) throw new ArgumentException($"memory has {Buffer.ByteLength(memory)} bytes, not {bytesSize}");
            return new FixedBufferOnnxValue(memory);
        }

        /// <summary>Returns the data in the runtime's form.</summary>
        internal Array Data => Memory is long[] wide ? Array.ConvertAll(wide, number => checked((int)number)) : Memory;

        public void Dispose() { }
    }
}
