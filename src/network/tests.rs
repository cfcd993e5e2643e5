//! Networks compared with slow reference arithmetic, in batches of every size, and malformed files.

mod slow;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;

use self::slow::Slow;
use super::random_files::{BLOCKS, File, Noise, Parts, WIDTH, file, flat, heads, metadata};
use super::{Network, Precision, Source};
use crate::engine::{
    ActionLayout, CpuLevel, Interrupt, LegalActions, Named, ObservationLayout, OptionSpec, Options, Spec,
};

/// A network of random weights over the planes and scalars of [`board_spec`].
fn over_board(spec: &Spec) -> File {
    let inputs = json!({
        "board": { "field": "stones", "axis": -2 },
        "planes": [["stones", [0], 1], ["stones", [1], 2], ["stones", [0], 2]],
        "scalars": [["clock", [0], 1], ["clock", [1], 1], ["clock", [2], 1]],
    });
    let (mut noise, mut parts) = (Noise(5), Parts::new());
    noise.tables(&mut parts);
    noise.dense(&mut parts, "planes", &[WIDTH, 3, 3, 3]);
    noise.dense(&mut parts, "scalars", &[WIDTH, 3]);
    for block in 0..BLOCKS {
        noise.dense(&mut parts, &format!("blocks.{block}.first"), &[WIDTH, 3, 3, WIDTH]);
        noise.dense(&mut parts, &format!("blocks.{block}.second"), &[WIDTH, 3, 3, WIDTH]);
        noise.tensor(&mut parts, &format!("blocks.{block}.pooled.weight"), &[WIDTH, WIDTH]);
    }
    heads(&mut noise, &mut parts, 2, 1, spec.players);
    (parts, metadata(spec, &inputs))
}

/// The same network with blocks over patches with this side.
fn over_patches((mut parts, metadata): File, stride: usize) -> File {
    let mut noise = Noise(6);
    noise.dense(&mut parts, "down", &[WIDTH, stride * stride * WIDTH]);
    noise.dense(&mut parts, "up", &[stride * stride * WIDTH, WIDTH]);
    (parts, metadata)
}

/// The same network with distributions over three possible values for each of two players.
fn over_distributions((mut parts, metadata): File) -> File {
    let mut noise = Noise(8);
    parts.retain(|part| !part.0.starts_with("value."));
    noise.dense(&mut parts, "value", &[2 * 3, 7]);
    noise.tensor(&mut parts, "support", &[3]);
    (parts, metadata)
}

/// A spec without a game: a board of this size, two numbers, two families of places and a pass.
fn board_spec(rows: usize, columns: usize) -> Spec {
    let mut layout = ObservationLayout::default();
    layout.push("stones", &[2, rows, columns], 3, "");
    layout.push("clock", &[2], 255, "");
    let mut actions = ActionLayout::default();
    actions.push("black", (rows * columns) as u32, "");
    actions.push("pass", 1, "");
    actions.push("white", (rows * columns) as u32, "");
    let sizes = OptionSpec::int("rows", 1, 64, rows as i64, "");
    Spec {
        env: "stones",
        version: 3,
        summary: "",
        options: Options::parse(&[sizes], [] as [(&str, crate::engine::OptionValue); 0]).unwrap(),
        players: 2,
        num_actions: actions.len(),
        actions: actions.into_families(),
        observation_shape: vec![layout.len()],
        observation: layout.into_fields(),
        score: "",
        reward_range: (-1.0, 1.0),
        max_episode_steps: 1,
        hidden_information: false,
        payoff: Default::default(),
        simultaneous: "",
        state_bytes: 0,
        state: Vec::new(),
        values: Default::default(),
    }
}

fn observations(spec: &Spec, rows: usize) -> Vec<u8> {
    let mut noise = Noise(9);
    (0..rows * spec.observation_len()).map(|_| (noise.next(1.0).abs() * 255.0) as u8).collect()
}

fn assert_near(found: &[f32], wanted: &[f64]) {
    assert_eq!(found.len(), wanted.len());
    for (found, wanted) in found.iter().zip(wanted) {
        assert!((f64::from(*found) - wanted).abs() < 1e-4 * (1.0 + wanted.abs()), "{found} {wanted}");
    }
}

fn read(parts: &Parts, metadata: &BTreeMap<&str, String>) -> Arc<Network> {
    Arc::new(Network::read("a file", &file(parts, metadata)).unwrap())
}

