//! The texts that name programs, and lists of players in one text.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::language_model::{self, is_language_model};
use crate::player::is_program;

/// The protocol of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protocol {
    Uci,
    Gtp,
    Json,
}

/// The prefixes of the texts.
const PREFIXES: [(&str, Protocol); 3] =
    [("uci:", Protocol::Uci), ("gtp:", Protocol::Gtp), ("cmd:", Protocol::Json)];
/// The settings of a UCI engine, and the prefix of its own options.
const SETTINGS: [&str; 5] = ["elo", "nodes", "movetime", "depth", "variant"];
pub(super) const OPTION: &str = "option.";

/// A program with its settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Program {
    pub(super) protocol: Protocol,
    /// The program and its arguments.
    pub(super) command: Vec<String>,
    /// Keys and values after the question mark.
    pub(super) settings: Vec<(String, String)>,
}

impl Program {
    /// # Errors
    /// The error message, one sentence.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let found =
            PREFIXES.iter().find_map(|(prefix, protocol)| Some((text.strip_prefix(prefix)?, *protocol)));
        let (rest, protocol) = found.ok_or("uci:COMMAND, gtp:COMMAND or cmd:COMMAND is needed")?;
        let (command, settings) = match rest.rsplit_once('?') {
            Some((command, settings)) if protocol == Protocol::Uci => (command, settings),
            _ => (rest, ""),
        };
        let split = Quoting::HERE.split(command)?;
        let program = split.first().filter(|program| !program.is_empty()).ok_or("the command is missing")?;
        if !exists(program) {
            let is_escaped = Quoting::HERE == Quoting::Shell && command.contains('\\');
            let hint =
                if is_escaped { "; outside of quotes, a backslash belongs to the next letter" } else { "" };
            return Err(format!("there is no program {program}{hint}"));
        }
        let command = split;
        let settings = settings.split(',').filter(|setting| !setting.is_empty());
        let pair = |setting: &str| match setting.split_once('=') {
            Some((key, value)) if is_setting(key.trim()) => Ok((key.trim().into(), value.trim().into())),
            Some((key, _)) => Err(format!("{key}: {}, {OPTION}NAME are allowed", SETTINGS.join(", "))),
            None => Err(format!("{setting}: KEY=VALUE is needed, as in ?nodes=2000,{OPTION}Hash=32")),
        };
        let settings = settings.map(pair).collect::<Result<Vec<(String, String)>, _>>()?;
        let repeated =
            settings.iter().enumerate().find(|(i, (key, _))| settings[..*i].iter().any(|(k, _)| k == key));
        match repeated {
            Some((_, (key, _))) => Err(format!("{key} is given twice")),
            None => Ok(Self { protocol, command, settings }),
        }
    }

    /// The time that the settings grant the program for a move.
    pub(super) fn thinking_time(&self) -> Option<Duration> {
        let (_, time) = self.settings.iter().find(|(key, _)| key == "movetime")?;
        time.parse().ok().map(Duration::from_millis)
    }
}

/// How a command is split into the program and its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quoting {
    /// As shells of Unix do: single quotes, double quotes, and a backslash before the next letter.
    Shell,
    /// Single and double quotes; a backslash is an ordinary letter, for paths of Windows.
    Windows,
}

impl Quoting {
    /// The quoting of this system.
    const HERE: Self = if cfg!(windows) { Self::Windows } else { Self::Shell };

    fn split(self, command: &str) -> Result<Vec<String>, &'static str> {
        match self {
            Self::Shell => shlex::split(command).ok_or("a quote or a backslash in the command is not closed"),
            Self::Windows => split_literally(command).ok_or("a quote in the command is not closed"),
        }
    }
}

