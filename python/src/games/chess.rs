//! Chess as objects: `_core.ChessBoard`, the base of `ludovec.chess`.
//!
//! Pieces, options and events cross the boundary as tuples and dictionaries; `ludovec.chess` turns them into classes.
//! Python functions stay on the Python side: this module identifies each by a number and calls it through the `host`
//! of the running call.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, MutexGuard};

use ludovec::engine::Error;
use ludovec::games::chess::objects::{
    Board, Event, EventKind, Extra, MoveOption, Piece, PieceId, Position, Priority, Subscription,
};
use ludovec::games::chess::variant;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::guard;

/// `(x, y)`.
type At = (i16, i16);
/// Number, name, letter, seat and position.
type PieceParts = (u32, String, char, Option<usize>, At);
/// Position, captures and extra.
type OptionParts<'py> = (At, Vec<At>, Bound<'py, PyDict>);

/// The state of a Python object.
struct Slot {
    /// The board. Absent while a call changes it, except during listeners, which see the changes so far.
    board: Option<Board>,
    subscriptions: Vec<Subscription>,
}

/// The board of one game.
#[pyclass(frozen, module = "ludovec._core")]
pub(crate) struct ChessBoard {
    slot: Arc<Mutex<Slot>>,
}

/// A call in progress: its object, its host, and its exception, if any.
struct Call {
    slot: Arc<Mutex<Slot>>,
    host: Py<PyAny>,
    raised: Option<PyErr>,
}

thread_local! {
    /// The calls in progress in this thread, innermost last.
    static CALLS: RefCell<Vec<Call>> = const { RefCell::new(Vec::new()) };
}

fn lock(slot: &Mutex<Slot>) -> MutexGuard<'_, Slot> {
    slot.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn position((x, y): At) -> Position {
    Position::new(x, y)
}
fn at(position: Position) -> At {
    (position.x, position.y)
}
fn piece_parts(piece: &Piece) -> PieceParts {
    (piece.id.0, piece.name.clone(), piece.letter, piece.player, at(piece.position))
}

fn option_parts<'py>(py: Python<'py>, option: &MoveOption) -> PyResult<OptionParts<'py>> {
    let extra = PyDict::new(py);
    for (key, value) in &option.extra {
        match value {
            Extra::Flag(flag) => extra.set_item(key, flag)?,
            Extra::Number(number) => extra.set_item(key, number)?,
            Extra::Text(text) => extra.set_item(key, text)?,
            Extra::Position(position) => extra.set_item(key, at(*position))?,
        }
    }
    Ok((at(option.position), option.captures.iter().copied().map(at).collect(), extra))
}

/// Values that Python may put into `extra`. A bool is not a number.
#[derive(FromPyObject)]
enum ExtraParts {
    Flag(bool),
    Number(i64),
    Text(String),
    Position(At),
}

fn option_of(option: &Bound<'_, PyAny>) -> PyResult<MoveOption> {
    let (to, captures, extra): (At, Vec<At>, std::collections::BTreeMap<String, ExtraParts>) =
        option.extract()?;
    let extra = extra.into_iter().map(|(key, value)| {
        let value = match value {
            ExtraParts::Flag(flag) => Extra::Flag(flag),
            ExtraParts::Number(number) => Extra::Number(number),
            ExtraParts::Text(text) => Extra::Text(text),
            ExtraParts::Position(to) => Extra::Position(position(to)),
        };
        (key, value)
    });
    Ok(MoveOption {
        position: position(to),
        captures: captures.into_iter().map(position).collect(),
        extra: extra.collect(),
    })
}

/// Converts between event kinds and their names, such as `BeforeMove`.
fn kind_named(name: &str) -> PyResult<EventKind> {
    use EventKind as E;
    const KINDS: [EventKind; 18] = [
        E::BeforeGetMoveOptions,
        E::AfterGetMoveOptions,
        E::BeforeMove,
        E::AfterMove,
        E::BeforeCaptured,
        E::AfterCaptured,
        E::BeforeRemovePiece,
        E::AfterRemovePiece,
        E::BeforeAddPiece,
        E::AfterAddPiece,
        E::AfterNewPiece,
        E::BeforeRemoveSquare,
        E::AfterRemoveSquare,
        E::BeforeAddSquare,
        E::AfterAddSquare,
        E::BeforeChangeTurn,
        E::AfterChangeTurn,
        E::AfterGameEnd,
    ];
    let found = KINDS.into_iter().find(|kind| format!("{kind:?}") == name);
    guard(|| found.ok_or_else(|| Error::config(format!("there is no event {name}"))))
}

