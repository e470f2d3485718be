// Trains the image of bindings.same_state: SameState MODEL STEPS OUT. Writes the checkpoint, and checks what is refused.
import Foundation
import Gradmote

func pixels(_ step: Int) -> [Float] {
    var s = UInt32(step) + 1
    return (0 ..< 64).map { _ in
        s = s &* 1_664_525 &+ 1_013_904_223
        return Float(s >> 8) / 16_777_216
    }
}

func require(_ holds: Bool) { if !holds { fatalError("it does not hold") } }

func refused(_ name: String, _ call: () throws -> Void) {
    do { try call() } catch let error as GradmoteError where error.name == name && !error.hint.isEmpty { return } catch {
        fatalError("\(name) expected: \(error)")
    }
    fatalError("not refused: \(name)")
}

let image = try [UInt8](Data(contentsOf: URL(fileURLWithPath: CommandLine.arguments[1])))
let session = try Session(image: image)
var loss = Float(0)
for step in 0 ..< Int(CommandLine.arguments[2])! { loss = try session.step(pixels(step), [Int32(step * 7 % 10)]) }
let saved = try session.save()
try Data(saved).write(to: URL(fileURLWithPath: CommandLine.arguments[3]))
let (x, y) = (pixels(0), [Int32(1)])
let inBytes = x.withUnsafeBytes { Data($0) }
let expected = try session.evalStep(x, y)
for form in [([9] + x)[1...], inBytes, (Data(count: 3) + inBytes)[3...]] as [TensorData] { try require(session.evalStep(form, y) == expected) }
try require(x.withUnsafeBufferPointer { try session.evalStep($0, y) } == expected)
refused("GM_ERR_WRONG_SIZE") { try session.step(Data(), y) }
refused("GM_ERR_WRONG_SIZE") { try session.step(inBytes.dropLast(), y) }
refused("GM_ERR_WRONG_SIZE") { try session.step(UnsafeBufferPointer<Float>(start: nil, count: 0), y) }
refused("GM_ERR_NOT_FOUND") { _ = try session.classify(row: -1) }
refused("GM_ERR_INVALID_ARGUMENT") { try session.setLinearSchedule(1, warmupSteps: -1, totalSteps: 5) }
refused("GM_ERR_WRONG_SIZE") { try session.step([Float](repeating: 0, count: 63), [Int32(1)]) }
refused("GM_ERR_WRONG_SIZE") { try session.step([Float](), [Int32(1)]) }
refused("GM_ERR_WRONG_DTYPE") { try session.step([Int32](repeating: 0, count: 64), [Int32(1)]) }
refused("GM_ERR_WRONG_COUNT") { try session.step(pixels(0)) }
refused("GM_ERR_LABEL_OUT_OF_RANGE") { try session.step(pixels(0), [Int32(10)]) }
refused("GM_ERR_NO_PROGRAM") { try session.trainStep(pixels(0), [Int32(1)]) }
refused("GM_ERR_NOT_FOUND") { _ = try session.classify(row: 99) }
refused("GM_ERR_TRUNCATED") { try session.load([]) }
refused("GM_ERR_BAD_MAGIC") { try session.load([UInt8](repeating: 0, count: 1000)) }
refused("GM_ERR_WRONG_SIZE") { try session.setParameters([1]) }
refused("GM_ERR_TRUNCATED") { _ = try Session(image: [1, 2, 3]) }
refused("GM_ERR_INVALID_ARGUMENT") { _ = try Session(image: image, threads: -1) }
try session.setProperty("größe", Float(0.5))
try require(session.property("größe") as? Float == 0.5 && session.property("none") == nil)
require(session.inputs[0].shape == [1, 64] && session.labels[0].isInteger && session.parameters.count == 4)
try require(session.parameter("0.weight")?.count == 2048 && session.optimizerSteps() > 0)
let trained = try session.getParameters()
try session.applyDelta(session.delta())
try require(zip(session.getParameters(), trained).allSatisfy { abs($0 - $1) < 1e-6 })
try session.load(saved)
try session.close()
try session.close()
refused("GM_ERR_CLOSED") { try session.step(pixels(0), [Int32(1)]) }
refused("GM_ERR_CLOSED") { _ = try session.save() }
print("swift \(loss)")
