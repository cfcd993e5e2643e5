//! The border between the program and a library of games: C types only, so that a library of any compiler fits.
//! `ludovec_game.h` says the same in C.

use std::ffi::{c_char, c_void};

use ludovec_engine::{Error, Refusal, RefusalKind};

/// The number of this interface. A library and a program with different numbers refuse each other.
pub const ABI: u32 = 1;

/// The call has succeeded.
pub const OK: i32 = 0;
/// The game leaves a request in words to its default.
pub const DEFAULT: i32 = 1;
/// What `current_player` returns if it fails.
pub const FAILED_PLAYER: i32 = -3;

/// The errors of a call that has failed.
macro_rules! failures {
    ($($number:literal = $name:literal $error:pat => $text:expr, $back:expr;)+) => {
        /// The names and the numbers of failures.
        #[cfg(test)]
        pub(crate) const FAILURES: &[(&str, i32)] = &[$(($name, $number)),+];

        /// The number and the text of an error.
        pub(crate) fn failure(error: &Error) -> (i32, String) {
            match error {
                $($error => ($number, $text.clone()),)+
                other => (7, other.to_string()),
            }
        }
        /// The error with this number and this text, in the game `env`.
        pub(crate) fn error(number: i32, env: &str, text: &str) -> Error {
            match number {
                $($number => $back(text).into(),)+
                _ => Error::rules(format!("{env}: {text}")),
            }
        }
    };
}

failures! {
    2 = "ILLEGAL" Error::Refused(Refusal { kind: RefusalKind::IllegalAction, reason, .. }) => reason, Refusal::illegal;
    3 = "WRONG_PHASE" Error::Refused(Refusal { kind: RefusalKind::InvalidPhase, reason, .. }) => reason, Refusal::wrong_phase;
    4 = "GAME_OVER" Error::Refused(Refusal { kind: RefusalKind::GameOver, reason, .. }) => reason, Refusal::game_over;
    5 = "INVALID_STATE" Error::InvalidState(text) => text, Error::state;
    6 = "INVALID_CONFIG" Error::InvalidConfig(text) => text, Error::config;
}

