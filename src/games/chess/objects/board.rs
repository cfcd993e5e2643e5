//! The board: what stands where, who is to move, and who listens.

use std::sync::Arc;

use serde_json::Value;

use super::event::{Callback, Event, EventKind, Priority, Subscription};
use super::fast::{self, Fast};
use super::option::{Extra, MoveOption, Position};
use super::piece::{Identities, Piece, PieceId};
use super::rule::Rule;
use super::turns::{Player, TurnIterator};
use crate::engine::{Error, Result};
use crate::games::chess::board::moves::{Move, MoveKind};
use crate::games::chess::notation::fen;
use crate::games::chess::setup::{BoardPiece, Setup};
use crate::games::chess::variant::schema::{Role, Square as SquareIndex, Variant};

/// A square of the board, as it was when one looked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Square {
    /// Where it is.
    pub position: Position,
    /// What stands on it.
    pub piece: Option<Piece>,
}

#[derive(Clone)]
enum Listener {
    Function(Callback),
    /// Place in [`Board::rules`].
    Rule(usize),
}

#[derive(Clone)]
struct Listening {
    id: Subscription,
    kind: EventKind,
    priority: Priority,
    listener: Listener,
}

/// The container of all squares, players and rules. A clone goes its own way from here, its rules too.
#[derive(Clone)]
pub struct Board {
    fast: Box<dyn Fast>,
    identities: Identities,
    players: [Player; 2],
    /// Whose turn it is. The fast position hands its turn over with the move, the board only after it.
    current: usize,
    turns: Box<dyn TurnIterator>,
    listening: Vec<Listening>,
    /// A rule is taken out while it is called.
    rules: Vec<Option<Box<dyn Rule>>>,
    subscriptions: u64,
}

impl Board {
    /// A board of `variant` with the position of a FEN; the players alternate.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] for a variant that cannot be compiled, [`Error::InvalidState`] for a FEN that
    /// cannot be played.
    pub fn new(variant: &Variant, text: &str) -> Result<Self> {
        Ok(Self::on(fast::compile(variant, &fen::parse(variant, text)?)?))
    }

    /// A board of `variant` that goes on from a state of the environment, with all that it remembers: earlier
    /// positions, unmoved pieces, hands, the phase of the turn.
    ///
    /// # Errors
    /// As [`Board::new`]; the state is what [`Game::state_to_json`](crate::engine::Game::state_to_json) writes.
    pub fn from_state(variant: &Variant, state: &Value) -> Result<Self> {
        let start = fast::compile(variant, &fen::parse(variant, &variant.start)?)?;
        Ok(Self::on(start.resumed(state)?))
    }

    fn on(fast: Box<dyn Fast>) -> Self {
        let turn = fast.turn();
        let player = |seat, name: &str| Player { seat, name: name.into() };
        Self {
            identities: Identities::of(&fast.setup().board),
            fast,
            current: turn,
            players: [player(0, "white"), player(1, "black")],
            turns: Box::new([1 - turn, turn].into_iter().cycle()),
            listening: Vec::new(),
            rules: Vec::new(),
            subscriptions: 0,
        }
    }

    /// Width and height.
    pub fn size(&self) -> (i16, i16) {
        (self.variant().width.into(), self.variant().height.into())
    }
    /// The rules of the board, as its file gives them.
    pub fn variant(&self) -> &Variant {
        self.fast.variant()
    }
    /// The position as FEN.
    pub fn fen(&self) -> String {
        fen::write(self.variant(), &self.fast.setup())
    }

