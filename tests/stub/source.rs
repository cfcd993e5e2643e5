//! The items of the extension's source that its stub depends on.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{
    Attribute, Expr, ExprLit, ExprMethodCall, Field, GenericArgument, ImplItemFn, ItemEnum, ItemFn, ItemImpl,
    ItemStruct, ItemType, Lit, Macro, Meta, Type,
};

/// A class: `#[pyclass]`.
pub struct Class {
    /// Its name in Python.
    pub name: String,
    pub doc: Vec<String>,
    /// The fields with `#[pyo3(get)]`.
    pub fields: Vec<Field>,
    /// The functions in `#[pymethods]`.
    pub methods: Vec<ImplItemFn>,
    /// The file that declares it.
    pub file: usize,
}

/// A type that is read from a Python object: `#[derive(FromPyObject)]`.
pub enum Read {
    /// One of several types.
    Union(Vec<Type>),
    Tuple(Vec<Type>),
    Mapping,
}

/// All items, with classes and functions by their names in Rust.
#[derive(Default)]
pub struct Source {
    pub classes: HashMap<String, Class>,
    pub functions: HashMap<String, (ItemFn, usize)>,
    pub read: HashMap<String, (Read, usize)>,
    /// Type aliases by name, with the number of their file.
    pub aliases: HashMap<(String, usize), Type>,
    /// Names in Rust of what the module adds, in its order.
    pub exported_functions: Vec<String>,
    pub exported_classes: Vec<String>,
    /// The file that is read.
    file: usize,
}

impl Source {
    /// Reads all files of a folder.
    pub fn read(folder: &Path) -> Self {
        let mut source = Self::default();
        source.add_folder(folder);
        assert!(
            source.exported_classes.len() > 5 && source.exported_functions.len() > 20,
            "the source was found"
        );
        source
    }

    fn add_folder(&mut self, folder: &Path) {
        let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                self.add_folder(&path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                self.file += 1;
                let parsed = syn::parse_file(&fs::read_to_string(&path).unwrap());
                self.visit_file(&parsed.unwrap_or_else(|error| panic!("{}: {error}", path.display())));
            }
        }
    }
}

/// Whether one of the attributes is `#[name]` or `#[name(...)]`.
pub fn has(attributes: &[Attribute], name: &str) -> bool {
    attributes.iter().any(|attribute| attribute.path().is_ident(name))
}

/// The arguments of an attribute as text, without spaces between tokens: `get` of `#[pyo3(get)]`.
pub fn arguments(attributes: &[Attribute], name: &str) -> String {
    let lists =
        attributes.iter().filter(|attribute| attribute.path().is_ident(name)).map(
            |attribute| match &attribute.meta {
                Meta::List(list) => list.tokens.to_string(),
                _ => String::new(),
            },
        );
    lists.collect::<Vec<_>>().join(",").replace(' ', "")
}

/// The lines of a doc comment.
pub fn doc(attributes: &[Attribute]) -> Vec<String> {
    let lines = attributes.iter().filter(|attribute| attribute.path().is_ident("doc"));
    let text = lines.filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(value) => match &value.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value().trim().to_string()),
            _ => None,
        },
        _ => None,
    });
    text.collect()
}

/// The name of a type without its path and its generic arguments.
pub fn name_of(of: &Type) -> String {
    match of {
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default(),
        Type::Reference(reference) => name_of(&reference.elem),
        other => other.to_token_stream().to_string(),
    }
}

impl<'ast> Visit<'ast> for Source {
    fn visit_item_struct(&mut self, item: &'ast ItemStruct) {
        let rust_name = item.ident.to_string();
        if has(&item.attrs, "pyclass") {
            let arguments = arguments(&item.attrs, "pyclass");
            let renamed = arguments.split(',').find_map(|argument| argument.strip_prefix("name="));
            let name = renamed.map_or(rust_name.clone(), |name| name.trim_matches('"').to_string());
            let shown =
                |field: &&Field| self::arguments(&field.attrs, "pyo3").split(',').any(|word| word == "get");
            let fields = item.fields.iter().filter(shown).cloned().collect();
            let class = Class { name, doc: doc(&item.attrs), fields, methods: Vec::new(), file: self.file };
            self.classes.insert(rust_name, class);
        } else if arguments(&item.attrs, "derive").contains("FromPyObject") {
            let named = item.fields.iter().any(|field| field.ident.is_some());
            let types = || item.fields.iter().map(|field| field.ty.clone()).collect();
            let read = if named { Read::Mapping } else { Read::Tuple(types()) };
            self.read.insert(rust_name, (read, self.file));
        }
    }

    fn visit_item_enum(&mut self, item: &'ast ItemEnum) {
        if arguments(&item.attrs, "derive").contains("FromPyObject") {
            let variants = item.variants.iter().flat_map(|variant| &variant.fields);
            let union = Read::Union(variants.map(|field| field.ty.clone()).collect());
            self.read.insert(item.ident.to_string(), (union, self.file));
        }
    }

    fn visit_item_type(&mut self, item: &'ast ItemType) {
        self.aliases.insert((item.ident.to_string(), self.file), (*item.ty).clone());
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        if has(&item.attrs, "pyfunction") {
            self.functions.insert(item.sig.ident.to_string(), (item.clone(), self.file));
        }
        visit::visit_item_fn(self, item);
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        if has(&item.attrs, "pymethods") {
            let methods = item.items.iter().filter_map(|item| match item {
                syn::ImplItem::Fn(method) => Some(method.clone()),
                _ => None,
            });
            let class = self.classes.get_mut(&name_of(&item.self_ty));
            class.expect("a class is declared above its methods").methods.extend(methods);
        }
        visit::visit_item_impl(self, item);
    }

    /// `module.add_class::<path::Name>()`.
    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        if call.method == "add_class"
            && let Some(given) = &call.turbofish
            && let Some(GenericArgument::Type(class)) = given.args.first()
        {
            self.exported_classes.push(name_of(class));
        }
        visit::visit_expr_method_call(self, call);
    }

    /// `wrap_pyfunction!(path::name, module)`.
    fn visit_macro(&mut self, call: &'ast Macro) {
        if call.path.is_ident("wrap_pyfunction") {
            let tokens = call.tokens.to_string().replace(' ', "");
            let path = tokens.split(',').next().unwrap_or_default();
            self.exported_functions.push(path.rsplit("::").next().unwrap_or_default().to_string());
        }
    }
}
