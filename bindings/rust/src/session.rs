//! Sessions, and views of their tensors.

use core::cell::Cell;
use core::ffi::{c_char, c_int, CStr};
use core::marker::PhantomData;
use core::mem::{self, MaybeUninit};
use core::slice;

use crate::{checked, ffi, Arena, Element, Error, Image, Result};

/// The programs of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Program {
    /// Computes the outputs.
    Infer = 0,
    /// Computes the outputs and the loss.
    Eval = 1,
    /// Adds the gradients of a batch.
    Train = 2,
    /// Updates the parameters.
    Optimizer = 3,
    /// Trains on a batch and updates.
    Step = 4,
}

/// How far a program is, after [`Session::run`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Instructions remain.
    Running,
    /// The program has ended.
    Done,
}

/// A model in an arena. Both are borrowed for as long as it lives. It may move to another thread, but not be shared.
pub struct Session<'a> {
    raw: ffi::Session,
    memory: PhantomData<(&'a Image, &'a mut Arena)>,
    not_sync: PhantomData<Cell<()>>,
}

// SAFETY: its pointers lead to the image, the arena and constants, which it alone may use, and never to itself.
unsafe impl Send for Session<'_> {}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        // SAFETY: the session was opened.
        unsafe { ffi::gm_close(&mut self.raw) }
    }
}

impl<'a> Session<'a> {
    /// Verifies an image and opens a session with its initial state. All else in the arena is zero, so that a tensor
    /// which no program has written is zeros.
    pub fn open(image: &'a Image, arena: &'a mut Arena) -> Result<Self> {
        arena.0.fill(MaybeUninit::zeroed());
        let mut raw = MaybeUninit::<ffi::Session>::zeroed();
        let (from, memory) = (image.0.as_ptr().cast(), arena.0.as_mut_ptr().cast());
        // SAFETY: both are aligned, as long as stated, and borrowed for as long as the session lives.
        checked(unsafe { ffi::gm_open(raw.as_mut_ptr(), from, image.0.len(), memory, arena.0.len()) })?;
        // SAFETY: all zeros are a session's bytes, and C has filled them.
        Ok(Session { raw: unsafe { raw.assume_init() }, memory: PhantomData, not_sync: PhantomData })
    }

    pub(crate) fn raw(&self) -> *const ffi::Session {
        &self.raw
    }

    pub(crate) fn raw_mut(&mut self) -> *mut ffi::Session {
        &mut self.raw
    }

    /// Sets parameters, moments and counters to the image's initial state.
    pub fn reset(&mut self) -> Result<()> {
        // SAFETY: the session is open.
        checked(unsafe { ffi::gm_reset(&mut self.raw) })
    }
}

/// Data in and out.
impl Session<'_> {
    /// Copies a whole input into the arena. `gradmote inspect` and [`Session::input`] show its type and its shape; an
    /// array of arrays is passed with `as_flattened()`.
    pub fn set_input<T: Element>(&mut self, index: u32, data: &[T]) -> Result<()> {
        self.write(ffi::gm_write, ffi::ROLE_INPUT, index, data)
    }

    /// Copies whole labels, or targets, into the arena.
    pub fn set_label<T: Element>(&mut self, index: u32, data: &[T]) -> Result<()> {
        self.write(ffi::gm_write, ffi::ROLE_LABEL, index, data)
    }

    /// Copies the first rows of an input, for [`Session::run_rows`].
    pub fn set_input_rows<T: Element>(&mut self, index: u32, data: &[T]) -> Result<()> {
        self.write(ffi::gm_write_rows, ffi::ROLE_INPUT, index, data)
    }

    /// Copies the first rows of labels, for [`Session::run_rows`].
    pub fn set_label_rows<T: Element>(&mut self, index: u32, data: &[T]) -> Result<()> {
        self.write(ffi::gm_write_rows, ffi::ROLE_LABEL, index, data)
    }

    fn write<T: Element>(&mut self, call: Writer, role: u32, index: u32, data: &[T]) -> Result<()> {
        let written = self.tensor(any_program(&self.raw, role, index), role, index)?;
        if written.dtype() != T::DTYPE {
            return Err(Error::WrongType);
        }
        // SAFETY: the data is as long as stated.
        checked(unsafe { call(&mut self.raw, role, index, data.as_ptr().cast(), mem::size_of_val(data)) })
    }

    /// Returns an input: its type, its dimensions, and what it contains.
    pub fn input(&self, index: u32) -> Result<View<'_>> {
        self.tensor(any_program(&self.raw, ffi::ROLE_INPUT, index), ffi::ROLE_INPUT, index)
    }

    /// Returns labels, or targets, as [`Session::input`] does an input.
    pub fn label(&self, index: u32) -> Result<View<'_>> {
        self.tensor(any_program(&self.raw, ffi::ROLE_LABEL, index), ffi::ROLE_LABEL, index)
    }

    /// Returns an output of the program that ran last; the next program overwrites it.
    pub fn output(&self, index: u32) -> Result<View<'_>> {
        self.tensor(any_program(&self.raw, ffi::ROLE_OUTPUT, index), ffi::ROLE_OUTPUT, index)
    }

    fn tensor(&self, program: u32, role: u32, index: u32) -> Result<View<'_>> {
        // SAFETY: the session is open.
        View::of(|out| unsafe { ffi::gm_tensor_view(&self.raw, program, role, index, out) })
    }

    /// Returns the number of trained parameters.
    pub fn parameter_count(&self) -> u32 {
        // SAFETY: the session is open.
        unsafe { ffi::gm_parameter_count(&self.raw) }
    }

    /// Returns a trained parameter.
    pub fn parameter(&mut self, index: u32) -> Result<View<'_>> {
        // SAFETY: the session is open.
        View::of(|out| unsafe { ffi::gm_parameter(&mut self.raw, index, out) })
    }

    /// Returns the gradient of a parameter, in an image that keeps gradients.
    pub fn gradient(&self, index: u32) -> Result<View<'_>> {
        // SAFETY: the session is open.
        View::of(|out| unsafe { ffi::gm_gradient(&self.raw, index, out) })
    }

    /// Returns parameters, moments and counters as bytes.
    pub fn state(&mut self) -> Result<&[u8]> {
        // SAFETY: the session is open.
        let view = View::of(|out| unsafe { ffi::gm_state(&mut self.raw, out) })?;
        Ok(view.bytes())
    }
}

