//! The requests of the page, by method and path. A transport reads a request and writes the reply.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::analysis::{AnalysisRequest, ReviewRequest};
use super::batch::{Batch, StepRequest};
use super::game::{ActionRequest, AtRevision, ChosenPlaces, ForkRequest, Match, SwitchRequest};
use super::load::LoadRequest;
use super::refused::{Answer, Refused};
use super::requests::{BeginRequest, RulesRequest, ViewQuery, cards, environments, rules};
use super::store::{Invitation, Screen, Store, Thinking, hold, lock};
use crate::engine::{Interrupt, Record};
use crate::trust::Trust;

/// The parts of a request that its transport decodes.
pub trait Request {
    /// The query of its address.
    ///
    /// # Errors
    /// [`Refused`] with status 400.
    fn query<T: DeserializeOwned>(&self) -> Answer<T>;

    /// Its body.
    ///
    /// # Errors
    /// [`Refused`] with status 400 for no JSON, 422 for JSON of another form.
    fn body<T: DeserializeOwned>(&self) -> Answer<T>;
}

/// The side of a transport that keeps games and has a clock.
pub trait Host {
    /// A review is answered after this number of milliseconds, even if it is not complete.
    const LONGEST_REVIEW: f64;
    /// A request to step a batch is answered after this number of milliseconds, even if it asked for more decisions.
    const LONGEST_STEP: f64;

    /// The texts that pages may use.
    fn allowed(&self) -> &Trust;
    /// The games with people.
    fn games(&self) -> impl Store<Screen>;
    /// The batches of bots.
    fn batches(&self) -> impl Store<Batch>;
    /// The answer to a request for the live view.
    ///
    /// # Errors
    /// [`Refused`] states why the games cannot be shown.
    fn live(&self, request: &impl Request) -> Answer<Value>;
    /// Milliseconds since any fixed time.
    fn clock(&self) -> f64;
}

