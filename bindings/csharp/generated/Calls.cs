// Rendered from bindings/shared/spec/session.toml by `scons render`; do not edit.
using System;
using System.Runtime.InteropServices;

namespace Gradmote
{
    /// <summary>The functions of gm_handle.h, in the order of its struct gm_handle_calls.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal partial struct Native
    {
        internal OpenCall Open;
        internal CloseCall Close;
        internal CloseCall Reset;
        internal RequiredCall Required;
        internal RequiredCall Control;
        internal FusedCall Fused;
        internal ErrorNameCall ErrorName;
        internal ErrorNameCall ErrorText;
        internal ErrorNameCall ErrorHint;
        internal TensorAtCall TensorAt;
        internal ParameterCall Parameter;
        internal WriteCall Write;
        internal WriteCall Read;
        internal RunCall Run;
        internal ClassifyCall Classify;
        internal CloseCall LazyResetGrad;
        internal SetLearningRateCall SetLearningRate;
        internal SetLinearScheduleCall SetLinearSchedule;
        internal SetSeedCall SetSeed;
        internal GetCall Get;
        internal GetCall Set;
        internal CheckpointSizeCall CheckpointSize;
        internal SaveCall Save;
        internal LoadCall Load;
        internal CarryOverCall CarryOver;
        internal SetPropertyCall SetProperty;
        internal PropertyCall Property;
        internal RequiredCall Store;
        internal SetSeedCall Learn;
        internal ReplayCall Replay;
        internal SetSeedCall Forget;
        internal ScoreCall Score;
        internal CloseCall OptimizerStepOnSum;
        internal ExportSizeCall ExportSize;
        internal ExportModelCall ExportModel;
        internal LoadCall SaveWithoutOptimizer;
        internal CloseCall AllTrained;
        internal OutputSizeCall OutputSize;
        internal PropertyAtCall PropertyAt;
        internal Crc32Call Crc32;
        internal ImageSizeCall ImageSize;
        internal LoadCall TrainedImage;

        private const CallingConvention C = CallingConvention.Cdecl;

        [UnmanagedFunctionPointer(C)] internal delegate long OpenCall(byte[] image, UIntPtr imageSize, uint threads);
        [UnmanagedFunctionPointer(C)] internal delegate int CloseCall(long handle);
        [UnmanagedFunctionPointer(C)] internal delegate int RequiredCall(long handle, uint[] @out);
        [UnmanagedFunctionPointer(C)] internal delegate int FusedCall();
        [UnmanagedFunctionPointer(C)] internal delegate IntPtr ErrorNameCall(int code);
        [UnmanagedFunctionPointer(C)] internal delegate int TensorAtCall(long handle, uint role, uint index, byte[] @out);
        [UnmanagedFunctionPointer(C)] internal delegate int ParameterCall(long handle, uint index, byte[] @out);
        [UnmanagedFunctionPointer(C)] internal delegate int WriteCall(long handle, uint role, uint index, uint dtype, IntPtr data, UIntPtr size);
        [UnmanagedFunctionPointer(C)] internal delegate int RunCall(long handle, uint program, out float loss);
        [UnmanagedFunctionPointer(C)] internal delegate int ClassifyCall(long handle, uint row, out uint label, out float score);
        [UnmanagedFunctionPointer(C)] internal delegate int SetLearningRateCall(long handle, float rate);
        [UnmanagedFunctionPointer(C)] internal delegate int SetLinearScheduleCall(long handle, float rate, uint warmupSteps, uint totalSteps);
        [UnmanagedFunctionPointer(C)] internal delegate int SetSeedCall(long handle, uint seed);
        [UnmanagedFunctionPointer(C)] internal delegate int GetCall(long handle, uint values, uint index, IntPtr data, UIntPtr size);
        [UnmanagedFunctionPointer(C)] internal delegate long CheckpointSizeCall(long handle, int half);
        [UnmanagedFunctionPointer(C)] internal delegate int SaveCall(long handle, int half, byte[] data, UIntPtr size);
        [UnmanagedFunctionPointer(C)] internal delegate int LoadCall(long handle, byte[] data, UIntPtr size);
        [UnmanagedFunctionPointer(C)] internal delegate int CarryOverCall(long handle, byte[] data, UIntPtr size, out uint carried);
        [UnmanagedFunctionPointer(C)] internal delegate int SetPropertyCall(long handle, byte[] key, uint type, uint value);
        [UnmanagedFunctionPointer(C)] internal delegate int PropertyCall(long handle, byte[] key, uint[] @out);
        [UnmanagedFunctionPointer(C)] internal delegate int ReplayCall(long handle, out float loss);
        [UnmanagedFunctionPointer(C)] internal delegate int ScoreCall(long handle, uint label, out uint kept, out uint right);
        [UnmanagedFunctionPointer(C)] internal delegate long ExportSizeCall(long handle, byte[] table, UIntPtr tableSize);
        [UnmanagedFunctionPointer(C)] internal delegate int ExportModelCall(long handle, byte[] table, UIntPtr tableSize, byte[] data, UIntPtr size);
        [UnmanagedFunctionPointer(C)] internal delegate long OutputSizeCall(long handle, uint index);
        [UnmanagedFunctionPointer(C)] internal delegate int PropertyAtCall(long handle, uint index, uint[] @out);
        [UnmanagedFunctionPointer(C)] internal delegate uint Crc32Call(uint crc, byte[] data, UIntPtr size);
        [UnmanagedFunctionPointer(C)] internal delegate long ImageSizeCall(long handle);
    }
}
