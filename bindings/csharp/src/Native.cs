using System;
using System.Runtime.InteropServices;

namespace Gradmote
{
    /// <summary>How a multiply-accumulate rounds: once (Fused) or twice (Strict). A board's bits are those of its profile.</summary>
    public enum Profile { Fused, Strict }

    /// <summary>generated/Calls.cs has the functions.</summary>
    internal partial struct Native
    {
        [DllImport("gradmote_fused", EntryPoint = "gm_handle_table", CallingConvention = C)]
        private static extern IntPtr FusedTable();

        [DllImport("gradmote_strict", EntryPoint = "gm_handle_table", CallingConvention = C)]
        private static extern IntPtr StrictTable();

        private static readonly Lazy<Native> OfFused = new Lazy<Native>(() => Marshal.PtrToStructure<Native>(FusedTable()));
        private static readonly Lazy<Native> OfStrict = new Lazy<Native>(() => Marshal.PtrToStructure<Native>(StrictTable()));

        /// <summary>Loads the library of a profile, and returns its functions.</summary>
        internal static Native Of(Profile profile)
        {
            try
            {
                return (profile == Profile.Fused ? OfFused : OfStrict).Value;
            }
            catch (Exception error) when (error is DllNotFoundException || error is BadImageFormatException)
            {
                throw new DllNotFoundException($"{error.Message} - this is {RuntimeInformation.OSDescription.Trim()}, "
                    + $"{RuntimeInformation.ProcessArchitecture}: the package has libraries for the platforms in its folder runtimes; "
                    + "for others, put the one that you built from the sources beside your program", error);
            }
        }
    }
}
