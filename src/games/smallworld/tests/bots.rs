//! The scripted bot.

use super::super::SmallWorld;
use super::game;
use ludovec_engine::chance::{Chance, SeededChance};
use ludovec_engine::{Guide, Rules, Status, mask};

/// Games won by the bot in alternating seats, against uniformly random opponents.
fn wins(game: &SmallWorld, games: u64) -> u64 {
    let players = game.spec().players;
    let bot = &SmallWorld::bots()[0];
    let mut row = vec![0; game.spec().mask_words()];
    let mut won = 0;
    for number in 0..games {
        let seat = number as usize % players;
        let mut chance = SeededChance::from_seed(number);
        let mut state = game.init(&mut chance);
        while game.status(&state) == Status::Running {
            game.legal(&state, &mut row);
            let action = if game.current_player(&state) == seat {
                (bot.act)(game, &state, &row, &mut chance)
            } else {
                mask::select(&row, chance.uniform(mask::count(&row))).unwrap()
            };
            assert!(mask::contains(&row, action));
            game.step(&mut state, action, &mut chance);
        }
        let mut ranks = vec![0; players];
        game.ranks(&state, &mut ranks);
        won += u64::from(ranks[seat] == 0);
    }
    won
}

#[test]
fn the_conqueror_beats_random_players() {
    for players in ["2", "3", "5"] {
        let won = wins(&game(&[("players", players)]), 100);
        assert!(won >= 95, "{won} of 100 with {players} players");
    }
}
