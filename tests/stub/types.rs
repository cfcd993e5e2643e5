//! Types of Rust signatures as types of Python.

use std::collections::HashSet;

use quote::ToTokens;
use syn::{GenericArgument, PathArguments, Type};

use crate::source::{Read, Source, name_of};

/// Whether a type is that of an argument or of a result: arguments accept any sequence.
#[derive(Clone, Copy, PartialEq)]
pub enum Use {
    Argument,
    Result,
}

/// A type with the class and the file in which it appears.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// The name of the class in Python; empty outside classes.
    pub class: &'a str,
    pub file: usize,
    pub used: Use,
}

/// Translates types.
pub struct Types<'a> {
    source: &'a Source,
    /// The aliases `_Name` of the part written by hand. They describe the Rust types of that name.
    by_hand: HashSet<String>,
}

impl<'a> Types<'a> {
    pub fn new(source: &'a Source, by_hand: &str) -> Self {
        let names = by_hand.lines().filter_map(|line| line.strip_prefix('_')?.split_once(" = "));
        Self { source, by_hand: names.map(|(name, _)| name.to_string()).collect() }
    }

    /// The type of Python.
    pub fn python(&self, of: &Type, place: Place<'_>) -> String {
        match of {
            Type::Reference(reference) => self.reference(&reference.elem, place),
            Type::Tuple(tuple) if tuple.elems.is_empty() => "None".into(),
            Type::Tuple(tuple) => self.tuple(tuple.elems.iter(), place),
            Type::Path(_) => self.path(of, place),
            _ => panic!("{}: no Python type is known", of.to_token_stream()),
        }
    }

    fn reference(&self, of: &Type, place: Place<'_>) -> String {
        match of {
            Type::Slice(slice) if name_of(&slice.elem) == "u8" => "bytes".into(),
            of => self.python(of, place),
        }
    }

    fn tuple<'t>(&self, of: impl Iterator<Item = &'t Type>, place: Place<'_>) -> String {
        let parts: Vec<String> = of.map(|part| self.python(part, place)).collect();
        format!("tuple[{}]", parts.join(", "))
    }

    fn path(&self, of: &Type, place: Place<'_>) -> String {
        let name = name_of(of);
        let arguments = generic_arguments(of);
        let first =
            |used| self.python(arguments.last().expect("a generic argument"), Place { used, ..place });
        match name.as_str() {
            "Self" => place.class.into(),
            "str" | "String" | "Text" | "char" | "OsString" | "PathBuf" => "str".into(),
            "u8" | "u16" | "u32" | "u64" | "usize" | "i16" | "i32" | "i64" => "int".into(),
            "f32" | "f64" => "float".into(),
            "bool" => "bool".into(),
            "PyAny" => "Any".into(),
            "PyDict" => "dict[str, Any]".into(),
            "PyList" => "list[Any]".into(),
            "PyTuple" => "object".into(),
            "PyBytes" | "PyBackedBytes" => "bytes".into(),
            "PyErr" => "BaseException".into(),
            "PyResult" | "Result" => self.python(&arguments[0], place),
            "Bound" | "Py" | "PyRef" => first(place.used),
            "Option" => format!("{} | None", first(place.used)),
            "Vec" if place.used == Use::Argument => format!("Sequence[{}]", first(place.used)),
            "Vec" => format!("list[{}]", first(place.used)),
            array if array.starts_with("PyArray") || array.starts_with("PyReadonlyArray") => {
                format!("npt.NDArray[np.{}]", element(arguments.first().expect("an element")))
            }
            _ => self.named(&name, place),
        }
    }

    /// A type that the extension declares.
    fn named(&self, name: &str, place: Place<'_>) -> String {
        if self.by_hand.contains(name) {
            return format!("_{name}");
        }
        if let Some(class) = self.source.classes.get(name) {
            return match self.source.exported_classes.iter().any(|exported| exported == name) {
                true => class.name.clone(),
                false => self.iterator(name),
            };
        }
        let alias = self.source.aliases.get_key_value(&(name.to_string(), place.file));
        let elsewhere = || self.source.aliases.iter().find(|((other, _), _)| other == name);
        if let Some(((_, file), alias)) = alias.or_else(elsewhere) {
            return self.python(alias, Place { file: *file, ..place });
        }
        match self.source.read.get(name) {
            Some((Read::Mapping, _)) => "Mapping[str, Any]".into(),
            Some((Read::Tuple(types), file)) => self.tuple(types.iter(), Place { file: *file, ..place }),
            Some((Read::Union(types), file)) => {
                let place = Place { file: *file, ..place };
                types.iter().map(|part| self.python(part, place)).collect::<Vec<_>>().join(" | ")
            }
            None => panic!(
                "{name}: no Python type is known; add it to tests/stub/types.rs or write an alias _{name}"
            ),
        }
    }

    /// A class that the module does not export: an iterator.
    fn iterator(&self, name: &str) -> String {
        let class = &self.source.classes[name];
        let next = class.methods.iter().find(|method| method.sig.ident == "__next__");
        let next = next.unwrap_or_else(|| panic!("{name}: the module must add this class"));
        let syn::ReturnType::Type(_, of) = &next.sig.output else {
            panic!("{name}: __next__ returns something")
        };
        let place = Place { class: &class.name, file: class.file, used: Use::Result };
        let element = self.python(of, place);
        format!("Iterator[{}]", element.strip_suffix(" | None").expect("an optional element"))
    }
}

/// The generic arguments of a type, without lifetimes.
fn generic_arguments(of: &Type) -> Vec<Type> {
    let Type::Path(path) = of else { return Vec::new() };
    let Some(PathArguments::AngleBracketed(given)) = path.path.segments.last().map(|last| &last.arguments)
    else {
        return Vec::new();
    };
    let types = given.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(of) => Some(of.clone()),
        _ => None,
    });
    types.collect()
}

/// The scalar type of NumPy for an element of an array.
fn element(of: &Type) -> &'static str {
    match name_of(of).as_str() {
        "u8" => "uint8",
        "u32" => "uint32",
        "u64" => "uint64",
        "i8" => "int8",
        "i32" => "int32",
        "i64" => "int64",
        "f32" => "float32",
        "Py" => "object_",
        other => panic!("{other}: no dtype is known"),
    }
}
