//! The published boards for 2 to 4 players, this project's board for 5, and map files.
//!
//! A map file is one JSON object; `assets/smallworld/maps/` holds four examples.
//!
//! ```json
//! {
//!   "name": "Two hills",
//!   "source": "where it comes from",
//!   "layout": "points",
//!   "regions": [
//!     {"id": 0, "terrain": "hill", "features": ["mine"], "lost_tribe": true, "rim": true,
//!      "neighbours": [1], "at": [40, 90]},
//!     {"id": 1, "terrain": "hill", "rim": true, "neighbours": [0], "at": [180, 90]}
//!   ]
//! }
//! ```
//!
//! | key | meaning | when absent |
//! |---|---|---|
//! | `name`, `source` | text for people, not kept | |
//! | `layout` | `points`, `hex`, or `board_2` to `board_5` for the sketch of a board | `points` |
//! | `regions` | 1 to 48 regions | required |
//! | `id` | the region's place in the list, from 0 | its place |
//! | `terrain` | `farmland`, `hill`, `forest`, `swamp`, `mountain`, `sea` or `lake` | required |
//! | `features` | any of `mine`, `magic_source`, `cavern` | none |
//! | `lost_tribe` | a Lost Tribe is here at the start; at most 18, on land | `false` |
//! | `rim` | on the rim of the map: a race without regions may enter here, and on land beside a sea of the rim | `false` |
//! | `border` | `rim` in older files | |
//! | `neighbours` | ids of the adjacent regions; adjacency must be symmetric | required |
//! | `at` | its place in drawings, two integers 0 to 255: `[x, y]` or `[column, row]` (`hex`) | computed (`points`) |
//!
//! Land must be connected and have at least one border region.

use std::path::Path;
use std::sync::LazyLock;

use bytemuck::Zeroable;
use serde_json::{Map as Object, Value, json};

use super::map::{Layout, MAX_REGIONS, Map, RegionId, Terrain};
use crate::show::layout;
use ludovec_engine::{Error, Result, file};

/// Largest map file that is accepted, in bytes.
const MAX_FILE: u64 = 1 << 20;

static BOARDS: LazyLock<[Map; 4]> =
    LazyLock::new(|| ludovec_assets::smallworld::MAPS.map(|text| parse(text).expect("the boards are valid")));

/// The board for a number of players: published for 2 to 4, this project's own for 5.
///
/// # Errors
/// [`Error::InvalidConfig`] for other numbers than 2 to 5.
pub fn board(players: usize) -> Result<&'static Map> {
    let index = players.checked_sub(2).filter(|&i| i < BOARDS.len());
    index.map(|i| &BOARDS[i]).ok_or_else(|| {
        Error::config(format!(
            "no board for {players} players: boards exist for 2 to 5; map=FILE takes one of yours"
        ))
    })
}

/// Loads a user's map: the name of a map file, or the text of one (which starts with a brace).
///
/// # Errors
/// [`Error::InvalidConfig`] names the file, the region and the allowed values.
pub fn load(file_or_text: &str) -> Result<Map> {
    if file_or_text.trim_start().starts_with('{') {
        return parse(file_or_text).map_err(|what| Error::config(format!("map: {what}")));
    }
    let fail = |what: String| Error::config(format!("map file {file_or_text:?}: {what}"));
    let text = file::read_text(Path::new(file_or_text), MAX_FILE).map_err(|e| fail(e.to_string()))?;
    parse(&text).map_err(fail)
}

fn parse(text: &str) -> Result<Map, String> {
    let json = serde_json::from_str(text).map_err(|e| format!("not JSON: {e}"))?;
    read_map(&json)
}

/// The features of map files.
const FEATURES: [&str; 3] = ["mine", "magic_source", "cavern"];
const KEYS: [&str; 4] = ["name", "source", "layout", "regions"];
const REGION_KEYS: [&str; 8] =
    ["id", "terrain", "features", "lost_tribe", "rim", "neighbours", "at", OLD_RIM];
