using System;

namespace Gradmote
{
    /// <summary>The runtime refused a call. Parameters and optimizer state are unchanged.</summary>
    public sealed class GradmoteException : Exception
    {
        /// <summary>The runtime's code, which is negative; its name, such as GM_ERR_WRONG_SIZE; what to do about it.</summary>
        public readonly int Code;
        public readonly string Name, Hint;

        internal GradmoteException(int code, string name, string where, string text, string hint)
            : base($"{where}: {text} ({name}, {code})" + (hint == "" ? "" : " - " + hint))
        {
            Code = code;
            Name = name;
            Hint = hint;
        }
    }
}
