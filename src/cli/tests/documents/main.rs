//! Documents refer only to existing files: the Markdown files, and the tables of files in module docs. Their
//! examples of the program run.
//!
//! | file | holds |
//! |---|---|
//! | `snippets` | commands in documents, run |

mod snippets;

use std::fs;
use std::path::{Path, PathBuf};

/// Folders in the repository's root with files that documents refer to.
const FOLDERS: [&str; 9] =
    [".cargo/", "assets/", "benches/", "docs/", "env_spec/", "examples/", "python/", "src/", "tests/"];

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Whether `path` is in `folder`. A part with `*`, or a word in angle brackets, matches any name.
fn exists(folder: &Path, path: &str) -> bool {
    let (part, rest) = path.split_once('/').unwrap_or((path, ""));
    if part.is_empty() {
        return folder.exists();
    }
    let wild = match (part.find(['<', '*']), part.rfind(['>', '*'])) {
        (Some(start), Some(end)) => Some((&part[..start], &part[end + 1..])),
        _ => None,
    };
    let Some((before, after)) = wild else { return exists(&folder.join(part), rest) };
    let Ok(entries) = fs::read_dir(folder) else { return false };
    entries.flatten().any(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        name.len() >= before.len() + after.len()
            && name.starts_with(before)
            && name.ends_with(after)
            && exists(&entry.path(), rest)
    })
}

/// All files below a folder with this extension.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
    found
}

/// The paths from the root in a text, and its sources without a folder.
fn named_paths(text: &str) -> (Vec<&str>, Vec<&str>) {
    let words = text.split(|c: char| c.is_whitespace() || "`()[]\"',;|".contains(c));
    let words = words.map(|word| word.split(['#', ':']).next().unwrap_or_default());
    let words: Vec<&str> = words.map(|word| word.trim_end_matches('.')).collect();
    let paths = words.iter().copied().filter(|word| FOLDERS.iter().any(|folder| word.starts_with(folder)));
    let sources = words.iter().copied().filter(|word| word.ends_with(".rs") && !word.contains(['/', '<']));
    (paths.collect(), sources.collect())
}

/// Targets of links within the repository: the file, empty for the document itself, and the anchor.
fn links(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let inside = targets.filter(|target| !target.contains("://"));
    inside.map(|target| target.split_once('#').unwrap_or((target, "")))
}

/// Every document of the repository.
fn documents() -> Vec<PathBuf> {
    let named = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "assets/networks/README.md"];
    let folders = ["docs", "env_spec"].iter().flat_map(|folder| files(&root().join(folder), "md"));
    named.iter().map(|name| root().join(name)).chain(folders).collect()
}

/// The anchors of a document's headings, derived from their words.
fn anchors(text: &str) -> Vec<String> {
    let kept = |c: char| match c {
        ' ' => Some('-'),
        c if c.is_alphanumeric() || "-_".contains(c) => Some(c.to_ascii_lowercase()),
        _ => None,
    };
    let heading = |line: &str| line.starts_with('#').then(|| line.trim_start_matches('#').trim().to_string());
    text.lines().filter_map(heading).map(|words| words.chars().filter_map(kept).collect()).collect()
}

#[test]
fn markdown_names_files_that_exist() {
    let sources: Vec<String> = ["src", "tests", "benches", "examples", "python/src"]
        .iter()
        .flat_map(|folder| files(&root().join(folder), "rs"))
        .map(|file| file.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        let (paths, names) = named_paths(&text);
        let missing: Vec<&str> = paths.into_iter().filter(|path| !exists(root(), path)).collect();
        assert_eq!(missing, [""; 0], "{}", document.display());
        let missing: Vec<&str> =
            names.into_iter().filter(|name| !sources.iter().any(|s| s == name)).collect();
        assert_eq!(missing, [""; 0], "{}", document.display());
        let folder = document.parent().unwrap();
        let missing: Vec<(&str, &str)> = links(&text)
            .filter(|&(file, place)| {
                let target = if file.is_empty() { document.clone() } else { folder.join(file) };
                // Anchors are checked only if the target is a file, not in folders that are filled by the site's
                // build.
                let found = |text: String| place.is_empty() || anchors(&text).iter().any(|a| a == place);
                !target.exists()
                    || (target.is_file() && !place.is_empty() && !found(fs::read_to_string(&target).unwrap()))
            })
            .collect();
        assert_eq!(missing, [("", ""); 0], "{}", document.display());
    }
}