    /// The square at a position; `None` for holes and beyond the edge.
    pub fn square(&self, position: Position) -> Option<Square> {
        let index = self.index(position)?;
        let piece = self.fast.setup().board[usize::from(index)];
        Some(Square { position, piece: piece.map(|piece| self.piece_of(&self.identities, index, piece)) })
    }
    /// The piece at a position.
    pub fn piece(&self, position: Position) -> Option<Piece> {
        self.square(position)?.piece
    }
    /// Where a piece is now; `None` when it has left the board.
    pub fn position_of(&self, piece: PieceId) -> Option<Position> {
        self.identities.index_of(piece).map(|index| Position::of(self.variant(), index))
    }
    /// All squares, row by row from the top left; holes are none.
    pub fn squares(&self) -> Vec<Square> {
        let (width, height) = self.size();
        let all = (0..height).flat_map(|y| (0..width).map(move |x| Position::new(x, y)));
        all.filter_map(|position| self.square(position)).collect()
    }
    /// All pieces, row by row from the top left.
    pub fn pieces(&self) -> Vec<Piece> {
        self.squares().into_iter().filter_map(|square| square.piece).collect()
    }
    /// The pieces of one seat.
    pub fn player_pieces(&self, seat: usize) -> Vec<Piece> {
        self.pieces().into_iter().filter(|piece| piece.player == Some(seat)).collect()
    }

    /// The players by seat.
    pub fn players(&self) -> &[Player; 2] {
        &self.players
    }
    /// The players by seat, to name them.
    pub fn players_mut(&mut self) -> &mut [Player; 2] {
        &mut self.players
    }
    /// Whose turn it is.
    pub fn current_player(&self) -> &Player {
        &self.players[self.current]
    }
    /// Whether the current player is in check.
    pub fn in_check(&self) -> bool {
        self.fast.in_check()
    }
    /// How the game has ended by the variant's own rules: the winner's seat, if there is one, and why.
    pub fn ending(&self) -> Option<(Option<usize>, &'static str)> {
        self.fast.ending()
    }

