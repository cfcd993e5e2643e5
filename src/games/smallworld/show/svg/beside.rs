//! What the drawing shows beside the map, as text.

use super::super::shapes::Shapes;
use super::{CAPTION_HEIGHT, DrawnPlayer, MAP_SIZE, Scene, WIDTH};
use crate::rules::roster::Race;
use ludovec_engine::{Beside, Panel, PanelRow};

/// The frame of the map, and the combos and players below it.
pub(crate) fn beside(scene: &Scene) -> Beside {
    let (_, [width, height]) = Shapes::fit(scene.map, MAP_SIZE);
    let combos = scene.row.iter().enumerate().map(|(i, combo)| {
        let tokens = combo.race.start_tokens() + combo.power.bonus_tokens();
        let cost = if i == 0 { "free".to_string() } else { format!("costs {i}") };
        let gain = if combo.coins > 0 { format!(", gives {}", combo.coins) } else { String::new() };
        PanelRow::new(format!("{} {} ({tokens})", combo.power.name(), combo.race.name()))
            .valued(cost + &gain)
            .meaning("index", i)
    });
    let players = scene.players.iter().enumerate().map(|(seat, player)| {
        let coins = player.coins.map_or("? coins".into(), |coins| format!("{coins} coins"));
        PanelRow::new(format!("{}: {}", player.name, races(player))).valued(coins).of(seat)
    });
    Beside {
        board: [(WIDTH - width) / 2.0 - 3.0, CAPTION_HEIGHT - 3.0, width + 6.0, height + 6.0],
        panels: vec![Panel::new("Races and powers", combos), Panel::new("Players", players)],
    }
}

/// The races of a player in words.
fn races(player: &DrawnPlayer) -> String {
    let in_hand = |tokens: u8| if tokens > 0 { format!(", {tokens} in hand") } else { String::new() };
    let active = player
        .active
        .map_or("no active race".into(), |(race, power)| format!("{} {}", power.name(), race.name()));
    let declined = |&(race, tokens): &(Race, u8)| format!("; in decline {}{}", race.name(), in_hand(tokens));
    let declined: String = player.declined.iter().map(declined).collect();
    active + &in_hand(player.in_hand) + &declined
}