/// An event as its name and a dictionary of its fields.
fn event_parts<'py>(py: Python<'py>, event: &Event) -> PyResult<(String, Bound<'py, PyDict>)> {
    let fields = PyDict::new(py);
    match event {
        Event::BeforeGetMoveOptions { piece, options, .. }
        | Event::AfterGetMoveOptions { piece, options } => {
            fields.set_item("piece", piece_parts(piece))?;
            let options: PyResult<Vec<_>> = options.iter().map(|option| option_parts(py, option)).collect();
            fields.set_item("options", options?)?;
        }
        Event::BeforeMove { piece, option, .. } | Event::AfterMove { piece, option } => {
            fields.set_item("piece", piece_parts(piece))?;
            fields.set_item("option", option_parts(py, option)?)?;
        }
        Event::BeforeCaptured { piece, .. }
        | Event::AfterCaptured { piece }
        | Event::BeforeRemovePiece { piece, .. }
        | Event::AfterRemovePiece { piece }
        | Event::BeforeAddPiece { piece, .. }
        | Event::AfterAddPiece { piece }
        | Event::AfterNewPiece { piece } => fields.set_item("piece", piece_parts(piece))?,
        Event::BeforeRemoveSquare { position, .. }
        | Event::AfterRemoveSquare { position }
        | Event::BeforeAddSquare { position, .. }
        | Event::AfterAddSquare { position } => fields.set_item("position", at(*position))?,
        Event::BeforeChangeTurn { next, .. } => fields.set_item("next", next)?,
        Event::AfterChangeTurn { current } => fields.set_item("current", current)?,
        Event::AfterGameEnd { result } => fields.set_item("result", result)?,
    }
    let name = format!("{:?}", event.kind());
    if name.starts_with("Before") {
        fields.set_item("cancelled", event.is_cancelled())?;
    }
    Ok((name, fields))
}

/// Applies the fields that a listener may change.
fn take_changes(event: &mut Event, fields: &Bound<'_, PyDict>) -> PyResult<()> {
    let get = |key: &str| {
        fields.get_item(key)?.ok_or_else(|| pyo3::exceptions::PyKeyError::new_err(key.to_string()))
    };
    match event {
        Event::BeforeGetMoveOptions { options, .. } => {
            let given: Vec<Bound<'_, PyAny>> = get("options")?.extract()?;
            *options = given.iter().map(option_of).collect::<PyResult<_>>()?;
        }
        Event::BeforeMove { option, .. } => *option = option_of(&get("option")?)?,
        Event::BeforeChangeTurn { next, .. } => *next = get("next")?.extract()?,
        _ => {}
    }
    if let Some(cancelled) = cancelled_of(event) {
        *cancelled = get("cancelled")?.extract()?;
    }
    Ok(())
}

fn cancelled_of(event: &mut Event) -> Option<&mut bool> {
    match event {
        Event::BeforeGetMoveOptions { cancelled, .. }
        | Event::BeforeMove { cancelled, .. }
        | Event::BeforeCaptured { cancelled, .. }
        | Event::BeforeRemovePiece { cancelled, .. }
        | Event::BeforeAddPiece { cancelled, .. }
        | Event::BeforeRemoveSquare { cancelled, .. }
        | Event::BeforeAddSquare { cancelled, .. }
        | Event::BeforeChangeTurn { cancelled, .. } => Some(cancelled),
        _ => None,
    }
}

/// Runs `call` with the host of the innermost call. After an exception, further callbacks are skipped until the call
/// is over.
fn with_host<T>(
    call: impl FnOnce(Python<'_>, &Arc<Mutex<Slot>>, &Bound<'_, PyAny>) -> PyResult<T>,
) -> Option<T> {
    let (slot, host) = CALLS.with_borrow(|calls| {
        let top = calls.last().filter(|top| top.raised.is_none())?;
        Some((top.slot.clone(), Python::attach(|py| top.host.clone_ref(py))))
    })?;
    match Python::attach(|py| call(py, &slot, host.bind(py))) {
        Ok(value) => Some(value),
        Err(error) => {
            CALLS.with_borrow_mut(|calls| {
                if let Some(top) = calls.last_mut() {
                    top.raised = Some(error);
                }
            });
            None
        }
    }
}

/// Exposes `board` through the Python object during `call`, then takes it back with its changes.
fn lend<T>(slot: &Mutex<Slot>, board: &mut Board, call: impl FnOnce() -> T) -> T {
    lock(slot).board = Some(board.clone());
    let value = call();
    if let Some(changed) = lock(slot).board.take() {
        *board = changed;
    }
    value
}

