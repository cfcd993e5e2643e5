//! The board: pieces, current player, and listeners.

mod changes;
mod moves;

use std::sync::Arc;

use serde_json::Value;

use changes::forget_stale;

use super::erased::{self, ErasedGame};
use super::event::{Event, EventKind, Priority, Subscription};
use super::option::{MoveOption, Position};
use super::piece::{Identities, Piece, PieceId};
use super::rule::Rule;
use super::turns::{Player, TurnIterator};
use crate::exchange::notation::fen;
use crate::exchange::setup::BoardPiece;
use crate::rules::variant::schema::{Role, Square as SquareIndex, Variant};
use ludovec_engine::{Error, Result};

type Callback = Arc<dyn Fn(&mut Board, &mut Event) + Send + Sync>;

/// A snapshot of a square of the board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Square {
    /// Its position.
    pub position: Position,
    /// The piece on it.
    pub piece: Option<Piece>,
}

#[derive(Clone)]
enum Listener {
    Function(Callback),
    /// Index in [`Board::rules`].
    Rule(usize),
}

#[derive(Clone)]
struct Listening {
    id: Subscription,
    kind: EventKind,
    priority: Priority,
    listener: Listener,
}

/// The container of all squares, players and rules. A clone is independent of the original, with copies of its
/// rules.
#[derive(Clone)]
pub struct Board {
    game: Box<dyn ErasedGame>,
    identities: Identities,
    players: [Player; 2],
    /// The seat of the current player. The board's turn changes only after the move and its events; in the
    /// underlying game it changes with the move.
    current: usize,
    turns: Box<dyn TurnIterator>,
    listening: Vec<Listening>,
    /// A rule is taken out of its slot during its call.
    rules: Vec<Option<Box<dyn Rule>>>,
    subscriptions: u64,
}

impl std::fmt::Debug for Board {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Board")
            .field("fen", &self.fen())
            .field("players", &self.players)
            .field("current", &self.current)
            .finish_non_exhaustive()
    }
}

impl Board {
    /// A board of `variant` with the position of a FEN; the players alternate.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] for a variant that does not compile, [`Error::InvalidState`] for a FEN that is not
    /// playable.
    pub fn new(variant: &Variant, text: &str) -> Result<Self> {
        Ok(Self::on(erased::compile(variant, &fen::parse(variant, text)?)?))
    }

    /// A board of `variant` that continues from a state of the environment, with its full history: earlier
    /// positions, unmoved pieces, hands, the phase of the turn.
    ///
    /// # Errors
    /// As [`Board::new`]. The state has the format of
    /// [`Words::state_to_json`](ludovec_engine::Words::state_to_json).
    pub fn from_state(variant: &Variant, state: &Value) -> Result<Self> {
        let start = erased::compile(variant, &fen::parse(variant, &variant.start)?)?;
        Ok(Self::on(start.resumed(state)?))
    }

    fn on(game: Box<dyn ErasedGame>) -> Self {
        let turn = game.turn();
        let player = |seat, name: &str| Player { seat, name: name.into() };
        Self {
            identities: Identities::of(&game.setup().board),
            game,
            current: turn,
            players: [player(0, "white"), player(1, "black")],
            turns: Box::new([1 - turn, turn].into_iter().cycle()),
            listening: Vec::new(),
            rules: Vec::new(),
            subscriptions: 0,
        }
    }

    /// Width and height.
    #[must_use]
    pub fn size(&self) -> (i16, i16) {
        (self.variant().width.into(), self.variant().height.into())
    }
    /// The variant, as in its file.
    #[must_use]
    pub fn variant(&self) -> &Variant {
        self.game.variant()
    }
    /// The position as FEN.
    #[must_use]
    pub fn fen(&self) -> String {
        fen::write(self.variant(), &self.game.setup())
    }

