using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using Gradmote;
using Gradmote.OnnxRuntime;
using Gradmote.OnnxRuntime.Tensors;

/// <summary>Checks MODEL and ACCUMULATING, the MLP of bindings.same_state in two forms: Checks MODEL ACCUMULATING.</summary>
public static class Checks
{
    private static readonly int[] Label = { 1 };
    private static int passed;

    public static void Main(string[] arguments)
    {
        byte[] image = File.ReadAllBytes(arguments[0]);
        WhatIsRefused(image);
        CheckpointsAndProperties(image);
        ParametersAndTensors(image);
        AfterDispose(image);
        Threads(image);
        NoOneDisposes(image);
        FewerSamples(File.ReadAllBytes(Path.Combine(Path.GetDirectoryName(arguments[0]), "batches.mote")));
        OnnxruntimesClasses(arguments[1]);
        LastingRecordsAreSkipped(arguments[1]);
        Console.WriteLine("{0} passed, 0 failed", passed);
    }

    /// <summary>Runs of two samples, by an image with batches of four.</summary>
    private static void FewerSamples(byte[] image)
    {
        float[] two = Enumerable.Range(0, 128).Select(i => i / 128f).ToArray(), four = two.Concat(two).ToArray();
        using (var session = new Session(image))
        {
            float loss = session.EvalStep(four, new[] { 3, 1, 3, 1 });
            Check(Math.Abs(session.EvalStep(two, new[] { 3, 1 }) - loss) < 1e-6f);
            float[] scores = session.Infer(four);
            Check(session.Infer(two).SequenceEqual(scores.Take(20)));
            Refused("GM_ERR_WRONG_SIZE", () => session.Step(two, new[] { 3, 1, 3 }));
            Check(session.Step(two, new[] { 3, 1 }) > 0 && session.OptimizerSteps == 1);
        }
    }

    private static void WhatIsRefused(byte[] image)
    {
        float[] pixels = Filled(0.5f);
        using (var session = new Session(image, Profile.Strict, 2))
        {
            byte[] before = session.Save();
            Refused("GM_ERR_WRONG_SIZE", () => session.Step(new float[63], Label));
            Refused("GM_ERR_WRONG_DTYPE", () => session.Step(new int[64], Label));
            Refused("GM_ERR_WRONG_DTYPE", () => session.Step(pixels, new long[] { 1 }));
            Refused("GM_ERR_WRONG_DTYPE", () => session.Step(pixels, new[] { "1" }));
            Refused("GM_ERR_INVALID_ARGUMENT", () => session.Step(pixels, null));
            Refused("GM_ERR_WRONG_COUNT", () => session.Step(pixels));
            Refused("GM_ERR_WRONG_COUNT", () => session.Step(pixels, Label, Label));
            Refused("GM_ERR_WRONG_COUNT", () => session.Step((Array[])null));
            Refused("GM_ERR_LABEL_OUT_OF_RANGE", () => session.Step(pixels, new[] { 10 }));
            Refused("GM_ERR_NO_PROGRAM", () => session.TrainStep(pixels, Label));
            Refused("GM_ERR_NOT_FOUND", () => session.Classify(99));
            Refused("GM_ERR_INVALID_ARGUMENT", () => session.LearningRate = float.NaN);
            Refused("GM_ERR_NO_STORE", () => session.Learn(1, pixels));
            Refused("GM_ERR_WRONG_SIZE", () => session.SetParameters(new float[3]));
            Refused("GM_ERR_INVALID_ARGUMENT", () => session.SetParameters(null));
            Refused("GM_ERR_INVALID_ARGUMENT", () => session.Load(null));
            Refused("GM_ERR_TRUNCATED", () => session.Load(new byte[0]));
            Refused("GM_ERR_BAD_MAGIC", () => session.Load(new byte[1000]));
            Refused("GM_ERR_INVALID_ARGUMENT", () => session.SetProperty(null, 1));
            Refused("GM_ERR_INVALID_ARGUMENT", () => session.SetProperty("key", "text"));
            Refused("GM_ERR_INVALID_ARGUMENT", () => session.SetProperty("a key of more than nineteen bytes", 1));
            Check(before.SequenceEqual(session.Save()));
            Refused("GM_ERR_NOT_FINITE", () => session.Step(Filled(float.NaN), Label));
        }
        Refused("GM_ERR_INVALID_ARGUMENT", () => new Session(null));
        Refused("GM_ERR_TRUNCATED", () => new Session(new byte[3]));
        Refused("GM_ERR_TRUNCATED", () => new Session(image.Take(image.Length - 1).ToArray()));
        Refused("GM_ERR_INVALID_ARGUMENT", () => new Session(image, Profile.Fused, -1));
        byte[] damaged = (byte[])image.Clone();
        damaged[image.Length / 2] ^= 1;
        Refused("GM_ERR_BAD_CRC", () => new Session(damaged));
    }

