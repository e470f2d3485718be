//! Trains a model on an emulated Cortex-M4F, without std and without an allocation, and prints the loss of each step,
//! then the state, as hexadecimal words. newlib starts it and prints, by semihosting.
#![no_std]
#![no_main]

use core::ffi::{c_char, c_int};
use core::mem::MaybeUninit;
use core::panic::PanicInfo;

use gradmote::{required, Aligned, Arena, Image, Result, Session};

const PIXELS: usize = 64;
const MOST: usize = 16;
static IMAGE: &Image = &Aligned(*include_bytes!(env!("GRADMOTE_MODEL")));
static SAMPLES: &[u8] = include_bytes!(env!("GRADMOTE_SAMPLES"));
static mut ARENA: Aligned<[MaybeUninit<u8>; 1 << 18]> = Aligned([MaybeUninit::uninit(); 1 << 18]);

extern "C" {
    fn printf(format: *const c_char, ...) -> c_int;
    fn exit(status: c_int) -> !;
}

#[no_mangle]
extern "C" fn main() -> c_int {
    // SAFETY: main() runs once, and nothing else uses the arena.
    let arena: &mut Arena = unsafe { &mut *(&raw mut ARENA) };
    c_int::from(train(arena).is_err())
}

fn train(arena: &mut Arena) -> Result<()> {
    let batch = required(IMAGE)?.batch as usize;
    let mut session = Session::open(IMAGE, arena)?;
    let (mut pixels, mut labels) = ([0.0; MOST * PIXELS], [0; MOST]);
    for step in SAMPLES.chunks_exact(4 * batch * (PIXELS + 1)) {
        let (first, last) = step.split_at(4 * batch * PIXELS);
        for (pixel, word) in pixels.iter_mut().zip(words(first)) {
            *pixel = f32::from_bits(word);
        }
        for (label, word) in labels.iter_mut().zip(words(last)) {
            *label = word as i32;
        }
        session.set_input(0, &pixels[..batch * PIXELS])?;
        session.set_label(0, &labels[..batch])?;
        print(session.step()?.to_bits());
    }
    words(session.state()?).for_each(print);
    Ok(())
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
}

fn print(word: u32) {
    // SAFETY: the format takes one number.
    unsafe { printf(c"%08x\n".as_ptr(), word) };
}

#[panic_handler]
fn panic(_: &PanicInfo) -> ! {
    // SAFETY: exit() does not return.
    unsafe { exit(2) }
}
