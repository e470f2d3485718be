import CGradmote
import Foundation

/// What a property has: a whole number, a float or a text. Literals of these make one.
public enum Property: Equatable {
    case int(Int64)
    case float(Float)
    case text(String)
}

extension Property: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral {
    public init(integerLiteral value: Int64) { self = .int(value) }
    public init(floatLiteral value: Float) { self = .float(value) }
    public init(stringLiteral value: String) { self = .text(value) }
}

/// The state of a session, with properties of any length: whole numbers of 64 bits, floats and texts, under any names.
///
/// Its files are those of onnxruntime's classes in the other languages, and load() keeps what it does not know of a file.
public final class CheckpointState {
    public let session: Session
    private var properties: [String: String] = [:] // name: the JSON of its value
    private var frozen: [UInt8] = []

    public init(_ session: Session) { self.session = session }

    /// Loads a checkpoint into the session, and the properties in its file. Checks all bytes before it changes anything.
    public func load(_ file: [UInt8]) throws {
        let found = try PropertyFile.following(file)
        try session.load(file)
        (frozen, properties) = found
    }

    /// Returns the bytes of a .gmck checkpoint with the properties.
    public func save() throws -> [UInt8] { try withRest { try session.save() } }

    /// Returns a checkpoint from which the optimizer begins again: moments, counters, rate and schedule are the image's.
    public func saveWithoutOptimizer() throws -> [UInt8] { try withRest { try session.saveWithoutOptimizer() } }

    /// Adds a number or a text, which the files keep. What fits 32 bits, under a name of up to 19 bytes, is in a slot of the
    /// state too, if one is free, so that a device reads it.
    public func addProperty(_ name: String, _ value: Property) throws {
        if name.isEmpty { throw GradmoteError(GM_ERR_INVALID_ARGUMENT.rawValue, "property") }
        if case .float(let number) = value, !number.isFinite { throw GradmoteError(GM_ERR_NOT_FINITE.rawValue, name) }
        properties[name] = PropertyFile.json(value)
    }

    /// Returns a property, or nil if there is none. Throws if it is neither an Int64 nor a Float, as Python's may be.
    public func property(_ name: String) throws -> Property? {
        if let json = properties[name] { return try PropertyFile.value(name, json) }
        return try session.properties()[name].map(CheckpointState.property)
    }

    private static func property(_ slot: TensorNumber) -> Property {
        if let number = slot as? Int32 { return .int(Int64(number)) }
        return .float(slot as! Float) // slots have these two types
    }

    private func withRest(_ save: () throws -> [UInt8]) throws -> [UInt8] {
        for (name, json) in properties { try giveSlot(name, json) }
        let saved = try save()
        let slots = try session.properties().mapValues { PropertyFile.json(CheckpointState.property($0)) }
        return saved + frozen + PropertyFile.packed(slots.merging(properties) { _, own in own })
    }

    /// Puts a number into a slot if it fits, and takes out what a slot must not have.
    private func giveSlot(_ name: String, _ json: String) throws {
        if name.utf8.count >= MemoryLayout.size(ofValue: gm_property().key) || name.utf8.contains(0) { return }
        let isSet: Bool
        if PropertyFile.isWhole(json) {
            isSet = try Int32(json).map { number in try slotted { try session.setProperty(name, number) } } ?? false
        } else {
            isSet = try PropertyFile.float(json).map { number in try slotted { try session.setProperty(name, number) } } ?? false
        }
        if !isSet { try session.removeProperty(name) }
    }

    /// Returns false if no slot is free.
    private func slotted(_ set: () throws -> Void) throws -> Bool {
        do {
            try set()
        } catch let error as GradmoteError where error.code == GM_ERR_FULL.rawValue {
            return false
        }
        return true
    }
}

