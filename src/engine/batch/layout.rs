//! Which columns a batch has, and how wide they are.

use crate::engine::contract::spec::Spec;
use crate::engine::faces::columns::Widths;
use crate::engine::faces::config::{AutoReset, BatchConfig, MaskFormat, ObservationFormat};

/// Which columns a batch of games with this `spec` has under `config`.
pub(crate) fn widths(spec: &Spec, config: &BatchConfig) -> Widths {
    let when = |on: bool, n: usize| if on { n } else { 0 };
    let observation = when(config.observation != ObservationFormat::None, spec.observation_len());
    let floats = when(config.observation == ObservationFormat::F32, spec.observation_len());
    let bytes = when(config.mask == MaskFormat::Bytes, spec.num_actions as usize);
    let same_step = config.autoreset == AutoReset::SameStep;
    Widths {
        observations: observation,
        observations_f32: floats,
        mask_bits: spec.mask_words(),
        mask_bits_shown: 0,
        mask_bytes: bytes,
        next_sample: 0,
        rewards: spec.players,
        reward: 1,
        credit: spec.players,
        terminated: 1,
        truncated: 1,
        done: 1,
        current_player: 1,
        acting_player: 1,
        episode_length: 1,
        final_observations: when(same_step, observation),
        final_observations_f32: when(same_step, floats),
        final_mask_bits: when(same_step, spec.mask_words()),
        final_mask_bytes: when(same_step, bytes),
        final_player: when(same_step, 1),
        final_scores: spec.players,
        final_returns: spec.players,
    }
}