/// The names in the first column of a source's tables with a first heading `file`, `folder`, or both.
fn tabled_files(source: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut inside = false;
    for line in source.lines().map_while(|line| line.strip_prefix("//!")) {
        let cell = line.trim().strip_prefix('|').and_then(|row| row.split('|').next()).map(str::trim);
        inside = cell
            .is_some_and(|cell| inside || cell.split(" or ").all(|word| ["file", "folder"].contains(&word)));
        if inside {
            names.extend(cell.unwrap_or_default().split('`').skip(1).step_by(2));
        }
    }
    names
}

#[test]
fn tables_of_files_name_files_that_exist() {
    let mut tables = 0;
    for source in ["src", "python/src"].iter().flat_map(|folder| files(&root().join(folder), "rs")) {
        let text = fs::read_to_string(&source).unwrap();
        let names = tabled_files(&text);
        tables += usize::from(!names.is_empty());
        let beside = source.parent().unwrap();
        // A row may name a folder, then files in it.
        let tabled = names.iter().filter(|name| name.ends_with('/')).map(|name| beside.join(name));
        let folders: Vec<PathBuf> =
            [beside.to_owned(), source.with_extension("")].into_iter().chain(tabled).collect();
        for name in names {
            let stands = folders.iter().any(|folder| {
                exists(folder, name) || (!name.ends_with('/') && exists(folder, &format!("{name}.rs")))
            });
            assert!(stands, "{}: there is no {name}", source.display());
        }
    }
    assert!(tables > 5, "{tables} tables were found");
}

/// Readers find a file by the table in the module docs of its folder.
#[test]
fn tables_of_games_name_every_file() {
    for game in fs::read_dir(root().join("src/games")).unwrap().map(|entry| entry.unwrap().path()) {
        let Ok(text) = fs::read_to_string(game.join("lib.rs")) else { continue };
        let named: Vec<&str> = tabled_files(&text).iter().map(|name| name.trim_end_matches('/')).collect();
        let there =
            fs::read_dir(&game).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let unnamed = there.filter(|name| {
            // A folder with the parts of a file needs no entry of its own.
            let parts = game.join(format!("{name}.rs")).exists();
            !["Cargo.toml", "LICENSE", "README.md", "lib.rs", "tests", "tests.rs"].contains(&&name[..])
                && !parts
                && !named.contains(&&name[..])
        });
        assert_eq!(unnamed.collect::<Vec<_>>(), [""; 0], "{}", game.display());
    }
}

#[test]
fn a_missing_file_is_found_out() {
    let (paths, names) =
        named_paths("| `src/games/<game>/`, `tests/data/*.json`, see (src/no.rs). `mod.rs` |");
    assert_eq!(paths, ["src/games/<game>/", "tests/data/*.json", "src/no.rs"]);
    assert_eq!(names, ["mod.rs"]);
    assert_eq!(paths.iter().map(|path| exists(root(), path)).collect::<Vec<_>>(), [true, true, false]);
    assert_eq!(
        links("[a](README.md#x) [b](https://c.d) [e](no.md) [f](#y)").collect::<Vec<_>>(),
        [("README.md", "x"), ("no.md", ""), ("", "y")]
    );
    assert_eq!(anchors("# How `it` is, in 2 ways\ntext\n## Next\n"), ["how-it-is-in-2-ways", "next"]);
    assert_eq!(
        tabled_files(
            "//! A\n//!\n//! | file or folder | holds |\n//! |---|---|\n//! | `a`, `b/` | `c` |\n//!\n"
        ),
        ["a", "b/"]
    );
    assert_eq!(tabled_files("//! | request | does |\n//! | `GET /x` | y |\n"), [""; 0]);
    assert!(!exists(root(), "src/<game>/no_such_file.rs") && !exists(root(), "src/lib"));
}
