//! Games of a library play as they do without the guard, and their panics are errors.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::pig::Pig;
use crate::guarded::guarded_entries;
use crate::{
    AnyGame, BatchConfig, Effort, Entry, Error, Evaluator, Interrupt, Options, Position, Result,
    SearchSettings, Status, VectorEnv, rollout,
};

fn sound(_: &Options) -> Result<Arc<dyn AnyGame>> {
    Ok(Arc::new(Pig::new(&[])))
}
fn breaking(_: &Options) -> Result<Arc<dyn AnyGame>> {
    Ok(Arc::new(Pig { breaks_at: 6, ..Pig::new(&[]) }))
}
fn unbuildable(_: &Options) -> Result<Arc<dyn AnyGame>> {
    panic!("no board fits")
}
fn refusing(_: &Options) -> Result<Arc<dyn AnyGame>> {
    Error::state("no dice").unwind()
}

const fn entry(build: fn(&Options) -> Result<Arc<dyn AnyGame>>) -> Entry {
    Entry::new("pig", "Pig", "a dice game", Vec::new, build)
}

fn guarded(build: fn(&Options) -> Result<Arc<dyn AnyGame>>) -> Result<Arc<dyn AnyGame>> {
    guarded_entries(&[entry(build)], Error::unwind)[0].make([])
}

/// The error that unwinds from a call.
fn unwound<T>(call: impl FnOnce() -> T) -> String {
    let payload = catch_unwind(AssertUnwindSafe(call)).err().expect("the call panics");
    payload.downcast_ref::<Error>().expect("an error of the engine").to_string()
}

fn batch(game: &Arc<dyn AnyGame>) -> Box<dyn VectorEnv> {
    game.vector(BatchConfig { num_envs: 40, seed: 3, threads: Some(2), ..BatchConfig::default() }).unwrap()
}

#[test]
fn batches_play_as_they_do_without_a_guard() {
    let (plain, game) = (entry(sound).make([]).unwrap(), guarded(sound).unwrap());
    let (mut a, mut b) = (batch(&plain), batch(&game));
    let checksum = |env: &mut dyn VectorEnv| rollout::checksum_of_rollout(env, 30).unwrap();
    assert_eq!(checksum(&mut *a), checksum(&mut *b));
    let all: Vec<u32> = (0..40).collect();
    let saved = b.save(&all).unwrap();
    assert_eq!(a.save(&all).unwrap(), saved);
    let (only, start) = (b.save(&[0]).unwrap(), game.single(1).position());
    for env in [&mut a, &mut b] {
        env.set_starts(&[Position::Json(&start)], &[]).unwrap();
        env.reset_games(&[1, 2], Some(4)).unwrap();
        env.determinize(&all, Some(1), 5).unwrap();
        env.fork(&[3], &[4, 5], true).unwrap();
        env.add_reward(&[0.5; 80]).unwrap();
        env.set_position(7, Position::Snapshot(&only)).unwrap();
        env.set_samples(&[9; 40]).unwrap();
    }
    assert_eq!(checksum(&mut *a), checksum(&mut *b));
    assert_eq!(a.samples().unwrap(), b.samples().unwrap());
    b.restore(&all, &saved).unwrap();
    assert_eq!(b.save(&all).unwrap(), saved);
    assert!(b.states().is_some() && b.game().spec() == plain.spec());
    game.check_conformance(Effort { games: 4, ..Effort::default() }).unwrap();
}

#[test]
fn searches_and_single_games_play_as_they_do_without_a_guard() {
    let games = [entry(sound).make([]).unwrap(), guarded(sound).unwrap()];
    let [plain, other] = games.map(|game| {
        let mut env = batch(&game);
        let settings = SearchSettings { simulations: 30, ..SearchSettings::default() };
        let mut search = game.tree_search(env.config(), settings).unwrap();
        search.start(&*env, None).unwrap();
        search.run(Evaluator::Playout, &Interrupt::default()).unwrap();
        let first = search.actions();
        env.step(&first).unwrap();
        search.advance(&*env, &first).unwrap();
        search
            .run_with(
                &mut |leaves, answers| {
                    for row in 0..leaves.rows {
                        answers.values[row] = f32::from(leaves.observation(row)[0]) / 20.0;
                    }
                    Ok(())
                },
                &Interrupt::default(),
            )
            .unwrap();
        let results = search.results().unwrap();
        let mut single = env.single(3).unwrap();
        while single.status() == Status::Running {
            single.step(single.bot_action("search:20").unwrap()).unwrap();
        }
        assert!(single.undo());
        let outcomes: Vec<(Vec<u32>, Vec<u8>)> = single
            .outcomes(0)
            .unwrap()
            .map(|outcome| (outcome.script, outcome.result.position_bytes()))
            .collect();
        let other = single.determinize(0, 3).unwrap().clone_box().position();
        let copy = game.single_from_position(&single.position(), 0).unwrap();
        assert_eq!(copy.position_bytes(), single.position_bytes());
        (first, results.actions, results.values, outcomes, other, single.record(), single.to_json())
    });
    assert_eq!(plain, other);
}

#[test]
fn panics_of_the_rules_are_errors() {
    let game = guarded(breaking).unwrap();
    let said = "pig: the rules panicked: roll 6 breaks";
    assert_eq!(
        unwound(|| {
            let mut env = batch(&game);
            (0..20).try_for_each(|_| env.step_sampled())
        }),
        said
    );
    let mut single = game.single(0);
    let play = || (0..6).try_for_each(|_| single.step(0));
    assert_eq!(unwound(play), said);
    let mut env = batch(&game);
    (0..4).try_for_each(|_| env.step_sampled()).unwrap();
    let mut search = game.tree_search(env.config(), SearchSettings::default()).unwrap();
    search.start(&*env, None).unwrap();
    assert_eq!(unwound(|| search.run(Evaluator::Playout, &Interrupt::default())), said);
    assert_eq!(unwound(|| guarded(unbuildable)), "pig: the rules panicked: no board fits");
    assert_eq!(unwound(|| guarded(refusing)), Error::state("no dice").to_string());
}
