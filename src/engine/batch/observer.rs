//! Writing observations into the rows of a batch, in the batch's format.

use crate::contract::observation::packed::PackedLayout;
use crate::contract::rules::Rules;
use crate::contract::spec::Spec;
use crate::dynamic::config::{BatchConfig, ObservationFormat};

/// Batches with at least this many bytes of observations write them with non-temporal stores, which bypass the
/// processor's caches. A batch of this size does not stay in the caches until its rows are written again, so the
/// space is better used for states and masks.
const NONTEMPORAL_FROM: usize = 4 << 20;

/// Writes observations in the format of a batch.
pub(crate) struct Observer {
    /// The layout of packed rows, if the format is packed.
    packed: Option<PackedLayout>,
    /// Scale of every observation element; empty unless floats are written.
    scales: Vec<f32>,
    /// Whether the rows of the batch are written with non-temporal stores.
    pub(super) nontemporal: bool,
}

impl Observer {
    pub(crate) fn new(spec: &Spec, config: &BatchConfig) -> Self {
        let format = config.observation;
        let bytes = config.total_games.unwrap_or(config.num_envs) * spec.observation_len();
        Self {
            packed: (format == ObservationFormat::Packed).then(|| spec.packed()),
            scales: if format == ObservationFormat::F32 { scales(spec) } else { Vec::new() },
            nontemporal: format == ObservationFormat::U8 && bytes >= NONTEMPORAL_FROM,
        }
    }

    /// Writes the observation of `seat` into `row`, and as floats into `floats` if the batch has them. Rows without
    /// elements are skipped.
    #[inline]
    pub(crate) fn write<G: Rules>(
        &self,
        game: &G,
        state: &G::State,
        seat: usize,
        row: &mut [u8],
        floats: &mut [f32],
    ) {
        if row.is_empty() {
            return;
        }
        match &self.packed {
            Some(layout) => game.observe_packed(state, seat, layout, row),
            None => game.observe(state, seat, row),
        }
        for ((float, &byte), scale) in floats.iter_mut().zip(&*row).zip(&self.scales) {
            *float = f32::from(byte) * scale;
        }
    }

    /// [`Self::write`] with non-temporal stores if the batch uses them, for rows that are not read before the whole
    /// batch is written.
    #[inline]
    pub(super) fn write_batch<G: Rules>(
        &self,
        game: &G,
        state: &G::State,
        seat: usize,
        row: &mut [u8],
        floats: &mut [f32],
    ) {
        if self.nontemporal {
            game.observe_nontemporal(state, seat, row);
        } else {
            self.write(game, state, seat, row, floats);
        }
    }
}

/// The float scale of every observation element.
fn scales(spec: &Spec) -> Vec<f32> {
    let mut scales = vec![0.0; spec.observation_len()];
    for field in &spec.observation {
        field.indices().for_each(|i| scales[i] = field.scale);
    }
    scales
}
