/** Where the log stands. An answer is read from its beginning, so a long one starts at the top. */
export interface Place {
  /** False once the person has scrolled away. */
  follow: boolean;
  /** Where we put it last; anything else was the person. */
  top: number;
  /** What was there when we last looked: typing or a tick of the clock must not move anything. */
  seen: string;
}

const GAP = 12;

/** Show the last question with its answer where both fit, else the answer from its first line. True: something new is out of sight. */
export function keepPlace(log: HTMLElement, place: Place, content: string): boolean {
  if (content === place.seen) return false;
  place.seen = content;
  if (!place.follow) return true;
  const turns = [...log.querySelectorAll<HTMLElement>(".rp-turn")];
  const asked = turns.findLastIndex((turn) => turn.querySelector(":scope > .rp-me"));
  const end = log.scrollHeight - log.clientHeight;
  const question = turns[asked];
  const fits = !question || question.offsetTop - GAP >= end;
  const first = turns[asked + 1];
  log.scrollTop = fits || !first ? end : Math.min(end, first.offsetTop - GAP);
  place.top = log.scrollTop;
  return false;
}