    /// The square at a position; `None` for holes and positions beyond the edge.
    #[must_use]
    pub fn square(&self, position: Position) -> Option<Square> {
        let index = self.index(position)?;
        let piece = self.game.setup().board[usize::from(index)];
        Some(Square { position, piece: piece.map(|piece| self.piece_of(&self.identities, index, piece)) })
    }
    /// The piece at a position.
    #[must_use]
    pub fn piece(&self, position: Position) -> Option<Piece> {
        self.square(position)?.piece
    }
    /// The current position of a piece; `None` if it has left the board.
    #[must_use]
    pub fn position_of(&self, piece: PieceId) -> Option<Position> {
        self.identities.index_of(piece).map(|index| Position::of(self.variant(), index))
    }
    /// All squares, row by row from the top left, without holes.
    #[must_use]
    pub fn squares(&self) -> Vec<Square> {
        let (width, height) = self.size();
        let all = (0..height).flat_map(|y| (0..width).map(move |x| Position::new(x, y)));
        all.filter_map(|position| self.square(position)).collect()
    }
    /// All pieces, row by row from the top left.
    #[must_use]
    pub fn pieces(&self) -> Vec<Piece> {
        self.squares().into_iter().filter_map(|square| square.piece).collect()
    }
    /// The pieces of one seat.
    #[must_use]
    pub fn player_pieces(&self, seat: usize) -> Vec<Piece> {
        self.pieces().into_iter().filter(|piece| piece.player == Some(seat)).collect()
    }

    /// The players by seat.
    #[must_use]
    pub fn players(&self) -> &[Player; 2] {
        &self.players
    }
    /// The current player.
    #[must_use]
    pub fn current_player(&self) -> &Player {
        &self.players[self.current]
    }
    /// Whether the current player is in check.
    #[must_use]
    pub fn in_check(&self) -> bool {
        self.game.in_check()
    }
    /// The ending by the variant's own rules: the winner's seat, if there is one, and the reason.
    #[must_use]
    pub fn ending(&self) -> Option<(Option<usize>, &'static str)> {
        self.game.ending()
    }

    /// Replaces the iterator over the seats of the coming turns.
    pub fn set_turn_iterator(&mut self, turns: impl TurnIterator + 'static) {
        self.turns = Box::new(turns);
    }
    /// Takes the turn iterator out, to chain it behind another; until it is replaced, no player has a turn.
    pub fn take_turn_iterator(&mut self) -> Box<dyn TurnIterator> {
        std::mem::replace(&mut self.turns, Box::new(std::iter::empty()))
    }

    /// Calls `function` with every event of a kind.
    pub fn subscribe(
        &mut self,
        kind: EventKind,
        priority: Priority,
        function: impl Fn(&mut Board, &mut Event) + Send + Sync + 'static,
    ) -> Subscription {
        self.listen(kind, priority, Listener::Function(Arc::new(function)))
    }
    /// Ends a subscription.
    pub fn unsubscribe(&mut self, subscription: Subscription) {
        self.listening.retain(|listening| listening.id != subscription);
    }
    /// Adds a rule, which stays with the board and its clones.
    pub fn add_rule(&mut self, rule: impl Rule + 'static) {
        let mut rule: Box<dyn Rule> = Box::new(rule);
        rule.on_join_board(self);
        let place = self.rules.len();
        for (kind, priority) in rule.listens_to() {
            self.listen(kind, priority, Listener::Rule(place));
        }
        self.rules.push(Some(rule));
    }

    fn listen(&mut self, kind: EventKind, priority: Priority, listener: Listener) -> Subscription {
        self.subscriptions += 1;
        let id = Subscription(self.subscriptions);
        // After all listeners of the same or a higher priority.
        let at = self.listening.partition_point(|other| other.priority >= priority);
        self.listening.insert(at, Listening { id, kind, priority, listener });
        id
    }

