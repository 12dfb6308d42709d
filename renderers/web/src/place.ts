/** Where the log stands. An answer is read from its beginning, so a long one starts at the top. */
export interface Place {
  /** False once the person has scrolled away. */
  follow: boolean;
  /** Where we put it last; anything else was the person. */
  top: number;
}

const GAP = 12;

/** Show the last question with its answer where both fit, else the answer from its first line. */
export function keepPlace(log: HTMLElement, place: Place): void {
  if (!place.follow) return;
  const turns = [...log.querySelectorAll<HTMLElement>(".rp-turn")];
  const asked = turns.findLastIndex((turn) => turn.querySelector(":scope > .rp-me"));
  const end = log.scrollHeight - log.clientHeight;
  const answer = turns[asked + 1];
  const question = turns[asked];
  let top = end;
  if (question && question.offsetTop - GAP < end) top = answer ? Math.min(end, Math.max(question.offsetTop, answer.offsetTop) - GAP) : end;
  log.scrollTop = top;
  place.top = log.scrollTop;
}
