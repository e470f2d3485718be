using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace Gradmote.OnnxRuntime
{
    /// <summary>The shape and the type of an input or output.</summary>
    public sealed class NodeMetadata
    {
        public int[] Dimensions { get; }
        public Type ElementType { get; }

        internal NodeMetadata(Tensor tensor)
        {
            Dimensions = tensor.Shape.ToArray();
            ElementType = Tensor.Types[(int)tensor.DType];
        }
    }

    /// <summary>
    /// Infers like onnxruntime's class of the same name, with a .mote image, such as ExportModelForInferencing() writes.
    /// </summary>
    public sealed class InferenceSession : IDisposable
    {
        /// <summary>The underlying session.</summary>
        public readonly Session Session;

        public InferenceSession(string modelPath) : this(File.ReadAllBytes(modelPath)) { }

        public InferenceSession(byte[] model) { Session = new Session(model); }

        public IReadOnlyList<string> InputNames => Named(Session.Inputs).Select(tensor => tensor.Name).ToList();

        public IReadOnlyList<string> OutputNames => Named(Session.Outputs).Select(tensor => tensor.Name).ToList();

        public IReadOnlyDictionary<string, NodeMetadata> InputMetadata => Described(Session.Inputs);

        public IReadOnlyDictionary<string, NodeMetadata> OutputMetadata => Described(Session.Outputs);

        /// <summary>Infers. inputs: each input, of as many samples as the image's batch, or fewer.</summary>
        public IDisposableReadOnlyCollection<DisposableNamedOnnxValue> Run(IReadOnlyCollection<NamedOnnxValue> inputs)
        {
            if (inputs.Count != InputNames.Count || !InputNames.All(name => inputs.Any(value => value.Name == name)))
                throw new ArgumentException(
                    $"the inputs are {string.Join(", ", InputNames)}, not {string.Join(", ", inputs.Select(value => value.Name))}");
            Session.InferValues(InputNames.Select(name => inputs.First(value => value.Name == name).Data).ToArray());
            return new Results(Session, Program.Infer, 0);
        }

        /// <summary>The same; outputNames: the names of some outputs.</summary>
        public IDisposableReadOnlyCollection<DisposableNamedOnnxValue> Run(
            IReadOnlyCollection<NamedOnnxValue> inputs, IReadOnlyCollection<string> outputNames)
        {
            if (outputNames.Except(OutputNames).Any())
                throw new ArgumentException($"the outputs are {string.Join(", ", OutputNames)}, not {string.Join(", ", outputNames)}");
            var results = (Results)Run(inputs);
            results.RemoveAll(value => !outputNames.Contains(value.Name));
            return results;
        }

        public void Dispose() => Session.Dispose();

        private static IEnumerable<Tensor> Named(IEnumerable<Tensor> tensors) => tensors.Where(tensor => tensor.IsIn(Program.Infer));

        private static IReadOnlyDictionary<string, NodeMetadata> Described(IEnumerable<Tensor> tensors) =>
            Named(tensors).ToDictionary(tensor => tensor.Name, tensor => new NodeMetadata(tensor));
    }
}