/// Splits a text at white space outside of quotes; `None` for a quote that is not closed.
fn split_literally(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut open = None;
    for letter in text.chars() {
        match letter {
            _ if open == Some(letter) => open = None,
            '"' | '\'' if open.is_none() => {
                open = Some(letter);
                // Quotes around nothing are an empty word.
                word.get_or_insert_default();
            }
            _ if open.is_none() && letter.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    open.is_none().then_some(words)
}

fn is_setting(key: &str) -> bool {
    SETTINGS.contains(&key) || key.len() > OPTION.len() && key.starts_with(OPTION)
}

/// Whether a program is found: a path, or a name in one of the folders of `PATH`.
fn exists(program: &str) -> bool {
    let is_file = |path: PathBuf| path.is_file() || cfg!(windows) && path.with_extension("exe").is_file();
    if Path::new(program).components().count() > 1 {
        return is_file(program.into());
    }
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| is_file(folder.join(program))))
}

/// Splits a list of players at its commas, but not inside a program's settings or quotes: in `uci:a?elo=1,nodes=2,random`
/// there are two.
#[must_use]
pub fn split_players(list: &str) -> Vec<String> {
    let mut players: Vec<String> = Vec::new();
    let mut rest = list;
    loop {
        let end = piece(rest);
        let text = &rest[..end];
        let key = text.split_once('=').map_or("", |(key, _)| key.trim());
        match players.last_mut() {
            Some(last) if continues(last, key) => *last = format!("{last},{text}"),
            _ => players.push(text.into()),
        }
        match rest.get(end + 1..) {
            Some(more) => rest = more,
            None => return players,
        }
    }
}

/// The part of a text that is a player of a kind, behind the name of a seat if there is one.
fn player_in(text: &str, is_kind: impl Fn(&str) -> bool) -> Option<&str> {
    let named = text.split_once(':').map(|(_, player)| player);
    [Some(text), named].into_iter().flatten().find(|text| is_kind(text))
}

fn program_in(text: &str) -> Option<&str> {
    player_in(text, is_program)
}

/// Whether the setting `key` belongs to the settings that end a text.
fn continues(text: &str, key: &str) -> bool {
    let has_settings = |player: &str| player.contains('?');
    let text = text.trim();
    is_setting(key)
        && program_in(text).is_some_and(|program| program.starts_with("uci:") && has_settings(program))
        || language_model::SETTINGS.contains(&key)
            && player_in(text, is_language_model).is_some_and(has_settings)
}