/// Properties of any length, after a checkpoint in its file (docs/SPEC.md, "Properties after a checkpoint"). Each stays in
/// the JSON that it was read in, as that shows whether a number is a float, and has all digits.
enum PropertyFile {
    private static let magic: UInt32 = 0x5050_4D47 // GMPP
    private static let head = 12 // magic, size and checksum of the text
    private static let tokens = try! NSRegularExpression(pattern: #""(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*"#)

    /// Returns the JSON of a value. A float has a point or an exponent.
    static func json(_ value: Property) -> String {
        switch value {
        case .int(let number): return String(number)
        case .float(let number): return String(number) // 3.0, 1e+20
        case .text(let text): return quoted(text)
        }
    }

    /// Returns the value of a property's JSON.
    static func value(_ name: String, _ json: String) throws -> Property {
        if json.hasPrefix("\"") { return .text(try text(json)) }
        if isWhole(json), let number = Int64(json) { return .int(number) }
        if !isWhole(json), let number = float(json) { return .float(number) }
        throw GradmoteError(GM_ERR_WRONG_DTYPE.rawValue, "property \(name) is \(json)")
    }

    static func isWhole(_ json: String) -> Bool { json.utf8.allSatisfy { $0 == 0x2D || (0x30 ... 0x39).contains($0) } }

    /// Returns the nearest Float of a number; nil for a text, and if it is too large.
    static func float(_ json: String) -> Float? {
        guard let number = Double(json) else { return nil }
        return abs(number) <= Double(Float.greatestFiniteMagnitude) ? Float(number) : nil
    }

    /// Returns the bytes that follow the checkpoint; none without properties.
    static func packed(_ properties: [String: String]) -> [UInt8] {
        if properties.isEmpty { return [] }
        let members = properties.sorted { $0.key.unicodeScalars.lexicographicallyPrecedes($1.key.unicodeScalars) }
        let text = Array("{\(members.map { "\(quoted($0.key)): \($0.value)" }.joined(separator: ", "))}".utf8)
        let words = [magic, UInt32(text.count), gm_handle_crc32(0, text, text.count)]
        return words.flatMap { word in (0 ..< 4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } } + text
    }

    /// Returns what follows a checkpoint in its file: the frozen weights, and the properties. Skips lasting records.
    static func following(_ file: [UInt8]) throws -> (frozen: [UInt8], properties: [String: String]) {
        guard let size = checkpointSize(file, 0) else { return ([], [:]) } // the runtime refuses it
        let start = try afterLasting(file, size)
        var end = start
        if word(file, start) == UInt32(GM_CHECKPOINT_MAGIC) {
            guard let frozen = checkpointSize(file, start) else { throw damaged }
            end += frozen
        }
        return (Array(file[start ..< end]), end == file.count ? [:] : try unpacked(Array(file[end...])))
    }

    private static var damaged: GradmoteError { GradmoteError(GM_ERR_BAD_CRC.rawValue, "the properties after the checkpoint") }

    /// Returns the size of a whole checkpoint at this offset, or nil if there is none.
    private static func checkpointSize(_ file: [UInt8], _ at: Int) -> Int? {
        let size = Int(word(file, at + MemoryLayout<gm_checkpoint>.offset(of: \.size)!))
        let isThere = word(file, at) == UInt32(GM_CHECKPOINT_MAGIC) && size >= MemoryLayout<gm_checkpoint>.size
        return isThere && size <= file.count - at ? size : nil
    }

    private static func afterLasting(_ file: [UInt8], _ first: Int) throws -> Int {
        var at = first
        while word(file, at) == UInt32(GM_LASTING_MAGIC) {
            let start = at + MemoryLayout<gm_lasting>.size
            let end = start + Int(word(file, at + MemoryLayout<gm_lasting>.offset(of: \.size)!))
            if end + 4 > file.count || checksum(file[start ..< end]) != word(file, end) { throw damaged }
            at = end + 4
        }
        return at
    }

    private static func unpacked(_ rest: [UInt8]) throws -> [String: String] {
        let text = rest.dropFirst(head)
        let isSound = word(rest, 0) == magic && Int(word(rest, 4)) == text.count && word(rest, 8) == checksum(text)
        guard isSound, let json = String(bytes: text, encoding: .utf8) else { throw damaged }
        return try members(json)
    }

    /// Returns the members of a flat JSON object: names, and the JSON of their values.
    private static func members(_ json: String) throws -> [String: String] {
        let whole = NSRange(json.startIndex..., in: json)
        let found = tokens.matches(in: json, range: whole).map { String(json[Range($0.range, in: json)!]) }
        let others = tokens.stringByReplacingMatches(in: json, range: whole, withTemplate: "0").filter { !$0.isWhitespace }
        let isFlat = others == "{\(Array(repeating: "0:0", count: found.count / 2).joined(separator: ","))}"
        let pairs = try stride(from: 0, to: found.count - 1, by: 2).map { (try text(found[$0]), found[$0 + 1]) }
        if !isFlat { throw damaged }
        return Dictionary(pairs) { _, last in last }
    }

    /// Returns the text in a JSON string.
    private static func text(_ json: String) throws -> String {
        let array = try? JSONSerialization.jsonObject(with: Data("[\(json)]".utf8)) as? [String]
        guard let text = array?.first else { throw damaged }
        return text
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.unicodeScalars.map(escaped).joined() + "\""
    }

    private static func escaped(_ letter: Unicode.Scalar) -> String {
        if letter == "\"" || letter == "\\" { return "\\\(letter)" }
        return letter.value < 0x20 ? String(format: "\\u%04x", letter.value) : String(letter)
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.withUnsafeBytes { gm_handle_crc32(0, $0.baseAddress, $0.count) }
    }

    /// Returns the number of 32 bits at an offset; 0 if it is past the end.
    private static func word(_ file: [UInt8], _ at: Int) -> UInt32 {
        if at + 4 > file.count { return 0 }
        return (0 ..< 4).reduce(0) { $0 | UInt32(file[at + $1]) << (8 * UInt32($1)) }
    }
}