    private static void CheckpointsAndProperties(byte[] image)
    {
        using (Session session = new Session(image), other = new Session(image))
        {
            session.Step(Filled(0.25f), new[] { 7 });
            session.SetProperty("best", 97);
            session.SetProperty("größe", 0.5f);
            other.Load(session.Save());
            Check(other.Save().SequenceEqual(session.Save()));
            Check((int)other.GetProperty("best") == 97 && (float)other.GetProperty("größe") == 0.5f);
            other.SetProperty("best", null);
            Check(other.GetProperty("best") == null);
            Check(other.CarryOver(session.Save()) > 4);
            other.Reset();
            Check(other.OptimizerSteps == 0);
        }
    }

    private static void ParametersAndTensors(byte[] image)
    {
        using (var session = new Session(image))
        {
            Check(session.Inputs.Count == 1 && session.Labels.Count == 1 && session.Parameters.Count == 4);
            Check(session.Labels[0].IsInteger && !session.Inputs[0].IsInteger);
            Check(session.Inputs[0].Shape.SequenceEqual(new[] { 1, 64 }));
            Check(session.Parameter("0.weight").Length == 64 * 32 && session.Parameter("none") == null);
            session.Step(Filled(0.25f), new[] { 7 });
            float[] delta = session.GetDelta(), trained = session.GetParameters();
            session.SetParameters(new float[trained.Length]);
            session.ApplyDelta(delta);
            Check(Math.Abs(session.GetParameters()[0] - trained[0]) < 1e-6f);
            session.SetLinearSchedule(0.1f, 0, 10);
            Check(session.LearningRate == 0.1f);
            Check(session.EvalStep(Filled(0.25f), new[] { 7 }) > 0 && session.Infer(Filled(0)).Length == 10);
        }
    }

    private static void AfterDispose(byte[] image)
    {
        var session = new Session(image);
        session.Dispose();
        session.Dispose();
        Refused("GM_ERR_CLOSED", () => session.Step(Filled(0), Label));
        Refused("GM_ERR_CLOSED", () => session.Save());
        Refused("GM_ERR_CLOSED", () => session.Reset());
        Refused("GM_ERR_CLOSED", () => session.GetParameters());
        Refused("GM_ERR_CLOSED", () => session.GetProperty("a"));
    }

    /// <summary>Two threads step while this one disposes of the session under them.</summary>
    private static void Threads(byte[] image)
    {
        for (int round = 0; round < 20; round++)
        {
            var session = new Session(image);
            Exception failure = null;
            Thread[] threads = Enumerable.Range(0, 2).Select(_ => new Thread(() => failure = StepUntilClosed(session) ?? failure)).ToArray();
            foreach (Thread thread in threads) thread.Start();
            Thread.Sleep(2);
            for (bool closed = false; !closed;)
            {
                try { session.Dispose(); closed = true; }
                catch (GradmoteException error) { if (error.Name != "GM_ERR_IN_USE") throw; }
            }
            foreach (Thread thread in threads) thread.Join();
            if (failure != null) throw failure;
            passed++;
        }
    }

    private static Exception StepUntilClosed(Session session)
    {
        while (true)
        {
            try { session.Step(Filled(0.5f), Label); }
            catch (GradmoteException error)
            {
                if (error.Name == "GM_ERR_CLOSED") return null;
                if (error.Name != "GM_ERR_IN_USE") return error;
            }
            catch (Exception error) { return error; }
        }
    }

    /// <summary>Finalizers close more sessions than may be open at once.</summary>
    private static void NoOneDisposes(byte[] image)
    {
        for (int i = 0; i < 5000; i++)
        {
            new Session(image);
            if (i % 500 == 0) { GC.Collect(); GC.WaitForPendingFinalizers(); }
        }
        passed++;
    }

    private static float LossOf(IReadOnlyCollection<NamedOnnxValue> results) => results.First().AsTensor<float>().GetValue(0);

