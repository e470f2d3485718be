// Properties MODEL.mote KEPT.gmck FOLDER: loads a checkpoint, checks some of its properties, and writes again.gmck, begun.gmck
// (without the optimizer's state) and kept.gmck (of a new session, with properties of its own).
import Foundation
import Gradmote

func require(_ holds: Bool) { if !holds { fatalError("it does not hold") } }

func refused(_ name: String, _ call: () throws -> Void) {
    do { try call() } catch let error as GradmoteError where error.name == name { return } catch {
        fatalError("\(name) expected: \(error)")
    }
    fatalError("not refused: \(name)")
}

func bytes(_ path: String) throws -> [UInt8] { try [UInt8](Data(contentsOf: URL(fileURLWithPath: path))) }

let (model, kept, folder) = (CommandLine.arguments[1], CommandLine.arguments[2], CommandLine.arguments[3])
func write(_ name: String, _ file: [UInt8]) throws { try Data(file).write(to: URL(fileURLWithPath: "\(folder)/\(name).gmck")) }

let (image, file) = (try bytes(model), try bytes(kept))
let state = CheckpointState(try Session(image: image))
try state.load(file)
try require(state.property("epoch") == 3 && state.property("whole") == 3.0 && state.property("fifth") == 5.5)
try require(state.property("high") == .int(.max) && state.property("low") == .int(.min))
try require(state.property("a count under a long name") == .int(1 << 40) && state.property("empty") == "")
try require(state.property("größe") == "said \"5\": {\\}\n\u{1f}" && state.property("😀") == "😀")
try require(state.property("best") == 0.1 && state.property("nothing") == nil)
refused("GM_ERR_WRONG_DTYPE") { _ = try state.property("far") }
try write("again", state.save())
try write("begun", state.saveWithoutOptimizer())

let other = CheckpointState(try Session(image: image))
try other.session.setProperty("device", Int32(7))
try other.addProperty("epoch", 3)
try other.addProperty("best", 0.5)
try other.addProperty("a count under a long name", .int(1 << 40))
try other.addProperty("größe", "said \"5\"\n")
try other.addProperty("empty", "")
refused("GM_ERR_INVALID_ARGUMENT") { try other.addProperty("", 1) }
refused("GM_ERR_NOT_FINITE") { try other.addProperty("nothing", .float(.nan)) }
let own = try other.save()
try write("kept", own)
try require(other.session.properties().count == 3)
let size = try other.session.save().count
for at in size ..< own.count {
    var changed = own
    changed[at] ^= 1
    refused("GM_ERR_BAD_CRC") { try other.load(changed) }
    if at > size { refused("GM_ERR_BAD_CRC") { try other.load(Array(own[..<at])) } }
}
try require(other.property("empty") == "" && other.save() == own)
refused("GM_ERR_TRUNCATED") { try other.load([]) }
try other.addProperty("epoch", "a text now")
_ = try other.save()
try require(other.session.property("epoch") == nil && other.property("device") == 7)
try other.load(other.session.save())
try require(other.property("best") == 0.5 && other.property("empty") == nil)
