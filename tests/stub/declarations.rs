//! Functions and classes as declarations of Python, in the format of ruff.

use std::collections::HashMap;

use syn::{Attribute, FnArg, Pat, ReturnType, Signature};

use crate::source::{Class, Source, arguments, doc, has, name_of};
use crate::types::{Place, Types, Use};

/// Line length of the Python code, and of its texts.
const WIDTH: usize = 110;
const TEXT_WIDTH: usize = 100;

/// All exported functions and classes.
pub fn all(source: &Source, types: &Types<'_>) -> String {
    let mut text = String::new();
    for name in &source.exported_functions {
        let (item, file) = &source.functions[name];
        let place = Place { class: "", file: *file, used: Use::Argument };
        text += "\n";
        text += &function(&item.sig, &item.attrs, types, place, "");
    }
    for name in &source.exported_classes {
        text += &class(&source.classes[name], types);
    }
    text
}

fn class(class: &Class, types: &Types<'_>) -> String {
    let mut text = format!("\nclass {}:\n{}", class.name, docstring(&class.doc, "    "));
    text += "\n";
    let place = Place { class: &class.name, file: class.file, used: Use::Result };
    for field in &class.fields {
        let name = field.ident.as_ref().expect("a field with a name");
        let of = types.python(&field.ty, place);
        text += &format!(
            "    @property\n    def {name}(self) -> {of}:\n{}",
            docstring(&doc(&field.attrs), "        ")
        );
    }
    for method in &class.methods {
        let name = method.sig.ident.to_string();
        let shown = !name.starts_with("__") || ["__enter__", "__exit__"].contains(&name.as_str());
        if shown {
            text +=
                &function(&method.sig, &method.attrs, types, Place { used: Use::Argument, ..place }, "    ");
        }
    }
    text
}

/// A function, or with an indentation a method.
fn function(
    signature: &Signature,
    attributes: &[Attribute],
    types: &Types<'_>,
    place: Place<'_>,
    indent: &str,
) -> String {
    let mut text = String::new();
    for (attribute, mark) in [("staticmethod", "staticmethod"), ("getter", "property")] {
        if has(attributes, attribute) {
            text += &format!("{indent}@{mark}\n");
        }
    }
    let is_new = has(attributes, "new");
    let name = if is_new { "__init__".to_string() } else { signature.ident.to_string() };
    let result = match &signature.output {
        ReturnType::Type(_, of) if !is_new => types.python(of, Place { used: Use::Result, ..place }),
        _ => "None".into(),
    };
    let mut parameters = Vec::new();
    if !indent.is_empty() && !has(attributes, "staticmethod") {
        parameters.push("self".to_string());
    }
    parameters.extend(parameters_of(signature, attributes, types, place));
    let docs = doc(attributes);
    let end = if docs.is_empty() { ": ...\n" } else { ":\n" };
    text += &definition(&format!("{indent}def {name}"), &parameters, &format!(" -> {result}{end}"), indent);
    text + &docstring(&docs, &format!("{indent}    "))
}

/// The parameters that callers pass, with types and default values.
fn parameters_of(
    signature: &Signature,
    attributes: &[Attribute],
    types: &Types<'_>,
    place: Place<'_>,
) -> Vec<String> {
    let given = arguments(attributes, "pyo3");
    let given =
        given.strip_prefix("signature=(").and_then(|given| given.strip_suffix(')')).unwrap_or_default();
    // By name: the default value; a star for a parameter of many arguments.
    let marks: HashMap<&str, &str> = given
        .split(',')
        .filter_map(|word| word.split_once('=').or_else(|| word.strip_prefix('*').map(|name| (name, "*"))))
        .collect();
    let typed = signature.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(typed) => Some(typed),
        FnArg::Receiver(_) => None,
    });
    let mut found = Vec::new();
    for parameter in typed {
        let Pat::Ident(name) = &*parameter.pat else { panic!("a parameter with a name") };
        let name = name.ident.to_string();
        // The interpreter, and the object itself.
        if name_of(&parameter.ty) == "Python" || name == "slf" {
            continue;
        }
        let of = types.python(&parameter.ty, place);
        found.push(match marks.get(name.as_str()) {
            Some(&"*") => format!("*{name}: {of}"),
            Some(default) => format!("{name}: {of} = {default}"),
            None => format!("{name}: {of}"),
        });
    }
    found
}

/// The first lines of a function, split as ruff splits them.
fn definition(start: &str, parameters: &[String], end: &str, indent: &str) -> String {
    let joined = parameters.join(", ");
    let whole = format!("{start}({joined}){end}");
    if whole.trim_end().len() <= WIDTH {
        return whole;
    }
    if indent.len() + 4 + joined.len() <= WIDTH {
        return format!("{start}(\n{indent}    {joined}\n{indent}){end}");
    }
    let lines: String = parameters.iter().map(|parameter| format!("{indent}    {parameter},\n")).collect();
    format!("{start}(\n{lines}{indent}){end}")
}

/// A docstring of the paragraphs of a doc comment; nothing for none.
fn docstring(lines: &[String], indent: &str) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let paragraphs: Vec<String> = lines
        .split(|line| line.is_empty())
        .filter(|paragraph| !paragraph.is_empty())
        .map(|paragraph| wrapped(&paragraph.join(" ").replace("[`", "`").replace("`]", "`"), indent))
        .collect();
    let text = paragraphs.join("\n\n").trim_start().to_string();
    match text.contains('\n') || indent.len() + text.len() + 6 > WIDTH {
        true => format!("{indent}\"\"\"{text}\n{indent}\"\"\"\n"),
        false => format!("{indent}\"\"\"{text}\"\"\"\n"),
    }
}

/// A paragraph in lines of limited length.
fn wrapped(paragraph: &str, indent: &str) -> String {
    let mut lines = vec![String::from(indent)];
    for word in paragraph.split_whitespace() {
        let last = lines.last_mut().expect("there is a line");
        if last.len() > indent.len() && last.len() + 1 + word.len() > TEXT_WIDTH {
            lines.push(format!("{indent}{word}"));
        } else {
            if last.len() > indent.len() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines.join("\n")
}