macro_rules! c_struct {
    ($(#[doc = $about:literal])+ $Name:ident = $c:literal {
        $($(#[doc = $doc:literal])+ $field:ident: $type:ty;)*
    } functions {
        $($(#[doc = $says:literal])+ $function:ident($($arg:ident: $arg_type:ty),*) -> $result:ty;)*
    }) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, Copy)]
        #[repr(C)]
        pub struct $Name {
            $($(#[doc = $doc])+ pub $field: $type,)*
            $($(#[doc = $says])+ pub $function: Option<unsafe extern "C" fn($($arg_type),*) -> $result>,)*
        }

        #[cfg(test)]
        impl $Name {
            /// The struct in C, for the header.
            pub(crate) fn in_c() -> String {
                use crate::tests::header;
                let members = [
                    $(header::member(&[$($doc),+], stringify!($field), stringify!($type)),)*
                    $(header::function(
                        &[$($says),+],
                        stringify!($function),
                        &[$((stringify!($arg), stringify!($arg_type))),*],
                        stringify!($result),
                    ),)*
                ];
                header::of(&[$($about),+], $c, &members)
            }
        }
    };
}

c_struct! {
    /// Takes a text: an answer, or the message of an error.
    Sink = "ludovec_sink" {
        /// The first argument of `write`.
        context: *mut c_void;
    } functions {
        /// Appends `length` bytes of UTF-8.
        write(context: *mut c_void, text: *const c_char, length: usize) -> ();
    }
}
c_struct! {
    /// A source of chance, valid during the call that gets it. Every draw comes from here.
    CChance = "ludovec_chance" {
    } functions {
        /// One of 0 to `n` - 1, all equally likely, for `n` of at least 1.
        uniform(chance: *mut CChance, n: u32) -> u32;
        /// An index into `n` weights, with a probability proportional to its weight; their sum is 1 to 2^32 - 1.
        weighted(chance: *mut CChance, weights: *const u32, n: u32) -> u32;
    }
}
c_struct! {
    /// The content of a file.
    Bytes = "ludovec_bytes" {
        /// Its bytes.
        bytes: *const u8;
        /// Their number.
        length: usize;
    } functions {
    }
}
c_struct! {
    /// The rules of a game under some options. They may be called from many threads at the same time. A state is the
    /// `state_bytes` bytes of the description, aligned to 16, without pointers, all 0 before `init`. `game` is what
    /// `create` made. Functions return 0, or the number of a failure. Those from `observe_packed` on may be NULL.
    CRules = "ludovec_rules" {
    } functions {
        /// Sets up a new game.
        init(state: *mut c_void, chance: *mut CChance, game: *const c_void) -> i32;
        /// The current player, -1 if the game is over, -2 if it has stopped without a result, -3 on a failure.
        current_player(state: *const c_void, game: *const c_void) -> i32;
        /// Sets the bits of the legal actions, which are 0 before: bit a % 64 of word a / 64 for action a.
        legal(state: *const c_void, mask: *mut u64, game: *const c_void) -> i32;
        /// Plays a legal action.
        step(state: *mut c_void, action: i32, chance: *mut CChance, game: *const c_void) -> i32;
        /// Writes the observation of a player; all elements are 0 before.
        observe(state: *const c_void, player: i32, observation: *mut u8, game: *const c_void) -> i32;
        /// Writes the result of a finished game for each player: larger is better.
        returns(state: *const c_void, returns: *mut f32, game: *const c_void) -> i32;
        /// Writes the observation of a player in packed form, as described by `ludovec spec`.
        observe_packed(state: *const c_void, player: i32, row: *mut u8, game: *const c_void) -> i32;
        /// Writes the score of each player. Without it, the scores of a finished game are its returns.
        scores(state: *const c_void, scores: *mut f32, game: *const c_void) -> i32;
        /// Writes a guess at the result of each player. Without it, scores are the guess.
        estimate(state: *const c_void, estimate: *mut f32, game: *const c_void) -> i32;
        /// Writes a guess beyond the next few turns. Without it, it is `estimate`.
        outlook(state: *const c_void, estimate: *mut f32, game: *const c_void) -> i32;
        /// Redraws everything that a player does not know.
        determinize(state: *mut c_void, player: i32, chance: *mut CChance, game: *const c_void) -> i32;
        /// Checks that play could go on from a state of arbitrary contents.
        validate(state: *const c_void, game: *const c_void) -> i32;
        /// Answers a request in words, a JSON object with the key "ask", by JSON text. states has the position first; the
        /// others are those before the steps of the request. Returns 1 if the default shall answer.
        words(states: *const *const c_void, count: u32, chance: *mut CChance, request: *const c_char, answer: *const Sink, game: *const c_void) -> i32;
        /// Writes the message of the last call of this thread that has failed.
        message(text: *const Sink) -> ();
        /// Frees the game.
        destroy(game: *mut c_void) -> ();
    }
}
c_struct! {
    /// A game of a library. Texts are UTF-8; all of this lives until the program ends.
    CGame = "ludovec_game" {
        /// The environment id: lower-case letters, digits and _.
        id: *const c_char;
        /// Its name in CamelCase.
        name: *const c_char;
        /// One sentence.
        summary: *const c_char;
        /// A summary of the rules for beginners, or NULL.
        rules: *const c_char;
        /// The address of a page with the full rules, or NULL.
        rules_link: *const c_char;
        /// The options as a JSON array, as `option_list` of `ludovec spec`, or NULL.
        options: *const c_char;
        /// Files of networks, the strongest first, or NULL.
        champions: *const Bytes;
        /// Number of `champions`.
        champion_count: u32;
        /// For the library's own use.
        context: *const c_void;
    } functions {
        /// Makes the rules under options, a JSON object with the values of all options. Writes the description as a
        /// JSON object, or the message of a failure, to `description`.
        create(entry: *const CGame, options: *const c_char, description: *const Sink, rules: *mut *const CRules, game: *mut *mut c_void) -> i32;
    }
}

// Safety: the structs are never written after they were made, and their functions may be called from any thread.
unsafe impl Send for CGame {}
// Safety: as above.
unsafe impl Sync for CGame {}

impl Sink {
    /// A sink that appends to `text` while it exists.
    pub(crate) fn of(text: &mut Vec<u8>) -> Self {
        Self { context: std::ptr::from_mut(text).cast(), write: Some(append) }
    }
    /// Writes a text.
    ///
    /// # Safety
    /// The sink is that of a call that has not returned.
    pub(crate) unsafe fn put(&self, text: &str) {
        if let Some(write) = self.write {
            // Safety: the caller vouches for the sink.
            unsafe { write(self.context, text.as_ptr().cast(), text.len()) }
        }
    }
}

unsafe extern "C" fn append(context: *mut c_void, text: *const c_char, length: usize) {
    if length > 0 {
        // Safety: the context is that of `Sink::of`, and the library vouches for the text.
        unsafe {
            (*context.cast::<Vec<u8>>()).extend_from_slice(std::slice::from_raw_parts(text.cast(), length))
        }
    }
}
