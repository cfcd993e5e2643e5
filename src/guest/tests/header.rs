//! `ludovec_game.h` is generated from the structs of `abi.rs`: `LUDOVEC_PIN=1 cargo test -p ludovec-guest header`.

use crate::abi::{ABI, Bytes, CChance, CGame, CRules, FAILURES, Sink};

/// The comment of a declaration.
fn comment(lines: &[&str], indent: &str) -> String {
    let lines = lines.iter().map(|line| line.trim().replace('`', ""));
    format!("{indent}/* {} */\n", lines.collect::<Vec<_>>().join(&format!("\n{indent} * ")))
}

/// A Rust type in C, before a name.
fn in_c(mut rust: &str) -> String {
    let mut levels = Vec::new();
    loop {
        rust = match (rust.strip_prefix("*const "), rust.strip_prefix("*mut ")) {
            (Some(rest), _) => {
                levels.push("const ");
                rest
            }
            (_, Some(rest)) => {
                levels.push("");
                rest
            }
            _ => break,
        };
    }
    let base = match rust {
        "c_void" | "()" => "void",
        "c_char" => "char",
        "u8" => "uint8_t",
        "u32" => "uint32_t",
        "u64" => "uint64_t",
        "i32" => "int32_t",
        "f32" => "float",
        "usize" => "size_t",
        "Sink" => "ludovec_sink",
        "CChance" => "ludovec_chance",
        "Bytes" => "ludovec_bytes",
        "CRules" => "ludovec_rules",
        "CGame" => "ludovec_game",
        other => panic!("{other} has no type of C"),
    };
    let Some(innermost) = levels.pop() else { return format!("{base} ") };
    let outer: String = levels.iter().rev().map(|level| format!("{level}*")).collect();
    format!("{innermost}{base} *{outer}")
}

pub(crate) fn member(doc: &[&str], name: &str, rust: &str) -> String {
    format!("{}    {}{name};\n", comment(doc, "    "), in_c(rust))
}

pub(crate) fn function(doc: &[&str], name: &str, arguments: &[(&str, &str)], result: &str) -> String {
    let arguments: Vec<String> =
        arguments.iter().map(|(name, rust)| format!("{}{name}", in_c(rust))).collect();
    let one = arguments.join(", ");
    let head = format!("    {}(*{name})(", in_c(result));
    let arguments = if head.len() + one.len() > 100 {
        format!("\n        {}", arguments.join(",\n        "))
    } else {
        one
    };
    format!("{}{head}{arguments});\n", comment(doc, "    "))
}

pub(crate) fn of(doc: &[&str], name: &str, members: &[String]) -> String {
    format!("{}struct {name} {{\n{}}};\n", comment(doc, ""), members.concat())
}

fn header() -> String {
    let structs = [Sink::in_c(), CChance::in_c(), Bytes::in_c(), CRules::in_c(), CGame::in_c()].join("\n");
    let names = ["sink", "chance", "bytes", "rules", "game"];
    let types = names.map(|name| format!("typedef struct ludovec_{name} ludovec_{name};\n")).concat();
    let failures: String =
        FAILURES.iter().map(|(name, number)| format!("    LUDOVEC_{name} = {number},\n")).collect();
    format!(
        "/* Games for ludovec as a library of C functions. Generated from src/guest/abi.rs. */
#ifndef LUDOVEC_GAME_H
#define LUDOVEC_GAME_H

#include <stddef.h>
#include <stdint.h>

#ifdef _WIN32
#define LUDOVEC_EXPORT __declspec(dllexport)
#else
#define LUDOVEC_EXPORT __attribute__((visibility(\"default\")))
#endif

/* The number of this interface. */
#define LUDOVEC_ABI {ABI}

/* The results of functions: 0, or the number of a failure. Any other number is a fault of the rules. */
enum {{
    LUDOVEC_OK = 0,
    LUDOVEC_DEFAULT = 1,
{failures}    LUDOVEC_RULES = 7
}};

{types}
{structs}
#ifdef __cplusplus
extern \"C\" {{
#endif

/* A library exports these functions: the number LUDOVEC_ABI, and its games. */
LUDOVEC_EXPORT uint32_t ludovec_abi(void);
LUDOVEC_EXPORT const ludovec_game *ludovec_games(uint32_t *count);

#ifdef __cplusplus
}}
#endif

#endif
"
    )
}

#[test]
fn the_header_says_in_c_what_the_code_says() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/ludovec_game.h");
    if std::env::var_os("LUDOVEC_PIN").is_some() {
        std::fs::write(path, header()).unwrap();
    }
    let pinned = std::fs::read_to_string(path).unwrap_or_default().replace('\r', "");
    assert!(pinned == header(), "LUDOVEC_PIN=1 cargo test -p ludovec-guest header");
}
