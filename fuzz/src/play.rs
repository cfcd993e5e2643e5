//! Plays on from a position that was accepted, and looks at it from all sides.

use ludovec::engine::{SingleGame, Status, View, playouts};
use ludovec::replay;

use super::bytes::Bytes;

/// Most decisions that are played from a position.
const LONGEST: usize = 200;

/// Plays up to 200 decisions that `bytes` choose.
pub fn play_on(mut play: Box<dyn SingleGame>, bytes: &mut Bytes<'_>) {
    let actions = play.game().spec().num_actions;
    for step in 0..LONGEST {
        let legal = play.legal_actions();
        if play.status() != Status::Running {
            assert!(legal.is_empty(), "a finished game offers actions");
            break;
        }
        assert!(!legal.is_empty(), "nothing can be done in a running game");
        if step.is_power_of_two() {
            look(&mut *play);
        }
        let decision = bytes.byte();
        let any = u32::from(decision) * 257 % actions;
        assert_eq!(
            play.check(any).is_ok(),
            legal.contains(&any),
            "action {any}: the mask and the refusal disagree"
        );
        let before = play.position_bytes();
        if !legal.contains(&any) {
            assert!(play.step(any).is_err(), "action {any} is illegal and was played");
            assert_eq!(play.position_bytes(), before, "a refused action changed the position");
        }
        let action = legal[usize::from(decision) % legal.len()];
        play.step(action).unwrap_or_else(|error| panic!("action {action} is legal and was refused: {error}"));
        if decision == 255 {
            assert!(play.undo());
            assert_eq!(play.position_bytes(), before, "undo gives another position");
        }
    }
    look(&mut *play);
}

/// Everything that can be asked about a position.
fn look(play: &mut dyn SingleGame) {
    let (game, position) = (play.game(), play.position_bytes());
    let spec = game.spec();
    let json = play.to_json();
    let again = game.clone().single_from_json(&json, 0);
    let again = again.unwrap_or_else(|error| panic!("{json} is refused: {error}"));
    assert_eq!(again.to_json(), json, "a position changes on its way through JSON");
    for seat in 0..spec.players {
        let seen = play.observation(seat).expect("the seat exists");
        assert_eq!(seen.len(), spec.observation_len());
        play.observation_to_json(seat).expect("the seat exists");
        play.information_state(seat).expect("the seat exists");
        let other = play.determinize(seat, 1).expect("the seat exists");
        assert_eq!(
            other.observation(seat).expect("the seat exists"),
            seen,
            "what seat {seat} sees is drawn anew"
        );
        play.to_text(View { seat: Some(seat), ..View::default() }).expect("the seat exists");
    }
    assert_eq!(play.scores().len(), spec.players);
    assert!(play.returns().iter().chain(&play.estimates()).all(|value| value.is_finite()));
    play.to_svg(View::default()).expect("everybody may look");
    let _ = (play.title(), play.standing(), play.narrate(0, None), play.turn(), play.log());
    let legal = play.legal_actions();
    for &action in legal.iter().take(8).chain(legal.last()) {
        let text = play.action_to_string(action).expect("the action is legal");
        assert_eq!(play.string_to_action(&text).expect("it was written here"), action, "{text}");
        let object = play.action_to_json(action).expect("the action is legal");
        assert_eq!(play.action_from_json(&object).expect("it was written here"), action, "{object}");
        play.action_in_words(action).expect("the action is legal");
    }
    if play.status() == Status::Running {
        let request = play.bot_request();
        let asked = game.clone().single_from_bot_request(&request, 0);
        asked.unwrap_or_else(|error| panic!("{request} is refused: {error}"));
        for (bot, _) in game.bots() {
            // Playouts take long, and do nothing but play.
            if playouts(bot) == Ok(0) {
                let action = play.bot_action(bot).expect("the game is running");
                assert!(legal.contains(&action), "{bot} plays {action}, which is illegal");
            }
        }
    }
    assert_eq!(play.position_bytes(), position, "looking changed the position");
    let record = play.record();
    let text = serde_json::to_string(&record).expect("records can be written");
    assert_eq!(replay::parse(&text).expect("it was written here"), record);
}
