//! The diagram of imports in CONTRIBUTING.md matches the sources: every import is an arrow of the diagram, every
//! arrow an import, and none points upwards. The files of the engine have no import cycles.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::{files, root};

/// Files of the engine that import each other: traits with methods that return one another.
const TRAITS: [&str; 4] = ["faces::any_game", "faces::single", "faces::tree_search", "faces::vector"];

/// The imports of each file.
type Imports = BTreeMap<String, BTreeSet<String>>;

/// The diagram, line by line: a name, an arrow, the names that the first one imports.
fn picture() -> Vec<(String, BTreeSet<String>)> {
    let text = fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let picture = text.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    let arrows = picture.lines().filter_map(|line| line.split_once('-'));
    let names = |list: &str| {
        list.trim_start_matches(['-', '>']).split(',').map(|name| name.trim().to_string()).collect()
    };
    arrows.map(|(from, to)| (from.trim().to_string(), names(to))).collect()
}

/// The code of a source without comments and without the unit tests at its end.
fn code(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let tests = lines.windows(2).position(|pair| {
        pair[0].starts_with("#[cfg(")
            && pair[0].contains("test")
            && pair[1].starts_with("mod ")
            && pair[1].ends_with('{')
    });
    let code =
        lines[..tests.unwrap_or(lines.len())].iter().filter(|line| !line.trim_start().starts_with("//"));
    code.copied().collect::<Vec<_>>().join("\n")
}

/// The paths in some code that begin with `start`, without it.
fn paths<'a>(code: &'a str, start: &'a str) -> impl Iterator<Item = &'a str> {
    let beginnings = code.match_indices(start).filter(|&(at, _)| {
        let before = code[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '$' || c == ':')
    });
    beginnings.map(move |(at, _)| {
        let rest = &code[at + start.len()..];
        rest.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).next().unwrap_or_default()
    })
}

/// The sources below `folder`, except test files: each with its module path and its code.
fn sources(folder: &Path) -> Vec<(String, String)> {
    let paths = files(folder, "rs").into_iter().map(|file| {
        let inside = file.strip_prefix(folder).unwrap().with_extension("");
        let parts: Vec<_> = inside.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        (parts.join("::"), file)
    });
    let sources = paths.filter(|(name, _)| !name.split("::").any(|part| part == "tests"));
    sources.map(|(name, file)| (name, code(&fs::read_to_string(file).unwrap()))).collect()
}

/// The imports between the folders and files right below `folder`, by paths that begin with `start`.
fn imports(folder: &Path, start: &str) -> Imports {
    let mut found = Imports::new();
    for (name, code) in sources(folder) {
        let first = |path: &str| path.split("::").next().unwrap().to_string();
        let room = first(&name);
        if ["lib", "main", "mod"].contains(&&room[..]) {
            continue;
        }
        let others = paths(&code, start).map(first).filter(|other| *other != room);
        found.entry(room.clone()).or_default().extend(others);
    }
    found
}

/// The sources in an import cycle.
fn in_circles(graph: &Imports) -> Vec<&str> {
    let imports_itself = |name: &String| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![name]);
        while let Some(next) = open.pop() {
            open.extend(graph[next].iter().filter(|&other| seen.insert(other)));
        }
        seen.contains(name)
    };
    graph.keys().filter(|name| imports_itself(name)).map(String::as_str).collect()
}

#[test]
fn the_picture_of_imports_is_true() {
    let mut real = imports(&root().join("src"), "crate::");
    let python = sources(&root().join("python/src"));
    let python = python.iter().flat_map(|(_, code)| paths(code, "ludovec::").collect::<Vec<_>>());
    real.insert("python/".into(), python.map(|path| path.split("::").next().unwrap().into()).collect());
    real.extend(imports(&root().join("src/engine"), "ludovec::engine::"));
    real.retain(|_, others| !others.is_empty());

    let picture = picture();
    let drawn: Imports = picture.iter().cloned().collect();
    for (name, others) in &real {
        assert_eq!(Some(others), drawn.get(name), "what {name} imports, and what the picture says");
    }
    assert_eq!(drawn.keys().collect::<Vec<_>>(), real.keys().collect::<Vec<_>>());
    for (line, (_, others)) in picture.iter().enumerate() {
        let above = picture[..=line].iter().find(|(name, _)| others.contains(name));
        assert_eq!(above, None, "arrows lead downwards");
    }
}

#[test]
fn the_files_of_the_engine_form_no_circle() {
    let sources = sources(&root().join("src/engine"));
    let names: BTreeSet<String> =
        sources.iter().map(|(name, _)| name.trim_end_matches("::mod").to_string()).collect();
    let file = |path: &str| {
        let parts: Vec<&str> = path.split("::").collect();
        (1..=parts.len()).rev().map(|n| parts[..n].join("::")).find(|name| names.contains(name))
    };
    let graph = sources.iter().map(|(name, code)| {
        let name = name.trim_end_matches("::mod");
        let others = paths(code, "ludovec::engine::").filter_map(file).filter(|other| other != name);
        (name.to_string(), others.collect())
    });
    assert_eq!(in_circles(&graph.collect()), TRAITS);
}

#[test]
fn circles_are_found() {
    let graph = |arrows: &[(&str, &str)]| {
        let mut graph = Imports::new();
        for (from, to) in arrows {
            graph.entry(from.to_string()).or_default().insert(to.to_string());
            graph.entry(to.to_string()).or_default();
        }
        graph
    };
    assert_eq!(in_circles(&graph(&[("a", "b"), ("b", "c"), ("a", "c")])), [""; 0]);
    assert_eq!(in_circles(&graph(&[("a", "b"), ("b", "c"), ("c", "b"), ("c", "d")])), ["b", "c"]);
    let source = "use crate::a::b;\n// crate::no\nlet x = crate::c::D;\n$crate::no!();\n#[cfg(test)]\nmod tests {\ncrate::no";
    assert_eq!(paths(&code(source), "crate::").collect::<Vec<_>>(), ["a::b", "c::D"]);
}
