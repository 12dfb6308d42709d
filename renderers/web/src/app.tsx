/** The panel: header, rental bar, log, composer. State comes from `Chat`; what is open or typed lives here. */
import { Component, createRef } from "preact";
import type { Chat } from "./chat";
import { longDay, officeDay } from "./dates";
import { maybe, t } from "./labels";
import { leftOver } from "./own";
import { keepPlace, type Place } from "./place";
import type { ChatState } from "./reduce";
import { DraftView, Mark, PendingView, TurnView, Who } from "./turn";
import type { ActionRef, Cards, Deps, Turn } from "./types";
import { Chip, Icon } from "./ui";

interface Props {
  chat: Chat;
  cards: Cards | null;
  inline: boolean;
  sign?: string | undefined;
  close: () => void;
  onDefect: (turn: Turn, what: string) => void;
}
interface State { draft: string; asking: boolean; calendar: ActionRef | true | null; answering: ActionRef | null; away: boolean }

export class App extends Component<Props, State> {
  override state: State = { draft: "", asking: false, calendar: null, answering: null, away: false };
  log = createRef<HTMLDivElement>();
  input = createRef<HTMLTextAreaElement>();
  place: Place = { follow: true, top: -1, seen: "" };

  override componentDidUpdate() {
    const { chat, cards } = this.props;
    const { turns, pending, drafts } = chat.state;
    const content = [turns.map((turn) => turn.id + turn.status).join(), pending.map((one) => one.state), drafts.map((one) => one.text.length), chat.busy, !cards, chat.ready].join();
    if (this.log.current && keepPlace(this.log.current, this.place, content) && !this.state.away) this.setState({ away: true });
    const root = this.log.current?.getRootNode() as ShadowRoot | undefined;
    // A button that was used may be gone: the focus must not fall out of the panel.
    if (this.hadFocus && root && !root.activeElement) this.log.current?.focus({ preventScroll: true });
  }
  override componentDidMount() { this.componentDidUpdate(); }

  hadFocus = false;
  override getSnapshotBeforeUpdate() {
    this.hadFocus = !!(this.log.current?.getRootNode() as ShadowRoot | undefined)?.activeElement;
    return null;
  }

  get deps(): Deps {
    const { chat } = this.props;
    const pickDates = (action?: ActionRef) => this.setState({ calendar: action ?? true });
    return { act: (action, input) => this.act(action, input), taps: chat.state.taps, busy: chat.busy, company: chat.company, now: chat.now, pickDates };
  }

  act(action: ActionRef, input?: Parameters<Deps["act"]>[1]) {
    if (action.input === "text" && !input) {
      this.setState({ answering: action });
      return this.input.current?.focus();
    }
    this.place.follow = true;
    this.props.chat.act(action, input);
  }

  send = (text: string) => {
    const said = text.trim();
    if (!said || !this.props.chat.online) return;
    this.place.follow = true;
    const { answering } = this.state;
    this.setState({ draft: "", answering: null });
    if (answering) this.props.chat.act(answering, { text: said });
    else this.props.chat.send(said);
  };

  picked = (start: string, end: string, words: string) => {
    const { calendar, draft } = this.state;
    this.setState({ calendar: null });
    if (calendar && calendar !== true) return this.act(calendar, { dates: { start, end } });
    this.setState({ draft: `${draft.trim()} ${words}`.trim() }, () => this.input.current?.focus());
  };

