using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading;

namespace Gradmote
{
    /// <summary>
    /// Trains and runs one .mote image. Data are float[], int[], sbyte[], byte[] or short[], by the tensor's DType: every
    /// input of a program, then every label. Use a session from one thread at a time. GradmoteException gives the reason
    /// that a call was refused.
    /// </summary>
    public sealed class Session : IDisposable
    {
        private const uint RoleOfInputs = 0, RoleOfLabels = 1, RoleOfOutputs = 2, RoleOfParameters = 3;
        private const uint All = 0, One = 1, Gradients = 2, Difference = 3; // values of the state
        private const int InvalidArgument = -1, NotFound = -13, Closed = -101, InUse = -102, WrongDtype = -103, WrongCount = -107;

        private readonly Native native;
        private readonly long handle;
        private int runs;

        public IReadOnlyList<Tensor> Inputs { get; }
        public IReadOnlyList<Tensor> Labels { get; }
        /// <summary>The outputs of all programs.</summary>
        public IReadOnlyList<Tensor> Outputs { get; }
        /// <summary>The trained parameters.</summary>
        public IReadOnlyList<Tensor> Parameters { get; }

        /// <summary>Copies and verifies the image, and sets the state to its initial values. threads: 1 to 16.</summary>
        public Session(byte[] image, Profile profile = Profile.Fused, int threads = 1)
        {
            native = Native.Of(profile);
            handle = native.Open(image, Bytes(image), (uint)Math.Max(threads, 0));
            if (handle < 0) GC.SuppressFinalize(this);
            Check((int)Math.Min(handle, 0), "open");
            Inputs = Tensors(RoleOfInputs);
            Labels = Tensors(RoleOfLabels);
            Outputs = Tensors(RoleOfOutputs);
            Parameters = Tensors(RoleOfParameters);
        }

        ~Session() { if (handle > 0) native.Close(handle); }

        /// <summary>Closes the session. Closing it again does nothing. Refused while another thread is in a call.</summary>
        public void Dispose()
        {
            int status = native.Close(handle);
            Check(status == Closed ? 0 : status, "Dispose");
            GC.SuppressFinalize(this);
        }

        /// <summary>Trains on one batch, updates, and returns the loss before the update.</summary>
        public float Step(params Array[] data) => Run(Program.Step, data);

        /// <summary>Adds the gradients of one micro-batch and returns its loss. The image must be compiled to accumulate.</summary>
        public float TrainStep(params Array[] data) => Run(Program.Train, data);

        /// <summary>Applies the mean of the accumulated gradients.</summary>
        public void OptimizerStep() => Run(Program.Optimizer);

        /// <summary>Applies the sum of the accumulated gradients, as onnxruntime does, instead of their mean.</summary>
        public void OptimizerStepOnSum() => Check(native.OptimizerStepOnSum(handle), "OptimizerStepOnSum");

        /// <summary>Makes the next TrainStep() start from zero gradients.</summary>
        public void LazyResetGrad() => Check(native.LazyResetGrad(handle), "LazyResetGrad");

        /// <summary>Returns the loss, without training.</summary>
        public float EvalStep(params Array[] data) => Run(Program.Eval, data);

        /// <summary>Runs the model and returns its first output, which must be float.</summary>
        public float[] Infer(params Array[] data) => Output(Inferred(data));

        /// <summary>Runs the model and returns its first output as an array of its DType.</summary>
        public Array InferValues(params Array[] data) => Values(Inferred(data));

        /// <summary>Returns a copy of an output of the last program, which must be float.</summary>
        public float[] Output(Tensor output) => (float[])Values(Float(output));

        /// <summary>
        /// Returns a copy of an output or parameter as an array of its DType. If the last program had fewer samples than the
        /// batch, an output has only these.
        /// </summary>
        public Array Values(Tensor tensor) => tensor.Role == RoleOfParameters ? Get(One, tensor.Index, tensor.Elements(tensor.Size))
            : Copy(native.Read, tensor, tensor.Elements(Made(tensor)), "output");