/// The reply to a request.
#[derive(Debug)]
pub enum Reply {
    /// Status 200, and the answer.
    Shown(Value),
    /// Status 201, and the session that was begun.
    Begun(Value),
    /// Status 200, and a record, which a browser keeps in a file with this name.
    Recorded(String, Box<Record>),
    /// Status 204: there is nothing to say.
    Forgotten,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Call {
    Environments,
    Cards,
    Rules,
    BeginGame,
    Load,
    ShowGame,
    Revision,
    Invite,
    Action,
    Bot,
    Analysis,
    Review,
    Why,
    Undo,
    Fork,
    Switch,
    Record,
    RecordText,
    ForgetGame,
    BeginBatch,
    ShowBatch,
    Step,
    ForgetBatch,
    Live,
}

/// A request of the page: its method, its path with `ID` for an id, the parts of its query, and its effect.
struct Route(Call, &'static str, &'static str, &'static str, &'static str);

const ROUTES: [Route; 24] = [
    Route(
        Call::Environments,
        "GET",
        "/api/environments",
        "",
        "every environment with its options, levels and its rules in short",
    ),
    Route(Call::Cards, "GET", "/api/cards", "theme=dark", "a picture of every environment"),
    Route(
        Call::Rules,
        "POST",
        "/api/rules",
        "",
        "checks `{env, options}`: number of seats, the levels and the bots",
    ),
    Route(
        Call::BeginGame,
        "POST",
        "/api/games",
        "theme=dark",
        "begins a game: `{env, options, seats, names, seed, actions}`, a seat is `\"human\"` or a bot",
    ),
    Route(
        Call::Load,
        "POST",
        "/api/load",
        "theme=dark",
        "begins a game from a text: `{text}`, a record or a game of another program",
    ),
    Route(
        Call::ShowGame,
        "GET",
        "/api/games/ID",
        "from=N&at=N&flipped=true&narrow=true&theme=dark",
        "the position (after step `at`), and the log from step N on",
    ),
    Route(
        Call::Revision,
        "GET",
        "/api/games/ID/revision",
        "",
        "`{revision}`, the number of changes of the game: a page asks for it while a person elsewhere is to move",
    ),
    Route(
        Call::Invite,
        "POST",
        "/api/games/ID/invite",
        "theme=dark",
        "gives a seat to a person at another screen: `{revision, seat}`; `invited` is the secret id of the game there",
    ),
    Route(
        Call::Action,
        "POST",
        "/api/games/ID/action",
        "from=N",
        "plays `{action, revision}`, an index or a text",
    ),
    Route(
        Call::Bot,
        "POST",
        "/api/games/ID/bot",
        "from=N",
        "lets the bot of the current player move: `{revision}`",
    ),
    Route(
        Call::Analysis,
        "POST",
        "/api/games/ID/analysis",
        "at=N",
        "a player's analysis: `{player, revision}`; the best actions, values, a heat map",
    ),
    Route(
        Call::Review,
        "POST",
        "/api/games/ID/review",
        "",
        "values of positions, and prices of actions: `{player, revision, from}`",
    ),
    Route(
        Call::Why,
        "POST",
        "/api/games/ID/why",
        "",
        "the reason why chosen places make no action: `{places}`",
    ),
    Route(
        Call::Undo,
        "POST",
        "/api/games/ID/undo",
        "from=N",
        "back to the last decision of a person: `{revision}`",
    ),
    Route(
        Call::Fork,
        "POST",
        "/api/games/ID/fork",
        "",
        "plays on from an earlier position: `{revision, at, seats}`; what was played stays as a variation",
    ),
    Route(
        Call::Switch,
        "POST",
        "/api/games/ID/switch",
        "",
        "shows a variation instead of the game: `{revision, variation}`",
    ),
    Route(Call::Record, "GET", "/api/games/ID/record", "", "the recorded game, to keep and replay"),
    Route(
        Call::RecordText,
        "GET",
        "/api/games/ID/record/text",
        "",
        "the same as `{text, pgn}`, for readers of JSON with smaller integers; of chess also as PGN",
    ),
    Route(Call::ForgetGame, "DELETE", "/api/games/ID", "", "forgets the game"),
    Route(
        Call::BeginBatch,
        "POST",
        "/api/batches",
        "theme=dark",
        "begins a batch of bots: `{env, options, seats, seed, games}`",
    ),
    Route(Call::ShowBatch, "GET", "/api/batches/ID", "theme=dark", "every board of the batch"),
    Route(
        Call::Step,
        "POST",
        "/api/batches/ID/step",
        "theme=dark",
        "plays `{count}` decisions in every game",
    ),
    Route(Call::ForgetBatch, "DELETE", "/api/batches/ID", "", "forgets the batch"),
    Route(
        Call::Live,
        "GET",
        "/api/live",
        "first=N&count=N&large=N&theme=dark",
        "the live view: seated, boards; game `large` in full; or `null`",
    ),
];

impl Route {
    /// The id in a path of this route, empty if the route has none; `None` for another path.
    fn id<'a>(&self, path: &'a str) -> Option<&'a str> {
        let (mut wanted, mut found) = (self.2.split('/'), path.split('/'));
        let mut id = "";
        loop {
            match (wanted.next(), found.next()) {
                (None, None) => return Some(id),
                (Some("ID"), Some(part)) if !part.is_empty() => id = part,
                (Some(wanted), Some(found)) if wanted == found => {}
                _ => return None,
            }
        }
    }
}

/// The methods of a path, separated by commas; empty for an unknown path.
#[must_use]
pub fn methods(path: &str) -> String {
    let methods = ROUTES.iter().filter(|route| route.id(path).is_some()).map(|route| route.1);
    methods.collect::<Vec<_>>().join(",")
}

/// The route of a request, and the id in its path.
fn find<'a>(method: &str, path: &'a str) -> Answer<(Call, &'a str)> {
    let mut same_path = ROUTES.iter().filter_map(|route| Some((route, route.id(path)?))).peekable();
    if same_path.peek().is_none() {
        return Err(Refused::new(404, "Not Found"));
    }
    same_path
        .find(|(route, _)| route.1 == method)
        .map(|(route, id)| (route.0, id))
        .ok_or_else(|| Refused::new(405, "Method Not Allowed"))
}

