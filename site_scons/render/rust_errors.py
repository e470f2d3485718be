"""errors.rs: the runtime's error codes as an enum of Rust."""

from .python_instructions import camel
from .spec import load

SOURCE = """\
/// What can go wrong; the runtime's codes, and one of this crate's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[repr(i32)]
pub enum Error {{
{variants}
    /// The elements are of another type than the tensor's.
    WrongType = i32::MIN,
    /// A code of a newer runtime.
    Unknown = i32::MAX,
}}

impl Error {{
    pub(crate) fn of(code: i32) -> Self {{
        match code {{
{codes}
            _ => Error::Unknown,
        }}
    }}

    /// Returns a sentence on what was wrong.
    pub fn text(self) -> &'static str {{
        match self {{
{texts}
            Error::WrongType => "the elements are of another type than the tensor's",
            Error::Unknown => "the runtime reports an error that this crate does not know",
        }}
    }}

    /// Returns a sentence on how to fix it.
    pub fn hint(self) -> &'static str {{
        match self {{
{hints}
            Error::WrongType => "list the types with `gradmote inspect`: f32, i32, i8, u8 or i16",
            Error::Unknown => "use the crate of the runtime's version",
        }}
    }}
}}
"""


def render() -> dict[str, str]:
    """Return the text of each file."""
    errors = load("errors")["error"]
    names = [camel(e["name"].lower()) for e in errors]
    return {
        "errors.rs": SOURCE.format(
            variants="\n".join(f"    /// {capital(e['text'])}.\n    {n} = {e['code']}," for e, n in zip(errors, names)),
            codes="\n".join(f"            {e['code']} => Error::{n}," for e, n in zip(errors, names)),
            texts="\n".join(f'            Error::{n} => "{e["text"]}",' for e, n in zip(errors, names)),
            # The functions that hints name are methods of these names here.
            hints="\n".join(
                f'            Error::{n} => "{e["hint"].replace("gm_", "")}",' for e, n in zip(errors, names)
            ),
        )
    }


def capital(text: str) -> str:
    return text[0].upper() + text[1:]