        /// <summary>Returns the class with the highest score in a row of the last Infer().</summary>
        public int Classify(int row = 0)
        {
            Check(native.Classify(handle, (uint)row, out uint label, out float _), "Classify");
            return (int)label;
        }

        /// <summary>Resets all state to the image's initial values.</summary>
        public void Reset() => Check(native.Reset(handle), "Reset");

        /// <summary>The rate of the next update (finite, at least 0). Setting it ends any schedule.</summary>
        public float LearningRate
        {
            get => BitConverter.ToSingle(BitConverter.GetBytes(Control()[4]), 0);
            set => Check(native.SetLearningRate(handle, value), "LearningRate");
        }

        /// <summary>The number of applied updates.</summary>
        public int OptimizerSteps => (int)Control()[2];

        /// <summary>Raises the rate linearly from 0 in warmupSteps, then lowers it to 0 at totalSteps.</summary>
        public void SetLinearSchedule(float rate, uint warmupSteps, uint totalSteps) =>
            Check(native.SetLinearSchedule(handle, rate, warmupSteps, totalSteps), "SetLinearSchedule");

        /// <summary>Sets the seed of Dropout and of the sample store's choices.</summary>
        public void SetSeed(uint seed) => Check(native.SetSeed(handle, seed), "SetSeed");

        /// <summary>Returns a copy of the parameter with this name, which must be float, or null if there is none.</summary>
        public float[] Parameter(string name) => Named(name, Output);

        /// <summary>Returns a copy of its accumulated gradient, which is float for every DType, or null.</summary>
        public float[] Gradient(string name) => Named(name, tensor => Get(Gradients, tensor.Index, new float[tensor.Size]));

        /// <summary>The total number of elements of the parameters.</summary>
        public int ParametersSize => Parameters.Sum(tensor => tensor.Size);

        /// <summary>Returns all parameters, in the order of Parameters. All must be float.</summary>
        public float[] GetParameters() => Get(All, 0, Floats());

        public void SetParameters(float[] values) => Set(All, values);

        /// <summary>Returns the bytes of all parameters, whatever DTypes they have. Each begins at a multiple of 4.</summary>
        public byte[] GetParameterBytes() => Get(All, 0, AllBytes());

        public void SetParameterBytes(byte[] values) => Set(All, values);

        /// <summary>Returns the parameters' difference from the image's initial ones. All must be float.</summary>
        public float[] GetDelta() => Get(Difference, 0, Floats());

        /// <summary>Sets the parameters to the image's initial ones plus this difference.</summary>
        public void ApplyDelta(float[] delta) => Set(Difference, delta);

        /// <summary>Returns the difference of parameters of any DTypes; for integers it is modulo 2^8, 2^16 or 2^32.</summary>
        public byte[] GetDeltaBytes() => Get(Difference, 0, AllBytes());

        public void ApplyDeltaBytes(byte[] delta) => Set(Difference, delta);

        /// <summary>Returns the bytes of a .gmck checkpoint.</summary>
        public byte[] Save() => Saved((file, size) => native.Save(handle, 0, file, size));

        /// <summary>
        /// Returns a checkpoint from which the optimizer begins again: moments, counters, rate and schedule are the image's.
        /// </summary>
        public byte[] SaveWithoutOptimizer() => Saved((file, size) => native.SaveWithoutOptimizer(handle, file, size));

        private byte[] Saved(Func<byte[], UIntPtr, int> save)
        {
            long size = native.CheckpointSize(handle, 0);
            Check((int)Math.Min(size, 0), "Save");
            var file = new byte[size];
            Check(save(file, Bytes(file)), "Save");
            return file;
        }

        /// <summary>Throws GradmoteException if some weights do not train: these are constants of the image.</summary>
        public void RequireAllTrained() => Check(native.AllTrained(handle), "AllTrained");