    /// Replaces who has the turn after the current one, and so on.
    pub fn set_turn_iterator(&mut self, turns: impl TurnIterator + 'static) {
        self.turns = Box::new(turns);
    }
    /// Takes the turn iterator out, to chain it behind another; without a new one nobody has a turn.
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
        // Behind all that have the same priority or a higher one.
        let at = self.listening.partition_point(|other| other.priority >= priority);
        self.listening.insert(at, Listening { id, kind, priority, listener });
        id
    }

    /// Tells all who listen, in the order of their priorities: for events that the board does not know of.
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

    /// Tells all who listen; true when none of them cancelled.
    fn allowed(&mut self, mut event: Event) -> bool {
        self.publish(&mut event);
        !event.is_cancelled()
    }

    /// What the piece at a position may do now: nothing when it is not its owner's turn.
    ///
    /// Moves that put a piece on a square (from the hand, summoned) are options of that square.
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

    /// Makes a move of the piece at `from` and lets the turn go on; false when a listener cancelled it, and
    /// then nothing has changed.
    ///
    /// # Errors
    /// [`Error::IllegalAction`] when the piece has no such option, [`Error::InvalidState`] when an option that
    /// a listener added leads to a position that cannot be played.
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
        // Listeners may have changed the board meanwhile.
        let after = self.after(index, &option)?;
        self.go_on_from(after);
        self.tell_changes(&changes);
        for piece in captured {
            self.publish(&mut Event::AfterCaptured { piece });
        }
        self.publish(&mut Event::AfterMove { piece, option });
        if !self.fast.goes_on() {
            self.change_turn()?;
        }
        Ok(true)
    }

    /// Puts a piece, named by its letter in FEN, on a square, or clears the square; false when a listener
    /// cancelled it.
    ///
    /// # Errors
    /// [`Error::InvalidState`] when there is no such square or piece, or the position cannot be played.
    pub fn set_piece(&mut self, position: Position, letter: Option<char>) -> Result<bool> {
        let index = self.index(position).ok_or_else(|| Error::state("there is no square"))?;
        let piece =
            letter.map(|letter| fen::piece(self.variant(), letter).map_err(Error::state)).transpose()?;
        let mut setup = self.fast.setup();
        setup.board[usize::from(index)] =
            piece.map(|(kind, colour)| BoardPiece { kind, colour, promoted: false });
        forget_stale(self.variant(), &self.fast.setup(), &mut setup);
        let after = self.reached(self.fast.replaced(&setup)?, &[]);
        let changes = self.changes(&after);
        if !self.ask_changes(&changes) {
            return Ok(false);
        }
        self.go_on_from(after);
        self.tell_changes(&changes);
        Ok(true)
    }

    /// Makes a hole of an empty square; false when a listener cancelled it.
    ///
    /// # Errors
    /// [`Error::InvalidState`] when there is no square, or a piece on it.
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

    /// Makes a square of a hole; false when a listener cancelled it.
    ///
    /// # Errors
    /// [`Error::InvalidState`] when there is no hole.
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
        let setup = self.fast.setup();
        let index = position.index(&variant).ok_or_else(|| Error::state("there is no square"))?;
        variant.holes.retain(|&other| other != index);
        if hole {
            variant.holes.push(index);
            variant.holes.sort_unstable();
        }
        variant.start = fen::write(&variant, &setup);
        self.fast = fast::compile(&variant, &setup)?;
        Ok(())
    }

    /// Asks whose turn is next and gives it to them.
    fn change_turn(&mut self) -> Result<()> {
        let next = self.turns.next_seat();
        let next =
            next.filter(|&seat| seat < 2).ok_or_else(|| Error::state("the turn iterator has no player"))?;
        let mut event = Event::BeforeChangeTurn { next, cancelled: false };
        self.publish(&mut event);
        let Event::BeforeChangeTurn { next, cancelled } = event else { return Ok(()) };
        let next = if cancelled { self.current } else { next.min(1) };
        if next != self.fast.turn() && self.fast.ending().is_none() {
            let mut setup = self.fast.setup();
            setup.turn = next as u8;
            setup.en_passant = None;
            self.fast = self.fast.replaced(&setup)?;
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

    /// The piece that makes a move from a square: the one there, or the one that will be.
    fn acting(&self, index: SquareIndex, option: Option<&MoveOption>) -> Option<Piece> {
        let setup = self.fast.setup();
        let found =
            option.and_then(|option| self.moves_of(index).into_iter().find(|(_, known)| known == option));
        let kind = match found.map(|(mv, _)| mv.what) {
            Some(MoveKind::Drop(kind)) => Some(kind),
            Some(MoveKind::Summon) => self.variant().generators.summon.map(|summon| summon.kind),
            _ => None,
        };
        let piece = match kind {
            Some(kind) => Some(BoardPiece { kind, colour: setup.turn, promoted: false }),
            None => setup.board[usize::from(index)],
        };
        piece.map(|piece| self.piece_of(&self.identities, index, piece))
    }

    /// The legal moves that are options of a square.
    fn moves_of(&self, index: SquareIndex) -> Vec<(Move, MoveOption)> {
        let setup = self.fast.setup();
        let here = setup.board[usize::from(index)];
        let neutral =
            here.is_some_and(|piece| self.variant().pieces[usize::from(piece.kind)].role == Role::Neutral);
        self.fast
            .moves()
            .into_iter()
            .filter(|mv| match mv.what {
                MoveKind::Place => neutral,
                MoveKind::Swap => mv.from == index || mv.to == index,
                _ => mv.from == index,
            })
            .map(|mv| (mv, self.option(&setup, index, mv)))
            .collect()
    }

    /// A legal move as an option of the piece on `index`.
    fn option(&self, setup: &Setup, index: SquareIndex, mv: Move) -> MoveOption {
        let variant = self.variant();
        let at = |index| Position::of(variant, index);
        let name = |kind: u8| Extra::Text(variant.pieces[usize::from(kind)].name.clone());
        let mut to = mv.to;
        let yes = Extra::Flag(true);
        let extra = match mv.what {
            MoveKind::Plain | MoveKind::Place => None,
            MoveKind::DoubleStep => Some(("double_step", yes)),
            MoveKind::EnPassant => Some(("en_passant", yes)),
            MoveKind::Castle => {
                to = self.fast.castle_squares(mv).map_or(mv.to, |squares| squares.0);
                Some(("castling", Extra::Position(at(mv.to))))
            }
            MoveKind::Promote(kind) => Some(("promotion", name(kind))),
            MoveKind::Merge => {
                let kinds = [mv.from, mv.to].map(|c| setup.board[usize::from(c)].map(|piece| piece.kind));
                let merges = &variant.generators.merges;
                let found = merges.iter().find(|m| [Some(m.mover), Some(m.onto)] == kinds);
                found.map(|merge| ("merge", name(merge.into)))
            }
            MoveKind::Swipe => Some(("swipe", yes)),
            MoveKind::Swap => {
                to = if index == mv.from { mv.to } else { mv.from };
                Some(("swap", Extra::Position(at(to))))
            }
            MoveKind::Split(_) => {
                to = self.fast.split_squares(mv).last().copied().unwrap_or(mv.to);
                Some(("split", yes))
            }
            MoveKind::Drop(kind) => Some(("drop", name(kind))),
            MoveKind::Summon => Some(("summon", yes)),
            MoveKind::Pass => Some(("pass", yes)),
        };
        // An enemy piece that is gone was taken; in an explosion, own ones that have not moved away too.
        let after = self.fast.played(mv).setup();
        let taken = setup.board.iter().zip(&after.board).enumerate().filter(|&(index, (old, new))| {
            let owner = |piece: &Option<BoardPiece>| piece.map(|piece| piece.colour);
            old.is_some()
                && owner(old) != owner(new)
                && (owner(old) == Some(1 - setup.turn)
                    || variant.effects.blast.is_some() && index != usize::from(mv.from))
                && !self.is_neutral(old)
        });
        let captures = taken.map(|(index, _)| at(index as SquareIndex)).collect();
        MoveOption {
            position: at(to),
            captures,
            extra: extra.map(|(k, v)| (k.to_string(), v)).into_iter().collect(),
        }
    }

    fn is_neutral(&self, piece: &Option<BoardPiece>) -> bool {
        piece.is_some_and(|piece| self.variant().pieces[usize::from(piece.kind)].role == Role::Neutral)
    }

    /// The position after an option of the piece on `index`, as the rules know it or as it is written.
    fn after(&self, index: SquareIndex, option: &MoveOption) -> Result<Reached> {
        if let Some((mv, _)) = self.moves_of(index).into_iter().find(|(_, known)| known == option) {
            let travels = match mv.what {
                MoveKind::Castle => self
                    .fast
                    .castle_squares(mv)
                    .map_or_else(Vec::new, |(king, rook)| vec![(mv.from, king), (mv.to, rook)]),
                MoveKind::Swap => vec![(mv.from, mv.to), (mv.to, mv.from)],
                MoveKind::Place => vec![(index, mv.to)],
                MoveKind::Drop(_) | MoveKind::Summon | MoveKind::Split(_) | MoveKind::Pass => Vec::new(),
                _ => vec![(mv.from, mv.to)],
            };
            return Ok(self.reached(self.fast.played(mv), &travels));
        }
        let before = self.fast.setup();
        let mut setup = before.clone();
        let to = self.index(option.position).ok_or_else(|| Error::state("the option leads to no square"))?;
        for &position in &option.captures {
            let captured =
                self.index(position).ok_or_else(|| Error::state("the option captures on no square"))?;
            setup.board[usize::from(captured)] = None;
        }
        let piece = setup.board[usize::from(index)].take();
        if setup.board[usize::from(to)].is_some() {
            return Err(Error::state("the option leads onto a piece that it does not capture"));
        }
        setup.board[usize::from(to)] = piece;
        forget_stale(self.variant(), &before, &mut setup);
        setup.en_passant = None;
        setup.halfmoves = if option.captures.is_empty() { setup.halfmoves.saturating_add(1) } else { 0 };
        setup.fullmoves = setup.fullmoves.saturating_add(u16::from(setup.turn));
        setup.turn = 1 - setup.turn;
        Ok(self.reached(self.fast.replaced(&setup)?, &[(index, to)]))
    }

    /// A position with the identities of its pieces, which went as `travels` says (from, to).
    fn reached(&self, position: Box<dyn Fast>, travels: &[(SquareIndex, SquareIndex)]) -> Reached {
        let identities = self.identities.after(&self.fast.setup().board, &position.setup().board, travels);
        Reached { position, identities }
    }

    fn go_on_from(&mut self, Reached { position, identities }: Reached) {
        (self.fast, self.identities) = (position, identities);
    }

    /// The pieces that leave and come when the position becomes `after`.
    fn changes(&self, after: &Reached) -> Changes {
        let (old, new) = (self.fast.setup().board, after.position.setup().board);
        let mut changes = Changes::default();
        for (index, (&was, &is)) in (0..).zip(old.iter().zip(&new)) {
            let was = was.map(|piece| self.piece_of(&self.identities, index, piece));
            let is = is.map(|piece| self.piece_of(&after.identities, index, piece));
            if was.as_ref().map(|piece| piece.id) == is.as_ref().map(|piece| piece.id) {
                continue;
            }
            changes.new.extend(is.clone().filter(|piece| self.identities.index_of(piece.id).is_none()));
            changes.removed.extend(was);
            changes.added.extend(is);
        }
        changes
    }

    /// Announces changes; false when a listener cancelled one.
    fn ask_changes(&mut self, changes: &Changes) -> bool {
        let leave = |piece: &Piece| Event::BeforeRemovePiece { piece: piece.clone(), cancelled: false };
        let come = |piece: &Piece| Event::BeforeAddPiece { piece: piece.clone(), cancelled: false };
        let events: Vec<_> =
            changes.removed.iter().map(leave).chain(changes.added.iter().map(come)).collect();
        events.into_iter().all(|event| self.allowed(event))
    }

    /// Reports changes.
    fn tell_changes(&mut self, changes: &Changes) {
        for piece in changes.removed.clone() {
            self.publish(&mut Event::AfterRemovePiece { piece });
        }
        for piece in changes.added.clone() {
            self.publish(&mut Event::AfterAddPiece { piece });
        }
        for piece in changes.new.clone() {
            self.publish(&mut Event::AfterNewPiece { piece });
        }
    }
}

/// A position that a change of the board leads to, and which piece is which there.
struct Reached {
    position: Box<dyn Fast>,
    identities: Identities,
}

/// What becomes different on the board.
#[derive(Debug, Default)]
struct Changes {
    removed: Vec<Piece>,
    added: Vec<Piece>,
    /// Of those added, the ones that did not come from elsewhere on the board.
    new: Vec<Piece>,
}

/// Takes rights and the mark of being unmoved from what is no longer where it was.
fn forget_stale(variant: &Variant, before: &Setup, setup: &mut Setup) {
    let board = &setup.board;
    let stays = |index: &SquareIndex| board[usize::from(*index)] == before.board[usize::from(*index)];
    // A right needs its king as well as its rook.
    let king = variant.castling.as_ref().map(|castling| castling.king);
    let king_moved = |colour: Option<u8>| {
        let is_king = |piece: &Option<BoardPiece>| {
            piece.is_some_and(|m| Some(m.kind) == king && Some(m.colour) == colour)
        };
        before.board.iter().zip(board).any(|(was, is)| is_king(was) != is_king(is))
    };
    let owner = |index: &SquareIndex| before.board[usize::from(*index)].map(|piece| piece.colour);
    setup.castling.retain(|rook| stays(rook) && !king_moved(owner(rook)));
    if let Some(unmoved) = &mut setup.unmoved {
        unmoved.retain(stays);
    }
    if setup.en_passant.as_ref().is_some_and(|passed| !stays(&passed.victim)) {
        setup.en_passant = None;
    }
}
