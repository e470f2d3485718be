//! Compiles gradmote.c for the target by its C compiler: CC_<target>, CC, or the compiler that the target's name suggests.
//! GRADMOTE_CFLAGS has further flags, such as those that `gradmote kernels --flags model.mote` prints.

use std::env;
use std::path::PathBuf;
use std::process::Command;

/// Rust's name of a target -> the flags of its processor.
const PROCESSORS: [(&str, &[&str]); 6] = [
    ("thumbv6m-none-eabi", &["-mcpu=cortex-m0", "-mthumb"]),
    ("thumbv7m-none-eabi", &["-mcpu=cortex-m3", "-mthumb"]),
    ("thumbv7em-none-eabi", &["-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=soft"]),
    ("thumbv7em-none-eabihf", &["-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"]),
    ("riscv32imc-unknown-none-elf", &["-march=rv32imc", "-mabi=ilp32"]),
    ("riscv32imac-unknown-none-elf", &["-march=rv32imac", "-mabi=ilp32"]),
];

fn main() {
    let target = env::var("TARGET").expect("cargo sets TARGET");
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    for name in ["CC", "AR", "GRADMOTE_CFLAGS"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    println!("cargo:rerun-if-env-changed=CC_{}", target.replace('-', "_"));
    println!("cargo:rerun-if-changed=gradmote.c");
    println!("cargo:rerun-if-changed=gradmote.h");

    let build = Build { target, root, out };
    build.write_sizes();
    build.write_library();
}

struct Build {
    target: String,
    root: PathBuf,
    out: PathBuf,
}

impl Build {
    /// Writes sizes.rs: the bytes of a session, as this compiler lays it out.
    fn write_sizes(&self) {
        let source = self.out.join("sizes.c");
        let text = "#include \"gradmote.h\"\nconst unsigned gradmote_session_bytes = sizeof(gm_session);\n";
        std::fs::write(&source, text).expect("OUT_DIR can be written");
        let assembly = self.out.join("sizes.s");
        self.run(self.compiler().arg("-S").arg(&source).arg("-o").arg(&assembly));
        let bytes = constant(&std::fs::read_to_string(assembly).expect("the compiler wrote it"));
        let sizes = format!("pub(crate) const SESSION_BYTES: usize = {bytes};\n");
        std::fs::write(self.out.join("sizes.rs"), sizes).expect("OUT_DIR can be written");
    }

    /// Compiles gradmote.c into a library that cargo links.
    fn write_library(&self) {
        let object = self.out.join("gradmote.o");
        self.run(self.compiler().arg("-c").arg(self.root.join("gradmote.c")).arg("-o").arg(&object));
        let library = self.out.join("libgradmote.a");
        self.run(Command::new(self.archiver()).arg("crs").arg(library).arg(object));
        println!("cargo:rustc-link-search=native={}", self.out.display());
        println!("cargo:rustc-link-lib=static=gradmote");
    }

    /// The C compiler with its flags. The bits depend on the first two.
    fn compiler(&self) -> Command {
        let named = format!("CC_{}", self.target.replace('-', "_"));
        let program = env::var(named).or_else(|_| env::var("CC")).unwrap_or_else(|_| format!("{}gcc", self.prefix()));
        let mut command = Command::new(program);
        command.args(["-ffp-contract=off", "-fno-math-errno", "-std=c99", "-O2"]);
        command.args(["-ffunction-sections", "-fdata-sections"]).arg("-I").arg(&self.root);
        command.args(PROCESSORS.iter().filter(|(name, _)| *name == self.target).flat_map(|(_, flags)| *flags));
        if !self.is_bare() {
            command.arg("-fPIC");
        }
        let fused = env::var_os("CARGO_FEATURE_FUSED").is_some();
        assert!(
            !(fused && env::var_os("CARGO_FEATURE_STRICT").is_some()),
            "features strict and fused exclude each other"
        );
        if fused || env::var_os("CARGO_FEATURE_STRICT").is_some() {
            command.arg(format!("-DGM_FUSED={}", u8::from(fused)));
        }
        if fused && self.target.starts_with("x86_64") {
            command.arg("-mfma");
        }
        command.args(env::var("GRADMOTE_CFLAGS").unwrap_or_default().split_whitespace());
        command
    }

    fn archiver(&self) -> String {
        env::var("AR").unwrap_or_else(|_| format!("{}ar", self.prefix()))
    }

    /// What GNU's tools for the target begin with.
    fn prefix(&self) -> &'static str {
        match &self.target {
            target if target.starts_with("thumb") => "arm-none-eabi-",
            target if target.starts_with("riscv") && self.is_bare() => "riscv64-unknown-elf-",
            target
                if target.starts_with("aarch64") && target.contains("linux") && cfg!(not(target_arch = "aarch64")) =>
            {
                "aarch64-linux-gnu-"
            }
            _ => "",
        }
    }

    fn is_bare(&self) -> bool {
        self.target.contains("-none-")
    }

    /// Runs a command, or ends the build with what to do.
    fn run(&self, command: &mut Command) {
        let status = command.status().unwrap_or_else(|error| panic!("{command:?}: {error} - set CC to a C compiler"));
        assert!(status.success(), "{command:?} failed");
    }
}

/// Returns the number that assembly defines as gradmote_session_bytes.
fn constant(assembly: &str) -> usize {
    let after = assembly.split("gradmote_session_bytes:").nth(1).expect("the compiler defines it");
    let line = after.lines().map(str::trim).find(|line| line.starts_with('.') && line.contains(char::is_numeric));
    let number = line.and_then(|line| line.split_whitespace().nth(1)).and_then(|word| word.parse().ok());
    number.expect("the compiler defines it by a directive and a number")
}