        /// <summary>
        /// Returns the trained model as an ONNX file. exportTable: the .gmex file of `gradmote compile --export-table`.
        /// </summary>
        public byte[] ExportModel(byte[] exportTable)
        {
            if (exportTable == null) Check(InvalidArgument, "ExportModel");
            long size = native.ExportSize(handle, exportTable, Bytes(exportTable));
            Check((int)Math.Min(size, 0), "ExportModel");
            var model = new byte[size];
            Check(native.ExportModel(handle, exportTable, Bytes(exportTable), model, Bytes(model)), "ExportModel");
            return model;
        }

        /// <summary>Returns the image with the parameters and statistics that it has now. Moments, counters and rate begin as before.</summary>
        public byte[] TrainedImage()
        {
            long size = native.ImageSize(handle);
            Check((int)Math.Min(size, 0), "TrainedImage");
            var image = new byte[size];
            Check(native.TrainedImage(handle, image, Bytes(image)), "TrainedImage");
            return image;
        }

        /// <summary>Loads a checkpoint of the same model.</summary>
        public void Load(byte[] checkpoint)
        {
            Check(checkpoint == null ? InvalidArgument : native.Load(handle, checkpoint, Bytes(checkpoint)), "Load");
        }

        /// <summary>Loads the matching entries of another model's checkpoint, and returns their number.</summary>
        public int CarryOver(byte[] checkpoint)
        {
            uint carried = 0;
            Check(checkpoint == null ? InvalidArgument : native.CarryOver(handle, checkpoint, Bytes(checkpoint), out carried), "CarryOver");
            return (int)carried;
        }

        /// <summary>Stores an int or a float in the state; null removes it. key: up to 19 bytes of UTF-8.</summary>
        public void SetProperty(string key, object value) => Check(TrySetProperty(key, value), "SetProperty");

        /// <summary>Returns GM_OK or the error.</summary>
        internal int TrySetProperty(string key, object value)
        {
            uint type = value == null ? 0u : value is int ? 1u : value is float ? 2u : uint.MaxValue;
            byte[] bits = value is int ? BitConverter.GetBytes((int)value) : BitConverter.GetBytes(value as float? ?? 0);
            return native.SetProperty(handle, Text(key), type, BitConverter.ToUInt32(bits, 0));
        }

        /// <summary>Returns the int or float stored under this key, or null.</summary>
        public object GetProperty(string key)
        {
            var record = new uint[8]; // key, type, bits
            int status = native.Property(handle, Text(key), record);
            Check(status == NotFound ? 0 : status, "GetProperty");
            return status == NotFound ? null : NumberOf(record);
        }

        /// <summary>Returns all numbers by their keys.</summary>
        public IReadOnlyDictionary<string, object> Properties()
        {
            var found = new Dictionary<string, object>();
            var record = new uint[8];
            for (uint index = 0; native.PropertyAt(handle, index, record) == 0; index++)
            {
                var key = new byte[20];
                Buffer.BlockCopy(record, 0, key, 0, key.Length);
                found[Encoding.UTF8.GetString(key).TrimEnd('\0')] = NumberOf(record);
            }
            return found;
        }

        private static object NumberOf(uint[] record) =>
            record[5] == 1 ? (object)(int)record[6] : BitConverter.ToSingle(BitConverter.GetBytes(record[6]), 0);

        /// <summary>Adds a sample of the input's size to the sample store.</summary>
        public void Learn(int label, Array sample)
        {
            Copy(native.Write, Inputs[0], sample, "Learn");
            Check(native.Learn(handle, (uint)label), "Learn");
        }

        /// <summary>Runs Step() on samples of the store, and returns the loss.</summary>
        public float Replay()
        {
            Check(native.Replay(handle, out float loss), "Replay");
            return loss;
        }

        /// <summary>Removes the samples of a class from the store.</summary>
        public void Forget(int label) => Check(native.Forget(handle, (uint)label), "Forget");