type Writer = unsafe extern "C" fn(*mut ffi::Session, u32, u32, *const core::ffi::c_void, usize) -> c_int;

/// Returns a program that has the tensor; inputs and labels have one address in all programs.
fn any_program(session: &ffi::Session, role: u32, index: u32) -> u32 {
    let mut out = MaybeUninit::<ffi::View>::zeroed();
    // SAFETY: the session is open.
    let has = |&program: &u32| unsafe { ffi::gm_tensor_view(session, program, role, index, out.as_mut_ptr()) } == 0;
    (ffi::PROGRAM_INFER..=Program::Step as u32).find(has).unwrap_or(ffi::PROGRAM_INFER)
}

/// Running.
impl Session<'_> {
    /// Computes the outputs of the inputs in the arena.
    pub fn infer(&mut self) -> Result<()> {
        // SAFETY: the session is open.
        checked(unsafe { ffi::gm_infer(&mut self.raw) })
    }

    /// Trains on the batch in the arena; returns the loss before the update.
    pub fn step(&mut self) -> Result<f32> {
        self.with_loss(ffi::gm_step)
    }

    /// Returns the loss of the batch, and computes its outputs.
    pub fn eval_step(&mut self) -> Result<f32> {
        self.with_loss(ffi::gm_eval_step)
    }

    /// Adds the gradients of the batch, and returns its loss. Fails with [`Error::NoProgram`] unless the image was
    /// compiled with `--accumulate`.
    pub fn train_step(&mut self) -> Result<f32> {
        self.with_loss(ffi::gm_train_step)
    }

    /// Updates the parameters by the mean of the gradients.
    pub fn optimizer_step(&mut self) -> Result<()> {
        // SAFETY: the session is open.
        checked(unsafe { ffi::gm_optimizer_step(&mut self.raw) })
    }

    /// Drops the gradients.
    pub fn lazy_reset_grad(&mut self) -> Result<()> {
        // SAFETY: the session is open.
        checked(unsafe { ffi::gm_lazy_reset_grad(&mut self.raw) })
    }

    /// Trains on samples of the store, and returns their loss.
    pub fn replay(&mut self) -> Result<f32> {
        self.with_loss(ffi::gm_replay)
    }

    fn with_loss(&mut self, call: unsafe extern "C" fn(*mut ffi::Session, *mut f32) -> c_int) -> Result<f32> {
        let mut loss = 0.0;
        // SAFETY: the session is open.
        checked(unsafe { call(&mut self.raw, &mut loss) })?;
        Ok(loss)
    }

    /// Runs a program on the first rows of the batch, and returns their loss; 0 for a program without one.
    pub fn run_rows(&mut self, program: Program, rows: u32) -> Result<f32> {
        let mut loss = 0.0;
        // SAFETY: the session is open.
        checked(unsafe { ffi::gm_run_rows(&mut self.raw, program as u32, rows, &mut loss) })?;
        Ok(loss)
    }

    /// Begins a program, for [`Session::run`] to run in parts.
    pub fn begin(&mut self, program: Program) -> Result<()> {
        // SAFETY: the session is open.
        checked(unsafe { ffi::gm_begin(&mut self.raw, program as u32) })
    }

    /// Runs at most so many instructions of the program that was begun.
    pub fn run(&mut self, instructions: u32) -> Result<Progress> {
        // SAFETY: the session is open.
        match unsafe { ffi::gm_run(&mut self.raw, instructions) } {
            ffi::AGAIN => Ok(Progress::Running),
            code => checked(code).map(|()| Progress::Done),
        }
    }

    /// Abandons the program that runs.
    pub fn abort(&mut self) {
        // SAFETY: the session is open.
        unsafe { ffi::gm_abort(&mut self.raw) }
    }

    /// Returns the loss of the program that ran last.
    pub fn loss(&self, program: Program) -> Result<f32> {
        let mut loss = 0.0;
        // SAFETY: the session is open.
        checked(unsafe { ffi::gm_loss(&self.raw, program as u32, &mut loss) })?;
        Ok(loss)
    }
}