/// The key `rim` in older files.
const OLD_RIM: &str = "border";

impl Map {
    /// The map as an object in the format of map files.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let regions: Vec<Value> = self
            .all()
            .iter()
            .map(|r| {
                let sets = [self.mines, self.magic_sources, self.caverns];
                let features: Vec<_> = FEATURES
                    .iter()
                    .zip(sets)
                    .filter(|(_, set)| set.contains(r))
                    .map(|(name, _)| name)
                    .collect();
                let near: Vec<_> = self.neighbours(r).iter().map(|n| n.0).collect();
                let mut region = json!({
                    "id": r.0,
                    "terrain": self.terrain(r).name(),
                    "features": features,
                    "lost_tribe": self.lost_tribes.contains(r),
                    "rim": self.rim.contains(r),
                    "neighbours": near,
                });
                if self.layout().has_positions() {
                    region["at"] = json!(self.position(r));
                }
                region
            })
            .collect();
        json!({ "layout": self.layout().name(), "regions": regions })
    }

    /// Reads a map from an object in the format of map files.
    ///
    /// # Errors
    /// [`Error::InvalidState`] names the region and the allowed values.
    pub fn from_json(json: &Value) -> Result<Self> {
        read_map(json).map_err(|what| Error::state(format!("map: {what}")))
    }
}

fn read_map(json: &Value) -> Result<Map, String> {
    let object = object(json, "a map", &KEYS)?;
    for key in ["name", "source"] {
        if object.get(key).is_some_and(|text| !text.is_string()) {
            return Err(format!("{key:?} is {}, text is allowed", brief(&object[key])));
        }
    }
    let layout = object.get("layout").map_or(Ok(Layout::Points), |value| {
        named(value, Layout::ALL, Layout::name).map_err(|what| format!("\"layout\" is {what}"))
    })?;
    let regions = object.get("regions").and_then(Value::as_array).ok_or("\"regions\" must be a list")?;
    if regions.is_empty() || regions.len() > MAX_REGIONS {
        return Err(format!("{} regions, 1 to {MAX_REGIONS} are allowed", regions.len()));
    }
    let mut map = Map::zeroed();
    map.count = regions.len() as u8;
    map.layout = layout as u8;
    let mut placed = 0;
    for (i, json) in regions.iter().enumerate() {
        let at = read_region(&mut map, i, json).map_err(|what| format!("region {i}: {what}"))?;
        placed += usize::from(at.is_some());
        map.positions[i] = at.unwrap_or_default();
    }
    if layout == Layout::Points && placed == 0 {
        let points = layout::spread(&map.adjacency[..map.len()]);
        map.positions[..points.len()].copy_from_slice(&points);
    } else if layout.has_positions() && placed < regions.len() {
        let missing = regions.iter().position(|r| r.get("at").is_none()).unwrap_or_default();
        return Err(format!("region {missing}: \"at\" is missing, other regions or layout hex have it"));
    }
    map.derive();
    map.check()?;
    Ok(map)
}