/// Answers a request of the page. Bots stop thinking once `interrupt` is raised.
///
/// # Errors
/// [`Refused`] with 404 for an unknown path, 405 for another method, and as the request's own types.
pub fn answer<H: Host>(
    host: &H,
    method: &str,
    path: &str,
    request: &impl Request,
    interrupt: &Interrupt,
) -> Answer<Reply> {
    let (call, id) = find(method, path)?;
    let allowed = host.allowed();
    let begun = host.clock();
    let shown = match call {
        Call::Environments => environments()?,
        Call::Cards => cards(&request.query()?)?,
        Call::Rules => rules(&request.body::<RulesRequest>()?.make(allowed)?, allowed),
        Call::Live => host.live(request)?,
        Call::BeginGame => {
            let (query, setup): (ViewQuery, BeginRequest) = (request.query()?, request.body()?);
            return begin_game(
                host,
                &setup.env,
                Match::begin(&setup, setup.make(allowed)?, allowed)?,
                &query,
            );
        }
        Call::Load => {
            let (query, text): (ViewQuery, LoadRequest) = (request.query()?, request.body()?);
            let record = text.record(allowed)?;
            return begin_game(host, &record.env, LoadRequest::begin(&record, allowed)?, &query);
        }
        Call::BeginBatch => {
            let (query, setup): (ViewQuery, BeginRequest) = (request.query()?, request.body()?);
            let batch = Batch::begin(&setup, setup.make(allowed)?)?;
            let mut shown = batch.describe(&query)?;
            shown["id"] = host.batches().insert(&setup.env, batch).into();
            return Ok(Reply::Begun(shown));
        }
        Call::ForgetGame => return host.games().remove(id).map(|()| Reply::Forgotten),
        Call::ForgetBatch => return host.batches().remove(id).map(|()| Reply::Forgotten),
        Call::ShowBatch => {
            let query: ViewQuery = request.query()?;
            hold(&*host.batches().get(id)?)?.describe(&query)?
        }
        Call::Step => {
            let (query, steps): (ViewQuery, StepRequest) = (request.query()?, request.body()?);
            let batch = host.batches().get(id)?;
            let mut batch = hold(&batch)?;
            batch.advance(&steps, interrupt, || host.clock() - begun > H::LONGEST_STEP)?;
            batch.describe(&query)?
        }
        Call::ShowGame => {
            let query: ViewQuery = request.query()?;
            let screen = screen(host, id)?;
            lock(&screen.session).game.describe(&query, &screen.away)?
        }
        Call::Revision => json!({ "revision": lock(&screen(host, id)?.session).game.revision() }),
        Call::Invite => {
            let (query, invitation): (ViewQuery, Invitation) = (request.query()?, request.body()?);
            let known = host.games().get(id)?;
            let (invited, screen) = {
                let mut screen = lock(&known);
                (screen.invite(invitation)?, screen.clone())
            };
            let mut shown = lock(&screen.session).game.describe(&query, &screen.away)?;
            let env = shown["env"].as_str().unwrap_or_default().to_owned();
            shown["invited"] = host.games().insert(&env, invited).into();
            shown
        }
        Call::Action => {
            let choice: ActionRequest = read(request)?;
            change(host, id, request, |game, away| game.act(&choice, away))?
        }
        Call::Undo => {
            let turn: AtRevision = read(request)?;
            screen(host, id)?.check_alone()?;
            change(host, id, request, |game, _| game.undo(&turn))?
        }
        Call::Fork => {
            let turn: ForkRequest = read(request)?;
            screen(host, id)?.check_alone()?;
            change(host, id, request, |game, _| game.fork(&turn, allowed))?
        }
        Call::Switch => {
            let turn: SwitchRequest = read(request)?;
            screen(host, id)?.check_alone()?;
            change(host, id, request, |game, _| game.switch(&turn))?
        }
        Call::Bot => {
            let turn: AtRevision = read(request)?;
            let session = screen(host, id)?.session;
            let (mut thought, _thinking) = Thinking::begin(&session, turn.revision)?;
            thought.play_bot_until(interrupt)?;
            change(host, id, request, |game, _| game.replace(turn.revision, thought))?
        }
        Call::Analysis => {
            let (query, question): (ViewQuery, AnalysisRequest) = (request.query()?, request.body()?);
            let Screen { session, away } = screen(host, id)?;
            let (seated, _thinking) = Thinking::begin(&session, question.revision)?;
            question.answer(&seated.at_screen(&away), &query, allowed, interrupt)?
        }
        Call::Review => {
            let question: ReviewRequest = read(request)?;
            let Screen { session, away } = screen(host, id)?;
            let (seated, _thinking) = Thinking::begin(&session, question.revision)?;
            let seated = seated.at_screen(&away);
            question.answer(&seated, allowed, interrupt, || host.clock() - begun > H::LONGEST_REVIEW)?
        }
        Call::Why => {
            let chosen: ChosenPlaces = read(request)?;
            let Screen { session, away } = screen(host, id)?;
            lock(&session).game.why(&chosen, &away)
        }
        Call::Record => {
            let Screen { session, away } = screen(host, id)?;
            let record = lock(&session).game.record(&away)?;
            return Ok(Reply::Recorded(format!("{}-{id}.json", record.env), Box::new(record)));
        }
        Call::RecordText => {
            let Screen { session, away } = screen(host, id)?;
            lock(&session).game.record_text(&away)?
        }
    };
    Ok(Reply::Shown(shown))
}