/// Classes, the sample store, and settings.
impl Session<'_> {
    /// Returns the class with the highest score in a row of output 0, and that score. Fails with [`Error::NotFound`]
    /// beyond the last row of the batch.
    pub fn classify(&self, row: u32) -> Result<(u32, f32)> {
        let (mut label, mut score) = (0, 0.0);
        // SAFETY: the session is open.
        checked(unsafe { ffi::gm_classify(&self.raw, row, &mut label, &mut score) })?;
        Ok((label, score))
    }

    /// Returns the name of a class, if the image has names.
    pub fn class_name(&self, label: u32) -> Option<&str> {
        // SAFETY: the session is open, and the name is in its image.
        unsafe { text(ffi::gm_class_name(&self.raw, label)) }
    }

    /// Puts the first sample of the input into the store, under a class.
    pub fn learn(&mut self, label: u32) -> Result<()> {
        // SAFETY: the session is open.
        checked(unsafe { ffi::gm_learn(&mut self.raw, label) })
    }

    /// Drops the samples of a class from the store.
    pub fn forget(&mut self, label: u32) -> Result<()> {
        // SAFETY: the session is open.
        checked(unsafe { ffi::gm_forget(&mut self.raw, label) })
    }

    /// Returns the learning rate of the next update.
    pub fn learning_rate(&self) -> f32 {
        // SAFETY: the session is open.
        unsafe { ffi::gm_learning_rate(&self.raw) }
    }

    /// Sets the learning rate, and ends a schedule.
    pub fn set_learning_rate(&mut self, rate: f32) -> Result<()> {
        // SAFETY: the session is open.
        checked(unsafe { ffi::gm_set_learning_rate(&mut self.raw, rate) })
    }

    /// Lets the rate rise to `rate` in the first steps, and then fall to 0 at the last.
    pub fn set_linear_schedule(&mut self, rate: f32, warmup_steps: u32, total_steps: u32) -> Result<()> {
        // SAFETY: the session is open.
        checked(unsafe { ffi::gm_set_linear_schedule(&mut self.raw, rate, warmup_steps, total_steps) })
    }

    /// Sets the seed of dropout and of the sample store.
    pub fn set_seed(&mut self, seed: u32) -> Result<()> {
        // SAFETY: the session is open.
        checked(unsafe { ffi::gm_set_seed(&mut self.raw, seed) })
    }
}

/// A tensor in the arena, for as long as the session is not changed.
pub struct View<'s> {
    raw: ffi::View,
    session: PhantomData<&'s ()>,
}

impl<'s> View<'s> {
    fn of(fill: impl FnOnce(*mut ffi::View) -> c_int) -> Result<Self> {
        let mut raw = MaybeUninit::<ffi::View>::zeroed();
        checked(fill(raw.as_mut_ptr()))?;
        // SAFETY: C has filled it.
        Ok(View { raw: unsafe { raw.assume_init() }, session: PhantomData })
    }

    /// Returns its name in the model, if the image has names.
    pub fn name(&self) -> Option<&'s str> {
        // SAFETY: the name is in the image.
        unsafe { text(self.raw.name) }
    }

    /// Returns its dimensions.
    pub fn dims(&self) -> &'s [u32] {
        if self.raw.rank == 0 {
            return &[];
        }
        // SAFETY: C points to as many numbers, in the image.
        unsafe { slice::from_raw_parts(self.raw.dims, self.raw.rank as usize) }
    }

    /// Returns the runtime's number of its elements' type.
    pub fn dtype(&self) -> u32 {
        self.raw.dtype
    }

    /// Returns its elements. Fails with [`Error::WrongType`] for another type than theirs.
    pub fn elements<T: Element>(&self) -> Result<&'s [T]> {
        if T::DTYPE != self.raw.dtype {
            return Err(Error::WrongType);
        }
        let count = self.raw.size as usize / mem::size_of::<T>();
        // SAFETY: the arena has as many elements there, at their alignment, and any bits are one.
        Ok(unsafe { slice::from_raw_parts(self.raw.data.cast(), count) })
    }

    fn bytes(&self) -> &'s [u8] {
        // SAFETY: the arena has as many bytes there.
        unsafe { slice::from_raw_parts(self.raw.data.cast(), self.raw.size as usize) }
    }
}

/// Returns C's text, if it is UTF-8.
unsafe fn text<'s>(at: *const c_char) -> Option<&'s str> {
    if at.is_null() {
        return None;
    }
    // SAFETY: the caller passes text that ends with a zero and lives for 's.
    unsafe { CStr::from_ptr(at) }.to_str().ok()
}