/// Adds one region and returns its place in drawings.
fn read_region(map: &mut Map, i: usize, json: &Value) -> Result<Option<[u8; 2]>, String> {
    let region = RegionId(i as u8);
    let count = map.len();
    let object = object(json, "a region", &REGION_KEYS)?;
    if object.get("id").is_some_and(|id| id.as_u64() != Some(i as u64)) {
        return Err(format!(
            "\"id\" is {}, ids count up from 0, so {i} is allowed here",
            brief(&object["id"])
        ));
    }
    let terrain = object.get("terrain").ok_or("\"terrain\" is missing")?;
    let terrain =
        named(terrain, Terrain::ALL, Terrain::name).map_err(|what| format!("\"terrain\" is {what}"))?;
    map.terrain[terrain as usize].insert(region);
    for feature in list(object, "features")? {
        let index =
            named(feature, [0, 1, 2], |f| FEATURES[f]).map_err(|what| format!("a feature is {what}"))?;
        [&mut map.mines, &mut map.magic_sources, &mut map.caverns][index].insert(region);
    }
    if flag(object, "lost_tribe")? {
        map.lost_tribes.insert(region);
    }
    if flag(object, "rim")? || flag(object, OLD_RIM)? {
        map.rim.insert(region);
    }
    if !object.contains_key("neighbours") {
        return Err("\"neighbours\" is missing".into());
    }
    for near in list(object, "neighbours")? {
        let id = near.as_u64().filter(|&id| id < count as u64 && id != i as u64);
        let id = id.ok_or_else(|| {
            format!("neighbour {}, another region's id from 0 to {} is allowed", brief(near), count - 1)
        })?;
        let near = RegionId(id as u8);
        if map.adjacency[i].contains(near) {
            return Err(format!("neighbour {id} is listed twice"));
        }
        map.adjacency[i].insert(near);
    }
    let Some(at) = object.get("at") else { return Ok(None) };
    let pair = at.as_array().and_then(|pair| match pair.as_slice() {
        [x, y] => Some([u8::try_from(x.as_u64()?).ok()?, u8::try_from(y.as_u64()?).ok()?]),
        _ => None,
    });
    pair.map(Some).ok_or_else(|| format!("\"at\" is {}, two integers 0 to 255 are allowed", brief(at)))
}

fn object<'a>(json: &'a Value, what: &str, keys: &[&str]) -> Result<&'a Object<String, Value>, String> {
    let object = json.as_object().ok_or_else(|| format!("{what} must be an object"))?;
    match object.keys().find(|k| !keys.contains(&k.as_str())) {
        Some(key) => {
            Err(format!("unknown key {}, {what} has {}", brief(&key.as_str().into()), keys.join(", ")))
        }
        None => Ok(object),
    }
}

fn flag(object: &Object<String, Value>, key: &str) -> Result<bool, String> {
    match object.get(key) {
        None => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(other) => Err(format!("{key:?} is {}, true or false is allowed", brief(other))),
    }
}

fn list<'a>(object: &'a Object<String, Value>, key: &str) -> Result<&'a [Value], String> {
    match object.get(key) {
        None => Ok(&[]),
        Some(Value::Array(list)) => Ok(list),
        Some(other) => Err(format!("{key:?} is {}, a list is allowed", brief(other))),
    }
}

/// The element of `all` with this name; the error holds the value and the allowed names.
fn named<T: Copy, const N: usize>(
    value: &Value,
    all: [T; N],
    name: fn(T) -> &'static str,
) -> Result<T, String> {
    let found = all.into_iter().find(|&x| value.as_str() == Some(name(x)));
    found.ok_or_else(|| format!("{}, allowed are {}", brief(value), all.map(name).join(", ")))
}

