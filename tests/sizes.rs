use ludovec::engine::*;
use ludovec::games::GAMES;
#[test]
fn sizes() {
    for entry in GAMES {
        let has = |key: &str| (entry.options)().iter().any(|o| o.name == key);
        let mut sets: Vec<Vec<(&str, OptionValue)>> = vec![vec![]];
        if has("width") {
            sets.push(vec![("width", 30.into()), ("height", 30.into())]);
            sets.push(vec![("width", 64.into()), ("height", 64.into())]);
        }
        for set in sets {
            let game = match entry.make(set.clone()) {
                Ok(g) => g,
                Err(e) => {
                    println!("{}: {e}", entry.id);
                    continue;
                }
            };
            let mut most = 0;
            let mut first = 0;
            let mut reply = 0;
            for seed in 0..5 {
                let mut play = game.clone().single(seed);
                first = play.bot_request().to_string().len();
                let mut steps = 0;
                while play.status() == Status::Running && steps < 3000 {
                    most = most.max(play.bot_request().to_string().len());
                    let a = play.bot_action("random").unwrap();
                    reply = reply.max(play.bot_reply(a).unwrap().to_string().len());
                    play.step(a).unwrap();
                    steps += 1;
                }
            }
            println!("{} {:?}: first {first} most {most} reply {reply}", entry.id, set);
        }
    }
}
