import { Component, createRef } from "preact";
import { maybe, t } from "../labels";
import type { Deps, TurnOf } from "../types";
import { findAction, Icon } from "../ui";
import { OldNote, oldReason } from "./parts";

type Props = { turn: TurnOf<"contact_request">; deps: Deps };
type Field = "name" | "phone";
type State = { name: string; phone: string; open: Partial<Record<Field, boolean>>; errors: Partial<Record<Field, string>> };

const DIAL: Readonly<Record<string, string>> = { ID: "62", TH: "66", GR: "30", DE: "49", ES: "34", IT: "39", FR: "33", TR: "90", KR: "82", VN: "84", GB: "44", US: "1" };

/** Asks only for what is missing; a mistake is told at its field. */
export class ContactRequest extends Component<Props, State> {
  override state: State = { name: "", phone: "", open: {}, errors: this.#first() };
  form = createRef<HTMLFormElement>();

  #first(): State["errors"] {
    const { reason } = this.props.turn.payload;
    return reason.startsWith("phone_") ? { phone: maybe(reason) } : {};
  }

  asks = (field: Field): boolean => this.props.turn.payload.need.includes(field) || this.state.open[field] === true;

  submit = (event: Event) => {
    event.preventDefault();
    const { turn, deps } = this.props;
    const name = this.state.name.trim();
    const phone = this.state.phone.trim();
    const errors: State["errors"] = {};
    if (this.asks("name") && !name) errors.name = t("name_missing");
    if (this.asks("phone") && phone.replace(/\D/g, "").length < 5) errors.phone = t("phone_missing");
    this.setState({ errors }, () => this.form.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus());
    const action = findAction(turn, "share_contact");
    if (errors.name || errors.phone || !action) return;
    deps.act(action, { contact: { ...(this.asks("name") ? { name } : {}), ...(this.asks("phone") ? { phone } : {}) } });
  };

  override render({ turn, deps }: Props) {
    const why = oldReason(turn, deps);
    const action = findAction(turn, "share_contact");
    const state = action && deps.taps[action.id];
    const off = why !== "" || !action || state !== undefined;
    return (
      <article class={`rp-card rp-in ${why ? "rp-old" : ""}`}>{why && <OldNote turn={turn} why={why} />}
        <form class="rp-card__b" ref={this.form} onSubmit={off ? (event: Event) => event.preventDefault() : this.submit} noValidate>
          <div><h3 class="rp-card__t">{t("who_picks")}</h3><p class="rp-sub">{t("why_contact")}</p></div>
          {this.field("name", off)}{this.field("phone", off)}
          {!why && <button class="rp-btn rp-btn--primary rp-btn--wide" type="submit" aria-disabled={off ? "true" : undefined}>{t(state === "busy" ? "busy_action" : "share_contact")}</button>}
        </form></article>
    );
  }

  field(field: Field, off: boolean) {
    const { turn } = this.props;
    const have = turn.payload.have?.[field];
    if (!this.asks(field)) return have ? <Known field={field} value={have} off={off} change={() => this.setState({ open: { ...this.state.open, [field]: true } })} /> : null;
    const id = `${field}-${turn.id}`;
    const error = this.state.errors[field];
    const hint = field === "phone" ? this.#hint() : "";
    return (
      <div class="rp-field"><label for={id}>{t(`${field}_label`)}</label>
        <input class="rp-input" id={id} type={field === "phone" ? "tel" : "text"} inputMode={field === "phone" ? "tel" : "text"} autoComplete={field === "phone" ? "tel" : "name"} dir={field === "phone" ? "ltr" : "auto"}
          maxLength={field === "phone" ? 40 : 200} value={this.state[field]} disabled={off} aria-invalid={error ? "true" : undefined} aria-describedby={error || hint ? `${id}-h` : undefined}
          onInput={(event) => this.setState({ [field]: event.currentTarget.value } as Pick<State, Field>)} />
        {error ? <p class="rp-err" id={`${id}-h`}><Icon n="warning" m="rp-i--s" />{error}</p> : hint && <p class="rp-cap" id={`${id}-h`}>{hint}</p>}
      </div>
    );
  }

  #hint(): string {
    const code = DIAL[this.props.turn.payload.phone_region ?? ""];
    return code ? t("phone_hint", { code }) : t("phone_hint_plain");
  }
}

const Known = ({ field, value, off, change }: { field: Field; value: string; off: boolean; change: () => void }) => (
  <div class="rp-have"><span><Icon n="check" m="rp-i--s" /><bdi dir={field === "phone" ? "ltr" : "auto"}>{value}</bdi></span>
    {!off && <button type="button" aria-label={t(`change_${field}`)} onClick={change}>{t("change")}</button>}</div>
);
