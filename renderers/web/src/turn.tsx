/** One turn in the log. A card that cannot be drawn never takes another one with it. */
import { Component, type ComponentChildren } from "preact";
import { clock } from "./dates";
import { t } from "./labels";
import type { Draft, Pending } from "./reduce";
import type { Cards, Company, Deps, Turn } from "./types";
import { Chips, Icon } from "./ui";

interface BoundaryProps { fallback: ComponentChildren; children: ComponentChildren; onDefect: () => void }

class Boundary extends Component<BoundaryProps, { bad: boolean }> {
  override state = { bad: false };
  static override getDerivedStateFromError() { return { bad: true }; }
  override componentDidCatch() { this.props.onDefect(); }
  override render() { return this.state.bad ? this.props.fallback : this.props.children; }
}

/** The shop's sign: its first letter, or the drawing that the page names. */
export const Mark = ({ company, sign, small }: { company: Company | null; sign?: string | undefined; small?: boolean }) => (
  <span class={`rp-mark ${small ? "rp-mark--s" : ""} ${sign ? "" : "rp-mark--letter"}`} aria-hidden="true">
    {sign ? <svg><use href={`#i-${sign}`} /></svg> : (company?.name ?? " ").slice(0, 1)}
  </span>
);

interface WhoProps { name: string; time?: string | undefined; company: Company | null; sign?: string | undefined; staff?: boolean }

export const Who = ({ name, time, company, sign, staff }: WhoProps) => (
  <p class="rp-who">{staff ? <span class="rp-face" aria-hidden="true">{name.slice(0, 1)}</span> : <Mark company={company} sign={sign} small />}
    <b><bdi>{name}</bdi></b>{time && <time>{time}</time>}</p>
);

/** Plain text; only https addresses become links. */
export function Text({ text }: { text: string }) {
  const parts = text.split(/(https:\/\/[^\s<>"']+[^\s<>"'.,;:!?)])/);
  return <>{parts.map((part, index) => (index % 2 ? <a key={index} href={part} target="_blank" rel="noopener noreferrer nofollow">{part}</a> : part))}</>;
}

const Say = ({ text, m = "" }: { text: string; m?: string }) => <p class={`rp-say ${m}`} dir="auto"><Text text={text || t("unreadable")} /></p>;

interface TurnProps { turn: Turn; deps: Deps; head: boolean; sign?: string | undefined; spoken: boolean; cards: Cards | null; onDefect: (turn: Turn, what: string) => void }

/** `head`: name the speaker. `spoken`: a text turn of the same run has already said it. */
export function TurnView({ turn, deps, head, sign, spoken, cards, onDefect }: TurnProps) {
  if (turn.role === "user") return <div class="rp-turn" data-id={turn.id}><p class="rp-me" dir="auto"><Text text={turn.content} /></p></div>;
  const name = deps.company?.name ?? "";
  const staff = turn.role === "operator";
  const plain = <><Say text={turn.content} m={staff ? "rp-staff" : ""} /><Chips turn={turn} deps={deps} actions={turn.type === "text" ? [] : turn.actions} /></>;
  const Card = cards?.cardOf(turn.type);
  const verdict = cards ? cards.judge(turn) : "ok";
  // The first paragraph leads in; the facts behind it are the card's to show.
  const lead = turn.content.split(/\n/)[0] ?? "";
  return (
    <div class="rp-turn" data-id={turn.id} data-type={turn.type} lang={turn.lang || undefined}>
      {head && <Who name={name} time={clock(turn.created_at, deps.company?.tz)} company={deps.company} sign={sign} staff={staff} />}
      <Boundary key={turn.status} fallback={plain} onDefect={() => onDefect(turn, "defect")}>
        {Card && verdict === "ok" ? <>{!spoken && <Say text={lead} />}<Card turn={turn} deps={deps} /></>
          : <Unknown turn={turn} verdict={verdict} onDefect={onDefect}>{turn.type === "notice" && cards && verdict === "ok" ? <Notice turn={turn} deps={deps} /> : plain}</Unknown>}
      </Boundary>
    </div>
  );
}

/** Says once that something could not be drawn; what is shown is its text. */
class Unknown extends Component<{ turn: Turn; verdict: string; onDefect: TurnProps["onDefect"]; children: ComponentChildren }> {
  override componentDidMount() { if (this.props.verdict !== "ok") this.props.onDefect(this.props.turn, this.props.verdict); }
  override render() { return this.props.children; }
}

const LOOKS: Readonly<Record<string, readonly [string, string]>> = { warning: ["warning", "rp-note--warn"], problem: ["warning", "rp-note--bad"] };

function Notice({ turn, deps }: { turn: Turn; deps: Deps }) {
  const [icon, look] = LOOKS[(turn.payload as { severity?: string } | null)?.severity ?? ""] ?? ["info", ""];
  return <><div class={`rp-note ${look}`}><Icon n={icon} /><p dir="auto"><Text text={turn.content} /></p></div><Chips turn={turn} deps={deps} /></>;
}

/** Text that is still coming: its room is kept, so that nothing jumps. */
export const DraftView = ({ draft }: { draft: Draft }) => (
  <div class="rp-turn" data-id={draft.id}><p class="rp-say rp-keep" dir="auto">{draft.text}<span class="rp-caret" aria-hidden="true" /></p></div>
);

export const PendingView = ({ pending, resend }: { pending: Pending; resend: (key: string) => void }) => (
  <div class="rp-turn" data-id={pending.turnId ?? pending.key}><p class="rp-me" dir="auto">{pending.text}</p>
    {pending.state === "failed" && <p class="rp-err rp-end" role="alert"><Icon n="warning" m="rp-i--s" /><span>{t("not_sent")} <button class="rp-linkbtn" type="button" onClick={() => resend(pending.key)}>{t("send_again")}</button></span></p>}</div>
);
