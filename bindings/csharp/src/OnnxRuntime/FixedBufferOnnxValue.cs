using System;
using Gradmote.OnnxRuntime.Tensors;

namespace Gradmote.OnnxRuntime
{
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

        /// <summary>Takes the tensor's memory, which is not copied.</summary>
        public static FixedBufferOnnxValue CreateFromTensor<T>(Tensor<T> value) => new FixedBufferOnnxValue(value.Memory);

        /// <summary>Returns the data in the runtime's form.</summary>
        internal Array Data => DataOf(Memory);

        internal static Array DataOf(Array memory) =>
            memory is long[] wide ? Array.ConvertAll(wide, number => checked((int)number)) : memory;

        public void Dispose() { }
    }
}
