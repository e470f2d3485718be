// Rendered from runtime_c/spec by `scons render`; do not edit.

/// What can go wrong; the runtime's codes, and one of this crate's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[repr(i32)]
pub enum Error {
    /// An argument is null, misaligned or out of range.
    InvalidArgument = -1,
    /// This is not a Gradmote file.
    BadMagic = -2,
    /// This runtime does not read the file's format version.
    BadVersion = -3,
    /// The file is shorter than its header says.
    Truncated = -4,
    /// The file's checksum does not match its bytes.
    BadCrc = -5,
    /// A section is outside the file, misaligned or of an invalid size.
    BadSection = -6,
    /// This build of the runtime lacks an instruction.
    BadOpcode = -7,
    /// An instruction's length or parameters do not match its opcode.
    BadInstruction = -8,
    /// An operand is outside the arena or the constants, read-only, or overlaps another.
    BadOperand = -9,
    /// A program would run longer than this runtime allows.
    TooMuchWork = -10,
    /// The arena is smaller than the image requires.
    ArenaTooSmall = -11,
    /// The image has no such program.
    NoProgram = -12,
    /// No tensor or property has that name or index.
    NotFound = -13,
    /// The data is not as long as the tensor or buffer.
    WrongSize = -14,
    /// A label is neither a class index nor ignore_index; nothing was changed.
    LabelOutOfRange = -15,
    /// The input, the loss or a gradient is NaN or infinite, or a number or rate is too large; the step was skipped.
    NotFinite = -16,
    /// The checkpoint belongs to another model.
    WrongModel = -17,
    /// Reading or writing the checkpoint failed.
    Io = -18,
    /// A program is still running.
    Busy = -19,
    /// There are no gradients to apply.
    NoGradients = -20,
    /// All property slots are in use.
    Full = -21,
    /// The state table is inconsistent with the header.
    BadState = -22,
    /// The header's regions overlap, are misaligned or exceed the arena.
    BadRegion = -23,
    /// An input, label, output or loss has an invalid shape or offset.
    BadTensor = -24,
    /// A program's record does not match its instructions.
    BadProgram = -25,
    /// An index is outside its axis; nothing was changed.
    IndexOutOfRange = -26,
    /// The image has no sample store.
    NoStore = -27,
    /// The store has no samples.
    StoreEmpty = -28,
    /// The sample store has an invalid shape or offset.
    BadStore = -29,
    /// The delta belongs to another base or round.
    OtherBase = -30,
    /// This build rounds differently from its profile.
    WrongArithmetic = -31,
    /// An integer does not fit the model's type.
    DoesNotFit = -32,
    /// The program takes whole batches.
    WholeBatch = -33,
    /// The elements are of another type than the tensor's.
    WrongType = i32::MIN,
    /// A code of a newer runtime.
    Unknown = i32::MAX,
}

impl Error {
    pub(crate) fn of(code: i32) -> Self {
        match code {
            -1 => Error::InvalidArgument,
            -2 => Error::BadMagic,
            -3 => Error::BadVersion,
            -4 => Error::Truncated,
            -5 => Error::BadCrc,
            -6 => Error::BadSection,
            -7 => Error::BadOpcode,
            -8 => Error::BadInstruction,
            -9 => Error::BadOperand,
            -10 => Error::TooMuchWork,
            -11 => Error::ArenaTooSmall,
            -12 => Error::NoProgram,
            -13 => Error::NotFound,
            -14 => Error::WrongSize,
            -15 => Error::LabelOutOfRange,
            -16 => Error::NotFinite,
            -17 => Error::WrongModel,
            -18 => Error::Io,
            -19 => Error::Busy,
            -20 => Error::NoGradients,
            -21 => Error::Full,
            -22 => Error::BadState,
            -23 => Error::BadRegion,
            -24 => Error::BadTensor,
            -25 => Error::BadProgram,
            -26 => Error::IndexOutOfRange,
            -27 => Error::NoStore,
            -28 => Error::StoreEmpty,
            -29 => Error::BadStore,
            -30 => Error::OtherBase,
            -31 => Error::WrongArithmetic,
            -32 => Error::DoesNotFit,
            -33 => Error::WholeBatch,
            _ => Error::Unknown,
        }
    }

