using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;

namespace Gradmote.OnnxRuntime
{
    /// <summary>
    /// Properties of any length, after a checkpoint in its file (docs/SPEC.md, "Properties after a checkpoint"): long, float
    /// and string by name, as a flat JSON object.
    /// </summary>
    internal static class Properties
    {
        private const uint Checkpoint = 0x4B434D47, Lasting = 0x524C4D47, Magic = 0x50504D47; // GMCK, GMLR, GMPP

        /// <summary>Returns the bytes that follow the checkpoint; none without properties.</summary>
        internal static byte[] Pack(IDictionary<string, object> properties)
        {
            if (properties.Count == 0) return new byte[0];
            var members = properties.OrderBy(p => p.Key, StringComparer.Ordinal).Select(p => Quoted(p.Key) + ": " + Written(p.Value));
            byte[] text = Encoding.UTF8.GetBytes("{" + string.Join(", ", members) + "}");
            uint[] head = { Magic, (uint)text.Length, Checksum(text) };
            return head.SelectMany(BitConverter.GetBytes).Concat(text).ToArray();
        }

        /// <summary>Returns the properties after the checkpoint in a file; none if there are none.</summary>
        internal static Dictionary<string, object> Unpack(byte[] file)
        {
            int at = 0;
            for (int size = SizeOfPart(file, 0); size > 0; size = SizeOfPart(file, at)) at += size;
            if (Word(file, 0) != Checkpoint || at == 0 || at == file.Length) return new Dictionary<string, object>();
            byte[] text = file.Skip(at + 12).ToArray();
            if (Word(file, at) != Magic || file.Length - at < 12 || Word(file, at + 4) != text.Length || Word(file, at + 8) != Checksum(text))
                throw new InvalidDataException("the properties after the checkpoint are damaged - transfer the file again");
            return new Reader(Encoding.UTF8.GetString(text)).Members();
        }

        /// <summary>Returns the bytes of the part at `at`: a checkpoint, or a lasting record if it is whole; 0 for others.</summary>
        private static int SizeOfPart(byte[] file, int at)
        {
            bool isLasting = Word(file, at) == Lasting;
            if (!isLasting && Word(file, at) != Checkpoint) return 0;
            long size = isLasting ? Word(file, at + 12) + 20L : Word(file, at + 8);
            if (size < 20 || size > file.Length - at) return 0;
            byte[] contents = file.Skip(at + 16).Take((int)size - 20).ToArray();
            return !isLasting || Checksum(contents) == Word(file, at + (int)size - 4) ? (int)size : 0;
        }

        private static uint Word(byte[] file, int at) => at + 4 <= file.Length ? BitConverter.ToUInt32(file, at) : 0;

        private static uint Checksum(byte[] bytes) => Native.Of(Profile.Fused).Crc32(0, bytes, (UIntPtr)bytes.Length);

        private static string Quoted(string text) =>
            "\"" + string.Concat(text.Select(c => c == '"' || c == '\\' ? "\\" + c : c < 0x20 ? $"\\u{(int)c:x4}" : c.ToString())) + "\"";

        /// <summary>Returns a value as JSON; a float has a point or an exponent.</summary>
        private static string Written(object value)
        {
            if (value is string text) return Quoted(text);
            string number = ((IFormattable)value).ToString(value is float ? "R" : null, CultureInfo.InvariantCulture);
            return value is float && number.All(c => c == '-' || char.IsDigit(c)) ? number + ".0" : number;
        }

        /// <summary>Reads a flat JSON object.</summary>
        private sealed class Reader
        {
            private readonly string json;
            private int at;

            internal Reader(string text) { json = text; }

            internal Dictionary<string, object> Members()
            {
                var found = new Dictionary<string, object>();
                Take('{');
                if (Peek() != '}')
                    do
                    {
                        string name = Text();
                        Take(':');
                        found[name] = Peek() == '"' ? (object)Text() : Number();
                    } while (Took(','));
                Take('}');
                return Peek() == '\0' ? found : throw Wrong();
            }

            private char Peek()
            {
                while (at < json.Length && " \t\r\n".IndexOf(json[at]) >= 0) at++;
                return at < json.Length ? json[at] : '\0';
            }

            private bool Took(char wanted)
            {
                bool isThere = Peek() == wanted;
                if (isThere) at++;
                return isThere;
            }

            private void Take(char wanted)
            {
                if (!Took(wanted)) throw Wrong();
            }

            private string Text()
            {
                var text = new StringBuilder();
                for (Take('"'); at < json.Length && json[at] != '"'; at++) text.Append(json[at] == '\\' ? Escaped() : json[at]);
                Take('"');
                return text.ToString();
            }

            private char Escaped()
            {
                char kind = ++at < json.Length ? json[at] : '\0';
                if (kind != 'u')
                {
                    int known = "\"\\/bfnrt".IndexOf(kind);
                    return known >= 0 ? "\"\\/\b\f\n\r\t"[known] : throw Wrong();
                }
                at += 4;
                string digits = at < json.Length ? json.Substring(at - 3, 4) : "";
                return (char)ushort.Parse(digits, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture);
            }

            private object Number()
            {
                int first = at;
                while (at < json.Length && "+-.eE0123456789".IndexOf(json[at]) >= 0) at++;
                string number = json.Substring(first, at - first);
                return number.IndexOfAny(new[] { '.', 'e', 'E' }) >= 0 ? (object)float.Parse(number, CultureInfo.InvariantCulture)
                    : long.Parse(number, CultureInfo.InvariantCulture);
            }

            private static Exception Wrong() => new InvalidDataException("the properties after the checkpoint are not a JSON object of numbers and texts");
        }
    }
}