/// Calls the listener with this number.
fn tell(function: usize, board: &mut Board, event: &mut Event) {
    let told = with_host(|py, slot, host| {
        let (name, fields) = event_parts(py, event)?;
        lend(slot, board, || host.call_method1("_tell", (function, name, &fields)))?;
        take_changes(event, &fields)
    });
    if told.is_none()
        && let Some(cancelled) = cancelled_of(event)
    {
        *cancelled = true;
    }
}

/// A turn order implemented in Python, by its number.
#[derive(Clone)]
struct Turns(usize);

impl Iterator for Turns {
    type Item = usize;
    fn next(&mut self) -> Option<usize> {
        with_host(|_, _, host| host.call_method1("_next_turn", (self.0,))?.extract())?
    }
}

impl ChessBoard {
    fn of(board: Board, subscriptions: Vec<Subscription>) -> Self {
        Self { slot: Arc::new(Mutex::new(Slot { board: Some(board), subscriptions })) }
    }

    /// Reads the board.
    fn look<T>(&self, look: impl FnOnce(&Board) -> T) -> PyResult<T> {
        let slot = lock(&self.slot);
        guard(|| slot.board.as_ref().map(look).ok_or_else(busy))
    }

    /// Changes the board; listeners may run. If one of them raises, the board stays unchanged.
    fn change<T>(
        &self,
        host: Bound<'_, PyAny>,
        change: impl FnOnce(&mut Board) -> Result<T, Error>,
    ) -> PyResult<T> {
        let before = lock(&self.slot).board.take();
        let before = guard(|| before.ok_or_else(busy))?;
        let mut board = before.clone();
        CALLS.with_borrow_mut(|calls| {
            calls.push(Call { slot: self.slot.clone(), host: host.unbind(), raised: None });
        });
        let done = guard(|| change(&mut board));
        let raised = CALLS.with_borrow_mut(Vec::pop).and_then(|call| call.raised);
        let done = raised.map_or(done, Err);
        lock(&self.slot).board = Some(if done.is_ok() { board } else { before });
        done
    }
}

fn busy() -> Error {
    Error::state("another thread is making a move in this game")
}

#[pymethods]
impl ChessBoard {
    /// A board of a variant with options applied, at a given position or the start position.
    #[new]
    fn new(variant: &str, flags: Vec<String>, fen: Option<&str>) -> PyResult<Self> {
        guard(|| {
            let variant = variant::load(variant, &flags)?;
            Ok(Self::of(Board::new(&variant, fen.unwrap_or(&variant.start))?, Vec::new()))
        })
    }
    /// A board of a variant described by a text in the format of variant files.
    #[staticmethod]
    fn from_text(name: &str, text: &str) -> PyResult<Self> {
        guard(|| {
            let variant = variant::from_text(name, text)?;
            Ok(Self::of(Board::new(&variant, &variant.start)?, Vec::new()))
        })
    }
    /// A board at a state of the environment, given as JSON.
    #[staticmethod]
    fn from_state(variant: &str, flags: Vec<String>, state: &str) -> PyResult<Self> {
        guard(|| {
            let variant = variant::load(variant, &flags)?;
            let state = serde_json::from_str(state).map_err(|e| Error::state(e.to_string()))?;
            Ok(Self::of(Board::from_state(&variant, &state)?, Vec::new()))
        })
    }
    /// An independent copy.
    fn copy(&self) -> PyResult<Self> {
        Ok(Self::of(self.look(Board::clone)?, lock(&self.slot).subscriptions.clone()))
    }

