//! The command-line program; see `ludovec --help`.

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(target_arch = "x86_64")]
    if let Some(feature) = ludovec::engine::missing_feature() {
        return refuse(feature);
    }
    ludovec_cli::main()
}

/// Prints the feature that the processor lacks. Code compiled here may use that feature, so the function leaves all
/// work to the standard library, which was compiled without it.
#[cfg(target_arch = "x86_64")]
#[cold]
#[inline(never)]
fn refuse(feature: &str) -> ExitCode {
    use std::io::{Write, stderr};
    // A closed stderr is ignored.
    let _ = stderr().write_all(b"error: this program was built for processors with ");
    let _ = stderr().write_all(feature.as_bytes());
    let _ = stderr()
        .write_all(b", which this one lacks: build it for any with RUSTFLAGS=\"\" cargo build --release\n");
    ExitCode::from(2)
}
