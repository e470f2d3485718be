using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;

namespace Gradmote.OnnxRuntime
{
    /// <summary>The state of one training, like onnxruntime's class of the same name. A TrainingSession uses it.</summary>
    public sealed class CheckpointState : IDisposable
    {
        private readonly byte[] start, image;
        private readonly Dictionary<string, object> properties;
        private Session session;

        /// <summary>Begins with the image's initial state (null or the image), or with the bytes of a .gmck checkpoint.</summary>
        public CheckpointState(byte[] checkpoint = null)
        {
            bool isImage = checkpoint != null && checkpoint.Take(4).SequenceEqual(Encoding.ASCII.GetBytes("MOTE"));
            if (isImage) image = checkpoint;
            else start = checkpoint;
            properties = start == null ? new Dictionary<string, object>() : Properties.Unpack(start);
        }

        public static CheckpointState LoadCheckpoint(string checkpointPath) => new CheckpointState(File.ReadAllBytes(checkpointPath));

        /// <summary>Writes a .gmck file. includeOptimizerState: false if the optimizer should begin again from it, as in the image.</summary>
        public static void SaveCheckpoint(CheckpointState state, string checkpointPath, bool includeOptimizerState = false)
        {
            Session session = state.Session;
            state.MoveToSlots();
            byte[] saved = includeOptimizerState ? session.Save() : session.SaveWithoutOptimizer();
            var all = session.Properties().ToDictionary(slot => slot.Key, slot => slot.Value);
            foreach (var property in state.properties) all[property.Key] = property.Value;
            File.WriteAllBytes(checkpointPath, saved.Concat(Properties.Pack(all)).ToArray());
        }

        /// <summary>
        /// Adds a number or a text of any length, which the checkpoint's file keeps. What fits 32 bits, under a name of up to 19
        /// bytes, is in a slot of the state too, if one is free, so that a device reads it.
        /// </summary>
        public void AddProperty(string propertyName, long propertyValue) => properties[propertyName] = propertyValue;

        public void AddProperty(string propertyName, float propertyValue)
        {
            if (float.IsNaN(propertyValue) || float.IsInfinity(propertyValue)) throw new ArgumentException($"{propertyName} is {propertyValue}");
            properties[propertyName] = propertyValue;
        }

        public void AddProperty(string propertyName, string propertyValue) =>
            properties[propertyName] = propertyValue ?? throw new ArgumentNullException(nameof(propertyValue));

        /// <summary>Returns a long, a float or a string, or null if there is none.</summary>
        public object GetProperty(string propertyName)
        {
            if (properties.TryGetValue(propertyName, out object found)) return found;
            object value = Session.GetProperty(propertyName);
            return value is int ? (long)(int)value : value;
        }

        /// <summary>Writes what fits to slots, and takes out what they must not have.</summary>
        private void MoveToSlots()
        {
            foreach (var property in properties)
            {
                object value = property.Value is long wide && wide == (int)wide ? (int)wide : property.Value;
                if (Session.TrySetProperty(property.Key, value) < 0) Session.TrySetProperty(property.Key, null);
            }
        }

        public void Dispose() { }

        internal void Attach(Session to, byte[] trained)
        {
            if (image != null && !image.SequenceEqual(trained))
                throw new ArgumentException("the state is that of another image - begin from the same one, or from a .gmck file");
            if (session != null) throw new InvalidOperationException("this state has a TrainingSession already - load another one");
            if (start != null) to.Load(start);
            session = to;
        }

        private Session Session => session ?? throw new InvalidOperationException("this state has no TrainingSession yet - make one with it");
    }
}
