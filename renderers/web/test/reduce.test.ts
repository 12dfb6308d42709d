import assert from "node:assert/strict";
import { test } from "node:test";
import { asTurn, EMPTY, reduce, type ChatState, type Step } from "../src/reduce.ts";
import type { StreamEvent, Turn } from "../src/types.ts";

const turn = (id: string, seq: number, more: object = {}): Turn =>
  asTurn({ id, seq, run_id: "r", role: "agent", type: "text", content: `words of ${id}`, status: "final", actions: [], payload: null, ...more })!;

const play = (steps: readonly Step[], from: ChatState = EMPTY): ChatState => steps.reduce(reduce, from);
const heard = (events: readonly object[], key?: string): Step[] =>
  events.map((event, index) => ({ do: "event", key, event: { seq: index + 1, run_id: "r", ...event } as StreamEvent }));
const started = { event: "run_started", conversation_id: "c", contract: "1.0", user_turn_id: "u1" };
const ids = (state: ChatState): string[] => state.turns.map((one) => one.id);

test("a turn that comes twice is there once, and the later one wins", () => {
  const state = play(heard([started, { event: "card", turn: turn("a", 1) }, { event: "card", turn: turn("a", 1, { content: "new" }) }]));
  assert.deepEqual(ids(state), ["a"]);
  assert.equal(state.turns[0]!.content, "new");
});

test("turns stand in the order of seq, however they arrive", () => {
  const state = play(heard([started, { event: "card", turn: turn("b", 2) }, { event: "card", turn: turn("a", 1) }]));
  assert.deepEqual(ids(state), ["a", "b"]);
});

test("a reconnect that repeats events changes nothing", () => {
  const events = heard([started, { event: "text_start", turn_id: "a", agent: "search" }, { event: "text_delta", turn_id: "a", offset: 0, delta: "Hel" }, { event: "text_delta", turn_id: "a", offset: 3, delta: "lo" }]);
  const once = play(events);
  assert.equal(once.drafts[0]!.text, "Hello");
  assert.deepEqual(play(events, once), once);
});

test("a delta that repeats or overlaps is harmless, one after a gap waits for the whole text", () => {
  const say = (offset: number, delta: string): object => ({ event: "text_delta", turn_id: "a", offset, delta });
  const start = { event: "text_start", turn_id: "a", agent: "search" };
  assert.equal(play(heard([started, start, say(0, "abc"), say(1, "bcd")])).drafts[0]!.text, "abcd");
  assert.equal(play(heard([started, start, say(0, "abc"), say(9, "z")])).drafts[0]!.text, "abc");
});

test("the whole text at the end wins over the deltas", () => {
  const state = play(heard([started, { event: "text_start", turn_id: "a", agent: "search" }, { event: "text_delta", turn_id: "a", offset: 0, delta: "wrong" }, { event: "text_end", turn_id: "a", content: "right", turn: turn("a", 1, { content: "right" }) }]));
  assert.equal(state.turns[0]!.content, "right");
  assert.equal(state.drafts.length, 0);
});

test("an event of the future is passed over, but the cursor moves on", () => {
  const state = play(heard([started, { event: "zz_future" }, { event: "card", turn: turn("a", 1) }]));
  assert.equal(state.run!.seq, 3);
  assert.equal(state.skipped, 1);
  assert.deepEqual(ids(state), ["a"]);
});

test("a newer turn marks the one that it replaces, in any order of arrival", () => {
  const older = turn("a", 1);
  const newer = turn("b", 2, { supersedes: "a" });
  for (const order of [[older, newer], [newer, older]]) {
    const state = play([{ do: "page", turns: order, hasMore: false }]);
    assert.equal(state.turns[0]!.status, "superseded");
  }
});

test("an update changes the status of a turn that is there, and is harmless for one that is not", () => {
  const there = play(heard([started, { event: "card", turn: turn("a", 1) }, { event: "turn_update", turn_id: "a", status: "expired" }]));
  assert.equal(there.turns[0]!.status, "expired");
  assert.deepEqual(play(heard([started, { event: "turn_update", turn_id: "zz", status: "expired" }])).turns, []);
});

test("an own message shows at once and becomes the server's turn, not a second one", () => {
  const wrote = play([{ do: "write", key: "k", text: "hello" }]);
  assert.deepEqual(wrote.pending.map((one) => [one.text, one.state]), [["hello", "sending"]]);
  const sent = play(heard([started], "k"), wrote);
  assert.equal(sent.pending[0]!.turnId, "u1");
  const back = play([{ do: "page", turns: [turn("u1", 1, { role: "user", content: "hello" })], hasMore: false }], sent);
  assert.equal(back.pending.length, 0);
  assert.deepEqual(ids(back), ["u1"]);
});

test("a server that tells the turn's id only with the turn gives one message all the same", () => {
  const early = { event: "run_started", conversation_id: "c", contract: "1.0" };
  const state = play([{ do: "write", key: "k", text: "hello" }, ...heard([early, { event: "card", turn: turn("u9", 1, { role: "user", content: "hello" }) }], "k")]);
  assert.deepEqual([ids(state), state.pending.length], [["u9"], 0]);
});

test("the run of a tap does not take a message that waits behind it", () => {
  const state = play([{ do: "write", key: "k", text: "hello" }, ...heard([started, { event: "card", turn: turn("u1", 1, { role: "user", content: "Choose" }) }])]);
  assert.deepEqual(state.pending.map((one) => one.state), ["sending"]);
});

test("a message that was lost keeps its place and can be sent again", () => {
  const state = play([{ do: "page", turns: [turn("a", 1)], hasMore: false }, { do: "write", key: "k", text: "hello" }, { do: "failed", key: "k" }, { do: "page", turns: [turn("b", 2)], hasMore: false }]);
  assert.deepEqual(state.pending.map((one) => [one.state, one.after]), [["failed", 1]]);
  assert.equal(reduce(state, { do: "sending", key: "k" }).pending[0]!.state, "sending");
});

test("one bad old message does not take the others with it", () => {
  const state = play([{ do: "page", turns: [null, 7, { id: 1 }, { seq: 2 }, turn("a", 3), { id: "b", seq: 4, actions: "no", content: 5 }], hasMore: false }]);
  assert.deepEqual(ids(state), ["a", "b"]);
  assert.equal(state.skipped, 4);
  assert.deepEqual(state.turns[1]!.actions, []);
});

test("a run that breaks off frees the button that started it", () => {
  const state = play([{ do: "tap", id: "x" }, ...heard([started, { event: "text_start", turn_id: "a", agent: "search" }]), { do: "untap", id: "x" }]);
  assert.deepEqual([state.taps, state.drafts.length, state.run], [{}, 0, null]);
});
