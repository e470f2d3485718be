import CGradmote
import Foundation

/// The programs that an image may have.
public enum Program: UInt32 { case infer, eval, train, optimizer, step }

/// The runtime refused a call. Parameters and optimizer state are unchanged.
public struct GradmoteError: Error, CustomStringConvertible {
    /// The runtime's code, which is negative; its name, such as GM_ERR_WRONG_SIZE; what was wrong; what to do about it.
    public let code: Int32
    public let name, text, hint, place: String

    init(_ code: Int32, _ place: String) {
        self.code = code
        self.place = place
        name = String(cString: gm_handle_error_name(code))
        text = String(cString: gm_handle_error_text(code))
        hint = String(cString: gm_handle_error_hint(code))
    }

    public var description: String { "\(place): \(text) (\(name), \(code)) - \(hint)" }
}

/// The number types of tensors.
public protocol TensorNumber { static var dtype: UInt32 { get } }
extension Float: TensorNumber { public static var dtype: UInt32 { UInt32(GM_DTYPE_F32.rawValue) } }
extension Int32: TensorNumber { public static var dtype: UInt32 { UInt32(GM_DTYPE_I32.rawValue) } }
extension Int8: TensorNumber { public static var dtype: UInt32 { UInt32(GM_DTYPE_I8.rawValue) } }
extension UInt8: TensorNumber { public static var dtype: UInt32 { UInt32(GM_DTYPE_U8.rawValue) } }
extension Int16: TensorNumber { public static var dtype: UInt32 { UInt32(GM_DTYPE_I16.rawValue) } }

/// The types of numbers, by their dtype: name and bytes.
private let numbers: [(name: String, bytes: Int)] = [("Float", 4), ("Int32", 4), ("Int8", 1), ("UInt8", 1), ("Int16", 2)]

/// Data of one tensor: arrays, slices and buffer pointers of its numbers, or their bytes as Data. A nil dtype means the
/// tensor's own.
public protocol TensorData { func withBytes(_ body: (UInt32?, UnsafeRawBufferPointer) -> Int32) -> Int32 }
extension Array: TensorData where Element: TensorNumber {
    public func withBytes(_ body: (UInt32?, UnsafeRawBufferPointer) -> Int32) -> Int32 { withUnsafeBytes { body(Element.dtype, $0) } }
}
extension ArraySlice: TensorData where Element: TensorNumber {
    public func withBytes(_ body: (UInt32?, UnsafeRawBufferPointer) -> Int32) -> Int32 { withUnsafeBytes { body(Element.dtype, $0) } }
}
extension UnsafeBufferPointer: TensorData where Element: TensorNumber {
    public func withBytes(_ body: (UInt32?, UnsafeRawBufferPointer) -> Int32) -> Int32 { body(Element.dtype, UnsafeRawBufferPointer(self)) }
}
extension Data: TensorData {
    public func withBytes(_ body: (UInt32?, UnsafeRawBufferPointer) -> Int32) -> Int32 { withUnsafeBytes { body(nil, $0) } }
}

/// An input, label, output or parameter.
public struct Tensor {
    /// The name in the ONNX model; empty if the image has no names.
    public let name: String
    public let shape: [Int]
    /// The type of its elements, such as Int8.dtype; and how many there are.
    public let dtype: UInt32
    public let count: Int
    let role, index, programs: UInt32
    /// Whether its elements are integers (of any type) rather than Float.
    public var isInteger: Bool { dtype != Float.dtype }
    /// Its name in messages.
    var title: String { "\(name) (\(numbers[Int(dtype)].name))" }
    var bytes: Int { count * numbers[Int(dtype)].bytes }

    init(_ role: UInt32, _ index: UInt32, _ record: gm_handle_tensor) {
        name = withUnsafeBytes(of: record.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        shape = withUnsafeBytes(of: record.dims) { $0.bindMemory(to: UInt32.self).prefix(Int(record.rank)).map(Int.init) }
        dtype = record.dtype
        count = Int(record.size) / numbers[Int(record.dtype)].bytes
        programs = record.programs
        self.role = role
        self.index = index
    }

    /// Returns whether a program has it.
    public func isIn(_ program: Program) -> Bool { programs >> program.rawValue & 1 != 0 }
}

/// Trains and runs one .mote image.
///
/// Data are Float, Int32, Int8, UInt8 and Int16, by the tensor's dtype: every input of a program, then every label.
/// Use a session from one thread at a time.
public final class Session {
    private static let parameter: UInt32 = 3 // the role of parameters
    private let handle: Int64
    private let runs = NSLock()
    public let inputs, labels: [Tensor]
    /// The outputs of all programs.
    public let outputs: [Tensor]
    /// The trained parameters.
    public let parameters: [Tensor]

