//! Writes the parts of the stamp that the compiler does not tell a crate: its own version, and a hash of the engine's
//! sources. See `stamp.rs`.

use std::path::Path;
use std::process::Command;
use std::{env, fs, io};

fn main() {
    let compiler = env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let version = Command::new(compiler).arg("-V").output().ok();
    let version = version.and_then(|output| String::from_utf8(output.stdout).ok()).unwrap_or_default();
    println!("cargo::rustc-env=LUDOVEC_COMPILER={}", version.trim());
    println!("cargo::rustc-env=LUDOVEC_TARGET={}", env::var("TARGET").unwrap_or_default());
    let mut hash = 0xcbf2_9ce4_8422_2325;
    add(Path::new("."), &mut hash).expect("the sources are readable");
    println!("cargo::rustc-env=LUDOVEC_SOURCES={hash:016x}");
}

/// Adds the Rust files of a folder to the hash (FNV-1a), in the order of their names.
fn add(folder: &Path, hash: &mut u64) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    for path in paths {
        // Tests and the target folder of an unpacked crate are no part of the library.
        let is_other = path.file_name().is_some_and(|name| name == "tests" || name == "target");
        if path.is_dir() && !is_other {
            add(&path, hash)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            println!("cargo::rerun-if-changed={}", path.display());
            // Line ends of a checkout on Windows do not count.
            for byte in fs::read(&path)?.into_iter().filter(|&byte| byte != b'\r') {
                *hash = (*hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
            }
        }
    }
    Ok(())
}
