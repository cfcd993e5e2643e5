//! Bytes from files and from memory that other processes write to.

use std::sync::Arc;

use ludovec::engine::BatchConfig;
use ludovec::games::GAMES;
use ludovec::network::Network;
use ludovec::shm;

use super::bytes::Bytes;
use super::play::play_on;

/// Two bytes for the game and its options, then a snapshot of one game.
pub fn snapshot(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let game = bytes.game();
    let config = BatchConfig { num_envs: 1, threads: Some(1), ..BatchConfig::default() };
    let mut env = game.vector(config).expect("the configuration is fine");
    let snapshot = bytes.rest();
    if env.restore(&[0], snapshot).is_ok() {
        assert_eq!(
            env.save(&[0]).expect("the game exists"),
            snapshot,
            "a snapshot changes on its way through a batch"
        );
        let play = env.single(0).expect("the game exists");
        play_on(play, &mut Bytes::new(data));
        for _ in 0..20 {
            env.step_sampled().expect("games start anew");
        }
    }
}

/// A network's file; one that is accepted answers for the start positions of the games it is for.
pub fn network(data: &[u8]) {
    let Ok(network) = Network::read("fuzzed", data) else { return };
    let network = Arc::new(network);
    for entry in GAMES {
        let Ok(game) = entry.make(network.card().first_options()) else { continue };
        let Ok(seated) = network.seat(game.spec()) else { continue };
        let rows = game.clone().single(1).observation(0).expect("seat 0 exists");
        if let Ok(answers) = seated.answer(&rows, None, Some(1)) {
            assert_eq!(answers.values.len(), game.spec().players);
            assert_eq!(answers.logits.len(), game.spec().num_actions as usize);
        }
    }
}

/// The bytes of a fleet's segment, whatever they are: attaching says that no such fleet runs, or what is wrong with it.
pub fn segment(data: &[u8]) {
    let name = format!("fuzz-{}", std::process::id());
    let path = std::path::Path::new("/dev/shm").join(format!("ludovec.{name}"));
    if std::fs::write(&path, data).is_err() {
        return;
    }
    let attached = shm::attach(&name, None);
    let _ = std::fs::remove_file(&path);
    assert!(attached.is_err(), "a fleet that nobody runs was attached to");
}