    /// Notifies all listeners, in order of priority: for custom events of the caller.
    pub fn publish(&mut self, event: &mut Event) {
        let kind = event.kind();
        let heard: Vec<_> = self.listening.iter().filter(|l| l.kind == kind).cloned().collect();
        for listening in heard {
            match listening.listener {
                Listener::Function(function) => function(self, event),
                Listener::Rule(place) => {
                    if let Some(mut rule) = self.rules.get_mut(place).and_then(Option::take) {
                        rule.on_event(self, event);
                        self.rules[place] = Some(rule);
                    }
                }
            }
        }
    }

    /// Notifies all listeners; true if none of them cancelled.
    fn allowed(&mut self, mut event: Event) -> bool {
        self.publish(&mut event);
        !event.is_cancelled()
    }

    /// The current options of the piece at a position: none if it is not its owner's turn.
    ///
    /// A drop is an option of its target square; a summon is an option of each of the player's pieces.
    pub fn move_options(&mut self, position: Position) -> Vec<MoveOption> {
        let Some(index) = self.index(position) else { return Vec::new() };
        let options: Vec<_> = self.moves_of(index).into_iter().map(|(_, option)| option).collect();
        let Some(piece) = self.acting(index, options.first()) else { return Vec::new() };
        let mut event = Event::BeforeGetMoveOptions { piece: piece.clone(), options, cancelled: false };
        self.publish(&mut event);
        let Event::BeforeGetMoveOptions { mut options, cancelled, .. } = event else { return Vec::new() };
        if cancelled {
            options.clear();
        }
        self.publish(&mut Event::AfterGetMoveOptions { piece, options: options.clone() });
        options
    }

    /// Makes a move of the piece at `from` and passes the turn; false if a listener cancelled it. A cancelled move
    /// changes nothing.
    ///
    /// # Errors
    /// [`Error::Refused`] if the piece has no such option, [`Error::InvalidState`] if an option that a listener
    /// added leads to a position that is not playable.
    pub fn play(&mut self, from: Position, option: &MoveOption) -> Result<bool> {
        let index = self.index(from).ok_or_else(|| Error::illegal("there is no square"))?;
        if !self.move_options(from).contains(option) {
            return Err(Error::illegal(format!("the piece has no option to go to {:?} so", option.position)));
        }
        let piece = self.acting(index, Some(option)).ok_or_else(|| Error::illegal("there is no piece"))?;
        let mut event = Event::BeforeMove { piece: piece.clone(), option: option.clone(), cancelled: false };
        self.publish(&mut event);
        let Event::BeforeMove { option, cancelled: false, .. } = event else { return Ok(false) };

        let after = self.after(index, &option)?;
        let changes = self.changes(&after);
        let captured: Vec<_> = option.captures.iter().filter_map(|&position| self.piece(position)).collect();
        for piece in &captured {
            if !self.allowed(Event::BeforeCaptured { piece: piece.clone(), cancelled: false }) {
                return Ok(false);
            }
        }
        if !self.ask_changes(&changes) {
            return Ok(false);
        }
        // Listeners may have changed the board in the meantime.
        let after = self.after(index, &option)?;
        self.go_on_from(after);
        self.tell_changes(&changes);
        for piece in captured {
            self.publish(&mut Event::AfterCaptured { piece });
        }
        self.publish(&mut Event::AfterMove { piece, option });
        if !self.game.goes_on() {
            self.change_turn()?;
        }
        Ok(true)
    }

