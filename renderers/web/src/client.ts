/** The HTTP surface: one session per company, messages and taps as streams, history as pages. */
import type { Contract } from "./contract.gen";
import { readEvents } from "./sse";
import type { Company, StreamEvent } from "./types";

/** Every answer that is not a success. `status` 0: nothing came back. */
export class ApiError extends Error {
  constructor(readonly status: number, readonly code: string, readonly retryable: boolean) {
    super(code);
  }
}

export interface Session {
  conversation_id: string;
  token: string;
  company: Company;
  /** Server clock minus ours, in milliseconds. */
  skew?: number;
}

/** Where the session is kept between pages; null when there is none. */
export interface SessionStore {
  load(): Session | null;
  save(session: Session | null): void;
}

export const newKey = (): string => crypto.randomUUID?.() ?? `k-${Date.now()}-${Math.random().toString(36).slice(2)}`;

export class Client {
  session: Session | null;

  constructor(
    private readonly base: string,
    private readonly company: string,
    private readonly locale: string,
    private readonly store: SessionStore,
  ) {
    this.session = store.load();
  }

  /** The session at hand, or a new one. */
  async open(): Promise<Session> {
    if (this.session) return this.session;
    const body: Contract["session_request"] = { company: this.company, locale: this.locale, contract: "1.0" };
    const answer = await this.#fetch("sessions", { method: "POST", body: JSON.stringify(body) }, false);
    this.keep((await answer.json()) as Contract["session_opened"]);
    return this.session!;
  }

  keep(session: Session | null): void {
    this.session = session;
    this.store.save(session);
  }

  /** Take over what another tab has stored; true when it is another conversation. */
  reload(): boolean {
    const before = this.session?.token;
    this.session = this.store.load() ?? this.session;
    return this.session?.token !== before;
  }

  /** Turns, oldest first, before a `seq`. */
  async turns(before?: number): Promise<Contract["turn_page"]> {
    const answer = await this.#fetch(`turns?limit=50${before ? `&before=${before}` : ""}`, {});
    return (await answer.json()) as Contract["turn_page"];
  }

  /** Post and listen. Resolves with the terminal event. */
  async stream(path: "stream" | "actions", body: object, hear: (event: StreamEvent) => void): Promise<StreamEvent> {
    const headers = { Accept: "text/event-stream" };
    const answer = await this.#fetch(path, { method: "POST", body: JSON.stringify(body), headers });
    if (!answer.body) throw new TypeError("no stream");
    return readEvents(answer.body, hear);
  }

  async #fetch(path: string, init: RequestInit, token = true): Promise<Response> {
    const headers: Record<string, string> = { "Content-Type": "application/json", ...(init.headers as Record<string, string>) };
    if (token) headers["Authorization"] = `Bearer ${(await this.open()).token}`;
    const options: RequestInit = { ...init, headers, credentials: "omit", cache: "no-store", referrerPolicy: "strict-origin" };
    const answer = await fetch(`${this.base}/api/chat/${path}`, options);
    if (answer.ok) return answer;
    const problem = (await answer.json().catch(() => ({}))) as Partial<Contract["problem"]>;
    throw new ApiError(answer.status, String(problem.code ?? answer.status), problem.retryable ?? answer.status >= 500);
  }
}

/** Whether the conversation behind the token is gone. */
export const isGone = (error: unknown, path: string): boolean =>
  error instanceof ApiError
  && (error.status === 401 || (error.status === 404 && (path !== "actions" || /session|conversation|token/.test(error.code))));

/** Whether the same request may help a moment later. */
export const mayPass = (error: unknown): boolean =>
  !(error instanceof ApiError) || error.retryable || [409, 425, 429, 503].includes(error.status);