    /// Copies and verifies the image, and sets the state to its initial values. threads: 1 to 16.
    public init(image: [UInt8], threads: Int = 1) throws {
        let opened = gm_handle_open(image, image.count, UInt32(clamping: threads))
        try check(Int32(min(opened, 0)), "open")
        handle = opened
        (inputs, labels) = (Session.tensors(opened, 0), Session.tensors(opened, 1))
        (outputs, parameters) = (Session.tensors(opened, 2), Session.tensors(opened, Session.parameter))
    }

    deinit { gm_handle_close(handle) }

    /// Closes the session. Closing it again does nothing. Refused while another thread is in a call.
    public func close() throws {
        let status = gm_handle_close(handle)
        try check(status == GM_ERR_CLOSED.rawValue ? 0 : status, "close")
    }

    /// Trains on one batch, updates, and returns the loss before the update.
    @discardableResult
    public func step(_ data: TensorData...) throws -> Float { try run(.step, data) }

    /// Adds the gradients of one micro-batch and returns its loss. The image must be compiled to accumulate.
    @discardableResult
    public func trainStep(_ data: TensorData...) throws -> Float { try run(.train, data) }

    /// Applies the mean of the accumulated gradients.
    public func optimizerStep() throws { try run(.optimizer, []) }

    /// Applies the sum of the accumulated gradients, as onnxruntime does, instead of their mean.
    public func optimizerStepOnSum() throws { try check(gm_handle_optimizer_step_on_sum(handle), "optimizerStepOnSum") }

    /// Makes the next trainStep() start from zero gradients.
    public func lazyResetGrad() throws { try check(gm_handle_lazy_reset_grad(handle), "lazyResetGrad") }

    /// Returns the loss, without training.
    public func evalStep(_ data: TensorData...) throws -> Float { try run(.eval, data) }

    /// Runs the model and returns its first output, which must be Float.
    public func infer(_ data: TensorData...) throws -> [Float] {
        try run(.infer, data)
        return try outputs.first { $0.isIn(.infer) }.map { try values($0, of: Float(0)) } ?? []
    }

    /// Runs the model and returns its first output, with numbers of this type: infer(as: Int8.self, pixels).
    public func infer<T: TensorNumber & ExpressibleByIntegerLiteral>(as type: T.Type, _ data: TensorData...) throws -> [T] {
        try run(.infer, data)
        return try outputs.first { $0.isIn(.infer) }.map { try values($0, of: 0 as T) } ?? []
    }

    /// Returns a copy of an output of the last program, which must be Float.
    public func output(_ output: Tensor) throws -> [Float] { try values(output, of: Float(0)) }

    /// Returns a copy of an output or parameter with numbers of this type.
    public func values<T: TensorNumber & ExpressibleByIntegerLiteral>(_ tensor: Tensor, as type: T.Type) throws -> [T] {
        try values(tensor, of: 0 as T)
    }

    /// Returns the class with the highest score in a row of the last infer().
    public func classify(row: Int = 0) throws -> Int {
        var (label, score) = (UInt32(0), Float(0))
        try check(gm_handle_classify(handle, UInt32(exactly: row) ?? .max, &label, &score), "classify")
        return Int(label)
    }

    /// Resets all state to the image's initial values.
    public func reset() throws { try check(gm_handle_reset(handle), "reset") }

    /// Returns the rate of the next update.
    public func learningRate() throws -> Float { try control().learning_rate }

    /// Returns the number of applied updates.
    public func optimizerSteps() throws -> Int { try Int(control().optimizer_steps) }

    /// Sets the rate (finite, at least 0) and ends any schedule.
    public func setLearningRate(_ rate: Float) throws { try check(gm_handle_set_learning_rate(handle, rate), "setLearningRate") }

    /// Raises the rate linearly from 0 in warmupSteps, then lowers it to 0 at totalSteps.
    public func setLinearSchedule(_ rate: Float, warmupSteps: Int, totalSteps: Int) throws {
        guard let warmup = UInt32(exactly: warmupSteps), let total = UInt32(exactly: totalSteps) else {
            throw GradmoteError(GM_ERR_INVALID_ARGUMENT.rawValue, "setLinearSchedule")
        }
        try check(gm_handle_set_linear_schedule(handle, rate, warmup, total), "setLinearSchedule")
    }

    /// Sets the seed of Dropout and of the sample store's choices.
    public func setSeed(_ seed: UInt32) throws { try check(gm_handle_set_seed(handle, seed), "setSeed") }

    /// Returns a copy of the parameter with this name, which must be Float, or nil if there is none.
    public func parameter(_ name: String) throws -> [Float]? {
        try parameters.first { $0.name == name }.map { try values($0, of: Float(0)) }
    }

    /// Returns all parameters, in the order of `parameters`. All must be Float.
    public func getParameters() throws -> [Float] { try get(GM_VALUES_PARAMETERS) }