  override render({ chat, cards, inline, sign, close }: Props, { calendar, away }: State) {
    const { deps } = this;
    const name = deps.company?.name ?? "";
    return (
      <>
        <header class="rp-head"><Mark company={deps.company} sign={sign} /><div class="rp-head__t"><h2>{name}</h2>
          <p><span class={`rp-dot ${chat.online ? "" : "rp-dot--off"}`} />{t(chat.online ? "subtitle" : "offline_sub")}</p></div>
          {chat.state.turns.length > 0 && <button class="rp-ib" type="button" aria-label={t("new_chat")} title={t("new_chat")} onClick={() => this.setState({ asking: true })}><Icon n="new" /></button>}
          {!inline && <button class="rp-ib" type="button" aria-label={t("close")} onClick={close}><Icon n="close" /></button>}
        </header>
        {cards ? <cards.RentalBar turns={chat.state.turns} deps={deps} /> : <div class="rp-rental" />}
        <div class="rp-body">
          {this.bars()}
          <div class="rp-log" role="log" aria-live="off" aria-busy={chat.busy} aria-label={t("messages")} tabIndex={0} ref={this.log} onScroll={this.scrolled}>{this.turns(deps)}</div>
          {away && <button class="rp-latest" type="button" onClick={this.latest}><Icon n="arrow" m="rp-i--s rp-i--down" />{t("latest")}</button>}
        </div>
        <div class="rp-foot">
          {calendar && cards ? <cards.Calendar today={officeDay(chat.now, deps.company?.tz)} city={deps.company?.city ?? ""} pick={this.picked} close={() => this.setState({ calendar: null }, () => this.input.current?.focus())} />
            : <>{this.quick(deps)}{this.composer()}</>}
        </div>
        <p class="rp-vh" role="status">{chat.busy ? stepWords(chat.state) : chat.said}</p>
      </>
    );
  }

  bars() {
    const { chat } = this.props;
    const problem = chat.state.problem;
    if (this.state.asking) return <div class="rp-netbar rp-netbar--ask" role="alertdialog" aria-label={t("new_chat_ask")}><p>{t("new_chat_ask")}</p>
      <button type="button" onClick={() => { this.setState({ asking: false }); void chat.restart(); }}>{t("new_chat_yes")}</button><button type="button" onClick={() => this.setState({ asking: false })}>{t("keep")}</button></div>;
    if (!chat.online) return <div class="rp-netbar" role="alert"><Icon n="warning" /><p>{t("offline")}</p></div>;
    if (!problem) return null;
    return <div class="rp-netbar" role="alert"><Icon n="warning" /><p>{maybe(problem.code)}</p>{problem.retry && <button type="button" onClick={() => chat.retry()}>{t("try_again")}</button>}</div>;
  }

  turns(deps: Deps) {
    const { chat, cards, sign, onDefect } = this.props;
    const { turns, pending, drafts, hasMore } = chat.state;
    const name = deps.company?.name ?? "";
    const items: [number, (before: Turn | undefined) => preact.JSX.Element][] = [
      ...turns.map((turn): (typeof items)[number] => [turn.seq, (before) => <TurnView key={turn.id} turn={turn} deps={deps} cards={cards} sign={sign} onDefect={onDefect} head={headed(before, turn)} spoken={spoken(turns, turn)} />]),
      ...pending.map((one): (typeof items)[number] => [one.after + 0.5, () => <PendingView key={one.key} pending={one} resend={(key) => chat.resend(key)} />]),
    ];
    items.sort((a, b) => a[0] - b[0]);
    let before: Turn | undefined;
    const waits = chat.busy && drafts.every((one) => !one.text);
    return (
      <>
        {hasMore && <button class="rp-chip rp-earlier" type="button" onClick={() => void chat.earlier()}>{t("earlier")}</button>}
        {chat.ready && !hasMore && <Greeting deps={deps} sign={sign} />}
        {items.map(([seq, draw]) => {
          const turn = turns.find((one) => one.seq === seq);
          const date = turn && newDay(before, turn, deps);
          const drawn = draw(before);
          before = turn ?? ({ role: "user" } as Turn);
          return date ? <><p class="rp-day">{date}</p>{drawn}</> : drawn;
        })}
        {drafts.map((one) => <DraftView key={one.id} draft={one} />)}
        {waits && <div class="rp-turn rp-turn--wait">{!before || before.role === "user" ? <Who name={name} company={deps.company} sign={sign} /> : null}
          <p class="rp-wait"><span aria-hidden="true"><i /><i /><i /></span>{stepWords(chat.state)}</p></div>}
      </>
    );
  }

