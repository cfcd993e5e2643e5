//! `ludovec serve`

use crate::arguments::{BatchArgs, EnvArgs, named};
use crate::failure::CommandResult;
use crate::signals::handle_signals;
use ludovec::engine::{AutoReset, BatchConfig, MaskFormat, ObservationFormat};
use ludovec::play::results::thousands;
use ludovec::shm::{Fleet, FleetConfig};

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    env: EnvArgs,
    /// Name to which clients attach
    #[arg(long)]
    name: String,
    #[command(flatten)]
    batch: BatchArgs,
    /// Ranges of games that clients claim and step independently; by default four per thread, but at least 64 games
    /// per block
    #[arg(long)]
    blocks: Option<usize>,
    /// Observations
    #[arg(long, value_parser = named::<ObservationFormat>(&[]), default_value = "u8")]
    obs: ObservationFormat,
    /// Masks
    #[arg(long, value_parser = named::<MaskFormat>(&[]), default_value = "bytes")]
    mask: MaskFormat,
    /// Handling of finished games
    #[arg(long, value_parser = named::<AutoReset>(&[]), default_value = "same_step")]
    autoreset: AutoReset,
    /// Permission to attach, in octal: 0600 this user, 0660 the group, 0666 all users
    #[arg(long, default_value = "0600", value_parser = mode)]
    mode: u32,
}

fn mode(text: &str) -> Result<u32, String> {
    u32::from_str_radix(text, 8).map_err(|_| "octal digits are needed".into())
}

pub(super) fn run(args: &Args) -> CommandResult {
    let game = args.env.make()?;
    let config = FleetConfig {
        name: args.name.clone(),
        blocks: args.blocks,
        mode: args.mode,
        batch: BatchConfig {
            num_envs: args.batch.num_envs,
            seed: args.batch.seed,
            threads: Some(args.batch.threads()),
            autoreset: args.autoreset,
            observation: args.obs,
            mask: args.mask,
            ..BatchConfig::default()
        },
    };
    let fleet = Fleet::start(game, config)?;
    handle_signals(fleet.stopper())?;
    println!(
        "{} games of {} in {} blocks as {:?}, {} bytes of shared memory; Ctrl-C stops the fleet",
        thousands(args.batch.num_envs as u64),
        args.env.env,
        fleet.num_blocks(),
        args.name,
        thousands(fleet.segment_bytes() as u64)
    );
    Ok(fleet.wait(None).unwrap_or(Ok(()))?)
}
