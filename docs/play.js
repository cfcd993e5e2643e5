// Playable boards: the first click on a game opens it in a frame below the pictures.
document.addEventListener("click", event => {
  const link = event.target.closest(".boards a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  const boards = link.closest(".boards");
  let stage = boards.nextElementSibling;
  if (!stage?.classList.contains("board-stage")) {
    stage = Object.assign(document.createElement("div"), { className: "board-stage" });
    boards.after(stage);
  }
  const frame = Object.assign(document.createElement("iframe"), { src: link.href, title: "the game" });
  const whole = Object.assign(document.createElement("a"), { href: link.href, textContent: "in a tab of its own", target: "_blank" });
  stage.replaceChildren(frame, whole);
  stage.scrollIntoView({ block: "nearest", behavior: "smooth" });
  frame.focus();
});