    public func setParameters(_ values: [Float]) throws { try set(GM_VALUES_PARAMETERS, values) }

    /// Returns the bytes of all parameters, whatever their types. Each begins at a multiple of 4.
    public func parameterBytes() throws -> [UInt8] { try getBytes(GM_VALUES_PARAMETERS) }

    public func setParameterBytes(_ values: [UInt8]) throws { try setBytes(GM_VALUES_PARAMETERS, values) }

    /// Returns the parameters' difference from the image's initial ones. All must be Float.
    public func delta() throws -> [Float] { try get(GM_VALUES_DELTA) }

    /// Sets the parameters to the image's initial ones plus this difference.
    public func applyDelta(_ delta: [Float]) throws { try set(GM_VALUES_DELTA, delta) }

    /// Returns the difference of parameters of any types; for integers it is modulo 2^8, 2^16 or 2^32.
    public func deltaBytes() throws -> [UInt8] { try getBytes(GM_VALUES_DELTA) }

    public func applyDeltaBytes(_ delta: [UInt8]) throws { try setBytes(GM_VALUES_DELTA, delta) }

    /// Returns the bytes of a .gmck checkpoint.
    public func save() throws -> [UInt8] { try saved { gm_handle_save(handle, 0, $0, $1) } }

    /// Returns a checkpoint from which the optimizer begins again: moments, counters, rate and schedule are the image's.
    public func saveWithoutOptimizer() throws -> [UInt8] {
        try saved { gm_handle_save_without_optimizer(handle, $0, $1) }
    }

    private func saved(_ save: (UnsafeMutableRawPointer?, Int) -> Int32) throws -> [UInt8] {
        let size = gm_handle_checkpoint_size(handle, 0)
        try check(Int32(min(size, 0)), "save")
        var file = [UInt8](repeating: 0, count: Int(size))
        try check(file.withUnsafeMutableBytes { save($0.baseAddress, $0.count) }, "save")
        return file
    }

    /// Returns the trained model as an ONNX file. table: the .gmex file of `gradmote compile --export-table`.
    public func exportModel(_ table: [UInt8]) throws -> [UInt8] {
        let size = gm_handle_export_size(handle, table, table.count)
        try check(Int32(min(size, 0)), "exportModel")
        var model = [UInt8](repeating: 0, count: Int(size))
        try check(gm_handle_export_model(handle, table, table.count, &model, model.count), "exportModel")
        return model
    }

    /// Loads a checkpoint of the same model.
    public func load(_ checkpoint: [UInt8]) throws { try check(gm_handle_load(handle, checkpoint, checkpoint.count), "load") }

    /// Loads the matching entries of another model's checkpoint, and returns their number.
    public func carryOver(_ checkpoint: [UInt8]) throws -> Int {
        var carried = UInt32(0)
        try check(gm_handle_carry_over(handle, checkpoint, checkpoint.count, &carried), "carryOver")
        return Int(carried)
    }

    /// Stores a number in the state. key: up to 19 bytes of UTF-8.
    public func setProperty(_ key: String, _ value: Int32) throws {
        try check(gm_handle_set_property(handle, key, UInt32(GM_PROPERTY_TYPE_I32.rawValue), UInt32(bitPattern: value)), key)
    }

    public func setProperty(_ key: String, _ value: Float) throws {
        try check(gm_handle_set_property(handle, key, UInt32(GM_PROPERTY_TYPE_F32.rawValue), value.bitPattern), key)
    }

    /// Removes the number under this key, if there is one.
    public func removeProperty(_ key: String) throws {
        let status = gm_handle_set_property(handle, key, UInt32(GM_PROPERTY_TYPE_EMPTY.rawValue), 0)
        try check(status == GM_ERR_NOT_FOUND.rawValue ? 0 : status, key)
    }

    /// Returns the Int32 or Float stored under this key, or nil.
    public func property(_ key: String) throws -> TensorNumber? {
        var found = gm_property()
        let status = gm_handle_property(handle, key, &found)
        if status == GM_ERR_NOT_FOUND.rawValue { return nil }
        try check(status, key)
        return Session.number(found)
    }

    /// Returns all numbers by their keys.
    public func properties() throws -> [String: TensorNumber] {
        var (all, found) = ([String: TensorNumber](), gm_property())
        for index in UInt32(0)... {
            let status = gm_handle_property_at(handle, index, &found)
            if status == GM_ERR_NOT_FOUND.rawValue { break }
            try check(status, "properties")
            all[withUnsafeBytes(of: found.key) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }] = Session.number(found)
        }
        return all
    }

    private static func number(_ found: gm_property) -> TensorNumber {
        found.type == GM_PROPERTY_TYPE_I32.rawValue ? Int32(bitPattern: found.value) : Float(bitPattern: found.value)
    }