  quick(deps: Deps) {
    const { chat } = this.props;
    if (chat.busy || !chat.ready) return null;
    const last = chat.state.turns.at(-1);
    if (!last) return <div class="rp-quick" role="group" aria-label={t("suggestions")}>{(["suggest_1", "suggest_2"] as const).map((key) => <button key={key} class="rp-chip" type="button" onClick={() => this.send(t(key))}>{t(key)}</button>)}</div>;
    const offers = chat.state.turns.filter((turn) => turn.run_id === last.run_id && turn.status === "final" && turn.role !== "user")
      .flatMap((turn) => (turn.type === "text" || leftOver(turn).length < turn.actions.length ? leftOver(turn).map((action) => ({ action, turn })) : []));
    const first = offers.filter(({ action }, index) => offers.findIndex((one) => one.action.kind === action.kind && one.action.target === action.target) === index);
    return first.length > 0 ? <div class="rp-quick" role="group" aria-label={t("suggestions")}>{first.map(({ action, turn }) => <Chip key={action.id} action={action} turn={turn} deps={deps} />)}</div> : null;
  }

  composer() {
    const { chat } = this.props;
    const { draft, answering } = this.state;
    const off = !chat.online;
    return (
      <form class={`rp-compose ${off ? "rp-compose--off" : ""}`} onSubmit={(event) => { event.preventDefault(); this.send(draft); }}>
        <button class="rp-ib" type="button" aria-label={t("pick_dates")} onClick={() => this.setState({ calendar: true })}><Icon n="calendar" /></button>
        <textarea rows={1} aria-label={t("your_message")} placeholder={answering ? maybe(answering.kind) : t(off ? "placeholder_offline" : "placeholder")} ref={this.input} value={draft} dir="auto" enterkeyhint="send"
          onInput={(event) => this.setState({ draft: event.currentTarget.value })}
          onKeyDown={(event) => { if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); this.send(event.currentTarget.value); } }} />
        <button class="rp-send" type="submit" aria-label={t("send")} disabled={off || !draft.trim()}><Icon n="arrow" m="rp-i--up" /></button>
      </form>
    );
  }

  scrolled = () => {
    const log = this.log.current;
    if (!log || Math.abs(log.scrollTop - this.place.top) <= 2) return;
    this.place.follow = log.scrollHeight - log.scrollTop - log.clientHeight < 80;
    if (this.place.follow && this.state.away) this.setState({ away: false });
  };

  latest = () => {
    Object.assign(this.place, { follow: true, seen: "" });
    this.setState({ away: false });
  };
}

const stepWords = (state: ChatState): string => maybe(state.run?.step ?? "") || t("writing");
const headed = (before: Turn | undefined, turn: Turn): boolean => turn.role !== "user" && before?.role !== turn.role;

/** A text turn of the same run right before has said it already. */
const spoken = (turns: readonly Turn[], turn: Turn): boolean => {
  const before = turns[turns.indexOf(turn) - 1];
  return before?.type === "text" && before.role === turn.role && before.run_id === turn.run_id;
};

function newDay(before: Turn | undefined, turn: Turn, deps: Deps): string {
  const tz = deps.company?.tz;
  const date = officeDay(turn.created_at, tz);
  const last = before?.created_at ? officeDay(before.created_at, tz) : officeDay(deps.now, tz);
  return date === last ? "" : longDay(date);
}

const Greeting = ({ deps, sign }: { deps: Deps; sign: string | undefined }) => {
  const { name = "", city = "" } = deps.company ?? {};
  return <div class="rp-turn"><Who name={name} company={deps.company} sign={sign} /><p class="rp-say" dir="auto">{t(city ? "greeting_city" : "greeting", { name, city })}</p></div>;
};

