//! Trains a model on samples of a file and prints the loss of each step, then the state, as hexadecimal words:
//!
//!     train_state model.mote samples.bin

use std::mem::MaybeUninit;
use std::{env, error, fs};

use gradmote::{required, Aligned, Image, Session};

const MOST: usize = 1 << 20;

fn main() -> Result<(), Box<dyn error::Error>> {
    let files: Vec<String> = env::args().skip(1).collect();
    let [model, samples] = &files[..] else { return Err("train_state model.mote samples.bin".into()) };
    let image = aligned(&fs::read(model)?);
    let needs = required(&image)?;
    let mut arena = Box::new(Aligned([MaybeUninit::uninit(); MOST]));
    let mut session = Session::open(&image, &mut *arena)?;
    let batch = needs.batch as usize;
    let numbers: Vec<u32> =
        fs::read(samples)?.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
    for step in numbers.chunks_exact(batch * (64 + 1)) {
        let (pixels, labels) = step.split_at(batch * 64);
        session.set_input(0, &pixels.iter().map(|&bits| f32::from_bits(bits)).collect::<Vec<f32>>())?;
        session.set_label(0, &labels.iter().map(|&label| label as i32).collect::<Vec<i32>>())?;
        println!("{:08x}", session.step()?.to_bits());
    }
    for word in session.state()?.chunks_exact(4) {
        println!("{:08x}", u32::from_le_bytes(word.try_into()?));
    }
    Ok(())
}

/// Returns a copy of an image at its alignment, with zeros behind it.
fn aligned(bytes: &[u8]) -> Box<Image> {
    let mut image = Box::new(Aligned([0; MOST]));
    image.0[..bytes.len()].copy_from_slice(bytes);
    image
}
