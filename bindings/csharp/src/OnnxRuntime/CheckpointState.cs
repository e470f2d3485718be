using System;
using System.IO;

namespace Gradmote.OnnxRuntime
{
    /// <summary>The state of one training, like onnxruntime's class of the same name. A TrainingSession uses it.</summary>
    public sealed class CheckpointState : IDisposable
    {
        private readonly byte[] start;
        private Session session;

        /// <summary>Begins with the image's initial state (null), or with the bytes of a .gmck checkpoint.</summary>
        public CheckpointState(byte[] checkpoint = null) { start = checkpoint; }

        public static CheckpointState LoadCheckpoint(string checkpointPath) => new CheckpointState(File.ReadAllBytes(checkpointPath));

        /// <summary>Writes a .gmck file. includeOptimizerState: false if the optimizer should begin again from it, as in the image.</summary>
        public static void SaveCheckpoint(CheckpointState state, string checkpointPath, bool includeOptimizerState = false) =>
            File.WriteAllBytes(checkpointPath, includeOptimizerState ? state.Session.Save() : state.Session.SaveWithoutOptimizer());

        public void AddProperty(string propertyName, long propertyValue) => Session.SetProperty(propertyName, checked((int)propertyValue));

        public void AddProperty(string propertyName, float propertyValue) => Session.SetProperty(propertyName, propertyValue);

        /// <summary>Returns a long or a float, or null if there is none.</summary>
        public object GetProperty(string propertyName)
        {
            object value = Session.GetProperty(propertyName);
            return value is int ? (long)(int)value : value;
        }

        public void Dispose() { }

        internal void Attach(Session to)
        {
            if (session != null) throw new InvalidOperationException("this state has a TrainingSession already - load another one");
            if (start != null) to.Load(start);
            session = to;
        }

        private Session Session => session ?? throw new InvalidOperationException("this state has no TrainingSession yet - make one with it");
    }
}
