//! The options of a UCI engine: their declarations, and the checks of values.

use std::collections::BTreeMap;

/// An option as the engine declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EngineOption {
    kind: String,
    min: Option<i64>,
    pub(super) max: Option<i64>,
    /// Values of a combo.
    pub(super) values: Vec<String>,
}

/// The options of an engine by name; names ignore case.
#[derive(Debug, Default)]
pub(super) struct EngineOptions(BTreeMap<String, EngineOption>);

impl EngineOptions {
    /// Reads a line `option name NAME type TYPE ...`; other lines have no effect.
    pub(super) fn declare(&mut self, line: &str) {
        let mut words = line.split_ascii_whitespace();
        if words.next() != Some("option") {
            return;
        }
        let mut fields: Vec<(&str, Vec<&str>)> = Vec::new();
        for word in words {
            match (word, fields.last_mut()) {
                ("name" | "type" | "default" | "min" | "max" | "var", _) => fields.push((word, Vec::new())),
                (_, Some((_, field))) => field.push(word),
                (_, None) => {}
            }
        }
        let all = |key: &str| -> Vec<String> {
            fields.iter().filter(|(name, _)| *name == key).map(|(_, words)| words.join(" ")).collect()
        };
        let number = |key: &str| all(key).first()?.parse().ok();
        let (Some(name), Some(kind)) = (all("name").into_iter().next(), all("type").into_iter().next())
        else {
            return;
        };
        let option = EngineOption { kind, min: number("min"), max: number("max"), values: all("var") };
        self.0.insert(name.to_lowercase(), option);
    }

    pub(super) fn get(&self, name: &str) -> Option<&EngineOption> {
        self.0.get(&name.to_lowercase())
    }

    /// The command that sets an option.
    ///
    /// # Errors
    /// A sentence with the allowed values.
    pub(super) fn set(&self, name: &str, value: &str) -> Result<String, String> {
        let Some(option) = self.get(name) else {
            let known: Vec<&str> = self.0.keys().map(String::as_str).collect();
            return Err(format!("option {name}: the engine has no such option; it has {}", known.join(", ")));
        };
        let refuse = |allowed: String| Err(format!("option {name}={value}: {allowed}"));
        match option.kind.as_str() {
            "spin" => {
                let (min, max) = (option.min.unwrap_or(i64::MIN), option.max.unwrap_or(i64::MAX));
                match value.parse::<i64>() {
                    Ok(number) if (min..=max).contains(&number) => {}
                    _ => return refuse(format!("{min} to {max} are allowed")),
                }
            }
            "check" if !["true", "false"].contains(&value) => {
                return refuse("true or false is allowed".into());
            }
            "combo" if !option.values.iter().any(|known| known.eq_ignore_ascii_case(value)) => {
                return refuse(format!("{} are allowed", option.values.join(", ")));
            }
            "button" => return Ok(format!("setoption name {name}\n")),
            _ => {}
        }
        Ok(format!("setoption name {name} value {value}\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_and_values_are_checked() {
        let mut options = EngineOptions::default();
        for line in [
            "option name Skill Level type spin default 20 min 0 max 20",
            "option name Ponder type check default false",
            "option name UCI_Variant type combo default chess var chess var atomic",
            "option name Clear Hash type button",
            "option name SyzygyPath type string default <empty>",
            "option name broken",
            "option",
            "option type spin",
            "info string option name no type check",
        ] {
            options.declare(line);
        }
        assert_eq!(options.0.len(), 5);
        let set = |name, value| options.set(name, value);
        assert_eq!(set("Skill Level", "3").unwrap(), "setoption name Skill Level value 3\n");
        assert_eq!(set("clear hash", "").unwrap(), "setoption name clear hash\n");
        assert!(set("UCI_Variant", "atomic").is_ok() && set("SyzygyPath", "/a b").is_ok());
        for (name, value, word) in [
            ("Skill Level", "21", "0 to 20"),
            ("Skill Level", "high", "0 to 20"),
            ("Ponder", "yes", "true or false"),
            ("UCI_Variant", "duck", "chess, atomic"),
            ("Hash", "1", "skill level"),
        ] {
            let said = set(name, value).unwrap_err();
            assert!(said.contains(word), "{said}");
        }
    }
}