    /// <summary>What a trained image infers is what the session infers that wrote it.</summary>
    private static void Inference(TrainingSession trained, string model, string folder)
    {
        string image = Path.Combine(folder, "trained.mote");
        trained.ExportModelForInferencing(image, null);
        float[] expected = trained.Session.Infer(Filled(0.5f));
        Tensor<float> pixels = new DenseTensor<float>(Filled(0.5f), new[] { 1, 64 });
        using (var session = new InferenceSession(image))
        {
            string input = session.InputNames.Single(), output = session.OutputNames.Single();
            Check(session.InputMetadata[input].Dimensions.SequenceEqual(new[] { 1, 64 }) && session.OutputMetadata[output].ElementType == typeof(float));
            var inputs = new List<NamedOnnxValue> { NamedOnnxValue.CreateFromTensor(input, pixels) };
            using (IDisposableReadOnlyCollection<DisposableNamedOnnxValue> results = session.Run(inputs))
            {
                Check(results.Single().Name == output && results.Single().AsTensor<float>().SequenceEqual(expected));
                Check(results.Single().AsTensor<long>() == null && results.Single().AsTensor<float>()[0, 9] == expected[9]);
            }
            Check(session.Run(inputs, new[] { output }).Count == 1 && session.Run(inputs, new string[0]).Count == 0);
            RefusedArgument("the inputs are", () => session.Run(new[] { NamedOnnxValue.CreateFromTensor("no input", pixels) }));
            RefusedArgument("the outputs are", () => session.Run(inputs, new[] { "no output" }));
        }
        using (var again = new Session(File.ReadAllBytes(image)))
            Check(again.GetParameters().SequenceEqual(trained.Session.GetParameters()) && again.OptimizerSteps == 0);
        RefusedArgument("is that of another image", () => new TrainingSession(CheckpointState.LoadCheckpoint(image), model));
        using (var again = new TrainingSession(CheckpointState.LoadCheckpoint(image), image))
        {
            Tensor<long> label = new DenseTensor<long>(new[] { 1 });
            label[0] = 3;
            var inputs = new[] { FixedBufferOnnxValue.CreateFromTensor(pixels), FixedBufferOnnxValue.CreateFromTensor(label) };
            Check(LossOf(again.EvalStep(inputs)) == again.Session.EvalStep(Filled(0.5f), new[] { 3 }));
        }
        Refused("GM_ERR_TRUNCATED", () => new InferenceSession(new byte[3]));
        Tensors();
    }

    private static void Tensors()
    {
        Tensor<int> cube = new DenseTensor<int>(Enumerable.Range(0, 12).ToArray(), new[] { 2, 3, 2 });
        Check(cube[1, 2, 0] == 10 && cube.Length == 12 && cube.Rank == 3 && cube.Dimensions.SequenceEqual(new[] { 2, 3, 2 }));
        Check(cube.GetArrayString(false) == "{{{0,1},{2,3},{4,5}},{{6,7},{8,9},{10,11}}}");
        Check(cube.Reshape(new[] { 2, 6 }).GetArrayString().Replace("\r", "") == "{\n    {0,1,2,3,4,5},\n    {6,7,8,9,10,11}\n}");
        cube.Reshape(new[] { 12 })[11] = 7;
        Check(cube.GetValue(11) == 7 && cube.ToDenseTensor().Buffer.SequenceEqual(cube));
        RefusedArgument("do not have shape [5, 2]", () => cube.Reshape(new[] { 5, 2 }));
        RefusedArgument("2 indices do not fit 3 dimensions", () => cube[0, 0] = 1);
        try { cube[0, 3, 0] = 1; Check(false); } catch (IndexOutOfRangeException) { Check(true); }
    }

    private static void RefusedArgument(string message, Action call)
    {
        try { call(); }
        catch (ArgumentException error)
        {
            Check(error.Message.Contains(message), message + " expected: " + error);
            return;
        }
        throw new Exception("not refused: " + message);
    }

