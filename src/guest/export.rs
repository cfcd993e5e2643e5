//! Games in Rust as C functions: the side of the border that [`export_game`](crate::export_game) compiles into a library.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::ptr;
use std::sync::{Arc, Once};

use ludovec_engine::chance::Chance;
use ludovec_engine::{Entry, Error, Game, OptionValue, PackedLayout, Result, Status, bytemuck};
use serde_json::{Map, Value, json};

use crate::abi::{Bytes, CChance, CGame, CRules, DEFAULT, FAILED_PLAYER, OK, Sink, failure};
use crate::answers::answer;
use crate::description::options_json;

/// Makes a crate of type `cdylib` a library of games, which `ludovec.load` and `ludovec --load` read. Each entry is
/// named with the types of rules that it makes:
///
/// ```
/// # use std::sync::Arc;
/// # use ludovec_engine::{Entry, Error};
/// # mod nim { include!("../engine/doc/nim.rs"); }
/// # use nim::*;
/// # use ludovec_engine::{Dialect, Guide, Picture, Words};
/// # impl Words for Nim {}
/// # impl Picture for Nim {}
/// # impl Guide for Nim {}
/// # impl Dialect for Nim {}
/// const ENTRY: Entry =
///     Entry::new("nim", "Nim", "who takes the last match wins", Vec::new, |options| Ok(Arc::new(Nim::new(options))));
///
/// ludovec_guest::export_game!(ENTRY: Nim);
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! export_game {
    ($($entry:ident: $($rules:ty)|+),+ $(,)?) => {
        #[doc(hidden)]
        #[unsafe(no_mangle)]
        pub extern "C" fn ludovec_abi() -> u32 {
            $crate::abi::ABI
        }

        #[doc(hidden)]
        #[unsafe(no_mangle)]
        pub extern "C" fn ludovec_games(count: &mut u32) -> *const $crate::abi::CGame {
            static GAMES: ::std::sync::OnceLock<Vec<$crate::abi::CGame>> = ::std::sync::OnceLock::new();
            let games = GAMES.get_or_init(|| {
                vec![$($crate::export::entry(&const { $entry }, const { &[$($crate::export::made::<$rules>),+] })),+]
            });
            *count = games.len() as u32;
            games.as_ptr()
        }
    };
}

/// A game whose rules have the type `G`.
struct Exported<G> {
    game: Arc<G>,
    packed: PackedLayout,
}

type AnyRules = Arc<dyn Any + Send + Sync>;
/// The functions of a game, the game, and its description, if its rules have a certain type.
pub type Made = fn(AnyRules) -> Option<(&'static CRules, *mut c_void, Value)>;

/// An entry and the types of its rules.
struct Context {
    entry: Entry,
    types: &'static [Made],
}

/// The game of an entry in the table of a library.
pub fn entry(entry: &Entry, types: &'static [Made]) -> CGame {
    note_places();
    let text = |text: &str| CString::new(text.replace('\0', " ")).expect("it has no zero bytes").into_raw();
    let champions = entry.champions.iter().map(|file| Bytes { bytes: file.as_ptr(), length: file.len() });
    let champions: &'static [Bytes] = Box::leak(champions.collect());
    CGame {
        id: text(entry.id),
        name: text(entry.name),
        summary: text(entry.summary),
        rules: text(entry.rules),
        rules_link: entry.rules_link.map_or(ptr::null(), |link| text(link)),
        options: text(&options_json(&entry.options()).to_string()),
        champions: champions.as_ptr(),
        champion_count: champions.len() as u32,
        context: ptr::from_ref(Box::leak(Box::new(Context { entry: *entry, types }))).cast(),
        create: Some(create),
    }
}

unsafe extern "C" fn create(
    entry: *const CGame,
    options: *const c_char,
    description: *const Sink,
    rules: *mut *const CRules,
    game: *mut *mut c_void,
) -> i32 {
    // Safety: the program vouches for its arguments, and the context is that of the entry.
    let (context, options, sink) =
        unsafe { (&*(*entry).context.cast::<Context>(), CStr::from_ptr(options), &*description) };
    let made = caught(|| {
        let given: Map<String, Value> = serde_json::from_slice(options.to_bytes())
            .map_err(|error| Error::config(format!("options: {error}")))?;
        let read = |(name, value)| Ok((name, serde_json::from_value::<OptionValue>(value)?));
        let given = given.into_iter().map(read).collect::<serde_json::Result<Vec<_>>>();
        let game: AnyRules =
            context.entry.make(given.map_err(|error| Error::config(format!("options: {error}")))?)?;
        let made = context.types.iter().find_map(|made| made(game.clone()));
        made.ok_or_else(|| Error::rules("export_game! does not name the type of these rules"))
    });
    match made {
        Ok((functions, made, about)) => {
            // Safety: the program vouches for its arguments.
            unsafe {
                *rules = functions;
                *game = made;
                sink.put(&about.to_string());
            }
            OK
        }
        Err(error) => put(sink, &error),
    }
}

/// See [`Made`].
pub fn made<G: Game>(rules: AnyRules) -> Option<(&'static CRules, *mut c_void, Value)> {
    let game = rules.downcast::<G>().ok()?;
    let spec = game.spec();
    let mut about = serde_json::to_value(spec).expect("a spec is plain data");
    about["state_bytes"] = size_of::<G::State>().into();
    about["uniform"] = spec.observation.iter().map(|field| field.uniform).collect();
    about["bots"] =
        game.bot_names().iter().map(|(name, help)| json!({ "name": name, "help": help })).collect();
    about["estimates_ends"] = true.into();
    let exported = Exported { packed: spec.packed(), game };
    Some((const { &functions::<G>() }, Box::into_raw(Box::new(exported)).cast(), about))
}

/// Writes an error and returns its number.
fn put(sink: &Sink, error: &Error) -> i32 {
    let (number, text) = failure(error);
    // Safety: the program lends the sink during the call.
    unsafe { sink.put(&text) };
    number
}

thread_local! {
    /// The place of the last panic.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
    /// The message of the last call that has failed.
    static FAILED: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Silences the panic hook: place and message of a panic are in the error. `RUST_BACKTRACE` brings the usual report
/// back.
fn note_places() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let report = take_hook();
        set_hook(Box::new(move |panic| {
            PLACE.set(panic.location().map(ToString::to_string));
            if std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0") {
                report(panic);
            }
        }));
    });
}