        private float Run(Program program, params Array[] data)
        {
            if (Interlocked.Exchange(ref runs, 1) == 1) Check(InUse, program.ToString());
            try
            {
                Tensor[] wanted = Inputs.Concat(Labels).Where(tensor => tensor.IsIn(program)).ToArray();
                bool fits = data != null && (wanted.Length == 0 || data.Length == wanted.Length);
                Check(fits ? 0 : WrongCount, program.ToString());
                for (int i = 0; i < wanted.Length; i++) Copy(native.Write, wanted[i], data[i], program.ToString());
                Check(native.Run(handle, (uint)program, out float loss), program.ToString());
                return loss;
            }
            finally
            {
                Interlocked.Exchange(ref runs, 0);
            }
        }

        private Array Copy(Native.WriteCall copy, Tensor tensor, Array data, string where)
        {
            int dtype = Array.IndexOf(Tensor.Types, data?.GetType().GetElementType());
            if (dtype < 0) Check(data == null ? InvalidArgument : WrongDtype, $"{where}: {tensor}");
            return Pinned(data, $"{where}: {tensor}", (at, size) => copy(handle, tensor.Role, tensor.Index, (uint)dtype, at, size));
        }

        /// <summary>Passes the array's address to a call that reads or fills it, and returns the array.</summary>
        private T Pinned<T>(T data, string where, Func<IntPtr, UIntPtr, int> call)
        {
            GCHandle pinned = GCHandle.Alloc(data, GCHandleType.Pinned);
            int status = call(pinned.AddrOfPinnedObject(), Bytes((Array)(object)data));
            pinned.Free();
            Check(status, where);
            return data;
        }

        /// <summary>Returns how many elements of an output the last program has made.</summary>
        private int Made(Tensor tensor)
        {
            if (tensor.Role != RoleOfOutputs) return tensor.Size;
            long size = native.OutputSize(handle, tensor.Index);
            Check((int)Math.Min(size, 0), $"output: {tensor}");
            return (int)size / tensor.Width;
        }

        private Tensor Inferred(Array[] data)
        {
            Run(Program.Infer, data);
            return Outputs.First(tensor => tensor.IsIn(Program.Infer));
        }

        private Tensor Float(Tensor tensor) =>
            Check(tensor.IsInteger ? WrongDtype : 0, $"{tensor}, which Values() and the methods on bytes take") ? tensor : null;

        private float[] Floats() => new float[Parameters.Sum(tensor => Float(tensor).Size)];

        private byte[] AllBytes() => new byte[Parameters.Sum(tensor => (tensor.Size * tensor.Width + 3) / 4 * 4)];

        private IReadOnlyList<Tensor> Tensors(uint role)
        {
            var found = new List<Tensor>();
            for (uint index = 0; ; index++)
            {
                var record = new byte[Tensor.RecordBytes];
                int status = role == RoleOfParameters ? native.Parameter(handle, index, record) : native.TensorAt(handle, role, index, record);
                if (status == NotFound) return found.AsReadOnly();
                Check(status, "open");
                found.Add(new Tensor(role, index, record));
            }
        }

        private uint[] Control()
        {
            var control = new uint[12];
            Check(native.Control(handle, control), "Control");
            return control;
        }

        private float[] Named(string name, Func<Tensor, float[]> get) => Parameters.Where(t => t.Name == name).Select(get).FirstOrDefault();

        private T Get<T>(uint values, uint index, T data) =>
            Pinned(data, "parameters", (at, size) => native.Get(handle, values, index, at, size));

        private void Set(uint values, Array data)
        {
            if (data is float[]) Floats();
            Pinned(data, "parameters", (at, size) => native.Set(handle, values, 0, at, size));
        }

        private static UIntPtr Bytes(Array data) => (UIntPtr)(data == null ? 0 : Buffer.ByteLength(data));

        private static byte[] Text(string text) => text == null ? null : Encoding.UTF8.GetBytes(text + "\0");

        private bool Check(int status, string where)
        {
            if (status >= 0) return true;
            Func<Native.ErrorNameCall, string> text = texts => Marshal.PtrToStringAnsi(texts(status));
            throw new GradmoteException(status, text(native.ErrorName), where, text(native.ErrorText), text(native.ErrorHint));
        }
    }
}
