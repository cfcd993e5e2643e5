//! The type stub of the Python extension is generated from the extension's source.
//!
//! `python/ludovec/_core.pyi` has two parts. Exceptions and aliases are written by hand. Below the line [`GENERATED`] are
//! the functions and classes that `python/src` exports, with the types of their Rust signatures.
//! `LUDOVEC_UPDATE=1 cargo test --test stub` writes them. A test in Python compares the stub with the compiled extension.

mod declarations;
mod source;
mod types;

use std::fs;
use std::path::Path;

use crate::source::Source;
use crate::types::Types;

/// The last line of the part written by hand.
const GENERATED: &str = "# Generated from python/src by: LUDOVEC_UPDATE=1 cargo test --test stub\n";

#[test]
fn the_stub_of_the_extension_matches_its_source() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = root.join("python/ludovec/_core.pyi");
    let committed = fs::read_to_string(&file).unwrap();
    let (by_hand, _) =
        committed.split_once(GENERATED).expect("the stub has the line above its generated part");
    let source = Source::read(&root.join("python/src"));
    let types = Types::new(&source, by_hand);
    let generated = format!("{by_hand}{GENERATED}{}", declarations::all(&source, &types));
    if std::env::var_os("LUDOVEC_UPDATE").is_some() {
        fs::write(&file, &generated).unwrap();
    } else {
        assert_eq!(committed, generated, "LUDOVEC_UPDATE=1 cargo test --test stub writes the stub");
    }
}