/// Calls the rules; a panic is an error.
fn caught<T>(call: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|payload| {
        let payload = match payload.downcast::<Error>() {
            Ok(error) => return Err(*error),
            Err(payload) => payload,
        };
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or(payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
        let place = PLACE.take().map(|place| format!(" at {place}")).unwrap_or_default();
        Err(Error::rules(format!("the rules panicked{place}: {text}")))
    })
}

/// Calls the rules and returns the number of the failure; [`message`] returns its text.
fn guarded(call: impl FnOnce() -> Result<()>) -> i32 {
    match caught(call) {
        Ok(()) => OK,
        Err(error) => {
            let (number, text) = failure(&error);
            FAILED.set(text);
            number
        }
    }
}

unsafe extern "C" fn message(text: *const Sink) {
    // Safety: the program lends the sink during the call.
    unsafe { (*text).put(&FAILED.take()) }
}

/// The source of chance of the program.
struct Border(*mut CChance);

impl Chance for Border {
    fn uniform(&mut self, n: u32) -> u32 {
        debug_assert!(n > 0);
        // Safety: the program lends the source during the call.
        unsafe { (*self.0).uniform.map_or(0, |uniform| uniform(self.0, n)) }
    }
    fn weighted(&mut self, weights: &[u32]) -> usize {
        // Safety: as above.
        let weighted = unsafe { (*self.0).weighted };
        // Safety: as above.
        weighted.map_or(0, |draw| unsafe { draw(self.0, weights.as_ptr(), weights.len() as u32) }) as usize
    }
}

/// A C function for each rule.
macro_rules! rules {
    ($($name:ident($of:ident, $state:ident $(, $argument:ident: $type:ty)*) $body:expr;)+) => {
        const fn functions<G: Game>() -> CRules {
            $(unsafe extern "C" fn $name<G: Game>(
                state: rules!(@pointer $state),
                $($argument: $type,)*
                game: *const c_void,
            ) -> i32 {
                // Safety: the program passes a game of `made` and states that the rules have made or accepted, aligned
                // to 16, and memory of the lengths that the description says.
                guarded(|| unsafe {
                    let $of = &*game.cast::<Exported<G>>();
                    let $state = rules!(@state $state state);
                    $body
                })
            })+
            CRules {
                $($name: Some($name::<G>),)+
                current_player: Some(current_player::<G>),
                words: Some(words::<G>),
                message: Some(message),
                destroy: Some(destroy::<G>),
            }
        }
    };
    (@pointer position) => { *const c_void };
    (@pointer bytes) => { *const c_void };
    (@pointer $other:ident) => { *mut c_void };
    (@state position $state:ident) => { &*$state.cast::<G::State>() };
    (@state $other:ident $state:ident) => { $state.cast::<G::State>() };
}