fn read_at(parts: &Parts, metadata: &BTreeMap<&str, String>, precision: Precision) -> Arc<Network> {
    let source = Source::of_bytes("a file", &file(parts, metadata)).unwrap();
    Arc::new(Network::from_source(&source.with_precision(Some(precision))).unwrap())
}

/// A spec with one field of this many numbers.
fn flat_spec() -> Spec {
    let mut spec = board_spec(4, 5);
    let mut layout = ObservationLayout::default();
    layout.push("numbers", &[6, 7], 255, "");
    spec.observation_shape = vec![layout.len()];
    spec.observation = layout.into_fields();
    spec
}

#[test]
fn networks_match_slow_arithmetic() {
    let spec = flat_spec();
    let rows = observations(&spec, 70);
    for (parts, metadata) in [flat(&spec, 1), over_distributions(flat(&spec, 1))] {
        let answers = read(&parts, &metadata)
            .fit(&spec)
            .unwrap()
            .answer(&rows, None, Some(1), &Interrupt::default())
            .unwrap();
        for (row, observation) in rows.chunks_exact(spec.observation_len()).enumerate() {
            let (logits, values) = Slow(&parts).flat(observation);
            let actions = spec.num_actions as usize;
            assert_near(&answers.logits[row * actions..(row + 1) * actions], &logits);
            assert_near(&answers.values[row * 2..row * 2 + 2], &values);
        }
    }
    for board in [(1, 1), (1, 6), (5, 1), (3, 4), (9, 8), (20, 20)] {
        let spec = board_spec(board.0, board.1);
        let rows = observations(&spec, 5);
        let patches = [2, 3].map(|stride| over_patches(over_board(&spec), stride));
        let networks = [over_board(&spec), over_distributions(over_board(&spec))];
        for (parts, metadata) in networks.into_iter().chain(patches) {
            let answers = read(&parts, &metadata)
                .fit(&spec)
                .unwrap()
                .answer(&rows, None, Some(1), &Interrupt::default())
                .unwrap();
            for (row, observation) in rows.chunks_exact(spec.observation_len()).enumerate() {
                let (logits, values) = Slow(&parts).over_board(observation, board);
                let actions = spec.num_actions as usize;
                // On a board of one cell every family of one action counts as a plane, which the slow arithmetic does
                // not support.
                if board != (1, 1) {
                    assert_near(&answers.logits[row * actions..(row + 1) * actions], &logits);
                }
                assert_near(&answers.values[row * 2..row * 2 + 2], &values);
            }
        }
    }
}

#[test]
fn a_row_has_the_same_bits_in_every_batch_and_on_any_number_of_threads() {
    let networks = [
        (flat_spec(), flat(&flat_spec(), 2)),
        (flat_spec(), over_distributions(flat(&flat_spec(), 2))),
        (board_spec(8, 8), over_board(&board_spec(8, 8))),
        (board_spec(7, 8), over_patches(over_board(&board_spec(7, 8)), 2)),
        (map_spec(), over_map(&map_spec())),
    ];
    let cases =
        networks.iter().flat_map(|network| Precision::NAMES.iter().map(move |(_, at)| (network, *at)));
    for ((spec, (parts, metadata)), precision) in cases {
        let fitted = read_at(parts, metadata, precision).fit(spec).unwrap();
        let (len, actions) = (spec.observation_len(), spec.num_actions as usize);
        let rows = observations(spec, 200);
        let whole = fitted.answer(&rows, None, None, &Interrupt::default()).unwrap();
        for size in [1, 2, 3, 7, 8, 15, 64, 65, 130] {
            for (batch, rows) in rows.chunks(size * len).enumerate() {
                let part = fitted.answer(rows, None, Some(1), &Interrupt::default()).unwrap();
                let first = batch * size;
                let bits = |numbers: &[f32]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                assert_eq!(
                    bits(&part.logits),
                    bits(&whole.logits[first * actions..][..part.logits.len()]),
                    "{size}"
                );
                assert_eq!(
                    bits(&part.values),
                    bits(&whole.values[first * 2..][..part.values.len()]),
                    "{size}"
                );
            }
        }
        // Some actions of every row, in batches split over tasks.
        let legal: Vec<u32> = (0..200).flat_map(|row| [row % 5, 5 + row % 3]).collect();
        let legal = LegalActions { offsets: (0..=200).map(|i| 2 * i).collect(), actions: legal };
        let asked = fitted.answer(&rows, Some(&legal), None, &Interrupt::default()).unwrap();
        let wanted: Vec<f32> =
            (0..400).map(|i| whole.logits[i / 2 * actions + legal.actions[i] as usize]).collect();
        assert_eq!((asked.logits, asked.values), (wanted, whole.values));
    }
}

