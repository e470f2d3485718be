// Trains an MLP on handwritten digits and prints its accuracy before and after: TrainDigits FOLDER, made by
// `./run example digits_files`.
import Foundation
import Gradmote

let pixelsOfSample = 64

func bytes(_ folder: String, _ name: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: URL(fileURLWithPath: folder).appendingPathComponent(name)))
}

/// Reads little-endian numbers, which is the order of every computer that Swift runs on.
func numbers<T>(_ folder: String, _ name: String, as type: T.Type) throws -> [T] {
    try bytes(folder, name).withUnsafeBytes { Array($0.bindMemory(to: type)) }
}

struct Samples {
    let pixels: [Float]
    let labels: [Int32]

    init(_ folder: String, _ part: String) throws {
        pixels = try numbers(folder, part + ".f32", as: Float.self)
        labels = try numbers(folder, part + ".i32", as: Int32.self)
    }

    func sample(_ index: Int) -> [Float] { Array(pixels[index * pixelsOfSample ..< (index + 1) * pixelsOfSample]) }
}

func accuracy(_ session: Session, _ samples: Samples) throws -> Double {
    var right = 0
    for (index, label) in samples.labels.enumerated() {
        _ = try session.infer(samples.sample(index))
        right += try session.classify() == Int(label) ? 1 : 0
    }
    return Double(right) / Double(samples.labels.count)
}

let folder = CommandLine.arguments[1]
let (train, test) = (try Samples(folder, "train"), try Samples(folder, "test"))
let session = try Session(image: bytes(folder, "model.mote"))
let before = try accuracy(session, test)
for epoch in 1 ... 5 {
    var loss = Float(0)
    for (index, label) in train.labels.enumerated() { loss += try session.step(train.sample(index), [label]) }
    print("epoch \(epoch): loss \(loss / Float(train.labels.count))")
}
print(String(format: "accuracy %.3f -> %.3f", before, try accuracy(session, test)))
try Data(session.save()).write(to: URL(fileURLWithPath: folder).appendingPathComponent("learned.gmck"))