/// A value as one line, short enough for a message.
fn brief(value: &Value) -> String {
    let mut text = value.to_string();
    if let Some((end, _)) = text.char_indices().nth(40) {
        text.truncate(end);
        text.push_str("...");
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::map::RegionSet;
    use super::super::mapgen::generate;
    use super::*;
    use ludovec_engine::chance::SeededChance;

    fn two_hills() -> Value {
        json!({
            "name": "Two hills",
            "regions": [
                {"id": 0, "terrain": "hill", "features": ["mine", "cavern"], "rim": true, "neighbours": [1, 2]},
                {"terrain": "hill", "lost_tribe": true, "neighbours": [0]},
                {"terrain": "sea", "rim": true, "neighbours": [0]},
            ]
        })
    }

    #[test]
    fn boards_have_their_regions() {
        for (players, regions, seas, feature, tribes) in
            [(2, 23, 2, 4, 9), (3, 30, 2, 5, 10), (4, 39, 2, 7, 14), (5, 46, 2, 8, 16)]
        {
            let map = board(players).unwrap();
            map.validate().unwrap();
            assert_eq!(map.len(), regions);
            assert_eq!((map.of(Terrain::Sea).len(), map.of(Terrain::Lake).len()), (seas, 1));
            assert_eq!([map.mines, map.magic_sources, map.caverns].map(RegionSet::len), [feature; 3]);
            assert_eq!(map.lost_tribes.len(), tribes);
            assert!(!map.lost_tribes.intersects(map.of(Terrain::Mountain)));
            // Their flags already include the shore and the seas.
            assert!((map.shore | map.of(Terrain::Sea)).is_subset(map.rim));
            assert!(!map.of(Terrain::Lake).intersects(map.rim));
        }
        for players in [0, 1, 6, usize::MAX] {
            assert!(board(players).unwrap_err().to_string().contains("2 to 5"));
        }
    }

    #[test]
    fn a_map_given_by_adjacency_reads_with_defaults_and_places_to_draw() {
        let map = Map::from_json(&two_hills()).unwrap();
        assert_eq!((map.len(), map.layout()), (3, Layout::Points));
        assert_eq!((map.mines.0, map.caverns.0, map.magic_sources.0), (1, 1, 0));
        assert_eq!((map.rim.0, map.shore.0, map.coastal.0, map.lost_tribes.0), (0b101, 1, 1, 2));
        assert_eq!(map.terrain(RegionId(2)), Terrain::Sea);
    }

    #[test]
    fn files_and_inline_text_are_read() {
        let text = two_hills().to_string();
        let map = load(&text).unwrap();
        let path = std::env::temp_dir().join(format!("ludovec-map-{}.json", std::process::id()));
        std::fs::write(&path, &text).unwrap();
        assert_eq!(load(path.to_str().unwrap()).unwrap(), map);
        std::fs::write(&path, " ".repeat(MAX_FILE as usize + 1)).unwrap();
        assert!(load(path.to_str().unwrap()).unwrap_err().to_string().contains("longer than"));
        std::fs::remove_file(&path).unwrap();
        for missing in ["", "no/such/map.json", "/"] {
            let error = load(missing).unwrap_err();
            assert!(matches!(&error, Error::InvalidConfig(m) if m.contains("map file")), "{error}");
        }
        assert!(load("{").unwrap_err().to_string().contains("not JSON"));
    }

    #[test]
    fn errors_name_the_region_and_the_allowed_values() {
        let region = |i: usize, key: &str, value: Value| {
            let mut json = two_hills();
            json["regions"][i][key] = value;
            json
        };
        let without = |i: usize, key: &str| {
            let mut json = two_hills();
            json["regions"][i].as_object_mut().unwrap().remove(key);
            json
        };
        let with = |key: &str, value: Value| {
            let mut json = two_hills();
            json[key] = value;
            json
        };
        let land = |n: usize| {
            let region = |i: usize| {
                json!({"terrain": "hill", "rim": true, "lost_tribe": true,
                    "neighbours": if i == 0 { (1..n).collect() } else { vec![0] }})
            };
            json!({"regions": (0..n).map(region).collect::<Vec<_>>()})
        };
        let cases = [
            (json!([]), "a map must be an object"),
            (json!({}), "\"regions\" must be a list"),
            (with("regions", json!([])), "0 regions, 1 to 48 are allowed"),
            (land(49), "49 regions, 1 to 48"),
            (land(19), "19 Lost Tribes, at most 18"),
            (with("colour", json!(1)), "unknown key \"colour\", a map has name, source, layout, regions"),
            (with("name", json!(1)), "\"name\" is 1, text is allowed"),
            (with("layout", json!("round")), "\"layout\" is \"round\", allowed are hex, points, board_2"),
            (with("layout", json!("hex")), "region 0: \"at\" is missing"),
            (with("layout", json!("board_2")), "3 regions, layout board_2 is for 23"),
            (region(1, "at", json!([1, 2])), "region 0: \"at\" is missing"),
            (region(1, "at", json!([1, 256])), "region 1: \"at\" is [1,256], two integers 0 to 255"),
            (region(1, "at", json!([1])), "region 1: \"at\" is [1]"),
            (region(1, "id", json!(2)), "region 1: \"id\" is 2"),
            (
                region(2, "terrain", json!("desert")),
                "region 2: \"terrain\" is \"desert\", allowed are farmland, hill",
            ),
            (region(2, "features", json!(["gold"])), "region 2: a feature is \"gold\", allowed are mine"),
            (region(2, "features", json!("mine")), "region 2: \"features\" is \"mine\", a list is allowed"),
            (region(2, "rim", json!(1)), "region 2: \"rim\" is 1, true or false is allowed"),
            (region(2, "tribe", json!(1)), "region 2: unknown key \"tribe\", a region has id"),
            (region(2, "neighbours", json!([3])), "region 2: neighbour 3, another region's id from 0 to 2"),
            (region(2, "neighbours", json!([2])), "region 2: neighbour 2"),
            (region(2, "neighbours", json!([-1])), "region 2: neighbour -1"),
            (region(2, "neighbours", json!([0, 0])), "region 2: neighbour 0 is listed twice"),
            (region(2, "neighbours", json!([])), "region 0 touches 2, which does not touch it back"),
            (without(2, "neighbours"), "region 2: \"neighbours\" is missing"),
            (without(0, "terrain"), "region 0: \"terrain\" is missing"),
            (region(2, "lost_tribe", json!(true)), "a Lost Tribe is on water"),
            (region(0, "terrain", json!("lake")), "no land region is border"),
            (
                json!({"regions": [{"terrain": "hill", "rim": true, "neighbours": []}, {"terrain": "hill", "neighbours": []}]}),
                "land region 1 cannot be reached over land",
            ),
            (
                json!({"regions": [{"terrain": "sea", "rim": true, "neighbours": []}]}),
                "no land region is border",
            ),
        ];
        for (json, expected) in cases {
            let error = Map::from_json(&json).unwrap_err();
            let text = error.to_string();
            assert!(matches!(error, Error::InvalidState(_)));
            assert!(text.contains(expected), "{text:?} lacks {expected:?}");
            assert!(!text.contains('\n') && text.len() < 250, "{text}");
        }
        let mut placed = two_hills();
        for i in 0..3 {
            placed["regions"][i]["at"] = json!([7, 7]);
        }
        let error = Map::from_json(&placed).unwrap_err();
        assert!(error.to_string().contains("regions 0 and 1 are drawn at the same place"), "{error}");
    }

    #[test]
    fn border_is_read_as_rim() {
        let text = two_hills().to_string();
        assert_eq!(load(&text.replace("\"rim\"", "\"border\"")), load(&text));
    }

    #[test]
    fn land_beside_a_sea_of_the_rim_is_border() {
        let mut json = two_hills();
        json["regions"][0]["rim"] = json!(false);
        let map = Map::from_json(&json).unwrap();
        assert_eq!((map.rim().0, map.border().0), (0b100, 0b101));
        json["regions"][2]["rim"] = json!(false);
        let error = Map::from_json(&json).unwrap_err().to_string();
        assert!(error.contains("no land region is border"), "{error}");
    }

    #[test]
    fn every_map_survives_json() {
        let check = |map: &Map| assert_eq!(Map::from_json(&map.to_json()).as_ref(), Ok(map));
        (2..=5).for_each(|players| check(board(players).unwrap()));
        check(&Map::from_json(&two_hills()).unwrap());
        let mut chance = SeededChance::from_seed(8);
        for i in 0..1_000 {
            check(&generate(2 + i % 4, &mut chance).unwrap());
        }
    }

    /// Any map by adjacency: a random tree over land with additional edges, water, features.
    fn any_map() -> impl Strategy<Value = Value> {
        let region =
            (0..7usize, any::<[bool; 4]>(), any::<usize>(), prop::collection::vec(any::<usize>(), 0..3));
        prop::collection::vec(region, 1..=MAX_REGIONS).prop_map(|regions| {
            let mut near = vec![std::collections::BTreeSet::new(); regions.len()];
            for (i, (_, _, parent, more)) in regions.iter().enumerate().skip(1) {
                for j in std::iter::once(parent).chain(more).map(|j| j % i) {
                    near[i].insert(j);
                    near[j].insert(i);
                }
            }
            let mut tribes = 0;
            let regions: Vec<_> = regions
                .iter()
                .zip(near)
                .enumerate()
                .map(|(i, ((terrain, [mine, cavern, tribe, rim], ..), near))| {
                    // Water only at the leaves, so that land stays connected.
                    let terrain = Terrain::ALL[if i > 0 && near.len() == 1 { *terrain } else { terrain % 5 }];
                    let tribe = *tribe && !terrain.is_water() && tribes < 18;
                    tribes += usize::from(tribe);
                    let features: Vec<_> = [("mine", mine), ("cavern", cavern)]
                        .into_iter()
                        .filter(|f| *f.1)
                        .map(|f| f.0)
                        .collect();
                    json!({"terrain": terrain.name(), "features": features, "lost_tribe": tribe,
                        "rim": *rim || i == 0, "neighbours": near})
                })
                .collect();
            json!({ "regions": regions })
        })
    }

    /// Replaces the `n`th value in `json`, counted from the outside in, or removes a key's value.
    fn mutate(json: &mut Value, n: &mut usize, new: &Value) -> bool {
        if *n == 0 {
            *json = new.clone();
            return true;
        }
        *n -= 1;
        match json {
            Value::Array(list) => list.iter_mut().any(|v| mutate(v, n, new)),
            Value::Object(object) => object.values_mut().any(|v| mutate(v, n, new)),
            _ => false,
        }
    }

    fn any_value() -> impl Strategy<Value = Value> {
        prop_oneof![
            Just(json!(null)),
            any::<bool>().prop_map(Value::from),
            (-2i64..60).prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".{0,60}".prop_map(Value::from),
            prop::sample::select(Terrain::ALL.to_vec()).prop_map(|t| t.name().into()),
            prop::collection::vec(0u8..50, 0..5).prop_map(Value::from),
            Just(json!({"terrain": "sea", "neighbours": []})),
        ]
    }

    proptest! {
        #[test]
        fn maps_by_adjacency_are_read_placed_and_written(json in any_map()) {
            let map = Map::from_json(&json).unwrap();
            prop_assert_eq!(Map::from_json(&map.to_json()).unwrap(), map);
        }

        #[test]
        fn arbitrary_text_is_refused_without_panic(text in ".{0,200}") {
            let text = format!("{{{text}");
            prop_assert!(load(&text).is_err());
        }

        #[test]
        fn a_damaged_file_is_refused_in_one_line_or_is_another_valid_map(
            players in 2usize..=5,
            damage in prop::collection::vec((0usize..400, any_value()), 1..4),
        ) {
            let mut json = board(players).unwrap().to_json();
            for (mut place, new) in damage {
                mutate(&mut json, &mut place, &new);
            }
            match Map::from_json(&json) {
                Ok(map) => {
                    map.validate().unwrap();
                    prop_assert_eq!(Map::from_json(&map.to_json()).unwrap(), map);
                }
                Err(error) => {
                    let text = error.to_string();
                    prop_assert!(!text.contains('\n') && text.len() < 400, "{}", text);
                }
            }
        }

        #[test]
        fn damaged_bytes_are_refused_or_another_valid_map(
            seed: u64,
            damage in prop::collection::vec((0usize..size_of::<Map>(), any::<u8>()), 1..4),
        ) {
            let mut map = generate(3, &mut SeededChance::from_seed(seed)).unwrap();
            for (byte, new) in damage {
                bytemuck::bytes_of_mut(&mut map)[byte] = new;
            }
            if map.validate().is_ok() {
                prop_assert_eq!(Map::from_json(&map.to_json()).unwrap(), map);
            }
        }
    }
}
