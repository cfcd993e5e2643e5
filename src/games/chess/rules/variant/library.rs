//! The shipped variants and options, and the lookup from a name or a path to a [`Variant`].

use std::path::{Path, PathBuf};

use ludovec_assets::chess::{FLAGS, VARIANTS};

use super::parse;
use super::schema::Variant;
use super::tree::{self, Field, Location, TomlNode};
use ludovec_engine::similar::did_you_mean;
use ludovec_engine::{Error, Result, file};

/// Largest variant file that is accepted, in bytes.
const MAX_FILE: u64 = 64 << 10;
/// Longest chain of files that extend one another.
const MAX_CHAIN: usize = 16;

const CHESS960: &str = "chess960";

/// Options that contradict each other, with the reason.
const CONTRADICTIONS: [(&str, &str, &str); 4] = [
    ("capture_all_pieces_to_win", "duck_chess", "one plays on without a king, the other loses with it"),
    ("capture_all_pieces_to_win", "double_check_to_win", "there are no checks where kings are ordinary"),
    ("duck_chess", "double_check_to_win", "there are no checks in duck chess"),
    ("chess960", "vertical_castling", "Chess960 castles by its own rule, along the first rank only"),
];

/// The names of the shipped variants.
pub fn variants() -> impl Iterator<Item = &'static str> {
    VARIANTS.iter().map(|&(name, _)| name)
}

/// The names of the options that a variant accepts.
pub fn flags() -> impl Iterator<Item = &'static str> {
    FLAGS.iter().map(|&(name, _)| name)
}

/// The text of a shipped variant, for tests that mutate it.
#[cfg(test)]
pub(super) fn shipped_text(index: usize) -> &'static str {
    VARIANTS[index].1
}

/// Loads the variant of a name or of a file, with options applied.
///
/// `variant` is a shipped name, or the path of a file: it contains a `/` or ends in `.toml`.
///
/// # Errors
/// [`Error::InvalidConfig`] names the file, line and key at fault, or the option, and the allowed values.
pub fn load<S: AsRef<str>>(variant: &str, flags: &[S]) -> Result<Variant> {
    let origin = Origin::named(variant, None).map_err(|e| Error::config(format!("option variant: {e}")))?;
    let mut loaded = Loaded::from(&origin, &mut Vec::new())?;
    let names: Vec<&str> = flags.iter().map(AsRef::as_ref).collect();
    if matches!(origin, Origin::Shipped(..)) {
        let given = if names.is_empty() { String::new() } else { format!("flags={}, ", names.join(",")) };
        let call = Location::call(&format!("option {given}variant={variant}"));
        loaded.tree.attribute(&call, &|_| None);
    }
    let call = |name| (name, Location::call(&format!("option flags={name}, variant={variant}")));
    loaded.lay_over(&names.into_iter().map(call).collect::<Vec<_>>(), |_| None)?;
    parse::variant(&loaded.tree)
}

/// Reads one variant from text, like a file called `name` in the working directory.
///
/// # Errors
/// As [`load`].
pub fn from_text(name: &str, text: &str) -> Result<Variant> {
    let file = Origin::Text { name, text };
    parse::variant(&Loaded::from(&file, &mut Vec::new())?.tree)
}

/// The source of a variant's text.
enum Origin<'a> {
    Shipped(&'static str, &'static str),
    Path(PathBuf),
    Text { name: &'a str, text: &'a str },
}

impl Origin<'_> {
    /// Resolves a name. A path is relative to the folder of the file that mentions it.
    fn named(name: &str, folder: Option<&Path>) -> Result<Origin<'static>, String> {
        if name.contains('/') || name.ends_with(".toml") {
            return Ok(Origin::Path(folder.unwrap_or(Path::new("")).join(name)));
        }
        let shipped = VARIANTS.iter().find(|(known, _)| *known == name);
        shipped.map(|&(name, text)| Origin::Shipped(name, text)).ok_or_else(|| {
            let known: Vec<_> = variants().collect();
            let (meant, known) = (did_you_mean(name, &known), known.join(", "));
            format!("unknown variant {name:?}{meant}: allowed are a path ending in .toml, or {known}")
        })
    }

    /// The name in error messages.
    fn label(&self) -> String {
        match self {
            Origin::Shipped(name, _) => format!("{name}.toml"),
            Origin::Path(path) => path.display().to_string(),
            Origin::Text { name, .. } => (*name).into(),
        }
    }

    /// A key that identifies the file, for any spelling of its path.
    fn identity(&self) -> PathBuf {
        match self {
            Origin::Path(path) => path.canonicalize().unwrap_or_else(|_| path.clone()),
            Origin::Shipped(name, _) => PathBuf::from(format!("shipped {name}")),
            Origin::Text { name, .. } => PathBuf::from(name),
        }
    }

    fn folder(&self) -> Option<&Path> {
        if let Origin::Path(path) = self { path.parent() } else { None }
    }

    /// The name of the variant if the file gives none.
    fn stem(&self) -> String {
        let label = self.label();
        let stem = Path::new(&label).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        stem.unwrap_or(label)
    }

    fn read(&self) -> Result<String> {
        let path = match self {
            Origin::Shipped(_, text) => return Ok((*text).into()),
            Origin::Text { text, .. } => return Ok((*text).into()),
            Origin::Path(path) => path,
        };
        let wrong = |what: String| Error::config(format!("variant file {}: {what}", path.display()));
        file::read_text(path, MAX_FILE).map_err(|e| wrong(e.to_string()))
    }
}