    private static void OnnxruntimesClasses(string model)
    {
        string kept = Path.GetTempFileName(), fresh = Path.GetTempFileName();
        var state = new CheckpointState();
        using (var session = new TrainingSession(state, model, model, model))
        {
            Check(session.InputNames(true).Count == 2 && session.OutputNames(true)[0] == "loss");
            var inputs = new List<FixedBufferOnnxValue> { Value(Filled(0.5f), TensorElementType.Float), Value(new long[] { 3 }, TensorElementType.Int64) };
            float first = LossOf(session.EvalStep(inputs));
            for (int i = 0; i < 20; i++)
            {
                session.TrainStep(inputs);
                session.OptimizerStep();
                session.LazyResetGrad();
            }
            Check(LossOf(session.EvalStep(inputs)) < first);
            var loss = new float[1];
            var outputs = new List<FixedBufferOnnxValue> { Value(loss, TensorElementType.Float) };
            if (session.OutputNames(false).Count == 1) session.EvalStep(inputs, outputs);
            Check(session.OutputNames(false).Count > 1 || loss[0] < first);
            session.RegisterLinearLRScheduler(0, 10, 0.5f);
            session.SchedulerStep();
            state.AddProperty("epoch", 3L);
            state.AddProperty("best", 0.5f);
            state.AddProperty("a count under a long name", 1L << 40);
            state.AddProperty("größe", "said \"5\"\n");
            state.AddProperty("empty", "");
            session.Session.SetProperty("device", 7);
            CheckpointState.SaveCheckpoint(state, kept, true);
            CheckpointState.SaveCheckpoint(state, fresh, false);
            session.FromBuffer(session.ToBuffer(true), true);
            session.FromBuffer(session.ToBuffer(false), false);
            string folder = Path.GetDirectoryName(Path.GetFullPath(model));
            CheckpointState.SaveCheckpoint(state, Path.Combine(folder, "trained.gmck"), true);
            session.ExportModelForInferencing(Path.Combine(folder, "trained.onnx"), null);
            Inference(session, model, folder);
            Refused("GM_ERR_INVALID_ARGUMENT", () => session.SetLearningRate(-1));
        }
        CheckpointState loaded = CheckpointState.LoadCheckpoint(kept);
        using (var session = new TrainingSession(loaded, model, model))
        {
            Check(session.GetLearningRate() == 0.5f && (long)loaded.GetProperty("epoch") == 3);
            Check((float)loaded.GetProperty("best") == 0.5f && (long)loaded.GetProperty("a count under a long name") == 1L << 40);
            Check((string)loaded.GetProperty("größe") == "said \"5\"\n" && (string)loaded.GetProperty("empty") == "");
            Check((long)loaded.GetProperty("device") == 7 && (int)session.Session.GetProperty("epoch") == 3);
            byte[] damaged = File.ReadAllBytes(kept);
            damaged[damaged.Length - 3] ^= 1;
            try { new CheckpointState(damaged); Check(false); } catch (InvalidDataException) { Check(true); }
            File.Copy(kept, Path.Combine(Path.GetDirectoryName(Path.GetFullPath(model)), "kept.gmck"), true);
            CheckpointState without = CheckpointState.LoadCheckpoint(fresh);
            using (var begun = new TrainingSession(without, model, model))
            using (var first = new TrainingSession(new CheckpointState(), model, model))
            {
                Check(begun.ToBuffer(true).SequenceEqual(session.ToBuffer(true)) && (long)without.GetProperty("epoch") == 3);
                Check(begun.Session.OptimizerSteps == 0 && begun.GetLearningRate() == first.GetLearningRate());
                begun.FromBuffer(first.ToBuffer(true), true);
                foreach (string name in begun.Session.Properties().Keys) begun.Session.SetProperty(name, null);
                Check(begun.Session.Save().SequenceEqual(first.Session.Save()));
            }
        }
        string head = Path.Combine(Path.GetDirectoryName(Path.GetFullPath(model)), "head.mote");
        using (var session = new TrainingSession(new CheckpointState(), head))
        {
            Check(session.ToBuffer(true).Length == 330);
            Refused("GM_ERR_FROZEN", () => session.ToBuffer(false));
            Refused("GM_ERR_FROZEN", () => session.FromBuffer(session.ToBuffer(true), false));
        }
        File.Delete(kept);
        File.Delete(fresh);
    }

    /// <summary>A changed byte of a lasting record is refused, or changes its kind or its version.</summary>
    private static void LastingRecordsAreSkipped(string model)
    {
        byte[] file = File.ReadAllBytes(Path.Combine(Path.GetDirectoryName(Path.GetFullPath(model)), "lasting.gmck"));
        int first = BitConverter.ToInt32(file, 8), changes = 0, cuts = 0;
        for (int at = first; at < first + 28 + 20; at++)
        {
            byte[] changed = (byte[])file.Clone();
            changed[at] ^= 1;
            try { Check((long)new CheckpointState(changed).GetProperty("epoch") == 3); } catch (InvalidDataException) { changes++; }
            try { new CheckpointState(file.Take(at).ToArray()); } catch (InvalidDataException) { cuts++; }
        }
        Check(changes == 28 + 20 - 2 * 8 && cuts == 28 + 20 - 2); // two of the cuts are before a record
    }

    private static FixedBufferOnnxValue Value<T>(T[] memory, TensorElementType type) =>
        FixedBufferOnnxValue.CreateFromMemory(OrtMemoryInfo.DefaultInstance, memory, type, new long[] { memory.Length }, Buffer.ByteLength(memory));

    private static float[] Filled(float value) => Enumerable.Repeat(value, 64).ToArray();

    private static void Refused(string name, Action call)
    {
        try { call(); }
        catch (GradmoteException error)
        {
            Check(error.Name == name && error.Code < 0 && error.Hint != "", name + " expected: " + error);
            return;
        }
        throw new Exception("not refused: " + name);
    }

    private static void Check(bool holds, string what = "does not hold")
    {
        if (!holds) throw new Exception(what);
        passed++;
    }
}
