//! Positions from outside: of a game, and at the start of episodes.

use super::*;

#[test]
fn a_position_from_json_is_played_in_a_batch() {
    let mut env = batch(AutoReset::SameStep, &[]);
    let mut position = env.single(3).unwrap().position();
    position["points"] = serde_json::json!([19, 0]);
    env.set_position(3, Position::Json(&position)).unwrap();
    assert_eq!(env.single(3).unwrap().scores(), [19.0, 0.0]);
    position["player"] = 2.into();
    assert!(matches!(env.set_position(3, Position::Json(&position)), Err(Error::InvalidState(_))));
    assert!(matches!(env.set_position(200, Position::Json(&position)), Err(Error::InvalidConfig(_))));
}

#[test]
fn episodes_start_from_given_positions_drawn_from_their_streams() {
    let mut env = batch(AutoReset::SameStep, &[]);
    let mut position = env.single(3).unwrap().position();
    let mut starts = Vec::new();
    for points in [7, 11, 15] {
        position["points"] = serde_json::json!([points, 0]);
        env.set_position(0, Position::Json(&position)).unwrap();
        starts.push((position.clone(), env.save(&[0]).unwrap()));
    }
    let json: Vec<_> = starts.iter().map(|(json, _)| Position::Json(json)).collect();
    let bytes: Vec<_> = starts.iter().map(|(_, bytes)| Position::Snapshot(bytes)).collect();
    let points = |env: &dyn VectorEnv| -> Vec<f32> {
        (0..GAMES as u32).map(|id| env.single(id).unwrap().scores()[0]).collect()
    };
    env.set_starts(&json, &[]).unwrap();
    env.reset(Some(9)).unwrap();
    let first = points(&*env);
    for start in [7.0, 11.0, 15.0] {
        assert!(first.iter().filter(|&&points| points == start).count() > GAMES / 6, "{first:?}");
    }
    // The same episodes from snapshots, from another batch, and by other threads.
    let mut other = batch(AutoReset::NextStep, &[]);
    other.set_starts(&bytes, &[]).unwrap();
    other.reset(Some(9)).unwrap();
    assert_eq!(points(&*other), first);
    // Auto-resets keep the starts.
    let mut fresh = 0;
    for _ in 0..if cfg!(miri) { 4 } else { 100 } {
        env.step_sampled().unwrap();
        let after = points(&*env);
        for (game, done) in env.columns().done.iter().enumerate() {
            if *done == 1 {
                fresh += 1;
                assert!([7.0, 11.0, 15.0].contains(&after[game]), "{}", after[game]);
            }
        }
    }
    assert!(fresh > GAMES || cfg!(miri));
    // Weights are probabilities; a weight of 0 is never drawn.
    env.set_starts(&json, &[3.0, 0.0, 1.0]).unwrap();
    env.reset(Some(9)).unwrap();
    let weighted = points(&*env);
    let share = |start| weighted.iter().filter(|&&points| points == start).count() as f64 / GAMES as f64;
    assert!((share(7.0) - 0.75).abs() < 0.2 && share(11.0) == 0.0, "{weighted:?}");
    env.set_starts(&json, &[1e-300, 0.0, 1e-300]).unwrap();
    for (weights, word) in
        [(&[1.0][..], "3 starts"), (&[0.0; 3], "above 0"), (&[1.0, -1.0, 1.0], "-1"), (&[f64::NAN; 3], "NaN")]
    {
        let error = env.set_starts(&json, weights).unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    }
    env.set_starts(&json, &[]).unwrap();
    // A refused start changes nothing; no start restores the rules.
    position["points"] = serde_json::json!([99, 0]);
    assert!(matches!(
        env.set_starts(&[json[0], Position::Json(&position)], &[]),
        Err(Error::InvalidState(_))
    ));
    assert!(matches!(env.set_starts(&[Position::Snapshot(b"x")], &[]), Err(Error::InvalidState(_))));
    let two = env.save(&[0, 1]).unwrap();
    assert!(matches!(env.set_position(0, Position::Snapshot(&two)), Err(Error::InvalidState(_))));
    env.reset(Some(9)).unwrap();
    assert_eq!(points(&*env), first);
    env.set_starts(&[], &[]).unwrap();
    env.reset(None).unwrap();
    assert!(points(&*env).iter().all(|&points| points == 0.0));
}
