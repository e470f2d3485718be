//! Checkpoints, through closures and through storage.

use core::ffi::{c_int, c_void};
use core::slice;

use crate::session::Session;
use crate::{checked, ffi, Result};

/// Memory that keeps a file: embedded-storage's trait of the same name has the same shape.
pub trait Storage {
    /// What can go wrong with it.
    type Error;

    /// Fills `bytes` from this offset.
    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> core::result::Result<(), Self::Error>;

    /// Writes `bytes` at this offset.
    fn write(&mut self, offset: u32, bytes: &[u8]) -> core::result::Result<(), Self::Error>;

    /// Returns the number of bytes that it keeps.
    fn capacity(&self) -> usize;
}

impl Session<'_> {
    /// Returns the bytes of a checkpoint.
    pub fn checkpoint_size(&self) -> u32 {
        // SAFETY: the session is open.
        unsafe { ffi::gm_checkpoint_size(self.raw()) }
    }

    /// Saves the state. `write(offset, bytes)` returns whether it succeeded; the header comes last, so that an
    /// incomplete file does not load.
    pub fn save<F: FnMut(u32, &[u8]) -> bool>(&self, mut write: F) -> Result<()> {
        // SAFETY: C calls write_to::<F> with the pointer to `write`, which outlives the call.
        checked(unsafe { ffi::gm_checkpoint_save(self.raw(), write_to::<F>, (&raw mut write).cast()) })
    }

    /// Loads a state of `size` bytes; the session is as it was if that fails. `read(offset, bytes)` returns whether it
    /// succeeded.
    pub fn load<F: FnMut(u32, &mut [u8]) -> bool>(&mut self, size: usize, mut read: F) -> Result<()> {
        let user = (&raw mut read).cast();
        // SAFETY: C calls read_from::<F> with the pointer to `read`, which outlives the call.
        checked(unsafe { ffi::gm_checkpoint_load(self.raw_mut(), read_from::<F>, user, size) })
    }

    /// Saves the state at the beginning of some storage.
    pub fn save_to<S: Storage>(&self, storage: &mut S) -> Result<()> {
        self.save(|offset, bytes| storage.write(offset, bytes).is_ok())
    }

    /// Loads the state from the beginning of some storage.
    pub fn load_from<S: Storage>(&mut self, storage: &mut S) -> Result<()> {
        let size = storage.capacity();
        self.load(size, |offset, bytes| storage.read(offset, bytes).is_ok())
    }
}

unsafe extern "C" fn write_to<F: FnMut(u32, &[u8]) -> bool>(
    user: *mut c_void,
    offset: u32,
    data: *const c_void,
    size: u32,
) -> c_int {
    // SAFETY: `user` is the closure that save() passed, and C passes readable bytes.
    let (write, bytes) = unsafe { (&mut *user.cast::<F>(), slice::from_raw_parts(data.cast(), size as usize)) };
    c_int::from(!write(offset, bytes))
}

unsafe extern "C" fn read_from<F: FnMut(u32, &mut [u8]) -> bool>(
    user: *mut c_void,
    offset: u32,
    data: *mut c_void,
    size: u32,
) -> c_int {
    // SAFETY: `user` is the closure that load() passed. C passes writable bytes, which may be uninitialized, so they
    // are cleared before the closure sees them.
    let (read, bytes) = unsafe {
        data.cast::<u8>().write_bytes(0, size as usize);
        (&mut *user.cast::<F>(), slice::from_raw_parts_mut(data.cast(), size as usize))
    };
    c_int::from(!read(offset, bytes))
}
