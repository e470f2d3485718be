//! The types of tensors' elements.

mod sealed {
    pub trait Sealed {}
}

/// What tensors are made of.
pub trait Element: sealed::Sealed + Copy + 'static {
    /// The runtime's number of the type.
    const DTYPE: u32;
}

macro_rules! elements {
    ($($rust:ty = $dtype:expr),*) => {$(
        impl sealed::Sealed for $rust {}
        impl Element for $rust {
            const DTYPE: u32 = $dtype;
        }
    )*};
}

elements!(f32 = 0, i32 = 1, i8 = 2, u8 = 3, i16 = 4);
