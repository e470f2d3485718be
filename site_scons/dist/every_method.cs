// Compiles every method of the assembly Gradmote to machine code, which fails if something that it refers to is missing.
using System;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;

public static class EveryMethod
{
    private const BindingFlags Declared = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static
        | BindingFlags.DeclaredOnly;

    public static void Main()
    {
        var types = typeof(Gradmote.Session).Assembly.GetTypes().Where(type => !type.ContainsGenericParameters);
        var methods = types.SelectMany(type => type.GetMethods(Declared).Cast<MethodBase>().Concat(type.GetConstructors(Declared)));
        var compiled = methods.Where(method => method.GetMethodBody() != null && !method.ContainsGenericParameters).ToList();
        foreach (var method in compiled) RuntimeHelpers.PrepareMethod(method.MethodHandle);
        Console.WriteLine("{0} compiled", compiled.Count);
    }
}
