//! Trains neural networks in fixed memory. Nothing is allocated, and nothing is global: a [`Session`] borrows a model's
//! image and an arena from the caller.
//!
//! ```ignore
//! static IMAGE: &Image = &Aligned(*include_bytes!("model.mote"));
//!
//! let mut arena = Aligned([MaybeUninit::uninit(); 4096]);    // required(IMAGE)?.arena_size bytes
//! let mut session = Session::open(IMAGE, &mut arena)?;        // verifies the image, once
//! session.set_input(0, &pixels)?;
//! session.set_label(0, &labels)?;
//! let loss = session.step()?;
//! ```
#![no_std]

mod checkpoint;
mod element;
mod ffi;
mod session;

#[path = "generated/errors.rs"]
mod errors;

pub use checkpoint::Storage;
pub use element::Element;
pub use errors::Error;
pub use session::{Program, Progress, Session, View};

use core::ffi::c_int;
use core::fmt;
use core::mem::MaybeUninit;

/// What the runtime's functions return.
pub type Result<T> = core::result::Result<T, Error>;

/// Memory at the alignment that the runtime asks for.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
pub struct Aligned<T: ?Sized>(pub T);

/// A model as `gradmote compile` wrote it: `&Aligned(*include_bytes!("model.mote"))`. For one that is read at run time,
/// copy its bytes to the beginning of an `Aligned([0; BYTES])`; those behind them do not matter.
pub type Image = Aligned<[u8]>;

/// The memory in which a session works: `&mut Aligned([MaybeUninit::uninit(); BYTES])`.
pub type Arena = Aligned<[MaybeUninit<u8>]>;

/// What an image needs. Sizes are in bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Requirements {
    /// Of the arena.
    pub arena_size: u32,
    /// Of parameters, moments and counters.
    pub state_size: u32,
    /// Of the parameters.
    pub parameters_size: u32,
    /// Of the gradients that are kept.
    pub gradients_size: u32,
    /// Samples in one step.
    pub batch: u32,
    /// Bit p is set if the image has program p.
    pub programs: u32,
}

/// Reads what an image needs from its header, without verifying the rest.
pub fn required(image: &Image) -> Result<Requirements> {
    let mut out = Requirements::default();
    // SAFETY: the image is aligned and as long as stated, and `out` is the struct that C fills.
    checked(unsafe { ffi::gm_required(image.0.as_ptr().cast(), image.0.len(), &mut out) })?;
    Ok(out)
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} - {}", self.text(), self.hint())
    }
}

impl core::error::Error for Error {}

fn checked(code: c_int) -> Result<()> {
    if code == 0 {
        Ok(())
    } else {
        Err(Error::of(code))
    }
}
