/** The state of a conversation as a pure function of what was heard. Upserts by id, orders by seq, never throws. */
import type { ActionRef, StreamEvent, Turn } from "./types";

/** An own message that the server has not shown back yet. */
export interface Pending {
  key: string;
  text: string;
  state: "sending" | "sent" | "failed";
  /** The last known `seq` when it was written: its place in the log. */
  after: number;
  /** The run that it began; with the turn's own id where the server tells it early. */
  runId?: string;
  turnId?: string | undefined;
}

/** Text of a turn that is still being written. */
export interface Draft {
  id: string;
  agent: string;
  text: string;
}

export interface Run {
  id: string;
  seq: number;
  step: string;
  /** Ids of the turns it brought, in order. */
  turns: readonly string[];
}

export interface ChatState {
  turns: readonly Turn[];
  drafts: readonly Draft[];
  pending: readonly Pending[];
  taps: Readonly<Record<string, "busy" | "done">>;
  run: Run | null;
  lastRun: Run | null;
  hasMore: boolean;
  /** A label key: what went wrong last. */
  problem: { code: string; retry: boolean } | null;
  /** Events, turns and payloads that were not understood, for QA. */
  skipped: number;
}

export type Step =
  | { do: "event"; event: StreamEvent; key?: string | undefined }
  | { do: "page"; turns: readonly unknown[]; hasMore: boolean; older?: boolean }
  | { do: "write"; key: string; text: string }
  | { do: "sending" | "failed"; key: string }
  | { do: "tap" | "tapped" | "untap"; id: string }
  | { do: "ended"; idempotent?: boolean }
  | { do: "problem"; code: string; retry: boolean }
  | { do: "calm" };

export const EMPTY: ChatState = {
  turns: [], drafts: [], pending: [], taps: {}, run: null, lastRun: null, hasMore: false, problem: null, skipped: 0,
};

export const lastSeq = (state: ChatState): number => state.turns.at(-1)?.seq ?? 0;

/** The next state. */
export function reduce(state: ChatState, step: Step): ChatState {
  switch (step.do) {
    case "event": return onEvent(state, step.event, step.key);
    case "page": return onPage(state, step.turns, step.hasMore, step.older ?? false);
    case "write": return { ...state, problem: null, pending: [...state.pending, { key: step.key, text: step.text, state: "sending", after: lastSeq(state) }] };
    case "sending": return { ...state, problem: null, pending: mark(state.pending, step.key, { state: "sending" }) };
    case "failed": return { ...state, run: null, drafts: [], pending: mark(state.pending, step.key, { state: "failed" }) };
    case "tap": return { ...state, problem: null, taps: { ...state.taps, [step.id]: "busy" } };
    case "tapped": return { ...state, taps: { ...state.taps, [step.id]: "done" } };
    case "untap": return { ...state, run: null, drafts: [], taps: without(state.taps, step.id) };
    case "ended": return { ...state, run: null, lastRun: state.run ?? state.lastRun, drafts: [] };
    case "problem": return { ...state, run: null, drafts: [], problem: { code: step.code, retry: step.retry } };
    case "calm": return { ...state, problem: null };
  }
}

function onEvent(state: ChatState, event: StreamEvent, key?: string): ChatState {
  if (event.event === "run_started") return startRun(state, event, key);
  const run = state.run;
  if (run && run.id === event.run_id) {
    if (event.seq <= run.seq) return state;
    return apply({ ...state, run: { ...run, seq: event.seq } }, event);
  }
  return apply(state, event);
}

function startRun(state: ChatState, event: Extract<StreamEvent, { event: "run_started" }>, key = ""): ChatState {
  if (state.run?.id === event.run_id) return state;
  const run: Run = { id: event.run_id, seq: event.seq, step: "", turns: [] };
  return settle({ ...state, run, pending: mark(state.pending, key, { state: "sent", runId: run.id, turnId: event.user_turn_id }) });
}

function apply(state: ChatState, event: StreamEvent): ChatState {
  switch (event.event) {
    case "status": return withRun(state, { step: event.code });
    case "text_start": return draft(state, event.turn_id, event.agent, 0, "");
    case "text_delta": return draft(state, event.turn_id, "", event.offset, event.delta);
    case "text_end":
    case "card": return bring(state, event.turn);
    case "turn_update": return update(state, event.turn_id, event.status, event.turn);
    case "error":
    case "done":
    case "resync_required":
    case "run_started": return state;
    default: return { ...state, skipped: state.skipped + 1 };
  }
}

