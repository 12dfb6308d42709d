/** What the panel itself needs: icons, captions, chips. */
import type { ActionRef, Deps, Turn } from "./types";
import { longDay, safeUrl } from "./dates";
import { maybe } from "./labels";

export const Icon = ({ n, m = "" }: { n: string; m?: string }) => (
  <svg class={`rp-i ${m}`} aria-hidden="true"><use href={`#i-${n}`} /></svg>
);

export const findAction = (turn: Turn, kind: string, target?: string): ActionRef | undefined =>
  turn.actions.find((action) => action.kind === kind && (target === undefined || action.target === target));

interface Target { ref?: string; name?: string; code?: string; vehicle?: { name: string }; office?: { name: string }; period?: { start: string; end: string }; day?: string }

/** The words for an action: by its kind and the facts of its target; an own label only for kinds that are not known. */
export function caption(action: ActionRef, turn?: Turn): string {
  const { kind, target } = action;
  const own = maybe(kind === "ask" ? `ask_${target}` : kind) || action.label || "";
  const name = target && kind !== "ask" ? nameOf(turn, target) : "";
  if (!name) return own;
  return kind === "select_vehicle" ? `${own} ${name}` : /^select_/.test(kind) ? name : own && `${own}: ${name}`;
}

function nameOf(turn: Turn | undefined, ref: string): string {
  const payload = (turn?.payload ?? {}) as unknown as Record<string, unknown>;
  const things = [payload["vehicles"], payload["options"], payload["vehicle"], payload["suggested"]].flat() as (Target | undefined)[];
  const found = things.find((thing) => thing?.ref === ref);
  if (!found) return "";
  const { period, code } = found;
  const dates = period ? `${longDay(period.start)} – ${longDay(period.end)}` : found.day ? longDay(found.day) : "";
  return found.name ?? found.vehicle?.name ?? found.office?.name ?? (dates || (code ? maybe(`option_${code}`) || code : ""));
}

/** Do what an action asks for; dates are picked first. */
export function run(action: ActionRef, deps: Deps): void {
  if (action.input === "dates") deps.pickDates(action);
  else deps.act(action);
}

/** A chip, or a link for addresses. Kinds without words are left out. */
export function Chip({ action, turn, deps }: { action: ActionRef; turn?: Turn; deps: Deps }) {
  const text = caption(action, turn);
  if (!text) return null;
  const url = action.kind === "open_url" && safeUrl(action.url);
  if (url) return <a class="rp-chip" href={url} target="_blank" rel="noopener noreferrer">{text}</a>;
  if (action.kind === "open_url") return null;
  return <button class="rp-chip" type="button" aria-disabled={deps.taps[action.id] === "busy" ? "true" : undefined} onClick={() => run(action, deps)}>{text}</button>;
}

export const Chips = ({ turn, deps, actions = turn.actions }: { turn: Turn; deps: Deps; actions?: readonly ActionRef[] }) =>
  (actions.length > 0 ? <div class="rp-chips">{actions.map((action) => <Chip key={action.id} action={action} turn={turn} deps={deps} />)}</div> : null);

