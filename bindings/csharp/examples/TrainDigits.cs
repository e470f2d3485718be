using System;
using System.IO;
using System.Linq;
using Gradmote;

/// <summary>
/// Trains an MLP on handwritten digits and prints its accuracy before and after.
///
/// ./run example digits_files, then ./run scons csharp, then
/// LD_LIBRARY_PATH=build/libraries mono build/csharp/TrainDigits.exe build/digits
/// </summary>
public static class TrainDigits
{
    private const int Pixels = 64;

    public static void Main(string[] arguments)
    {
        string folder = arguments[0];
        float[] pixels = Read<float>(folder, "train.f32");
        int[] labels = Read<int>(folder, "train.i32");
        using (var session = new Session(File.ReadAllBytes(Path.Combine(folder, "model.mote"))))
        {
            double before = Accuracy(session, folder);
            for (int epoch = 1; epoch <= 5; epoch++)
            {
                double loss = labels.Select((label, i) => (double)session.Step(Sample(pixels, i), new[] { label })).Average();
                Console.WriteLine("epoch {0}: loss {1:F4}", epoch, loss);
            }
            Console.WriteLine("accuracy {0:F3} -> {1:F3}", before, Accuracy(session, folder));
            File.WriteAllBytes(Path.Combine(folder, "learned.gmck"), session.Save());
        }
    }

    private static double Accuracy(Session session, string folder)
    {
        float[] pixels = Read<float>(folder, "test.f32");
        int[] labels = Read<int>(folder, "test.i32");
        return labels.Select((label, i) => Classify(session, Sample(pixels, i)) == label ? 1.0 : 0.0).Average();
    }

    private static int Classify(Session session, float[] sample)
    {
        session.Infer(sample);
        return session.Classify();
    }

    private static float[] Sample(float[] pixels, int index)
    {
        var sample = new float[Pixels];
        Array.Copy(pixels, index * Pixels, sample, 0, Pixels);
        return sample;
    }

    private static T[] Read<T>(string folder, string name)
    {
        byte[] bytes = File.ReadAllBytes(Path.Combine(folder, name));
        var values = new T[bytes.Length / 4];
        Buffer.BlockCopy(bytes, 0, values, 0, bytes.Length);
        return values;
    }
}
