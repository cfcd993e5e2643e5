//! A recorded game as one HTML file: a slider, the move list, every position drawn.

use serde_json::json;

use crate::engine::Record;

/// The page of a record, given the drawing of every position (one more than there are steps).
///
/// It needs nothing but a browser: no network, no other file.
pub fn page(record: &Record, drawings: &[String]) -> String {
    let moves: Vec<_> = record.steps.iter().map(|s| json!([s.player, s.label])).collect();
    let data = json!({ "env": record.env, "moves": moves, "drawings": drawings, "scores": record.scores });
    // "</" inside a string would end the script element.
    let data = data.to_string().replace("</", "<\\/");
    let title = format!("{} - {} steps", record.env, record.steps.len());
    TEMPLATE.replace("{{title}}", &title).replace("{{data}}", &data)
}

const TEMPLATE: &str = r#"<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{{title}}</title>
<style>
body { margin: 0; font: 15px/1.4 system-ui, sans-serif; color: #222; background: #f4f2ee; }
main { display: flex; gap: 16px; padding: 16px; height: 100vh; box-sizing: border-box; }
#board { flex: 1; min-width: 0; display: flex; flex-direction: column; }
#picture { flex: 1; min-height: 0; display: flex; justify-content: center; }
#picture svg { max-width: 100%; max-height: 100%; height: auto; }
#moves { width: 18em; overflow-y: auto; margin: 0; padding: 8px; background: #fff; border-radius: 6px; list-style: none; }
#moves li { padding: 1px 6px; border-radius: 4px; cursor: pointer; }
#moves li.now { background: #ffd97a; }
#bar { display: flex; gap: 8px; align-items: center; padding-top: 8px; }
#bar input { flex: 1; }
</style></head><body><main>
<div id="board"><div id="picture"></div>
<div id="bar"><button id="back" title="left arrow">&#9664;</button><input id="slider" type="range" min="0" value="0">
<button id="on" title="right arrow">&#9654;</button><span id="at"></span></div></div>
<ol id="moves"></ol></main>
<script>
const game = {{data}};
const $ = id => document.getElementById(id);
const last = game.drawings.length - 1;
$("slider").max = last;
const items = [["", "start"], ...game.moves].map(([player, label], i) => {
  const li = document.createElement("li");
  li.textContent = i ? i + ".  [" + player + "]  " + label : label;
  li.onclick = () => show(i);
  $("moves").append(li);
  return li;
});
let at = 0;
function show(i) {
  items[at].classList.remove("now");
  at = Math.max(0, Math.min(last, i));
  items[at].classList.add("now");
  items[at].scrollIntoView({ block: "nearest" });
  $("picture").innerHTML = game.drawings[at];
  $("slider").value = at;
  $("at").textContent = at + " / " + last;
}
$("slider").oninput = e => show(+e.target.value);
$("back").onclick = () => show(at - 1);
$("on").onclick = () => show(at + 1);
document.onkeydown = e => { if (e.key === "ArrowLeft") show(at - 1); if (e.key === "ArrowRight") show(at + 1); };
show(0);
</script></body></html>
"#;
