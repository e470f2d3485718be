using System;
using System.Runtime.InteropServices;

namespace Gradmote
{
    /// <summary>How a multiply-accumulate rounds: once (Fused) or twice (Strict). A board's bits are those of its profile.</summary>
    public enum Profile { Fused, Strict }

    /// <summary>The functions of gm_handle.h, in the order of its struct gm_handle_calls.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal struct Native
    {
        internal Opening Open;
        internal Call Close, Reset;
        internal Reading Required, Control;
        internal IntPtr Fused;
        internal Texts ErrorName, ErrorText, ErrorHint;
        internal Describing TensorAt;
        internal DescribingParameter Parameter;
        internal Copying Write, Read;
        internal Running Run;
        internal Classifying Classify;
        internal Call LazyResetGrad;
        internal SettingRate SetLearningRate;
        internal SettingSchedule SetLinearSchedule;
        internal Numbering SetSeed;
        internal Values Get, Set;
        internal Sizing CheckpointSize;
        internal Saving Save;
        internal Loading Load;
        internal Carrying CarryOver;
        internal SettingProperty SetProperty;
        internal ReadingProperty Property;
        internal Reading Store;
        internal Numbering Learn;
        internal Replaying Replay;
        internal Numbering Forget;

        private const CallingConvention C = CallingConvention.Cdecl;

        [UnmanagedFunctionPointer(C)] internal delegate long Opening(byte[] image, UIntPtr size, uint threads);
        [UnmanagedFunctionPointer(C)] internal delegate int Call(long handle);
        [UnmanagedFunctionPointer(C)] internal delegate int Numbering(long handle, uint number);
        [UnmanagedFunctionPointer(C)] internal delegate int Reading(long handle, uint[] record);
        [UnmanagedFunctionPointer(C)] internal delegate IntPtr Texts(int code);
        [UnmanagedFunctionPointer(C)] internal delegate int Describing(long handle, uint role, uint index, byte[] tensor);
        [UnmanagedFunctionPointer(C)] internal delegate int DescribingParameter(long handle, uint index, byte[] tensor);
        [UnmanagedFunctionPointer(C)]
        internal delegate int Copying(long handle, uint role, uint index, uint dtype, IntPtr data, UIntPtr size);
        [UnmanagedFunctionPointer(C)] internal delegate int Running(long handle, uint program, out float loss);
        [UnmanagedFunctionPointer(C)] internal delegate int Replaying(long handle, out float loss);
        [UnmanagedFunctionPointer(C)] internal delegate int Classifying(long handle, uint row, out uint label, out float score);
        [UnmanagedFunctionPointer(C)] internal delegate int SettingRate(long handle, float rate);
        [UnmanagedFunctionPointer(C)] internal delegate int SettingSchedule(long handle, float rate, uint warmup, uint total);
        [UnmanagedFunctionPointer(C)] internal delegate int Values(long handle, uint values, uint index, IntPtr data, UIntPtr size);
        [UnmanagedFunctionPointer(C)] internal delegate long Sizing(long handle, int half);
        [UnmanagedFunctionPointer(C)] internal delegate int Saving(long handle, int half, byte[] data, UIntPtr size);
        [UnmanagedFunctionPointer(C)] internal delegate int Loading(long handle, byte[] data, UIntPtr size);
        [UnmanagedFunctionPointer(C)] internal delegate int Carrying(long handle, byte[] data, UIntPtr size, out uint carried);
        [UnmanagedFunctionPointer(C)] internal delegate int SettingProperty(long handle, byte[] key, uint type, uint value);
        [UnmanagedFunctionPointer(C)] internal delegate int ReadingProperty(long handle, byte[] key, uint[] property);

        [DllImport("gradmote_fused", EntryPoint = "gm_handle_table", CallingConvention = C)]
        private static extern IntPtr FusedTable();

        [DllImport("gradmote_strict", EntryPoint = "gm_handle_table", CallingConvention = C)]
        private static extern IntPtr StrictTable();

        private static readonly Lazy<Native> OfFused = new Lazy<Native>(() => Marshal.PtrToStructure<Native>(FusedTable()));
        private static readonly Lazy<Native> OfStrict = new Lazy<Native>(() => Marshal.PtrToStructure<Native>(StrictTable()));

        /// <summary>Loads the library of a profile, and returns its functions.</summary>
        internal static Native Of(Profile profile) => (profile == Profile.Fused ? OfFused : OfStrict).Value;
    }
}