    /// Returns a sentence on what was wrong.
    pub fn text(self) -> &'static str {
        match self {
            Error::InvalidArgument => "an argument is null, misaligned or out of range",
            Error::BadMagic => "this is not a Gradmote file",
            Error::BadVersion => "this runtime does not read the file's format version",
            Error::Truncated => "the file is shorter than its header says",
            Error::BadCrc => "the file's checksum does not match its bytes",
            Error::BadSection => "a section is outside the file, misaligned or of an invalid size",
            Error::BadOpcode => "this build of the runtime lacks an instruction",
            Error::BadInstruction => "an instruction's length or parameters do not match its opcode",
            Error::BadOperand => "an operand is outside the arena or the constants, read-only, or overlaps another",
            Error::TooMuchWork => "a program would run longer than this runtime allows",
            Error::ArenaTooSmall => "the arena is smaller than the image requires",
            Error::NoProgram => "the image has no such program",
            Error::NotFound => "no tensor or property has that name or index",
            Error::WrongSize => "the data is not as long as the tensor or buffer",
            Error::LabelOutOfRange => "a label is neither a class index nor ignore_index; nothing was changed",
            Error::NotFinite => "the input, the loss or a gradient is NaN or infinite, or a number or rate is too large; the step was skipped",
            Error::WrongModel => "the checkpoint belongs to another model",
            Error::Io => "reading or writing the checkpoint failed",
            Error::Busy => "a program is still running",
            Error::NoGradients => "there are no gradients to apply",
            Error::Full => "all property slots are in use",
            Error::BadState => "the state table is inconsistent with the header",
            Error::BadRegion => "the header's regions overlap, are misaligned or exceed the arena",
            Error::BadTensor => "an input, label, output or loss has an invalid shape or offset",
            Error::BadProgram => "a program's record does not match its instructions",
            Error::IndexOutOfRange => "an index is outside its axis; nothing was changed",
            Error::NoStore => "the image has no sample store",
            Error::StoreEmpty => "the store has no samples",
            Error::BadStore => "the sample store has an invalid shape or offset",
            Error::OtherBase => "the delta belongs to another base or round",
            Error::WrongArithmetic => "this build rounds differently from its profile",
            Error::DoesNotFit => "an integer does not fit the model's type",
            Error::WholeBatch => "the program takes whole batches",
            Error::WrongType => "the elements are of another type than the tensor's",
            Error::Unknown => "the runtime reports an error that this crate does not know",
        }
    }

    /// Returns a sentence on how to fix it.
    pub fn hint(self) -> &'static str {
        match self {
            Error::InvalidArgument => "check pointers and indices",
            Error::BadMagic => "pass a .mote image or a .gmck checkpoint written by gradmote",
            Error::BadVersion => "compile the model again, or install the gradmote that wrote it",
            Error::Truncated => "transfer the file again",
            Error::BadCrc => "transfer the file again; if it persists, the storage is failing",
            Error::BadSection => "compile the model again; the image was not written by gradmote",
            Error::BadOpcode => "build the runtime with this kernel, or compile the model for this version",
            Error::BadInstruction => "compile the model again; the image was not written by gradmote",
            Error::BadOperand => "compile the model again; the image was not written by gradmote",
            Error::TooMuchWork => "raise GM_MAX_WORK, or compile a smaller model",
            Error::ArenaTooSmall => "pass at least required() bytes, or compile the model with a smaller batch",
            Error::NoProgram => "compile the model with a loss and an optimizer to train it",
            Error::NotFound => "list the names with `gradmote inspect`",
            Error::WrongSize => "list the shapes with `gradmote inspect`",
            Error::LabelOutOfRange => "labels must be in 0 .. classes-1",
            Error::NotFinite => "check the samples, lower the learning rate, or load a checkpoint",
            Error::WrongModel => "load a checkpoint that was saved from this model",
            Error::Io => "check the storage of the callback",
            Error::Busy => "finish it with run() or drop it with abort()",
            Error::NoGradients => "call train_step() before optimizer_step()",
            Error::Full => "compile the model with --properties N",
            Error::BadState => "compile the model again; the image was not written by gradmote",
            Error::BadRegion => "compile the model again; the image was not written by gradmote",
            Error::BadTensor => "compile the model again; the image was not written by gradmote",
            Error::BadProgram => "compile the model again; the image was not written by gradmote",
            Error::IndexOutOfRange => "indices are in -size .. size-1",
            Error::NoStore => "compile the model with --store N",
            Error::StoreEmpty => "learn some, or compile the model with --store-data",
            Error::BadStore => "compile the model again; the image was not written by gradmote",
            Error::OtherBase => "send the delta of this round",
            Error::WrongArithmetic => "compile without -ffast-math",
            Error::DoesNotFit => "use `gradmote export`",
            Error::WholeBatch => "give all rows; `gradmote inspect` shows which programs count rows",
            Error::WrongType => "list the types with `gradmote inspect`: f32, i32, i8, u8 or i16",
            Error::Unknown => "use the crate of the runtime's version",
        }
    }
}
