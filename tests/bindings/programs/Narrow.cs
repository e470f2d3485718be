using System;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Gradmote;

/// <summary>Prints what a model of 8-bit or 16-bit integers gives: Narrow MODEL.</summary>
public static class Narrow
{
    private static readonly byte[] X = { 0, 37, 74, 11, 48, 85 };

    public static int Main(string[] arguments)
    {
        byte[] image = File.ReadAllBytes(arguments[0]);
        using (var session = new Session(image, Profile.Strict))
        {
            Tensor input = session.Inputs[0], weight = session.Parameters[0];
            Array x = input.DType == DType.U8 ? (Array)X : X.Select(value => (sbyte)value).ToArray();
            Array other = input.DType == DType.I8 ? (Array)X : X.Select(value => (sbyte)value).ToArray();
            Console.WriteLine($"{input.DType} {input.Size}");
            Console.WriteLine($"{weight.DType} {weight.Size}");
            Print(session.InferValues(x));
            Print(session.InferValues(x));
            Console.WriteLine(session.Classify());
            byte[] initial = session.GetParameterBytes();
            session.Step(x, new[] { 2 });
            byte[] trained = session.GetParameterBytes(), delta = session.GetDeltaBytes();
            Print(session.Values(weight));
            Print(trained.Select(value => (sbyte)value).ToArray());
            Print(delta.Select(value => (sbyte)value).ToArray());
            session.SetParameterBytes(initial);
            session.ApplyDeltaBytes(delta);
            Console.WriteLine(session.GetParameterBytes().SequenceEqual(trained).ToString().ToLower());
            Refused(() => session.Step(new float[6], new[] { 2 }));
            Refused(() => session.Step(other, new[] { 2 }));
            Refused(() => session.Infer(x));
            Refused(() => session.Parameter("w"));
            Refused(() => session.GetParameters());
            Refused(() => session.GetDelta());
            Refused(() => session.SetParameters(new float[initial.Length / 4]));
            session.Learn(1, x);
        }
        return 0;
    }

    private static void Print(Array values) => Console.WriteLine(string.Join(" ", values.Cast<object>()));

    private static void Refused(Action call)
    {
        try
        {
            call();
            Console.WriteLine("was taken");
        }
        catch (GradmoteException error)
        {
            bool names = Regex.IsMatch(error.Message, @"\((I8|U8|I16)\)");
            Console.WriteLine(error.Name + (names ? " names its type" : " " + error.Message));
        }
    }
}
