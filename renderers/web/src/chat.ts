/** One conversation: what the person does goes in, the next state comes out. No drawing here. */
import { Client, isGone, mayPass, newKey } from "./client";
import { EMPTY, lastSeq, reduce, type ChatState, type Step } from "./reduce";
import type { ActionInput, ActionRef, Company, StreamEvent, Turn } from "./types";

const WAITS_MS = [500, 2_000, 5_000];
const SKEW_MATTERS_MS = 60_000;

type Job = { path: "stream" | "actions"; body: object; key: string; action?: string };

export class Chat {
  state: ChatState = EMPTY;
  online = navigator.onLine;
  /** What the one status region says. */
  said = "";
  /** True once the first answer of the server is here. */
  ready = false;
  #line: Promise<void> = Promise.resolve();
  #waiting = 0;
  #lost: Job | null = null;

  constructor(private readonly client: Client, private readonly changed: (happening: string, turn?: Turn) => void) {}

  get company(): Company | null { return this.client.session?.company ?? null; }
  get busy(): boolean { return this.#waiting > 0; }
  /** Server time: an own clock that is wrong must not end an offer. */
  get now(): number { return Date.now() + (this.client.session?.skew ?? 0); }

  #step(step: Step): void {
    this.state = reduce(this.state, step);
    this.changed(step.do);
  }

  /** Open or find the conversation and show what is in it. */
  async start(): Promise<void> {
    const known = this.client.session !== null;
    try {
      await this.client.open();
      await this.#page();
      this.ready = true;
      this.#step({ do: "calm" });
      this.#expect();
    } catch (error) {
      if (known && isGone(error, "")) return this.#begin("session_ended");
      this.#step({ do: "problem", code: "cannot_open", retry: true });
    }
  }

