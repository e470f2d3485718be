using System;
using System.IO;
using System.Linq;
using System.Security.Cryptography;
using Gradmote;

/// <summary>Trains the image of bindings.same_state: SameState MODEL STEPS PROFILE. Prints the loss and the digest;
/// with a further argument, writes the checkpoint to this file instead.</summary>
public static class SameState
{
    public static void Main(string[] arguments)
    {
        var profile = (Profile)Enum.Parse(typeof(Profile), arguments[2], true);
        float loss = 0;
        using (var session = new Session(File.ReadAllBytes(arguments[0]), profile))
        {
            for (int step = 0; step < int.Parse(arguments[1]); step++) loss = session.Step(Pixels(step), new[] { step * 7 % 10 });
            if (arguments.Length > 3)
            {
                File.WriteAllBytes(arguments[3], session.Save());
                return;
            }
            byte[] digest = SHA256.Create().ComputeHash(session.Save());
            Console.WriteLine("csharp {0:F6} {1}", loss, string.Concat(digest.Select(b => b.ToString("x2"))));
        }
    }

    private static float[] Pixels(int step)
    {
        uint s = (uint)step + 1;
        return Enumerable.Range(0, 64).Select(_ => ((s = unchecked(s * 1664525 + 1013904223)) >> 8) / 16777216f).ToArray();
    }
}
