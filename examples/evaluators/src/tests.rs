//! The searches have the results of the same functions in plain Rust.

use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use ludovec::engine::{
    Error, LeafAnswers, LeafEvaluator, Leaves, Result,
};

use super::{CandleNetwork, OnnxNetwork, search};

const GAMES: usize = 8;
const SIMULATIONS: u32 = 24;

/// The arithmetic of both networks: the value is `tanh(sum / 100)`, the logit of action `i` is `sum * i / 10,000`.
struct Plain;

impl LeafEvaluator for Plain {
    fn evaluate(
        &mut self,
        leaves: &Leaves<'_>,
        answers: &mut LeafAnswers<'_>,
    ) -> Result<()> {
        let (width, actions) = (
            leaves.observations_f32.len() / leaves.rows,
            leaves.num_actions,
        );
        for row in 0..leaves.rows {
            let sum: f32 = leaves.observations_f32[row * width..]
                [..width]
                .iter()
                .sum();
            answers.values[row] = (sum / 100.0).tanh();
            for (action, logit) in answers.logits[row * actions..]
                [..actions]
                .iter_mut()
                .enumerate()
            {
                *logit = sum * action as f32 / 10_000.0;
            }
        }
        Ok(())
    }
}

fn check(evaluator: &mut dyn LeafEvaluator) {
    let (found, plain) = (
        search(evaluator, GAMES, SIMULATIONS).unwrap(),
        search(&mut Plain, GAMES, SIMULATIONS).unwrap(),
    );
    assert_eq!(found.actions, plain.actions);
    let near = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-4;
    assert!(
        found.values.iter().zip(&plain.values).all(near),
        "{:?} {:?}",
        found.values,
        plain.values
    );
    assert!(plain.values.iter().any(|value| value.abs() > 0.01));
}

#[test]
fn candle_evaluates_leaves() {
    let game = ludovec::games::find("starwars_risk")
        .unwrap()
        .make([])
        .unwrap();
    let (observation, actions) = (
        game.spec().observation_len(),
        game.spec().num_actions as usize,
    );
    let device = Device::Cpu;
    let tensor = |data: Vec<f32>, shape: (usize, usize)| {
        Tensor::from_vec(data, shape, &device).unwrap()
    };
    let zeros =
        |len: usize| Tensor::zeros(len, DType::F32, &device).unwrap();
    let ramp: Vec<f32> =
        (0..actions).map(|action| action as f32 / 10_000.0).collect();
    let weights = [
        (
            "hidden.weight",
            tensor(vec![1.0; observation], (1, observation)),
        ),
        ("hidden.bias", zeros(1)),
        ("policy.weight", tensor(ramp, (actions, 1))),
        ("policy.bias", zeros(actions)),
        ("value.weight", tensor(vec![0.01], (1, 1))),
        ("value.bias", zeros(1)),
    ];
    let folder = std::env::temp_dir()
        .join(format!("evaluators-{}.safetensors", std::process::id()));
    candle_core::safetensors::save(
        &weights.into_iter().collect(),
        &folder,
    )
    .unwrap();
    // Safety: the file is this test's own.
    let weights = unsafe {
        VarBuilder::from_mmaped_safetensors(
            &[&folder],
            DType::F32,
            &device,
        )
    }
    .unwrap();
    check(
        &mut CandleNetwork::new(weights.clone(), game.spec(), 1)
            .unwrap(),
    );
    assert!(CandleNetwork::new(weights, game.spec(), 2).is_err());
    std::fs::remove_file(folder).unwrap();
}

#[test]
fn onnx_runtime_evaluates_leaves() {
    check(
        &mut OnnxNetwork::new(include_bytes!("../sum.onnx")).unwrap(),
    );
    assert!(OnnxNetwork::new(b"no file").is_err());
}

#[test]
fn the_page_shows_these_functions() {
    let page = include_str!("../../../docs/use/rust.md");
    for source in [include_str!("candle.rs"), include_str!("onnx.rs")] {
        let rest = &source[source.find("    fn answer(").unwrap()..];
        let function = &rest[..rest.find("\n    }\n").unwrap()];
        assert!(page.contains(function), "{function}");
    }
}

#[test]
fn errors_of_networks_end_the_search() {
    struct Wrong;
    impl LeafEvaluator for Wrong {
        fn evaluate(
            &mut self,
            _: &Leaves<'_>,
            _: &mut LeafAnswers<'_>,
        ) -> Result<()> {
            Err(Error::config("candle: no memory"))
        }
    }
    let error = search(&mut Wrong, 2, 4).unwrap_err();
    assert_eq!(
        error.to_string(),
        "invalid configuration: candle: no memory"
    );
}