  async #page(before?: number): Promise<void> {
    const page = await this.client.turns(before);
    this.#step({ do: "page", turns: page.turns, hasMore: page.has_more ?? false, older: before !== undefined });
  }

  /** The page was left before the answer came: it is made all the same, so look for it. */
  #expect(tries = 15): void {
    const last = this.state.turns.at(-1);
    if (last?.role === "user" && !this.busy && tries > 0) setTimeout(() => void this.refresh().then(() => this.#expect(tries - 1)), 2_000);
  }

  /** Turns before the oldest one here. */
  earlier = (): Promise<void> => this.#page(this.state.turns[0]?.seq).catch(() => undefined);

  /** Read again what another tab or a finished run may have added. */
  async refresh(): Promise<void> {
    if (this.busy || !this.client.session) return;
    if (this.client.reload()) this.state = EMPTY;
    await this.#page().catch((error: unknown) => (isGone(error, "") ? this.#begin("session_ended") : undefined));
  }

  /** A message of the person: shown at once, sent in order. */
  send(text: string): void {
    const key = newKey();
    this.#step({ do: "write", key, text });
    this.#enqueue({ path: "stream", body: { message: text, client_key: key }, key });
  }

  /** The same message with the same key: the server answers it once. */
  resend(key: string): void {
    const lost = this.state.pending.find((one) => one.key === key);
    if (!lost) return;
    this.#step({ do: "sending", key });
    this.#enqueue({ path: "stream", body: { message: lost.text, client_key: key }, key });
  }

  /** One tap. A second tap on the same thing does nothing while the first runs. */
  act(action: ActionRef, input?: ActionInput): void {
    if (this.state.taps[action.id] === "busy") return;
    const key = action.once === false || input ? newKey() : `tap-${action.id}`;
    this.#step({ do: "tap", id: action.id });
    const body = { action_id: action.id, client_key: key, ...(input ? { input } : {}) };
    this.#enqueue({ path: "actions", body, key, action: action.id });
  }

  /** What failed last, again. */
  retry(): void {
    const lost = this.#lost;
    this.#lost = null;
    if (!lost) return void this.start();
    this.#step(lost.action ? { do: "tap", id: lost.action } : { do: "sending", key: lost.key });
    this.#enqueue(lost);
  }

  setOnline(online: boolean): void {
    this.online = online;
    this.changed("online");
    if (online && !this.ready) void this.start();
    else if (online) void this.refresh();
  }

  /** A new conversation; the old one stays with the server. */
  restart = (): Promise<void> => this.#begin();

  async #begin(code?: string): Promise<void> {
    this.client.keep(null);
    const unsent = this.state.pending.filter((one) => one.state !== "sent");
    this.state = { ...EMPTY, pending: unsent.map((one) => ({ ...one, after: 0 })) };
    await this.start();
    if (code && !this.state.problem) this.#step({ do: "problem", code, retry: false });
  }

  #enqueue(job: Job): void {
    this.#waiting += 1;
    this.changed("run");
    this.#line = this.#line.then(() => this.#run(job)).finally(() => {
      this.#waiting -= 1;
      this.changed("idle");
    });
  }

  async #run(job: Job): Promise<void> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return this.#ended(job, await this.client.stream(job.path, job.body, (event) => this.#hear(event, job)));
      } catch (error) {
        if (isGone(error, job.path) && attempt === 0 && !job.action) await this.#begin("session_ended");
        else if (isGone(error, job.path)) return this.#begin("session_ended");
        else if (!mayPass(error) || attempt >= WAITS_MS.length || !this.online) return this.#failed(job, error);
        else await pause(WAITS_MS[attempt]!);
      }
    }
  }

  #hear(event: StreamEvent, job: Job): void {
    if ("turn" in event && event.turn) this.#learnClock(event.turn);
    this.#step({ do: "event", event, key: job.action ? undefined : job.key });
  }

  #ended(job: Job, last: StreamEvent): void {
    if (last.event === "error") return this.#broke(job, last.retryable);
    const news = this.#news();
    if (job.action) this.#step({ do: "tapped", id: job.action });
    this.#step({ do: "ended" });
    const again = last.event === "done" && last.idempotent === true;
    this.#say(news);
    this.changed(again ? "again" : "answered", news[0]);
    const upTo = "last_seq" in last ? last.last_seq : 0;
    if (last.event === "resync_required" || lastSeq(this.state) < upTo) void this.#page().catch(() => undefined);
  }

  #news(): Turn[] {
    const ids = this.state.run?.turns ?? [];
    return this.state.turns.filter((turn) => turn.role !== "user" && ids.includes(turn.id));
  }

  #say(news: readonly Turn[]): void {
    this.said = news.map((turn) => turn.content).join("\n");
  }

  #broke(job: Job, retry: boolean): void {
    if (job.action) this.#step({ do: "untap", id: job.action });
    this.#lost = job;
    this.#step({ do: "problem", code: "run_failed", retry });
  }

  #failed(job: Job, error: unknown): void {
    if (!job.action) this.#step({ do: "failed", key: job.key });
    else {
      this.#step({ do: "untap", id: job.action });
      this.#lost = job;
      this.#step({ do: "problem", code: isBusy(error) ? "busy_now" : "tap_failed", retry: mayPass(error) });
    }
  }

  /** A turn that has just been made tells the server's time. */
  #learnClock(turn: Turn): void {
    const session = this.client.session;
    const made = Date.parse(turn.created_at);
    if (!session || Number.isNaN(made) || this.state.turns.some((one) => one.seq >= turn.seq)) return;
    const skew = made - Date.now();
    const next = Math.abs(skew) < SKEW_MATTERS_MS ? 0 : skew;
    if (Math.abs(next - (session.skew ?? 0)) > SKEW_MATTERS_MS) this.client.keep({ ...session, skew: next });
  }
}

const isBusy = (error: unknown): boolean => [429, 503].includes((error as { status?: number }).status ?? 0);

/** Wait, or less when the network comes back. */
function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds * (0.75 + Math.random() / 2));
    addEventListener("online", () => { clearTimeout(timer); resolve(); }, { once: true });
  });
}
