//! Sessions on the model of the environment's GRADMOTE_MODEL: a classifier of 64 numbers.

use std::mem::MaybeUninit;
use std::{env, fs};

use gradmote::{required, Aligned, Arena, Error, Image, Program, Progress, Session, Storage};

const MOST: usize = 1 << 16;

fn image() -> Box<Image> {
    let bytes = fs::read(env::var("GRADMOTE_MODEL").expect("GRADMOTE_MODEL")).expect("a model");
    let mut image = Box::new(Aligned([0; MOST]));
    image.0[..bytes.len()].copy_from_slice(&bytes);
    image
}

fn arena() -> Box<Arena> {
    Box::new(Aligned([MaybeUninit::uninit(); MOST]))
}

fn taught<'a>(image: &'a Image, arena: &'a mut Arena) -> Session<'a> {
    let batch = required(image).unwrap().batch as usize;
    let mut session = Session::open(image, arena).unwrap();
    let pixels: Vec<f32> = (0..batch * 64).map(|i| (i % 17) as f32 / 16.0).collect();
    let labels: Vec<i32> = (0..batch as i32).map(|i| i % 10).collect();
    session.set_input(0, &pixels).unwrap();
    session.set_label(0, &labels).unwrap();
    session
}

#[test]
fn the_loss_falls() {
    let (image, mut arena) = (image(), arena());
    let mut session = taught(&image, &mut arena);
    let first = session.step().unwrap();
    let last = (0..50).map(|_| session.step().unwrap()).last().unwrap();
    assert!(last < first, "{first} {last}");
}

#[test]
fn a_program_runs_in_parts() {
    let (image, mut whole_arena, mut parts_arena) = (image(), arena(), arena());
    let (mut whole, mut parts) = (taught(&image, &mut whole_arena), taught(&image, &mut parts_arena));
    let loss = whole.step().unwrap();
    parts.begin(Program::Step).unwrap();
    assert_eq!(parts.step(), Err(Error::Busy));
    while parts.run(1).unwrap() == Progress::Running {}
    assert_eq!(parts.loss(Program::Step).unwrap().to_bits(), loss.to_bits());
    assert_eq!(parts.state().unwrap(), whole.state().unwrap());
}

#[test]
fn a_type_that_is_not_the_tensors_is_refused() {
    let (image, mut arena) = (image(), arena());
    let mut session = taught(&image, &mut arena);
    assert_eq!(session.set_input(0, &[0i32; 64]), Err(Error::WrongType));
    assert_eq!(session.set_input(0, &[0f32; 63]), Err(Error::WrongSize));
    assert_eq!(session.set_input(1, &[0f32; 64]), Err(Error::NotFound));
    session.infer().unwrap();
    let output = session.output(0).unwrap();
    assert!(output.elements::<i32>().is_err());
    assert_eq!(output.elements::<f32>().unwrap().len(), output.dims().iter().product::<u32>() as usize);
}

#[test]
fn a_tensor_that_no_program_has_written_is_zeros() {
    let (image, mut arena) = (image(), arena());
    arena.0.fill(MaybeUninit::new(0x55));
    let session = Session::open(&image, &mut arena).unwrap();
    let (input, label, output) = (session.input(0).unwrap(), session.label(0).unwrap(), session.output(0).unwrap());
    assert!(input.elements::<f32>().unwrap().iter().chain(output.elements().unwrap()).all(|&number| number == 0.0));
    assert_eq!(label.elements::<i32>().unwrap(), vec![0; required(&image).unwrap().batch as usize]);
    assert_eq!(input.dims()[1..].iter().product::<u32>(), 64);
}

/// Memory that loses power after some bytes.
struct Memory {
    bytes: Vec<u8>,
    left: usize,
}

impl Storage for Memory {
    type Error = ();

    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), ()> {
        let from = offset as usize;
        bytes.copy_from_slice(self.bytes.get(from..from + bytes.len()).ok_or(())?);
        Ok(())
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), ()> {
        self.left = self.left.checked_sub(bytes.len()).ok_or(())?;
        self.bytes[offset as usize..][..bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn capacity(&self) -> usize {
        self.bytes.len()
    }
}

#[test]
fn a_checkpoint_is_whole_or_none() {
    let (image, mut one_arena, mut other_arena) = (image(), arena(), arena());
    let (mut one, mut other) = (taught(&image, &mut one_arena), taught(&image, &mut other_arena));
    one.step().unwrap();
    let size = one.checkpoint_size() as usize;
    let initial = other.state().unwrap().to_vec();
    let mut cut = Memory { bytes: vec![0; size], left: size - 1 };
    assert_eq!(one.save_to(&mut cut), Err(Error::Io));
    assert!(other.load_from(&mut cut).is_err());
    assert_eq!(other.state().unwrap(), initial);
    let mut storage = Memory { bytes: vec![0; size], left: size };
    one.save_to(&mut storage).unwrap();
    other.load_from(&mut storage).unwrap();
    assert_eq!(one.state().unwrap(), other.state().unwrap());
}

#[test]
fn errors_say_what_to_do() {
    let mut arena = arena();
    let Err(error) = Session::open(&Aligned([0u8; 1024]), &mut arena) else { panic!("zeros are no image") };
    assert_eq!(error, Error::BadMagic);
    assert_eq!(error.to_string(), format!("{} - {}", error.text(), error.hint()));
}

#[test]
fn a_session_moves_to_another_thread() {
    fn moves<T: Send>(_: &T) {}
    let (image, mut arena) = (image(), arena());
    moves(&taught(&image, &mut arena));
}
