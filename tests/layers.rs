//! Every folder of `src/` is a crate in the picture of `src/README.md`, depends only on rows below its own, and uses what
//! it lists.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The packages of the workspace, from Cargo: folder, name and dependencies.
fn packages() -> Vec<Value> {
    let told = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    let metadata: Value = serde_json::from_slice(&told.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

fn folder(package: &Value) -> PathBuf {
    Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap().to_path_buf()
}

fn dependencies(package: &Value) -> &Vec<Value> {
    package["dependencies"].as_array().unwrap()
}

/// The row of every crate in the picture, by its folder, from the top.
fn picture() -> BTreeMap<PathBuf, usize> {
    let text = fs::read_to_string(root().join("src/README.md")).unwrap();
    let lines = text.lines().filter_map(|line| line.strip_prefix("    "));
    let mut rows = BTreeMap::new();
    for (row, line) in lines.enumerate() {
        for name in line.split("  ").next().unwrap().split(", ") {
            let folders = match name.strip_suffix("/*") {
                Some(parent) => fs::read_dir(root().join("src").join(parent))
                    .unwrap()
                    .map(|entry| entry.unwrap().path())
                    .filter(|path| path.join("Cargo.toml").exists())
                    .collect(),
                None if name == "lib.rs" => vec![root().to_path_buf()],
                None => vec![root().join("src").join(name)],
            };
            for folder in folders {
                assert_eq!(rows.insert(folder, row), None, "{name} is in two rows");
            }
        }
    }
    rows
}

#[test]
fn the_picture_of_the_layers_is_that_of_the_manifests() {
    let (packages, rows) = (packages(), picture());
    let by_name: BTreeMap<&str, PathBuf> =
        packages.iter().map(|package| (package["name"].as_str().unwrap(), folder(package))).collect();
    let src = root().join("src");
    let drawn = |folder: &Path| folder == root() || folder.starts_with(&src);
    let found: Vec<&PathBuf> = by_name.values().filter(|folder| drawn(folder)).collect();
    let mut wanted: Vec<&PathBuf> = rows.keys().collect();
    wanted.sort_by_key(|folder| by_name.values().position(|known| known == *folder));
    assert_eq!(found, wanted);
    for package in packages.iter().filter(|package| drawn(&folder(package))) {
        for dependency in dependencies(package).iter().filter(|one| one["kind"].is_null()) {
            let below = by_name.get(dependency["name"].as_str().unwrap()).and_then(|folder| rows.get(folder));
            let row = rows[&folder(package)];
            assert!(
                below.is_none_or(|&below| below > row),
                "{} depends on {}, which is not below it",
                package["name"],
                dependency["name"]
            );
        }
    }
}

#[test]
fn src_holds_crates_and_one_library() {
    let mut files = Vec::new();
    for entry in fs::read_dir(root().join("src")).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => assert!(path.join("Cargo.toml").exists(), "{} is no crate", path.display()),
            false => files.push(path.file_name().unwrap().to_string_lossy().into_owned()),
        }
    }
    files.sort();
    assert_eq!(files, ["README.md", "lib.rs"]);
}

/// The source text of a package, without the packages in its folder.
fn source(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
            if !is_hidden && !path.ends_with("target") && !path.join("Cargo.toml").exists() {
                source(&path, text);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            add(&path, text);
        }
    }
}

/// Adds a file, and the files that it includes by their paths.
fn add(file: &Path, text: &mut String) {
    let read = fs::read_to_string(file).unwrap();
    for line in read.lines().filter_map(|line| line.trim().strip_prefix("#[path = \"")) {
        let included = file.parent().unwrap().join(line.split('"').next().unwrap());
        if included.components().any(|part| part.as_os_str() == "..") {
            source(included.parent().unwrap(), text);
        }
    }
    text.push_str(&read);
}

/// Whether a source text names a crate: in a path or in a `use`.
fn names(text: &str, krate: &str) -> bool {
    let word = krate.replace('-', "_");
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(&word).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        let line = before.rsplit('\n').next().unwrap().trim_start();
        let is_use = ["use ", "pub use ", "pub(crate) use "].iter().any(|start| line.starts_with(start));
        !is_part(before.chars().next_back())
            && !is_part(after.chars().next())
            && (after.starts_with("::") || is_use)
    })
}

#[test]
fn no_crate_lists_a_dependency_that_it_does_not_use() {
    assert!(names("use half::f16;", "half") && names("pub use {bytemuck, ndarray};", "ndarray"));
    assert!(!names("let half = 2;", "half") && !names("behalf::x", "half"));
    let mut unused = Vec::new();
    for package in packages() {
        let mut text = String::new();
        source(&folder(&package), &mut text);
        for dependency in dependencies(&package) {
            let name = dependency["name"].as_str().unwrap();
            if !names(&text, name) {
                unused.push(format!("{}: {name}", package["name"].as_str().unwrap()));
            }
        }
    }
    assert!(unused.is_empty(), "{}", unused.join(", "));
}
