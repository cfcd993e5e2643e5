//! Random self-play of a whole batch with a checksum over all its outputs.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::contract::chance::split_mix;
use crate::contract::support::error::Result;
use crate::dynamic::vector::VectorEnv;

/// A running 64-bit hash over every mask, observation, reward and done flag of a batch, in every format that the
/// batch writes. All other columns follow from these.
///
/// Games are hashed one by one and summed, so the result does not depend on threads or on how a batch is split into
/// blocks.
#[derive(Debug, Clone)]
pub struct Checksum {
    games: Vec<u64>,
}

impl Checksum {
    /// The checksum of `games` games before the first update.
    #[must_use]
    pub fn new(games: usize) -> Self {
        Self { games: vec![0; games] }
    }

    /// Adds the current outputs of the batch.
    pub fn update(&mut self, env: &dyn VectorEnv) {
        let columns = env.columns();
        let w = *columns.widths();
        for (i, hash) in self.games.iter_mut().enumerate() {
            let mut take = |bytes: &[u8]| *hash = xxh3_64_with_seed(bytes, *hash);
            take(bytemuck::cast_slice(&columns.mask_bits[i * w.mask_bits..(i + 1) * w.mask_bits]));
            if w.observations > 0 {
                take(&columns.observations[i * w.observations..(i + 1) * w.observations]);
            }
            take(bytemuck::cast_slice(&columns.rewards[i * w.rewards..(i + 1) * w.rewards]));
            take(&[columns.terminated[i], columns.truncated[i]]);
            if w.observations_f32 > 0 {
                let row = i * w.observations_f32..(i + 1) * w.observations_f32;
                take(bytemuck::cast_slice(&columns.observations_f32[row]));
            }
            if w.mask_bytes > 0 {
                take(&columns.mask_bytes[i * w.mask_bytes..(i + 1) * w.mask_bytes]);
            }
        }
    }

    /// The checksum so far. The checksums of the blocks of a batch sum (wrapping) to the checksum of the whole batch.
    #[must_use]
    pub fn value(&self, first_game: u64) -> u64 {
        let games = self.games.iter().zip(first_game..);
        games.fold(0, |sum, (hash, game)| sum.wrapping_add(split_mix(hash ^ split_mix(game))))
    }
}

/// Plays `steps` sampled decisions in every game and returns the checksum of all outputs, including the outputs before
/// the first decision.
///
/// # Errors
/// As for [`VectorEnv::step_sampled`].
pub fn checksum_of_rollout(env: &mut dyn VectorEnv, steps: usize) -> Result<u64> {
    let mut checksum = Checksum::new(env.config().num_envs);
    checksum.update(env);
    for _ in 0..steps {
        env.step_sampled()?;
        checksum.update(env);
    }
    Ok(checksum.value(env.config().first_game))
}
