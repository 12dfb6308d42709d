/** Server-sent events over fetch: EventSource can neither POST nor send a token. */
import type { StreamEvent } from "./types";

const SILENCE_MS = 25_000;

/** One event per block of lines; comments and unreadable data are passed over. */
export class SseParser {
  #rest = "";
  #data: string[] = [];

  /** Events that are complete after this piece of text. */
  feed(piece: string): StreamEvent[] {
    const lines = (this.#rest + piece).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? "";
    return lines.flatMap((line) => this.#line(line));
  }

  #line(line: string): StreamEvent[] {
    if (line.startsWith("data:")) this.#data.push(line.slice(5).replace(/^ /, ""));
    if (line !== "" || this.#data.length === 0) return [];
    const text = this.#data.join("\n");
    this.#data = [];
    try {
      const event = JSON.parse(text) as StreamEvent;
      return event && typeof event.event === "string" ? [event] : [];
    } catch {
      return [];
    }
  }
}

/** Read a stream to its terminal event, which is returned. Throws when it breaks off or stays silent. */
export async function readEvents(
  body: ReadableStream<Uint8Array>, hear: (event: StreamEvent) => void,
): Promise<StreamEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const parser = new SseParser();
  try {
    for (;;) {
      const { done, value } = await withDeadline(reader.read());
      for (const event of parser.feed(done ? "\n\n" : decoder.decode(value, { stream: true }))) {
        hear(event);
        if (["done", "error", "resync_required"].includes(event.event)) return event;
      }
      if (done) throw new TypeError("stream broke off");
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

/** Keep-alive comments come every 15 s; a connection that is dead but open is noticed here. */
function withDeadline<T>(read: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new TypeError("stream is silent")), SILENCE_MS);
    read.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