    /// Width and height.
    fn size(&self) -> PyResult<At> {
        self.look(Board::size)
    }
    /// The position as FEN.
    fn fen(&self) -> PyResult<String> {
        self.look(Board::fen)
    }
    /// The letter, in upper case, of the piece kind with this name.
    fn letter_of(&self, name: &str) -> PyResult<Option<char>> {
        self.look(|board| board.variant().pieces.iter().find(|p| p.name == name).map(|p| p.letter))
    }
    /// The name of the piece kind with this letter.
    fn name_of(&self, letter: char) -> PyResult<Option<String>> {
        self.look(|board| board.variant().pieces.iter().find(|p| p.letter == letter).map(|p| p.name.clone()))
    }
    /// Whether the square exists, and the piece on it.
    fn square(&self, place: At) -> PyResult<(bool, Option<PieceParts>)> {
        self.look(|board| {
            let square = board.square(position(place));
            (square.is_some(), square.and_then(|s| s.piece).as_ref().map(piece_parts))
        })
    }
    /// The positions of all squares, row by row from the top left.
    fn squares(&self) -> PyResult<Vec<At>> {
        self.look(|board| board.squares().iter().map(|square| at(square.position)).collect())
    }
    /// All pieces, row by row from the top left.
    fn pieces(&self) -> PyResult<Vec<PieceParts>> {
        self.look(|board| board.pieces().iter().map(piece_parts).collect())
    }
    /// The position of the piece with this number, or `None` if it has left the board.
    fn position_of(&self, piece: u32) -> PyResult<Option<At>> {
        self.look(|board| board.position_of(PieceId(piece)).map(at))
    }
    /// The seat of the current player.
    fn current_player(&self) -> PyResult<usize> {
        self.look(|board| board.current_player().seat)
    }
    /// Whether the current player is in check.
    fn in_check(&self) -> PyResult<bool> {
        self.look(Board::in_check)
    }
    /// The result under the variant's own rules: the winner's seat and the reason.
    fn ending(&self) -> PyResult<Option<(Option<usize>, &'static str)>> {
        self.look(Board::ending)
    }

    /// The move options of the piece at a position.
    fn move_options<'py>(
        &self,
        py: Python<'py>,
        host: Bound<'py, PyAny>,
        origin: At,
    ) -> PyResult<Vec<OptionParts<'py>>> {
        let options = self.change(host, |board| Ok(board.move_options(position(origin))))?;
        options.iter().map(|option| option_parts(py, option)).collect()
    }
    /// Makes a move; false if a listener cancelled it.
    fn play(&self, host: Bound<'_, PyAny>, origin: At, option: &Bound<'_, PyAny>) -> PyResult<bool> {
        let option = option_of(option)?;
        self.change(host, |board| board.play(position(origin), &option))
    }
    /// Tells the listeners that the game has ended.
    fn end(&self, host: Bound<'_, PyAny>, result: String) -> PyResult<()> {
        self.change(host, |board| {
            board.publish(&mut Event::AfterGameEnd { result });
            Ok(())
        })
    }
    /// Puts a piece on a square, or clears it; false if a listener cancelled it.
    fn set_piece(&self, host: Bound<'_, PyAny>, place: At, letter: Option<char>) -> PyResult<bool> {
        self.change(host, |board| board.set_piece(position(place), letter))
    }
    /// Turns an empty square into a hole; false if a listener cancelled it.
    fn remove_square(&self, host: Bound<'_, PyAny>, place: At) -> PyResult<bool> {
        self.change(host, |board| board.remove_square(position(place)))
    }
    /// Turns a hole into a square; false if a listener cancelled it.
    fn add_square(&self, host: Bound<'_, PyAny>, place: At) -> PyResult<bool> {
        self.change(host, |board| board.add_square(position(place)))
    }
    /// Installs a turn order that the host implements under a number.
    fn set_turns(&self, host: Bound<'_, PyAny>, number: usize) -> PyResult<()> {
        self.change(host, |board| {
            board.set_turn_iterator(Turns(number));
            Ok(())
        })
    }
    /// Subscribes the host's function with this number to events; returns a handle that ends the subscription.
    fn subscribe(
        &self,
        host: Bound<'_, PyAny>,
        kind: &str,
        priority: i32,
        function: usize,
    ) -> PyResult<usize> {
        let kind = kind_named(kind)?;
        let subscription = self.change(host, |board| {
            Ok(board.subscribe(kind, Priority(priority), move |board, event| tell(function, board, event)))
        })?;
        let mut slot = lock(&self.slot);
        slot.subscriptions.push(subscription);
        Ok(slot.subscriptions.len() - 1)
    }
    /// Ends a subscription.
    fn unsubscribe(&self, host: Bound<'_, PyAny>, number: usize) -> PyResult<()> {
        let subscription = lock(&self.slot).subscriptions.get(number).copied();
        self.change(host, |board| {
            if let Some(subscription) = subscription {
                board.unsubscribe(subscription);
            }
            Ok(())
        })
    }
}

/// Name and summary of a variant, and sentences on what differs from chess.
#[pyfunction]
pub(crate) fn chess_variant(name: &str, flags: Vec<String>) -> PyResult<(String, String, Vec<String>)> {
    guard(|| {
        let loaded = variant::load(name, &flags)?;
        let differences = variant::differences(&loaded)?;
        Ok((loaded.name, loaded.summary, differences))
    })
}

/// The names of the shipped variants.
#[pyfunction]
pub(crate) fn chess_variants() -> Vec<&'static str> {
    variant::variants().collect()
}