rules! {
    init(of, state, chance: *mut CChance) {
        state.write(of.game.init(&mut Border(chance)));
        Ok(())
    };
    legal(of, position, mask: *mut u64) {
        of.game.legal(position, slice(mask, of.game.spec().mask_words()));
        Ok(())
    };
    step(of, state, action: i32, chance: *mut CChance) {
        of.game.step(&mut *state, action as u32, &mut Border(chance));
        Ok(())
    };
    observe(of, position, player: i32, out: *mut u8) {
        of.game.observe(position, player as usize, slice(out, of.game.spec().observation_len()));
        Ok(())
    };
    observe_packed(of, position, player: i32, row: *mut u8) {
        of.game.observe_packed(position, player as usize, &of.packed, slice(row, of.packed.row_bytes));
        Ok(())
    };
    returns(of, position, out: *mut f32) {
        let players = of.game.spec().players;
        let mut ranks = [0; ludovec_engine::MAX_PLAYERS];
        of.game.ranks(position, &mut ranks[..players]);
        let out = slice(out, players);
        out.iter_mut().zip(ranks).for_each(|(value, rank)| *value = -f32::from(rank));
        Ok(())
    };
    scores(of, position, out: *mut f32) {
        of.game.scores(position, slice(out, of.game.spec().players));
        Ok(())
    };
    estimate(of, position, out: *mut f32) {
        of.game.estimate(position, slice(out, of.game.spec().players));
        Ok(())
    };
    outlook(of, position, out: *mut f32) {
        of.game.outlook(position, slice(out, of.game.spec().players));
        Ok(())
    };
    determinize(of, state, player: i32, chance: *mut CChance) {
        *state = of.game.determinize(&*state, player as usize, &mut Border(chance));
        Ok(())
    };
    validate(of, bytes) {
        let bytes = std::slice::from_raw_parts(bytes.cast::<u8>(), size_of::<G::State>());
        let state = bytemuck::checked::try_pod_read_unaligned::<G::State>(bytes);
        let state =
            state.map_err(|_| Error::state("a field of the state holds a value that does not exist"))?;
        of.game.validate(&state)
    };
}

/// Memory of the program.
unsafe fn slice<'a, T>(at: *mut T, length: usize) -> &'a mut [T] {
    // Safety: the caller vouches for the memory.
    unsafe { std::slice::from_raw_parts_mut(at, length) }
}

unsafe extern "C" fn current_player<G: Game>(state: *const c_void, game: *const c_void) -> i32 {
    let mut player = -1;
    let failed = guarded(|| {
        // Safety: as for the other rules.
        let (of, state) = unsafe { (&*game.cast::<Exported<G>>(), &*state.cast::<G::State>()) };
        player = match of.game.status(state) {
            Status::Running => of.game.current_player(state) as i32,
            Status::Terminated => -1,
            Status::Truncated => -2,
        };
        Ok(())
    });
    if failed == OK { player } else { FAILED_PLAYER }
}

unsafe extern "C" fn words<G: Game>(
    states: *const *const c_void,
    count: u32,
    chance: *mut CChance,
    request: *const c_char,
    sink: *const Sink,
    game: *const c_void,
) -> i32 {
    // Safety: as for the other rules; the states have the type of the rules.
    let (of, states, request, sink) = unsafe {
        let states = std::slice::from_raw_parts(states.cast::<&G::State>(), count as usize);
        (&*game.cast::<Exported<G>>(), states, CStr::from_ptr(request), &*sink)
    };
    let answered = caught(|| {
        let request: Value = serde_json::from_slice(request.to_bytes())
            .map_err(|error| Error::rules(format!("a request in words: {error}")))?;
        answer(&*of.game, states, &mut Border(chance), &request)
    });
    match answered {
        Ok(None) => DEFAULT,
        Ok(Some(answer)) => {
            // Safety: the program lends the sink during the call.
            unsafe { sink.put(&answer.to_string()) };
            OK
        }
        Err(error) => put(sink, &error),
    }
}

unsafe extern "C" fn destroy<G: Game>(game: *mut c_void) {
    // Safety: the program passes a game of `made` once.
    let exported = unsafe { Box::from_raw(game.cast::<Exported<G>>()) };
    let _ = caught(move || {
        drop(exported);
        Ok(())
    });
}
