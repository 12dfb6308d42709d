/** <script src="…/widget/loader.js" data-company="…" async>: puts the element on the page, fetches the rest when idle. */
/** The entry, then the files that it imports: asked for at once, not one after the other. */
declare const WIDGET: readonly string[];

type Chat = HTMLElement & { open(): void; close(): void; write(text: string): void };
const script = document.currentScript as HTMLScriptElement;
const home = new URL(script.src);

const ready = new Promise<Chat>((done) => {
  const start = (): void => {
    const found = document.querySelector<Chat>("ridepass-chat");
    const chat = found ?? (document.createElement("ridepass-chat") as Chat);
    const load = (): unknown => Promise.all(WIDGET.map((name) => import(new URL(name, home).href))).then(() => done(chat));
    for (const key in script.dataset) chat.dataset[key] ??= script.dataset[key]!;
    chat.dataset["api"] ??= home.origin;
    if (!found) document.body.append(chat);
    if (found || !window.requestIdleCallback) load();
    else requestIdleCallback(load, { timeout: 2000 });
  };
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
  else start();
});

Object.assign(window, {
  Ridepass: {
    open: () => ready.then((chat) => chat.open()),
    close: () => ready.then((chat) => chat.close()),
    write: (text: string) => ready.then((chat) => chat.write(text)),
    on: (name: string, hear: (event: Event) => void) => ready.then((chat) => chat.addEventListener(`ridepass:${name}`, hear)),
  },
});
