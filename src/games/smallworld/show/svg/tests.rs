//! Drawings of all kinds of maps.

use super::*;
use crate::rules::boards::board;
use crate::rules::map::MAX_REGIONS;
use crate::rules::mapgen::generate;
use ludovec_engine::chance::{Chance, SeededChance};

/// A crowded table, for inspection and for the tests.
fn crowded(map: &Map, chance: &mut SeededChance) -> String {
    let regions = map.all().iter().map(|region| {
        let mut yes = || chance.uniform(5) == 0;
        let mut view = DrawnRegion { lair: yes(), fortress: yes(), hero: yes(), ..Default::default() };
        (view.dragon, view.hole) = (yes(), yes());
        view.encampments = if yes() { chance.uniform(6) as u8 } else { 0 };
        let race = Race::ALL[chance.uniform(14) as usize];
        let troops = Troops {
            seat: chance.uniform(5) as usize,
            race,
            power: Some(Power::ALL[chance.uniform(20) as usize]),
            tokens: 1 + chance.uniform(12) as u8,
            declined: chance.uniform(3) == 0,
        };
        match chance.uniform(3) {
            0 => DrawnRegion { lost_tribe: map.lost_tribes().contains(region), ..Default::default() },
            1 => DrawnRegion { troops: Some(troops), ..Default::default() },
            _ => DrawnRegion { troops: Some(troops), ..view },
        }
    });
    let players = (0..5).map(|seat| DrawnPlayer {
        name: format!("player {seat}"),
        coins: (seat != 2).then_some(20 + 31 * seat as u16),
        active: (seat != 3).then_some((Race::Sorcerers, Power::DragonMaster)),
        in_hand: seat as u8,
        declined: vec![(Race::Halflings, 0), (Race::Skeletons, 0)],
        to_move: seat == 1,
    });
    let row = (0..6).map(|i| DrawnCombo { race: Race::ALL[i], power: Power::ALL[3 * i], coins: i as u32 });
    let picture = Scene {
        map,
        alone: false,
        caption: "Turn 4 of 10: seat 1 conquers & <redeploys>".into(),
        regions: regions.collect(),
        last: map.all().iter().next(),
        row: row.collect(),
        players: players.collect(),
    };
    draw(&picture, if chance.uniform(2) == 0 { Theme::Light } else { Theme::Dark })
}

#[test]
fn every_kind_of_map_is_drawn_as_well_formed_xml() {
    let mut chance = SeededChance::from_seed(12);
    let ring = |n: usize| {
        let near = |i: usize| [(i + n - 1) % n, (i + 1) % n];
        let terrain = |i: usize| Terrain::ALL[i % 5].name();
        Map::from_json(&serde_json::json!({"regions": (0..n).map(|i| serde_json::json!({
            "terrain": terrain(i), "rim": true, "neighbours": near(i),
        })).collect::<Vec<_>>()}))
        .unwrap()
    };
    let mut maps: Vec<Map> = (2..=4).map(|players| *board(players).unwrap()).collect();
    maps.extend((2..=5).map(|players| generate(players, &mut chance).unwrap()));
    maps.extend([ring(12), ring(MAX_REGIONS)]);
    for (i, map) in maps.iter().enumerate() {
        let svg = crowded(map, &mut chance);
        check_xml(&svg);
        assert_eq!(svg.matches("fill='url(#sw-").count(), map.all().len() + Terrain::ALL.len());
        // For inspection: LUDOVEC_SVG_DIR=/tmp cargo test every_kind_of_map
        if let Some(folder) = std::env::var_os("LUDOVEC_SVG_DIR") {
            std::fs::write(std::path::Path::new(&folder).join(format!("smallworld-{i}.svg")), svg).unwrap();
        }
    }
}

/// Tags nest, text is escaped, no coordinate is not a number.
fn check_xml(svg: &str) {
    assert!(!svg.contains("NaN") && !svg.contains("inf") && !svg.contains("& "));
    let mut open = Vec::new();
    for piece in svg.split('<').skip(1) {
        let (tag, _) = piece.split_once('>').expect("every tag is closed");
        let name = tag.trim_start_matches('/').split(' ').next().unwrap();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty());
}