#[test]
fn answers_have_the_same_bits_at_every_level_of_the_processor() {
    let networks = [
        (flat_spec(), flat(&flat_spec(), 2)),
        (board_spec(5, 7), over_board(&board_spec(5, 7))),
        (board_spec(5, 7), over_patches(over_board(&board_spec(5, 7)), 3)),
        (map_spec(), over_map(&map_spec())),
    ];
    for (spec, (parts, metadata)) in &networks {
        for &(name, precision) in Precision::NAMES {
            let fitted = read_at(parts, metadata, precision).fit(spec).unwrap();
            let rows = observations(spec, 70);
            let mut answers = CpuLevel::NAMES.iter().map(|(_, level)| {
                level.limit_to();
                let answers = fitted.answer(&rows, None, Some(1), &Interrupt::default()).unwrap();
                answers.logits.iter().chain(&answers.values).map(|x| x.to_bits()).collect::<Vec<_>>()
            });
            let first = answers.next().unwrap();
            assert!(answers.all(|answers| answers == first), "{name}");
        }
    }
    CpuLevel::limit().unwrap().unwrap_or(CpuLevel::HIGHEST).limit_to();
}

#[test]
fn integers_are_near_single_precision() {
    let networks = [
        (flat_spec(), flat(&flat_spec(), 2)),
        (board_spec(5, 7), over_board(&board_spec(5, 7))),
        (board_spec(5, 7), over_patches(over_board(&board_spec(5, 7)), 3)),
        (map_spec(), over_map(&map_spec())),
    ];
    for (spec, (parts, metadata)) in &networks {
        let rows = observations(spec, 50);
        let answers = |precision| {
            let fitted = read_at(parts, metadata, precision).fit(spec).unwrap();
            assert_eq!(fitted.network().card().precision, precision);
            fitted.answer(&rows, None, Some(1), &Interrupt::default()).unwrap()
        };
        let float = answers(Precision::Float);
        for (precision, most) in [(Precision::Int8, 0.03), (Precision::Int16, 0.003)] {
            let integers = answers(precision);
            assert_ne!(float, integers);
            for (float, found) in [(&float.logits, integers.logits), (&float.values, integers.values)] {
                for (float, found) in float.iter().zip(found) {
                    assert!((float - found).abs() < most * (1.0 + float.abs()), "{float} {found}");
                }
            }
        }
    }
}

#[test]
fn a_file_names_its_precision_and_a_caller_another_one() {
    let spec = flat_spec();
    let (parts, mut metadata) = flat(&spec, 2);
    let precision = |network: &Network| network.card().precision;
    assert_eq!(precision(&read(&parts, &metadata)), Precision::Float);
    metadata.insert("precision", "int8".into());
    assert_eq!(precision(&read(&parts, &metadata)), Precision::Int8);
    assert_eq!(precision(&read_at(&parts, &metadata, Precision::Float)), Precision::Float);
}

#[test]
fn files_that_are_cut_short_or_changed_are_refused_in_one_line_or_read() {
    let spec = flat_spec();
    let (parts, metadata) = flat(&spec, 3);
    let whole = file(&parts, &metadata);
    let one_line = |error: &crate::engine::Error| {
        let text = error.to_string();
        assert!(text.contains("a file: ") && !text.contains('\n'), "{text}");
    };
    let header = 8 + u64::from_le_bytes(whole[..8].try_into().unwrap()) as usize;
    for len in (0..header.min(400)).chain((header..whole.len()).step_by(97)) {
        one_line(&Network::read("a file", &whole[..len]).expect_err("it is cut short"));
    }
    let mut noise = Noise(77);
    for _ in 0..3000 {
        let mut changed = whole.clone();
        for _ in 0..3 {
            let at = (noise.next(1.0).abs() * header as f32) as usize % changed.len();
            changed[at] = (noise.next(1.0).abs() * 255.0) as u8;
        }
        match Network::read("a file", &changed) {
            Err(error) => one_line(&error),
            Ok(network) => {
                if let Ok(fitted) = Arc::new(network).fit(&spec) {
                    let _ = fitted.answer(&observations(&spec, 3), None, Some(1), &Interrupt::default());
                }
            }
        }
    }
}