    /// Puts a piece, named by its letter in FEN, on a square, or clears the square; false if a listener cancelled
    /// it.
    ///
    /// # Errors
    /// [`Error::InvalidState`] if there is no such square or piece, or the position is not playable.
    pub fn set_piece(&mut self, position: Position, letter: Option<char>) -> Result<bool> {
        let index = self.index(position).ok_or_else(|| Error::state("there is no square"))?;
        let piece =
            letter.map(|letter| fen::piece(self.variant(), letter).map_err(Error::state)).transpose()?;
        let mut setup = self.game.setup();
        setup.board[usize::from(index)] =
            piece.map(|(kind, colour)| BoardPiece { kind, colour, promoted: false });
        forget_stale(self.variant(), &self.game.setup(), &mut setup);
        let after = self.reached(self.game.replaced(&setup)?, &[]);
        let changes = self.changes(&after);
        if !self.ask_changes(&changes) {
            return Ok(false);
        }
        self.go_on_from(after);
        self.tell_changes(&changes);
        Ok(true)
    }

    /// Turns an empty square into a hole; false if a listener cancelled it.
    ///
    /// # Errors
    /// [`Error::InvalidState`] if there is no square, or a piece on it.
    pub fn remove_square(&mut self, position: Position) -> Result<bool> {
        let square = self.square(position).ok_or_else(|| Error::state("there is no square"))?;
        if square.piece.is_some() {
            return Err(Error::state("the square is not empty"));
        }
        if !self.allowed(Event::BeforeRemoveSquare { position, cancelled: false }) {
            return Ok(false);
        }
        self.change_holes(position, true)?;
        self.publish(&mut Event::AfterRemoveSquare { position });
        Ok(true)
    }

    /// Turns a hole into a square; false if a listener cancelled it.
    ///
    /// # Errors
    /// [`Error::InvalidState`] if there is no hole.
    pub fn add_square(&mut self, position: Position) -> Result<bool> {
        let inside = position.index(self.variant());
        if inside.is_none_or(|index| !self.variant().holes.contains(&index)) {
            return Err(Error::state("there is no hole"));
        }
        if !self.allowed(Event::BeforeAddSquare { position, cancelled: false }) {
            return Ok(false);
        }
        self.change_holes(position, false)?;
        self.publish(&mut Event::AfterAddSquare { position });
        Ok(true)
    }

    fn change_holes(&mut self, position: Position, hole: bool) -> Result<()> {
        let mut variant = self.variant().clone();
        let setup = self.game.setup();
        let index = position.index(&variant).ok_or_else(|| Error::state("there is no square"))?;
        variant.holes.retain(|&other| other != index);
        if hole {
            variant.holes.push(index);
            variant.holes.sort_unstable();
        }
        variant.start = fen::write(&variant, &setup);
        self.game = erased::compile(&variant, &setup)?;
        Ok(())
    }

    /// Passes the turn to the next seat of the turn iterator.
    fn change_turn(&mut self) -> Result<()> {
        let next = self.turns.next_seat();
        let next =
            next.filter(|&seat| seat < 2).ok_or_else(|| Error::state("the turn iterator has no player"))?;
        let mut event = Event::BeforeChangeTurn { next, cancelled: false };
        self.publish(&mut event);
        let Event::BeforeChangeTurn { next, cancelled } = event else { return Ok(()) };
        let next = if cancelled { self.current } else { next.min(1) };
        if next != self.game.turn() && self.game.ending().is_none() {
            let mut setup = self.game.setup();
            setup.turn = next as u8;
            setup.en_passant = None;
            self.game = self.game.replaced(&setup)?;
        }
        self.current = next;
        self.publish(&mut Event::AfterChangeTurn { current: next });
        Ok(())
    }

    fn index(&self, position: Position) -> Option<SquareIndex> {
        position.index(self.variant()).filter(|index| !self.variant().holes.contains(index))
    }

    fn piece_of(&self, identities: &Identities, index: SquareIndex, piece: BoardPiece) -> Piece {
        let variant = self.variant();
        let kind = &variant.pieces[usize::from(piece.kind)];
        Piece {
            id: identities.at(index),
            name: kind.name.clone(),
            letter: fen::letter(variant, piece.kind, piece.colour),
            player: (kind.role != Role::Neutral).then_some(usize::from(piece.colour)),
            position: Position::of(variant, index),
        }
    }
}