/// The body of a request about a game, after a check of its query.
fn read<T: DeserializeOwned>(request: &impl Request) -> Answer<T> {
    request.query::<ViewQuery>()?;
    request.body()
}

/// Keeps a game and shows it.
fn begin_game(host: &impl Host, env: &str, game: Match, query: &ViewQuery) -> Answer<Reply> {
    let mut shown = game.describe(query, &[])?;
    shown["id"] = host.games().insert(env, Screen::new(game)).into();
    Ok(Reply::Begun(shown))
}

/// Changes a game and shows it.
fn change(
    host: &impl Host,
    id: &str,
    request: &impl Request,
    task: impl FnOnce(&mut Match, &[usize]) -> Answer<()>,
) -> Answer<Value> {
    let query: ViewQuery = request.query()?;
    let Screen { session, away } = screen(host, id)?;
    let mut session = lock(&session);
    task(&mut session.game, &away)?;
    Ok(session.game.describe(&query, &away)?)
}

/// The game at the screen with this `id`.
fn screen(host: &impl Host, id: &str) -> Answer<Screen> {
    Ok(lock(&*host.games().get(id)?).clone())
}

/// The requests as a table in Markdown, which the documentation of this module has.
#[must_use]
pub fn table_of_requests() -> String {
    let row = |Route(_, method, path, query, does): &Route| {
        let mark = if query.is_empty() { "" } else { "?" };
        format!("| `{method} {path}{mark}{query}` | {does} |\n")
    };
    format!("| request | does |\n|---|---|\n{}", ROUTES.iter().map(row).collect::<String>())
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::sync::{Arc, Mutex};

    use serde_json::json;

    use super::*;
    use crate::games::GAMES;

    /// A request with a query of pairs and a body.
    struct Asked(Value, Value);

    impl Request for Asked {
        fn query<T: DeserializeOwned>(&self) -> Answer<T> {
            T::deserialize(&self.0).map_err(|error| Refused::new(400, error.to_string()))
        }

        fn body<T: DeserializeOwned>(&self) -> Answer<T> {
            T::deserialize(&self.1).map_err(|error| Refused::new(422, error.to_string()))
        }
    }

    /// Values with their indices as ids.
    struct Values<T>(RefCell<Vec<Option<Arc<Mutex<T>>>>>);

    impl<T> Store<T> for &Values<T> {
        fn insert(&self, _: &str, value: T) -> String {
            self.0.borrow_mut().push(Some(Arc::new(Mutex::new(value))));
            (self.0.borrow().len() - 1).to_string()
        }

        fn get(&self, id: &str) -> Answer<Arc<Mutex<T>>> {
            let index = id.parse::<usize>().ok();
            let found = index.and_then(|index| self.0.borrow().get(index)?.clone());
            found.ok_or_else(|| Refused::unknown("value", id))
        }

        fn remove(&self, id: &str) -> Answer<()> {
            self.get(id)?;
            self.0.borrow_mut()[id.parse::<usize>().unwrap()] = None;
            Ok(())
        }
    }

    struct Desk {
        trust: Trust,
        games: Values<Screen>,
        batches: Values<Batch>,
    }

    impl Host for Desk {
        const LONGEST_REVIEW: f64 = 0.0;
        const LONGEST_STEP: f64 = 0.0;

        fn allowed(&self) -> &Trust {
            &self.trust
        }

        fn games(&self) -> impl Store<Screen> {
            &self.games
        }

        fn batches(&self) -> impl Store<Batch> {
            &self.batches
        }

        fn live(&self, _: &impl Request) -> Answer<Value> {
            Ok(Value::Null)
        }

        fn clock(&self) -> f64 {
            0.0
        }
    }

    fn desk() -> Desk {
        let (games, batches) = (Values(RefCell::default()), Values(RefCell::default()));
        Desk { trust: Trust::default(), games, batches }
    }

    #[test]
    fn the_table_of_requests_is_that_of_the_routes() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/web_api/routes.md");
        if std::env::var_os("LUDOVEC_UPDATE").is_some() {
            std::fs::write(file, table_of_requests()).unwrap();
        }
        let written = std::fs::read_to_string(file).unwrap();
        assert!(
            written == table_of_requests(),
            "LUDOVEC_UPDATE=1 cargo test -p ludovec-play routes writes {file}"
        );
    }

    #[test]
    fn every_route_is_found_by_its_method_and_path_alone() {
        for Route(call, method, path, ..) in ROUTES {
            assert_eq!(find(method, &path.replace("ID", "7a")).unwrap().0, call);
            assert_eq!(find("PUT", path).unwrap_err().status, 405, "{path}");
            for wrong in
                [format!("{path}/"), format!("{path}/x"), format!("x{path}"), path.replace("/ID", "/")]
            {
                assert!(wrong == path || find(method, &wrong).is_err(), "{wrong}");
            }
        }
        assert_eq!(find("GET", "/api/games/7a/record").unwrap().1, "7a");
        assert_eq!(methods("/api/games/1"), "GET,DELETE");
        assert_eq!((methods("/api/x").as_str(), find("GET", "/api/x").unwrap_err().status), ("", 404));
    }

    #[test]
    fn every_request_is_answered_and_refused_for_unknown_ids() {
        let host = desk();
        let none = Interrupt::default();
        let ask = |method: &str, path: &str, body: Value| {
            answer(&host, method, path, &Asked(json!({}), body), &none)
        };
        let seats = vec!["random"; GAMES[0].make([]).unwrap().spec().players];
        let setup = json!({ "env": GAMES[0].id, "seats": seats, "games": 1 });
        for path in ["/api/games", "/api/batches"] {
            let Ok(Reply::Begun(shown)) = ask("POST", path, setup.clone()) else { panic!("{path}") };
            assert_eq!(shown["id"], "0");
        }
        for (route, body) in [
            ("GET /api/environments", json!(null)),
            ("GET /api/cards", json!(null)),
            ("GET /api/live", json!(null)),
            ("POST /api/rules", json!({ "env": GAMES[0].id })),
            ("GET /api/games/ID", json!(null)),
            ("GET /api/games/ID/revision", json!(null)),
            ("GET /api/games/ID/record", json!(null)),
            ("GET /api/games/ID/record/text", json!(null)),
            ("POST /api/games/ID/why", json!({ "places": [] })),
            ("POST /api/games/ID/analysis", json!({ "player": "search:2", "revision": 0 })),
            ("POST /api/games/ID/review", json!({ "player": "search:2", "revision": 0, "from": 0 })),
            ("POST /api/games/ID/bot", json!({ "revision": 0 })),
            ("POST /api/games/ID/fork", json!({ "revision": 1, "at": 0, "seats": seats })),
            ("POST /api/games/ID/switch", json!({ "revision": 2, "variation": 0 })),
            ("GET /api/batches/ID", json!(null)),
            ("POST /api/batches/ID/step", json!({ "count": 1 })),
            ("DELETE /api/games/ID", json!(null)),
            ("DELETE /api/batches/ID", json!(null)),
        ] {
            let (method, path) = route.split_once(' ').unwrap();
            if path.contains("ID") {
                let refused = ask(method, &path.replace("ID", "7"), body.clone()).unwrap_err();
                assert_eq!(refused.status, 404, "{route}: {}", refused.what);
            }
            let reply = ask(method, &path.replace("ID", "0"), body);
            assert!(reply.is_ok(), "{route}: {reply:?}");
        }
    }

    /// A game of two people at two screens; the ids of the screens of the first player and of the second.
    fn two_screens(host: &Desk, env: &str) -> [String; 2] {
        let entry = GAMES.iter().find(|entry| entry.id == env).unwrap();
        let has_players = entry.options().iter().any(|option| option.name == "players");
        let options = if has_players { json!({ "players": 2 }) } else { json!({}) };
        let begun = json!({ "env": env, "seats": ["human", "human"], "options": options });
        let none = Interrupt::default();
        answer(host, "POST", "/api/games", &Asked(json!({}), begun), &none).unwrap();
        let seat = Asked(json!({}), json!({ "revision": 0, "seat": 1 }));
        let Reply::Shown(shown) = answer(host, "POST", "/api/games/0/invite", &seat, &none).unwrap() else {
            panic!("a game is shown")
        };
        assert_eq!((shown["shared"].as_bool(), &shown["seats"][1]["bot"]), (Some(true), &json!("elsewhere")));
        ["0".into(), shown["invited"].as_str().unwrap().into()]
    }

    fn ask(host: &Desk, method: &str, path: &str, body: Value) -> Answer<Value> {
        match answer(host, method, path, &Asked(json!({}), body), &Interrupt::default())? {
            Reply::Shown(shown) => Ok(shown),
            Reply::Recorded(_, record) => Ok(serde_json::to_value(record).unwrap()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn two_people_play_at_two_screens_each_its_own_seat() {
        let host = desk();
        let screens = two_screens(&host, "chess");
        for step in 0..4 {
            let [mover, other] = [&screens[step % 2], &screens[1 - step % 2]];
            let [here, there] =
                [mover, other].map(|id| ask(&host, "GET", &format!("/api/games/{id}"), json!(null)).unwrap());
            assert_eq!(
                (here["viewer"].as_u64(), there["viewer"].as_u64()),
                (Some(step as u64 % 2), Some(1 - step as u64 % 2))
            );
            assert_eq!([&here["person"], &there["person"]], [true, false]);
            assert_eq!(there["legal"], json!([]));
            let action = json!({ "revision": step, "action": here["legal"][0]["action"] });
            let refused =
                ask(&host, "POST", &format!("/api/games/{other}/action"), action.clone()).unwrap_err();
            assert!(refused.what.ends_with("is to move"), "{}", refused.what);
            ask(&host, "POST", &format!("/api/games/{mover}/action"), action).unwrap();
            let seen = ask(&host, "GET", &format!("/api/games/{other}/revision"), json!(null)).unwrap();
            assert_eq!(seen, json!({ "revision": step + 1 }));
        }
        for id in &screens {
            for (change, body) in [
                ("undo", json!({ "revision": 4 })),
                ("fork", json!({ "revision": 4, "at": 0 })),
                ("switch", json!({ "revision": 4, "variation": 0 })),
            ] {
                let refused = ask(&host, "POST", &format!("/api/games/{id}/{change}"), body).unwrap_err();
                assert_eq!(refused.status, 409, "{change}");
            }
            let seat = json!({ "revision": 4, "seat": 0 });
            let refused = ask(&host, "POST", &format!("/api/games/{id}/invite"), seat).unwrap_err();
            assert_eq!(
                (refused.status, refused.what.contains("two people")),
                (422, true),
                "{}",
                refused.what
            );
        }
    }

    #[test]
    fn another_screen_shows_nothing_hidden_of_the_game() {
        for env in GAMES.iter().map(|entry| entry.id) {
            let host = desk();
            let screens = two_screens(&host, env);
            let hidden = ask(&host, "GET", "/api/games/0", json!(null)).unwrap()["hidden"].as_bool().unwrap();
            for (seat, id) in screens.iter().enumerate() {
                let shown = ask(&host, "GET", &format!("/api/games/{id}"), json!(null)).unwrap();
                assert_eq!(shown["viewer"], seat, "{env}");
                let record = ask(&host, "GET", &format!("/api/games/{id}/record"), json!(null));
                assert_eq!(record.is_err(), hidden, "{env}");
                let text = ask(&host, "GET", &format!("/api/games/{id}/record/text"), json!(null));
                assert_eq!(text.is_err(), hidden, "{env}");
            }
        }
    }

    #[test]
    fn a_query_is_refused_before_the_body() {
        let asked = Asked(json!({ "from": "x" }), json!({ "revision": "x" }));
        for path in ["/api/games/0/action", "/api/games/0/undo", "/api/games/0/bot", "/api/games/0/why"] {
            let refused = answer(&desk(), "POST", path, &asked, &Interrupt::default()).unwrap_err();
            assert_eq!(refused.status, 400, "{path}: {}", refused.what);
        }
    }
}
