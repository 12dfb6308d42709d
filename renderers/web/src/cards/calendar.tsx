import { Component, createRef } from "preact";
import { addDays, day, daysBetween, isoDay, longDay } from "../dates";
import { shortRange, weekdayRange } from "../format";
import { language, t } from "../labels";
import { Icon } from "../ui";

interface Props {
  today: string;
  city: string;
  /** `words` is how the days are written into a message. */
  pick: (start: string, end: string, words: string) => void;
  close: () => void;
}
interface State { month: string; start: string; end: string }

/** Two days of the office's calendar. Days are texts (YYYY-MM-DD) all the way: no clock, no zone. */
export class Calendar extends Component<Props, State> {
  override state: State = { month: this.props.today.slice(0, 7), start: "", end: "" };
  grid = createRef<HTMLDivElement>();

  override componentDidMount() { this.grid.current?.querySelector<HTMLElement>("button:not([disabled])")?.focus(); }

  tap = (iso: string) => {
    const { start, end } = this.state;
    this.setState(start && !end && iso > start ? { end: iso } : { start: iso, end: "" });
  };

  turn = (by: number) => {
    const date = day(`${this.state.month}-01`);
    date.setUTCMonth(date.getUTCMonth() + by);
    this.setState({ month: isoDay(date).slice(0, 7) });
  };

  /** Arrow keys walk through the days, over the edge of the month too. */
  walk = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }[event.key];
    const iso = (event.target as HTMLElement).dataset["day"];
    if (!by || !iso) return;
    event.preventDefault();
    const next = addDays(iso, by);
    if (next < this.props.today) return;
    this.setState({ month: next.slice(0, 7) }, () => this.grid.current?.querySelector<HTMLElement>(`[data-day="${next}"]`)?.focus());
  };

  override render({ today, city, pick, close }: Props, { month, start, end }: State) {
    const first = `${month}-01`;
    const lead = (day(first).getUTCDay() + 6) % 7;
    const size = daysBetween(first, nextMonth(first));
    const title = new Intl.DateTimeFormat(language(), { month: "long", year: "numeric", timeZone: "UTC", calendar: "gregory", numberingSystem: "latn" }).format(day(first));
    return (
      <section class="rp-pick" aria-label={t("pick_dates")}>
        <div class="rp-cal">
          <div class="rp-cal__h"><button class="rp-ib" type="button" aria-label={t("previous_month")} disabled={month <= today.slice(0, 7)} onClick={() => this.turn(-1)}><Icon n="arrow" m="rp-i--back" /></button>
            <h3 aria-live="polite">{title}</h3><button class="rp-ib" type="button" aria-label={t("next_month")} onClick={() => this.turn(1)}><Icon n="arrow" m="rp-i--fwd" /></button></div>
          <div class="rp-cal__g" ref={this.grid} onKeyDown={this.walk}>
            {week().map((name) => <span key={name} aria-hidden="true">{name}</span>)}
            {Array.from({ length: lead }, (_, index) => <i key={`b${index}`} />)}
            {Array.from({ length: size }, (_, index) => this.cell(addDays(first, index)))}
          </div>
        </div>
        <div class="rp-row rp-row--split">
          <p><b>{start ? (end ? weekdayRange({ start, end }) : weekdayRange({ start, end: start })) : t("choose_pickup")}</b><br /><span class="rp-sub">{end ? t("days", { n: daysBetween(start, end) }) : start ? t("choose_return") : t("office_time", { city })}</span></p>
          <button class="rp-btn rp-btn--primary" type="button" disabled={!end} onClick={() => pick(start, end, shortRange({ start, end }))}>{t("use_dates")}</button>
          <button class="rp-ib" type="button" aria-label={t("cancel")} onClick={close}><Icon n="close" /></button>
        </div>
      </section>
    );
  }

  cell(iso: string) {
    const { start, end } = this.state;
    const look = iso === start ? "a" : iso === end ? "z" : iso > start && iso < end ? "in" : "";
    const edge = iso === start || iso === end;
    return <button key={iso} type="button" class={look} data-day={iso} disabled={iso < this.props.today} aria-label={longDay(iso)} aria-pressed={edge ? "true" : "false"} onClick={() => this.tap(iso)}>{Number(iso.slice(8))}</button>;
  }
}

const nextMonth = (first: string): string => `${addDays(first, 31).slice(0, 7)}-01`;

/** Two letters for each weekday, Monday first. */
const week = (): string[] => Array.from({ length: 7 }, (_, index) =>
  new Intl.DateTimeFormat(language(), { weekday: "short", timeZone: "UTC" }).format(new Date(Date.UTC(2027, 5, 14 + index))).slice(0, 2));
