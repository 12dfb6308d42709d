/** The custom element: an open shadow root, adopted styles, nothing that a strict page would forbid. */
import { createRef, render } from "preact";
import { App } from "./app";
import { Chat } from "./chat";
import { Client, type Session, type SessionStore } from "./client";
import { addWords, chooseLanguage, language, t } from "./labels";
import { buildSprite } from "./sprite";
import tokens from "./style/tokens.css";
import styles from "./style/widget.css";
import type { Cards, Turn } from "./types";
import { Icon } from "./ui";

const TICK_MS = 15_000;
const SMALL = "(max-width: 480px)";
const sheet = new CSSStyleSheet();
sheet.replaceSync(tokens + styles);

/** Cards come apart from the panel: the words are there first, and a page that never chats never pays for them. */
let cards: Cards | null = null;
/** A card of a booking that was moved or cancelled is not another booking. */
const orderOf = (turn: Turn): string | undefined => (turn.type === "confirmation" ? turn.payload.order_number : undefined);

const fetchCards = (): Promise<void> => import("./cards").then((module) => {
  if (cards) return;
  sheet.replaceSync(tokens + styles + module.styles);
  addWords(module.labels);
  cards = module;
});

class RidepassChat extends HTMLElement {
  #chat: Chat | null = null;
  #open = false;
  #unread = 0;
  #root: ShadowRoot | null = null;
  #box = document.createElement("div");
  #timer = 0;
  #app = createRef<App>();
  #drawn = false;

  connectedCallback(): void {
    if (!this.#root) this.#build();
    this.#timer = window.setInterval(() => this.#chat?.state.turns.length && this.#draw(), TICK_MS);
    addEventListener("online", this.#net);
    addEventListener("offline", this.#net);
    addEventListener("focus", this.#back);
    document.addEventListener("visibilitychange", this.#back);
  }

  disconnectedCallback(): void {
    clearInterval(this.#timer);
    removeEventListener("online", this.#net);
    removeEventListener("offline", this.#net);
    removeEventListener("focus", this.#back);
    document.removeEventListener("visibilitychange", this.#back);
  }

  get #inline(): boolean { return this.dataset["mode"] === "inline"; }

  #build(): void {
    this.#root = this.attachShadow({ mode: "open" });
    this.#root.adoptedStyleSheets = [sheet];
    this.#box.className = "rp";
    this.#root.append(buildSprite(), this.#box);
    this.#root.addEventListener("keydown", (event) => this.#keys(event as KeyboardEvent));
    const company = this.dataset["company"] ?? "";
    const locale = this.dataset["locale"] || navigator.language || "en";
    const client = new Client(this.dataset["api"] || location.origin, company, locale, storeFor(company));
    this.#chat = new Chat(client, (what, turn) => this.#changed(what, turn));
    void chooseLanguage([locale, ...navigator.languages]).then(() => {
      this.#box.lang = language();
      this.#draw();
      if (this.#inline) this.#start();
    });
  }

  /** A conversation without its cards still reads well, so a failure here is no failure of the chat. */
  #start(): void {
    void fetchCards().then(() => this.#drawings(), () => this.#tell("defect", { what: "cards" }));
    void this.#chat!.start();
  }

  #drawings(): void {
    if (!this.#drawn && cards) this.#root!.prepend(buildSprite(cards.drawings));
    this.#drawn = true;
    this.#draw();
  }

  /** Show the panel; the focus goes in. */
  open(): void {
    if (this.#inline) return this.focus();
    this.#open = true;
    this.#unread = 0;
    this.#draw();
    if (!this.#chat!.ready) this.#start();
    this.focus();
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#draw();
    this.#root?.querySelector<HTMLElement>(".rp-launch")?.focus();
  }

  override focus(): void { this.#root?.querySelector<HTMLElement>("textarea")?.focus({ preventScroll: this.#inline }); }

  /** Put words into the composer; the person sends them. */
  write(text: string): void {
    this.open();
    this.#app.current?.setState({ draft: text }, () => this.focus());
  }

  #net = (): void => this.#chat?.setOnline(navigator.onLine);
  #back = (): void => { if (!document.hidden && this.#chat?.ready) void this.#chat.refresh(); };

  #changed(what: string, turn?: Turn): void {
    if (what === "answered" && !this.#open && !this.#inline) this.#unread += 1;
    this.#draw();
    if (what === "again" && turn) this.#root?.querySelector(`[data-id="${CSS.escape(turn.id)}"]`)?.scrollIntoView({ block: "nearest" });
    if (what === "answered" && turn) this.#tell(orderOf(turn) && this.#chat?.state.turns.find((one) => orderOf(one) === orderOf(turn))?.id === turn.id ? "booked" : "turn", { id: turn.id, type: turn.type });
  }

  #tell(name: string, detail: object): void {
    this.dispatchEvent(new CustomEvent(`ridepass:${name}`, { bubbles: true, composed: true, detail }));
  }

  #keys(event: KeyboardEvent): void {
    if (event.key === "Escape" && !this.#inline && this.#open) this.close();
    if (event.key === "Tab" && this.#open && matchMedia(SMALL).matches) this.#trap(event);
  }

  /** Only where the panel covers everything. */
  #trap(event: KeyboardEvent): void {
    const all = [...this.#root!.querySelectorAll<HTMLElement>(".rp-panel :is(a[href], button:not([disabled]), input:not([disabled]), textarea, summary, [tabindex='0'])")].filter((one) => one.offsetParent);
    const edge = event.shiftKey ? all[0] : all.at(-1);
    if (this.#root!.activeElement !== edge) return;
    event.preventDefault();
    (event.shiftKey ? all.at(-1) : all[0])?.focus();
  }

  #draw(): void {
    const chat = this.#chat!;
    const show = this.#inline || this.#open;
    const name = chat.company?.name ?? this.dataset["name"] ?? "";
    const full = !this.#inline && matchMedia(SMALL).matches;
    const role = this.#inline ? "region" : "dialog";
    const launch = t("ask_and_book");
    render(
      <>
        {show && <section class={`rp-panel rp-panel--${this.#inline ? "inline" : "float"}`} id="panel" part="panel" role={role} aria-modal={full ? "true" : undefined} aria-label={t("chat_with", { name })}>
          <App ref={this.#app} chat={chat} cards={cards} inline={this.#inline} sign={this.dataset["sign"]} close={() => this.close()} onDefect={(turn, what) => this.#tell("defect", { id: turn.id, type: turn.type, what })} />
        </section>}
        {!this.#inline && <button class="rp-launch" part="launcher" type="button" aria-expanded={show} aria-controls="panel" aria-label={show ? t("close") : launch} onClick={() => (show ? this.close() : this.open())}>
          <Icon n="chat" /><span>{launch}</span>{this.#unread > 0 && <span class="rp-badge">{this.#unread}</span>}<Icon n="close" m="rp-i--shut" /></button>}
      </>,
      this.#box,
    );
  }
}

/** One conversation per company in this browser; a browser that keeps nothing gets one per page. */
function storeFor(company: string): SessionStore {
  const key = `ridepass:${company}`;
  return {
    load() {
      try {
        const session = JSON.parse(localStorage.getItem(key) ?? "null") as Session | null;
        return typeof session?.token === "string" ? session : null;
      } catch { return null; }
    },
    save(session) {
      try {
        if (session) localStorage.setItem(key, JSON.stringify(session));
        else localStorage.removeItem(key);
      } catch { /* storage is forbidden here */ }
    },
  };
}

if (!customElements.get("ridepass-chat")) customElements.define("ridepass-chat", RidepassChat);
