//! The columns of a batch: which exist, their widths, and their memory.

use crate::batch::claim::Claim;
use crate::contract::spec::Spec;
use crate::contract::support::error::{Error, Result};
use crate::dynamic::columns::{Columns, DType, PlaceColumn, Widths};
use crate::dynamic::config::{AutoReset, BatchConfig, MaskFormat, ObservationFormat};

/// The widths of the columns of a batch of games with this `spec` under `config`.
pub(crate) fn widths(spec: &Spec, config: &BatchConfig) -> Widths {
    let when = |on: bool, n: usize| if on { n } else { 0 };
    let observation = config.observation.shape(spec).iter().product();
    let floats = when(config.observation == ObservationFormat::F32, observation);
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
        credit_of_mover: 1,
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
        tree: 0,
    }
}

/// Checks the range of the number of games.
pub(super) fn check(config: &BatchConfig) -> Result<()> {
    if config.num_envs == 0 || config.num_envs > u32::MAX as usize {
        return Err(Error::config(format!("num_envs={}: 1 to {} are allowed", config.num_envs, u32::MAX)));
    }
    let last_start = u64::MAX - config.num_envs as u64;
    if config.first_game > last_start {
        return Err(Error::config(format!(
            "first_game={}: 0 to {last_start} are allowed for {} games",
            config.first_game, config.num_envs
        )));
    }
    Ok(())
}

/// The columns of a batch of games with this `spec`, some of them in memory returned by `place`, and the claims on
/// that memory.
///
/// The mask bits are always in the engine's own memory, because legality is checked against them.
///
/// # Safety
/// As for [`Columns::placed`].
///
/// # Errors
/// [`Error::InvalidConfig`](crate::Error::InvalidConfig) if a place does not fit, or another batch of this process
/// writes there.
pub(super) unsafe fn allocate(
    spec: &Spec,
    config: &BatchConfig,
    place: &mut PlaceColumn<'_>,
) -> Result<(Columns, Vec<Claim>)> {
    let mut claims = Vec::new();
    let mut place = |name: &'static str, dtype: DType, bytes: usize| {
        let memory = place(name, dtype, bytes)?;
        claims.push(Claim::new(name, &memory));
        Some(memory)
    };
    let mut widths = widths(spec, config);
    let mask_bytes = 8 * widths.mask_bits * config.num_envs;
    let mut shown = place("mask_bits_shown", DType::U64, mask_bytes);
    if shown.is_some() {
        widths.mask_bits_shown = widths.mask_bits;
    }
    let mut next_sample = place("next_sample", DType::I32, 4 * config.num_envs);
    widths.next_sample = next_sample.is_some().into();
    // Safety: the caller vouches for the results of `place`.
    let columns = unsafe {
        Columns::placed(config.num_envs, widths, &mut |name, dtype, bytes| match name {
            "mask_bits" => None,
            "mask_bits_shown" => shown.take(),
            "next_sample" => next_sample.take(),
            _ => place(name, dtype, bytes),
        })
    }?;
    Ok((columns, claims.into_iter().collect::<Result<_>>()?))
}
