//! The functions of gradmote.h that this crate calls.

use core::ffi::{c_char, c_int, c_void};

use crate::Requirements;

include!(concat!(env!("OUT_DIR"), "/sizes.rs"));

pub const PROGRAM_INFER: u32 = 0;
pub const ROLE_INPUT: u32 = 0;
pub const ROLE_LABEL: u32 = 1;
pub const ROLE_OUTPUT: u32 = 2;
/// gm_run() returns this while instructions remain.
pub const AGAIN: c_int = 1;

/// gm_session, in as many bytes as the C compiler gives it.
#[repr(C, align(8))]
pub struct Session(pub [u8; SESSION_BYTES]);

/// gm_view.
#[repr(C)]
pub struct View {
    pub name: *const c_char,
    pub data: *mut c_void,
    pub size: u32,
    pub dtype: u32,
    pub rank: u32,
    pub dims: *const u32,
    pub lasts: u32,
}

pub type Write = unsafe extern "C" fn(user: *mut c_void, offset: u32, data: *const c_void, size: u32) -> c_int;
pub type Read = unsafe extern "C" fn(user: *mut c_void, offset: u32, data: *mut c_void, size: u32) -> c_int;

extern "C" {
    pub fn gm_required(image: *const c_void, size: usize, out: *mut Requirements) -> c_int;
    pub fn gm_open(s: *mut Session, image: *const c_void, size: usize, arena: *mut c_void, arena_size: usize) -> c_int;
    pub fn gm_close(s: *mut Session);
    pub fn gm_reset(s: *mut Session) -> c_int;
    pub fn gm_tensor_view(s: *const Session, program: u32, role: u32, index: u32, out: *mut View) -> c_int;
    pub fn gm_write(s: *mut Session, role: u32, index: u32, data: *const c_void, size: usize) -> c_int;
    pub fn gm_write_rows(s: *mut Session, role: u32, index: u32, data: *const c_void, size: usize) -> c_int;
    pub fn gm_infer(s: *mut Session) -> c_int;
    pub fn gm_eval_step(s: *mut Session, loss: *mut f32) -> c_int;
    pub fn gm_train_step(s: *mut Session, loss: *mut f32) -> c_int;
    pub fn gm_optimizer_step(s: *mut Session) -> c_int;
    pub fn gm_step(s: *mut Session, loss: *mut f32) -> c_int;
    pub fn gm_lazy_reset_grad(s: *mut Session) -> c_int;
    pub fn gm_begin(s: *mut Session, program: u32) -> c_int;
    pub fn gm_run(s: *mut Session, max_instructions: u32) -> c_int;
    pub fn gm_run_rows(s: *mut Session, program: u32, rows: u32, loss: *mut f32) -> c_int;
    pub fn gm_abort(s: *mut Session);
    pub fn gm_loss(s: *const Session, program: u32, loss: *mut f32) -> c_int;
    pub fn gm_classify(s: *const Session, row: u32, label: *mut u32, score: *mut f32) -> c_int;
    pub fn gm_class_name(s: *const Session, label: u32) -> *const c_char;
    pub fn gm_learn(s: *mut Session, label: u32) -> c_int;
    pub fn gm_forget(s: *mut Session, label: u32) -> c_int;
    pub fn gm_replay(s: *mut Session, loss: *mut f32) -> c_int;
    pub fn gm_learning_rate(s: *const Session) -> f32;
    pub fn gm_set_learning_rate(s: *mut Session, rate: f32) -> c_int;
    pub fn gm_set_linear_schedule(s: *mut Session, rate: f32, warmup: u32, total: u32) -> c_int;
    pub fn gm_set_seed(s: *mut Session, seed: u32) -> c_int;
    pub fn gm_parameter_count(s: *const Session) -> u32;
    pub fn gm_parameter(s: *mut Session, index: u32, out: *mut View) -> c_int;
    pub fn gm_gradient(s: *const Session, index: u32, out: *mut View) -> c_int;
    pub fn gm_state(s: *mut Session, out: *mut View) -> c_int;
    pub fn gm_checkpoint_size(s: *const Session) -> u32;
    pub fn gm_checkpoint_save(s: *const Session, write: Write, user: *mut c_void) -> c_int;
    pub fn gm_checkpoint_load(s: *mut Session, read: Read, user: *mut c_void, size: usize) -> c_int;
}
