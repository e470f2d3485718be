using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace Gradmote.OnnxRuntime
{
    /// <summary>
    /// Trains like onnxruntime's class of the same name. One .mote image (gradmote compile --accumulate) replaces its models.
    /// </summary>
    public sealed class TrainingSession : IDisposable
    {
        /// <summary>The underlying session.</summary>
        public readonly Session Session;

        private readonly string exportTable;

        /// <summary>evalModelPath, optimizerModelPath: the path of the image again, or null.</summary>
        public TrainingSession(CheckpointState state, string trainModelPath, string evalModelPath, string optimizerModelPath)
        {
            foreach (string other in new[] { evalModelPath, optimizerModelPath })
                if (other != null && other != trainModelPath)
                    throw new ArgumentException($"{other}: an image has all programs - pass {trainModelPath} or null");
            exportTable = Path.ChangeExtension(trainModelPath, ".gmex");
            byte[] image = File.ReadAllBytes(trainModelPath);
            Session = new Session(image);
            try { state.Attach(Session, image); } catch { Session.Dispose(); throw; }
        }

        public TrainingSession(CheckpointState state, string trainModelPath, string optimizerModelPath)
            : this(state, trainModelPath, null, optimizerModelPath) { }

        public TrainingSession(CheckpointState state, string trainModelPath) : this(state, trainModelPath, null, null) { }

        /// <summary>Adds the gradients of the inputs, then labels, and writes the loss, then further outputs.</summary>
        public void TrainStep(IReadOnlyCollection<FixedBufferOnnxValue> inputValues, IReadOnlyCollection<FixedBufferOnnxValue> outputValues) =>
            Write(TrainStep(inputValues), outputValues);

        /// <summary>Adds the gradients of the inputs, then labels, and returns the loss, then further outputs.</summary>
        public IDisposableReadOnlyCollection<DisposableNamedOnnxValue> TrainStep(IReadOnlyCollection<FixedBufferOnnxValue> inputValues) =>
            new Results(Session, Program.Train, Session.TrainStep(DataOf(inputValues)));

        public void EvalStep(IReadOnlyCollection<FixedBufferOnnxValue> inputValues, IReadOnlyCollection<FixedBufferOnnxValue> outputValues) =>
            Write(EvalStep(inputValues), outputValues);

        public IDisposableReadOnlyCollection<DisposableNamedOnnxValue> EvalStep(IReadOnlyCollection<FixedBufferOnnxValue> inputValues) =>
            new Results(Session, Program.Eval, Session.EvalStep(DataOf(inputValues)));

        public void OptimizerStep() => Session.OptimizerStepOnSum();

        public void LazyResetGrad() => Session.LazyResetGrad();

        public void SetLearningRate(float learningRate) => Session.LearningRate = learningRate;

        public float GetLearningRate() => Session.LearningRate;

        public void RegisterLinearLRScheduler(long warmupStepCount, long totalStepCount, float initialLearningRate) =>
            Session.SetLinearSchedule(initialLearningRate, checked((uint)warmupStepCount), checked((uint)totalStepCount));

        /// <summary>Does nothing: OptimizerStep() advances the schedule.</summary>
        public void SchedulerStep() { }

        public IReadOnlyList<string> InputNames(bool training) => Names(Session.Inputs.Concat(Session.Labels), training).ToList();

        public IReadOnlyList<string> OutputNames(bool training) => new[] { "loss" }.Concat(Names(Session.Outputs, training)).ToList();

        /// <summary>
        /// Returns a copy of the trained parameters, the only ones that an image can change. If some weights do not train,
        /// onlyTrainable must be true.
        /// </summary>
        public float[] ToBuffer(bool onlyTrainable)
        {
            if (!onlyTrainable) Session.RequireAllTrained();
            return Session.GetParameters();
        }

        public void FromBuffer(float[] parameters, bool onlyTrainable)
        {
            if (!onlyTrainable) Session.RequireAllTrained();
            Session.SetParameters(parameters);
        }

        /// <summary>
        /// Writes the trained model, with the export table beside the image (gradmote compile --export-table); to a path that
        /// ends in .mote, an image for InferenceSession, which needs no table.
        /// graphOutputNames: null, or the names of all outputs of the model, which stay.
        /// </summary>
        public void ExportModelForInferencing(string inferenceModelPath, IReadOnlyCollection<string> graphOutputNames)
        {
            var own = Session.Outputs.Where(tensor => tensor.IsIn(Program.Infer)).Select(tensor => tensor.Name).ToList();
            if (graphOutputNames != null && !new HashSet<string>(own).SetEquals(graphOutputNames))
                throw new ArgumentException($"the model's outputs are {string.Join(", ", own)} - pass all of them, or null");
            bool isImage = Path.GetExtension(inferenceModelPath) == ".mote";
            if (!isImage && !File.Exists(exportTable))
                throw new FileNotFoundException($"{exportTable} is missing - gradmote compile --export-table makes it");
            File.WriteAllBytes(inferenceModelPath, isImage ? Session.TrainedImage() : Session.ExportModel(File.ReadAllBytes(exportTable)));
        }

        public void Dispose() => Session.Dispose();

        private static IEnumerable<string> Names(IEnumerable<Tensor> tensors, bool training) =>
            tensors.Where(tensor => tensor.IsIn(training ? Program.Train : Program.Eval)).Select(tensor => tensor.Name);

        private static Array[] DataOf(IReadOnlyCollection<FixedBufferOnnxValue> values) => values.Select(value => value.Data).ToArray();

        private static void Write(IReadOnlyCollection<NamedOnnxValue> results, IReadOnlyCollection<FixedBufferOnnxValue> outputs)
        {
            if (outputs.Count != results.Count) throw new ArgumentException($"there are {results.Count} outputs, not {outputs.Count}");
            var to = outputs.GetEnumerator();
            foreach (NamedOnnxValue result in results)
            {
                to.MoveNext();
                result.Data.CopyTo(to.Current.Memory, 0);
            }
        }
    }
}