/// The length of the first piece of a list: up to a comma, which in a program is outside quotes.
fn piece(list: &str) -> usize {
    let mut open = None;
    for (at, letter) in list.char_indices() {
        match letter {
            ',' if open.is_none() => return at,
            // Quotes in names of people are ordinary letters, and so is a quote without a second one.
            '"' | '\'' if open.is_none() && program_in(list[..at].trim_start()).is_some() => {
                open = Some(letter).filter(|_| list[at + 1..].contains(letter));
            }
            _ if open == Some(letter) => open = None,
            _ => {}
        }
    }
    list.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exe() -> String {
        std::env::current_exe().unwrap().display().to_string()
    }

    #[test]
    fn a_text_is_a_command_with_settings_or_an_error() {
        let text = format!("uci:'{}' --uci?elo=1350, nodes=2000,option.Skill Level=3", exe());
        let program = Program::parse(&text).unwrap();
        assert_eq!((program.protocol, &*program.command), (Protocol::Uci, &[exe(), "--uci".into()][..]));
        let settings = [("elo", "1350"), ("nodes", "2000"), ("option.Skill Level", "3")];
        assert_eq!(program.settings, settings.map(|(key, value)| (key.into(), value.into())));
        let json = Program::parse(&format!("cmd:'{}' a?b=c", exe())).unwrap();
        assert_eq!((json.protocol, json.command.len(), json.settings.len()), (Protocol::Json, 2, 0));
        let good = |rest: &str| format!("uci:'{}'{rest}", exe());
        for (text, word) in [
            ("uci:".into(), "command"),
            ("gtp:''".into(), "command"),
            ("uci:'open".into(), "quote"),
            ("uci:/no/such/program?nodes=1".into(), "/no/such/program"),
            ("cmd:no-such-program".into(), "no-such-program"),
            (good("?speed=3"), "elo, nodes, movetime, depth, variant, option.NAME"),
            (good("?nodes"), "KEY=VALUE"),
            (good("?option.=1"), "option.NAME"),
            (good("?nodes=1,nodes=2"), "twice"),
        ] {
            let said = Program::parse(&text).unwrap_err();
            assert!(said.contains(word), "{text}: {said}");
        }
    }

    #[test]
    fn commands_are_split_as_each_system_quotes_them() {
        type Words<'a> = Option<&'a [&'a str]>;
        let cases: [(&str, Words<'_>, Words<'_>); 10] = [
            (
                r"C:\Stockfish\stockfish.exe",
                Some(&["C:Stockfishstockfish.exe"]),
                Some(&[r"C:\Stockfish\stockfish.exe"]),
            ),
            (
                r"'C:\my engines\fish.exe' --uci",
                Some(&[r"C:\my engines\fish.exe", "--uci"]),
                Some(&[r"C:\my engines\fish.exe", "--uci"]),
            ),
            (r#""C:\my engines\" x"#, None, Some(&[r"C:\my engines\", "x"])),
            (r"\\host\share\fish.exe", Some(&[r"\hostsharefish.exe"]), Some(&[r"\\host\share\fish.exe"])),
            (r"/opt/my\ engine -x", Some(&["/opt/my engine", "-x"]), Some(&[r"/opt/my\", "engine", "-x"])),
            ("'a b'c \"d'e\"", Some(&["a bc", "d'e"]), Some(&["a bc", "d'e"])),
            ("  a\t b  ", Some(&["a", "b"]), Some(&["a", "b"])),
            ("a '' b", Some(&["a", "", "b"]), Some(&["a", "", "b"])),
            ("a 'b", None, None),
            ("", Some(&[]), Some(&[])),
        ];
        for (command, shell, windows) in cases {
            for (quoting, words) in [(Quoting::Shell, shell), (Quoting::Windows, windows)] {
                let split = quoting.split(command).ok();
                let split = split.as_ref().map(|words| words.iter().map(String::as_str).collect::<Vec<_>>());
                assert_eq!(split.as_deref(), words, "{quoting:?}: {command}");
            }
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_program_that_a_backslash_took_apart_is_refused_with_a_hint() {
        let said = Program::parse(r"uci:C:\Stockfish\stockfish.exe?nodes=50").unwrap_err();
        assert!(said.contains("C:Stockfishstockfish.exe; outside of quotes, a backslash"), "{said}");
        let said = Program::parse(r"uci:'C:\Stockfish\stockfish.exe'").unwrap_err();
        assert!(said.contains(r"there is no program C:\Stockfish\stockfish.exe"), "{said}");
    }

    #[test]
    fn lists_are_split_outside_settings_and_quotes() {
        for (list, players) in [
            ("", &[""][..]),
            ("a,b", &["a", "b"]),
            ("a,,b,", &["a", "", "b", ""]),
            ("uci:e?elo=1,nodes=2,random", &["uci:e?elo=1,nodes=2", "random"]),
            ("it:uci:e?elo=1,option.A B=2,me", &["it:uci:e?elo=1,option.A B=2", "me"]),
            ("uci:e,nodes=3", &["uci:e", "nodes=3"]),
            ("uci:e?nodes=1,uci:e?nodes=2", &["uci:e?nodes=1", "uci:e?nodes=2"]),
            ("cmd:a 'b,c' d,net:x:4", &["cmd:a 'b,c' d", "net:x:4"]),
            ("llm:a@http://b?retries=1,log=c,me", &["llm:a@http://b?retries=1,log=c", "me"]),
            ("Ada:llm:a@http://b?retries=1,elo=2", &["Ada:llm:a@http://b?retries=1", "elo=2"]),
            ("O'Neill:human,D'Arcy:random", &["O'Neill:human", "D'Arcy:random"]),
            ("cmd:a 'b,c", &["cmd:a 'b", "c"]),
        ] {
            assert_eq!(split_players(list), players, "{list}");
        }
    }
}