#[test]
fn networks_that_do_not_fit_are_refused_with_a_reason() {
    let spec = flat_spec();
    let refusal = |change: &dyn Fn(&mut Parts, &mut BTreeMap<&'static str, String>)| {
        let (mut parts, mut metadata) = flat(&spec, 4);
        change(&mut parts, &mut metadata);
        let network = Network::read("a file", &file(&parts, &metadata));
        network.and_then(|network| Arc::new(network).fit(&spec)).expect_err("it does not fit").to_string()
    };
    type Change = fn(&mut Parts, &mut BTreeMap<&'static str, String>);
    let cases: [(Change, &str); 18] = [
        (|_, metadata| drop(metadata.insert("environment", "go".into())), "it plays go, not stones"),
        (|_, metadata| drop(metadata.insert("version", "2".into())), "version 2"),
        (|_, metadata| drop(metadata.insert("version", "two".into())), "\"version\""),
        (|_, metadata| drop(metadata.remove("options")), "\"options\""),
        (|_, metadata| drop(metadata.insert("options", r#"{"rows":[9,19]}"#.into())), "rows=9 or 19, not 4"),
        (
            |_, metadata| drop(metadata.insert("options", r#"{"rows":{"min":5,"max":9}}"#.into())),
            "rows=5 to 9",
        ),
        (|_, metadata| drop(metadata.insert("options", "{}".into())), "does not mention rows"),
        (|_, metadata| drop(metadata.insert("reward", "money".into())), "\"reward\""),
        (|_, metadata| drop(metadata.insert("precision", "half".into())), "\"precision\""),
        (|_, metadata| drop(metadata.insert("search", "best".into())), "\"search\""),
        (|_, metadata| drop(metadata.insert("c_init", "-1".into())), "\"c_init\""),
        (|_, metadata| drop(metadata.insert("c_init", "much".into())), "\"c_init\""),
        (|_, metadata| drop(metadata.insert("value_scale", "NaN".into())), "\"value_scale\""),
        (|_, metadata| drop(metadata.insert("value_scale", "-1".into())), "\"value_scale\""),
        (
            |_, metadata| drop(metadata.insert("options", r#"{"rows":"any","lines":[1]}"#.into())),
            "\"lines\", which is not an option",
        ),
        (|parts, _| parts.retain(|part| part.0 != "value.weight"), "lacks the tensor \"value.weight\""),
        (|parts, _| parts[0].3[..4].copy_from_slice(&f32::NAN.to_le_bytes()), "not a finite number"),
        (
            |parts, _| {
                let head = parts.iter_mut().find(|part| part.0 == "policy_others.weight").unwrap();
                head.3.truncate(WIDTH * 4);
                head.2[0] = 1;
                let bias = parts.iter_mut().find(|part| part.0 == "policy_others.bias").unwrap();
                bias.3.truncate(4);
                bias.2[0] = 1;
            },
            "its policy has 1 outputs",
        ),
    ];
    for (change, reason) in cases {
        let text = refusal(&change);
        assert!(text.contains(reason) && !text.contains('\n'), "{text}: {reason}");
    }
    let of_patches =
        |file: File| Network::read("a file", &self::file(&file.0, &file.1)).unwrap_err().to_string();
    let text = of_patches(over_patches(flat(&spec, 4), 2));
    assert!(text.contains("patches and there is no board"), "{text}");
    for (stride, cells) in [(1, 1), (17, 289), (2, 5)] {
        let (mut parts, metadata) = over_board(&board_spec(4, 5));
        Noise(6).dense(&mut parts, "down", &[WIDTH, cells * WIDTH]);
        Noise(6).dense(&mut parts, "up", &[stride * stride * WIDTH, WIDTH]);
        let text = of_patches((parts, metadata));
        assert!(text.contains("with a side of 2 to 16 are needed"), "{text}");
    }
    // Weights that overflow are reported at inference.
    let (mut parts, metadata) = flat(&spec, 4);
    for name in ["value.weight", "value_hidden.weight"] {
        let part = parts.iter_mut().find(|part| part.0 == name).unwrap();
        part.3.chunks_exact_mut(4).for_each(|bytes| bytes.copy_from_slice(&1e38f32.to_le_bytes()));
    }
    let fitted = read(&parts, &metadata).fit(&spec).unwrap();
    let error =
        fitted.answer(&observations(&spec, 3), None, Some(1), &Interrupt::default()).unwrap_err().to_string();
    assert!(error.contains("not a finite number"), "{error}");
}

/// A spec without a game: a map of 11 nodes, two sets and a number of nodes, three numbers of the whole.
fn map_spec() -> Spec {
    let mut spec = board_spec(4, 5);
    let mut layout = ObservationLayout::default();
    layout.push("clock", &[3], 255, "");
    layout.push("adjacency", &[11, 2], 255, "set of the nodes that touch each node");
    layout.push("owned", &[2, 2], 255, "sets of the nodes of each seat");
    layout.push("men", &[11], 255, "men on each node");
    spec.observation_shape = vec![layout.len()];
    spec.observation = layout.into_fields();
    let mut actions = ActionLayout::default();
    actions.push("attack", 11, "");
    actions.push("pass", 2, "");
    actions.push("defend", 11, "");
    spec.num_actions = actions.len();
    spec.actions = actions.into_families();
    spec
}

/// A network of random weights over the map of [`map_spec`].
fn over_map(spec: &Spec) -> File {
    let inputs = json!({
        "board": null,
        "graph": { "field": "adjacency" },
        "planes": [["owned", [0], 2], ["owned", [1], 2], ["men", [], 1], ["owned", [2], 2]],
        "scalars": [["clock", [0], 1], ["clock", [2], 10]],
    });
    let (mut noise, mut parts) = (Noise(6), Parts::new());
    noise.tensor(&mut parts, "tables", &[11, 256]);
    parts[0].3[..4 * 256].fill(0);
    let bits = (0..8).flat_map(|bit| (0..256).map(move |byte| f32::from((byte >> bit & 1) as u8)));
    let bits: Vec<u8> = bits.flat_map(f32::to_le_bytes).collect();
    parts[0].3[2 * 4 * 256..][..bits.len()].copy_from_slice(&bits);
    noise.dense(&mut parts, "planes", &[WIDTH, 4]);
    noise.dense(&mut parts, "scalars", &[WIDTH, 2]);
    noise.tensor(&mut parts, "spread.weight", &[WIDTH, WIDTH]);
    for block in 0..BLOCKS {
        noise.dense(&mut parts, &format!("blocks.{block}.first"), &[WIDTH, 2 * WIDTH]);
        noise.tensor(&mut parts, &format!("blocks.{block}.whole.weight"), &[WIDTH, WIDTH]);
        noise.dense(&mut parts, &format!("blocks.{block}.second"), &[WIDTH, WIDTH]);
        noise.dense(&mut parts, &format!("blocks.{block}.mixed"), &[WIDTH, 2 * WIDTH]);
    }
    heads(&mut noise, &mut parts, 2, 2, 3 * spec.players);
    noise.tensor(&mut parts, "support", &[3]);
    (parts, metadata(spec, &inputs))
}

/// Observations of maps: a symmetric relation of 4 to 11 nodes, anything else.
fn maps(spec: &Spec, rows: usize) -> Vec<u8> {
    let mut all = observations(spec, rows);
    let mut noise = Noise(12);
    for (i, row) in all.chunks_exact_mut(spec.observation_len()).enumerate() {
        let edges = &mut row[3..25];
        edges.fill(0);
        let nodes = 4 + i % 8;
        for (a, b) in (1..nodes).flat_map(|b| (0..b).map(move |a| (a, b))) {
            if b == a + 1 || noise.next(1.0) > 0.4 {
                edges[2 * a + b / 8] |= 1 << (b % 8);
                edges[2 * b + a / 8] |= 1 << (a % 8);
            }
        }
    }
    all
}

#[test]
fn networks_over_maps_match_slow_arithmetic() {
    let spec = map_spec();
    let (parts, metadata) = over_map(&spec);
    let rows = maps(&spec, 21);
    let fitted = read(&parts, &metadata).fit(&spec).unwrap();
    let answers = fitted.answer(&rows, None, Some(1), &Interrupt::default()).unwrap();
    for (row, observation) in rows.chunks_exact(spec.observation_len()).enumerate() {
        let (logits, values) = Slow(&parts).over_map(observation);
        let actions = spec.num_actions as usize;
        assert_near(&answers.logits[row * actions..(row + 1) * actions], &logits);
        assert_near(&answers.values[row * 2..row * 2 + 2], &values);
    }
    // Rows of any bytes: edges in one direction, nodes with themselves, no node at all.
    let mut hostile = observations(&spec, 9);
    hostile[..spec.observation_len()].fill(0);
    let answers = fitted.answer(&hostile, None, Some(1), &Interrupt::default()).unwrap();
    assert_eq!(answers.values.len(), 18);
}