const withRun = (state: ChatState, change: Partial<Run>): ChatState =>
  (state.run ? { ...state, run: { ...state.run, ...change } } : state);

function draft(state: ChatState, id: string, agent: string, offset: number, delta: string): ChatState {
  if (state.turns.some((turn) => turn.id === id)) return state;
  const old = state.drafts.find((one) => one.id === id);
  const text = old?.text ?? "";
  // A gap is left alone: the whole text comes at the end and wins.
  if (offset > text.length) return state;
  const longer = offset + delta.length > text.length ? text.slice(0, offset) + delta : text;
  const next: Draft = { id, agent: old?.agent || agent, text: longer };
  return { ...state, drafts: old ? state.drafts.map((one) => (one === old ? next : one)) : [...state.drafts, next] };
}

function bring(state: ChatState, value: unknown): ChatState {
  const turn = asTurn(value);
  if (!turn) return { ...state, skipped: state.skipped + 1 };
  const next = settle({ ...state, turns: upsert(state.turns, turn) });
  return next.run && !next.run.turns.includes(turn.id) ? withRun(next, { turns: [...next.run.turns, turn.id] }) : next;
}

function update(state: ChatState, id: string, status: Turn["status"], turn: unknown): ChatState {
  const known = turn === undefined ? state : bring(state, turn);
  return { ...known, turns: known.turns.map((one) => (one.id === id ? { ...one, status } : one)) };
}

function onPage(state: ChatState, values: readonly unknown[], hasMore: boolean, older: boolean): ChatState {
  const turns = values.map(asTurn);
  const known = turns.filter((turn): turn is Turn => turn !== null);
  const merged = known.reduce(upsert, state.turns);
  return settle({
    ...state,
    turns: merged,
    hasMore: older || state.turns.length === 0 ? hasMore : state.hasMore,
    skipped: state.skipped + turns.length - known.length,
  });
}

/** Replace by id, keep the order of `seq`, and mark what a newer turn replaces. */
export function upsert(turns: readonly Turn[], turn: Turn): readonly Turn[] {
  const replaced = turns.some((one) => one.supersedes === turn.id);
  const mine = replaced && turn.status === "final" ? { ...turn, status: "superseded" as const } : turn;
  const rest = turns
    .filter((one) => one.id !== turn.id)
    .map((one) => (one.id === turn.supersedes && one.status === "final" ? { ...one, status: "superseded" as const } : one));
  return [...rest, mine].sort((a, b) => a.seq - b.seq);
}

/** Drop drafts and own messages that have come back as turns. */
function settle(state: ChatState): ChatState {
  const ids = new Set(state.turns.map((turn) => turn.id));
  const mine = new Set(state.turns.filter((turn) => turn.role === "user").map((turn) => turn.run_id));
  return {
    ...state,
    drafts: state.drafts.filter((one) => !ids.has(one.id)),
    pending: state.pending.filter((one) => !ids.has(one.turnId ?? "") && !mine.has(one.runId ?? "")),
  };
}

const mark = (all: readonly Pending[], key: string, change: Partial<Pending>): readonly Pending[] =>
  all.map((one) => (one.key === key ? { ...one, ...change } : one));

const without = <T>(record: Readonly<Record<string, T>>, key: string): Record<string, T> => {
  const { [key]: _, ...rest } = record;
  return rest;
};

/** A turn whose envelope can be used, or null. The payload is judged later, per card. */
export function asTurn(value: unknown): Turn | null {
  if (typeof value !== "object" || value === null) return null;
  const turn = value as Record<string, unknown>;
  if (typeof turn["id"] !== "string" || typeof turn["seq"] !== "number") return null;
  const actions = Array.isArray(turn["actions"]) ? turn["actions"].filter(isAction) : [];
  const content = typeof turn["content"] === "string" ? turn["content"] : "";
  return { role: "agent", status: "final", lang: "", type: "text", ...turn, content, actions } as unknown as Turn;
}

const isAction = (value: unknown): value is ActionRef =>
  typeof value === "object" && value !== null
  && typeof (value as ActionRef).id === "string" && typeof (value as ActionRef).kind === "string";