    /// Adds a sample of the input's size to the sample store.
    public func learn(_ label: UInt32, _ sample: TensorData) throws {
        guard let input = inputs.first else { throw GradmoteError(GM_ERR_NOT_FOUND.rawValue, "learn") }
        try write(input, sample)
        try check(gm_handle_learn(handle, label), "learn")
    }

    /// Runs step() on samples of the store, and returns the loss.
    public func replay() throws -> Float {
        var loss = Float(0)
        try check(gm_handle_replay(handle, &loss), "replay")
        return loss
    }

    @discardableResult
    private func run(_ program: Program, _ data: [TensorData]) throws -> Float {
        guard runs.try() else { throw GradmoteError(GM_ERR_IN_USE.rawValue, "\(program)") }
        defer { runs.unlock() }
        let wanted = (inputs + labels).filter { $0.isIn(program) }
        if !wanted.isEmpty && wanted.count != data.count { throw GradmoteError(GM_ERR_WRONG_COUNT.rawValue, "\(program)") }
        for (tensor, item) in zip(wanted, data) { try write(tensor, item) }
        var loss = Float(0)
        try check(gm_handle_run(handle, program.rawValue, &loss), "\(program)")
        return loss
    }

    private func write(_ tensor: Tensor, _ data: TensorData) throws {
        let status = data.withBytes { dtype, bytes -> Int32 in
            let start = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 4) // empty data may have no address
            return gm_handle_write(handle, tensor.role, tensor.index, dtype ?? tensor.dtype, start, bytes.count)
        }
        try check(status, tensor.title)
    }

    private static func tensors(_ handle: Int64, _ role: UInt32) -> [Tensor] {
        var (found, record) = ([Tensor](), gm_handle_tensor())
        while true {
            let index = UInt32(found.count)
            let isParameter = role == parameter
            let status = isParameter ? gm_handle_parameter(handle, index, &record) : gm_handle_tensor_at(handle, role, index, &record)
            if status != GM_OK.rawValue { return found }
            found.append(Tensor(role, index, record))
        }
    }

    private func control() throws -> gm_control {
        var control = gm_control()
        try check(gm_handle_control(handle, &control), "control")
        return control
    }

    private func get(_ values: gm_handle_values) throws -> [Float] {
        try requireFloats()
        var found = [Float](repeating: 0, count: parameters.reduce(0) { $0 + $1.count })
        try check(gm_handle_get(handle, UInt32(values.rawValue), 0, &found, 4 * found.count), "parameters")
        return found
    }

    private func set(_ values: gm_handle_values, _ data: [Float]) throws {
        try requireFloats()
        try check(gm_handle_set(handle, UInt32(values.rawValue), 0, data, 4 * data.count), "parameters")
    }

    private func getBytes(_ values: gm_handle_values) throws -> [UInt8] {
        var found = [UInt8](repeating: 0, count: parameters.reduce(0) { $0 + ($1.bytes + 3) / 4 * 4 })
        try check(gm_handle_get(handle, UInt32(values.rawValue), 0, &found, found.count), "parameters")
        return found
    }

    private func setBytes(_ values: gm_handle_values, _ data: [UInt8]) throws {
        try check(gm_handle_set(handle, UInt32(values.rawValue), 0, data, data.count), "parameters")
    }

    private func requireFloats() throws {
        guard let other = parameters.first(where: { $0.isInteger }) else { return }
        throw GradmoteError(GM_ERR_WRONG_DTYPE.rawValue, other.title)
    }

    /// Returns how many elements of an output the last program has made; of a parameter, all.
    private func made(_ tensor: Tensor) throws -> Int {
        if tensor.role == Session.parameter { return tensor.count }
        let size = gm_handle_output_size(handle, tensor.index)
        try check(Int32(min(size, 0)), tensor.title)
        return Int(size) * tensor.count / tensor.bytes
    }

    private func values<T: TensorNumber>(_ tensor: Tensor, of zero: T) throws -> [T] {
        guard T.dtype == tensor.dtype else { throw GradmoteError(GM_ERR_WRONG_DTYPE.rawValue, tensor.title) }
        var values = [T](repeating: zero, count: try made(tensor))
        let status = values.withUnsafeMutableBytes { to -> Int32 in
            if tensor.role != Session.parameter { return gm_handle_read(handle, tensor.role, tensor.index, tensor.dtype, to.baseAddress, to.count) }
            return gm_handle_get(handle, UInt32(GM_VALUES_PARAMETER.rawValue), tensor.index, to.baseAddress, to.count)
        }
        try check(status, tensor.title)
        return values
    }
}

private func check(_ status: Int32, _ place: String) throws {
    if status < 0 { throw GradmoteError(status, place) }
}
