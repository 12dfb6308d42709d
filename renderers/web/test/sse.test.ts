import assert from "node:assert/strict";
import { test } from "node:test";
import { readEvents, SseParser } from "../src/sse.ts";

const block = (event: object): string => `id: r:1\nevent: x\ndata: ${JSON.stringify(event)}\n\n`;
const body = (...pieces: string[]): ReadableStream<Uint8Array> => new ReadableStream({
  start(control) {
    for (const piece of pieces) control.enqueue(new TextEncoder().encode(piece));
    control.close();
  },
});

test("events come out whole however the bytes are cut", () => {
  const text = `: hello\n\n${block({ event: "a", text: "é\n😀" })}${block({ event: "b" })}`.replaceAll("\n\n", "\r\n\r\n");
  for (let cut = 1; cut < text.length; cut += 1) {
    const parser = new SseParser();
    const names = [...parser.feed(text.slice(0, cut)), ...parser.feed(text.slice(cut))].map((event) => event.event as string);
    assert.deepEqual(names, ["a", "b"], `cut at ${cut}`);
  }
});

test("comments and unreadable data are passed over", () => {
  const parser = new SseParser();
  assert.deepEqual(parser.feed(": keep-alive\n\ndata: {nonsense\n\ndata: null\n\ndata: 7\n\n"), []);
});

test("reading ends with the terminal event; what follows is not heard", async () => {
  const heard: string[] = [];
  const last = await readEvents(body(block({ event: "a" }), block({ event: "done" }), block({ event: "z" })), (event) => heard.push(event.event));
  assert.equal(last.event, "done");
  assert.deepEqual(heard, ["a", "done"]);
});

test("a stream without its end is a fault, not an answer", async () => {
  await assert.rejects(readEvents(body(block({ event: "a" })), () => undefined), TypeError);
});