/// A variant as a tree, with all the files it extends merged into it.
struct Loaded {
    tree: TomlNode,
    /// The options applied to it.
    flags: Vec<&'static str>,
}

impl Loaded {
    /// Reads a file and the files it extends. `chain` holds the files that led here.
    fn from(origin: &Origin, chain: &mut Vec<(PathBuf, String)>) -> Result<Self> {
        let label = origin.label();
        let file = tree::parse(&label, &origin.read()?)?;
        chain.push((origin.identity(), label.clone()));
        let mut loaded = Self { tree: TomlNode::empty(&label), flags: Vec::new() };
        let mut flags = Vec::new();
        for (key, field) in Field::root(&file).entries()? {
            match key {
                "extends" => loaded = Self::parent(origin, &field, chain)?,
                "flags" => {
                    for flag in field.list()? {
                        flags.push((flag.text()?, flag.location().clone()));
                    }
                }
                _ => {}
            }
        }
        loaded.lay_over(&flags, |flag| Some(format!("by the flag {flag}")))?;
        loaded.tree.set_text("name", &origin.stem());
        loaded.tree = loaded.tree.overlaid(file)?;
        Ok(loaded)
    }

    /// The parent that a file extends.
    fn parent(child: &Origin, extends: &Field, chain: &mut Vec<(PathBuf, String)>) -> Result<Self> {
        let origin = Origin::named(extends.text()?, child.folder()).map_err(|e| extends.error(e))?;
        if chain.iter().any(|(identity, _)| *identity == origin.identity()) {
            let circle: Vec<_> = chain.iter().map(|(_, label)| label.as_str()).collect();
            return Err(extends.error(format_args!(
                "the files extend each other: {} -> {}",
                circle.join(" -> "),
                origin.label()
            )));
        }
        if chain.len() >= MAX_CHAIN {
            return Err(extends.error(format_args!("at most {MAX_CHAIN} files may extend one another")));
        }
        let mut loaded = Self::from(&origin, chain)?;
        loaded.tree.attribute(extends.location(), &|location| {
            Some(match origin {
                Origin::Shipped(name, _) => format!("inherited from {name}"),
                _ => format!("inherited from {location}"),
            })
        });
        Ok(loaded)
    }

    /// Applies options to the variant. Each option comes with the location that asks for it. For error messages,
    /// `origin` describes how the option's contents came to that location.
    fn lay_over(
        &mut self,
        flags: &[(&str, Location)],
        origin: impl Fn(&str) -> Option<String>,
    ) -> Result<()> {
        for (flag, location) in flags {
            if !FLAGS.iter().any(|(name, _)| name == flag) {
                let known: Vec<_> = self::flags().collect();
                return Err(
                    location.error(format_args!("unknown flag {flag}: the flags are {}", known.join(", ")))
                );
            }
        }
        let asked = |name: &str| flags.iter().find(|(flag, _)| *flag == name).map(|(_, location)| location);
        for (a, b, why) in CONTRADICTIONS {
            let there = |name| asked(name).is_some() || self.flags.contains(&name);
            if let Some(location) = asked(a).or(asked(b)).filter(|_| there(a) && there(b)) {
                return Err(location.error(format_args!("the flags {a} and {b} do not go together: {why}")));
            }
        }
        let before = std::mem::take(&mut self.flags);
        for &(name, text) in FLAGS {
            let known = before.contains(&name);
            if known {
                self.flags.push(name);
            }
            let again = flags.first().filter(|_| name == CHESS960).map(|(_, location)| location);
            let Some(location) = (if known { again } else { asked(name) }) else { continue };
            let mut edits = tree::parse(name, text)?;
            edits.attribute(location, &|_| origin(name));
            // In a variant without castling, an option's castling changes are left out. An option that changes
            // nothing else is an error there.
            if !self.tree.has("castling") && edits.without("castling") {
                return Err(
                    location.error(format_args!("{name} is about castling, of which there is none here"))
                );
            }
            self.tree = std::mem::replace(&mut self.tree, TomlNode::empty(name)).overlaid(edits)?;
            self.flags.push(name);
        }
        self.flags.dedup();
        Ok(())
    }
}
