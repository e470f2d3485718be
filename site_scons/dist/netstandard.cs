// Rewrites an assembly that mcs compiled with Mono's libraries, so that it refers to .NET Standard 2.0 alone, and the same
// sources make the same bytes: mcs writes the time and a random number.
// Arguments: the assembly, the file to write, and Mono's netstandard.dll, which has the names of the standard's types.
using System;
using System.IO;
using System.Linq;
using Mono.Cecil;

public static class NetStandard
{
    public static int Main(string[] arguments)
    {
        var resolver = new DefaultAssemblyResolver();
        resolver.AddSearchDirectory(Path.GetDirectoryName(arguments[2]));
        using (var facade = AssemblyDefinition.ReadAssembly(arguments[2]))
        using (var assembly = AssemblyDefinition.ReadAssembly(arguments[0], new ReaderParameters { AssemblyResolver = resolver }))
        {
            var module = assembly.MainModule;
            var foreign = module.GetTypeReferences().Where(type => type.Scope is AssemblyNameReference).ToList();
            var known = facade.MainModule.ExportedTypes.Select(type => type.FullName).ToList();
            var lacking = foreign.Select(type => type.FullName).Where(name => !known.Contains(name)).ToList();
            foreach (string name in lacking) Console.Error.WriteLine("not in .NET Standard: " + name);
            var token = facade.Name.PublicKeyToken;
            var standard = new AssemblyNameReference("netstandard", new Version(2, 0, 0, 0)) { PublicKeyToken = token };
            module.AssemblyReferences.Clear();
            module.AssemblyReferences.Add(standard);
            foreach (var type in foreign) type.Scope = standard;
            assembly.Write(arguments[1], new WriterParameters { Timestamp = 0, DeterministicMvid = true });
            return lacking.Count;
        }
    }
}
