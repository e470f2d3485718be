using System;
using System.Collections.Generic;
using System.Linq;
using Gradmote.OnnxRuntime.Tensors;

namespace Gradmote.OnnxRuntime
{
    /// <summary>A tensor with the name of an input or output.</summary>
    public class NamedOnnxValue
    {
        public string Name { get; }

        /// <summary>The Tensor of the type of its elements.</summary>
        public object Value { get; }

        internal NamedOnnxValue(string name, TensorBase value)
        {
            Name = name ?? throw new ArgumentNullException(nameof(name));
            Value = value ?? throw new ArgumentNullException(nameof(value));
        }

        public static NamedOnnxValue CreateFromTensor<T>(string name, Tensor<T> value) => new NamedOnnxValue(name, value);

        /// <summary>Returns the tensor, or null if its elements have another type.</summary>
        public Tensor<T> AsTensor<T>() => Value as Tensor<T>;

        public IEnumerable<T> AsEnumerable<T>() => AsTensor<T>();

        /// <summary>Returns the data in the runtime's form.</summary>
        internal Array Data => FixedBufferOnnxValue.DataOf(((TensorBase)Value).Memory);
    }

    /// <summary>A result. It is memory of .NET, which needs no disposal.</summary>
    public class DisposableNamedOnnxValue : NamedOnnxValue, IDisposable
    {
        internal DisposableNamedOnnxValue(string name, TensorBase value) : base(name, value) { }

        public void Dispose() { }
    }

    public interface IDisposableReadOnlyCollection<T> : IReadOnlyCollection<T>, IDisposable { }

    /// <summary>The loss of a program that has one, and its outputs.</summary>
    internal sealed class Results : List<DisposableNamedOnnxValue>, IDisposableReadOnlyCollection<DisposableNamedOnnxValue>
    {
        /// <summary>What makes a tensor of each DType.</summary>
        private static readonly Func<Array, int[], TensorBase>[] Makers = { Dense<float>, Dense<int>, Dense<sbyte>, Dense<byte>, Dense<short> };

        internal Results(Session session, Program program, float loss)
        {
            if (program != Program.Infer) Add(new DisposableNamedOnnxValue("loss", new DenseTensor<float>(new[] { loss }, new int[0])));
            foreach (Tensor output in session.Outputs)
                if (output.IsIn(program)) Add(new DisposableNamedOnnxValue(output.Name, TensorOf(output, session.Values(output))));
        }

        /// <summary>Returns the samples of an output that the last run had.</summary>
        private static TensorBase TensorOf(Tensor output, Array values)
        {
            int[] shape = output.Shape.ToArray();
            if (shape.Length > 0) shape[0] = (int)((long)shape[0] * values.Length / output.Size);
            return Makers[(int)output.DType](values, shape);
        }

        private static TensorBase Dense<T>(Array values, int[] shape) => new DenseTensor<T>((T[])values, shape);

        public void Dispose() { }
    }
}
