import { Component, createRef } from "preact";
import { t } from "../labels";
import type { Deps, TurnOf, VehicleFacts } from "../types";
import { findAction, Icon } from "../ui";
import { ActionButton, Facts, OldNote, oldReason, Picture, Price } from "./parts";

type Props = { turn: TurnOf<"vehicle_carousel">; deps: Deps };

/** Free vehicles side by side, with arrows that know the ends. */
export class VehicleCarousel extends Component<Props, { start: boolean; end: boolean }> {
  override state = { start: true, end: true };
  list = createRef<HTMLUListElement>();

  override componentDidMount() { this.look(); }

  look = () => {
    const list = this.list.current;
    if (!list) return;
    const x = Math.abs(list.scrollLeft);
    this.setState({ start: x < 8, end: x > list.scrollWidth - list.clientWidth - 8 });
  };

  go(sign: number) {
    const list = this.list.current!;
    const way = getComputedStyle(list).direction === "rtl" ? -sign : sign;
    list.scrollBy({ left: way * ((list.firstElementChild as HTMLElement).offsetWidth + 12), behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  }

  override render({ turn, deps }: Props) {
    const { vehicles, total_found: all, sort, requested } = turn.payload;
    const price = sort === "price";
    const title = all > vehicles.length ? t(price ? "n_of_free_price" : "n_of_free", { n: vehicles.length, all }) : t(price ? "n_free_price" : "n_free", { n: vehicles.length });
    const why = oldReason(turn, deps);
    const more = findAction(turn, "show_more");
    return (
      <div class={`rp-car rp-in ${why ? "rp-car--old" : ""}`} role="group" aria-label={title}>
        {why && <OldNote turn={turn} why={why} />}
        <div class="rp-car__h"><h3>{title}</h3>{vehicles.length > 1 && <>
          <button class="rp-ib rp-ib--ring" type="button" aria-label={t("previous")} aria-disabled={this.state.start ? "true" : undefined} onClick={() => this.go(-1)}><Icon n="arrow" m="rp-i--s rp-i--back" /></button>
          <button class="rp-ib rp-ib--ring" type="button" aria-label={t("next")} aria-disabled={this.state.end ? "true" : undefined} onClick={() => this.go(1)}><Icon n="arrow" m="rp-i--s rp-i--fwd" /></button></>}
        </div>
        <ul class="rp-car__l" tabIndex={0} aria-label={title} ref={this.list} onScroll={this.look}>
          {vehicles.map((vehicle) => <Vehicle key={vehicle.ref} vehicle={vehicle} days={requested.days} turn={turn} deps={deps} old={why !== ""} solo={vehicles.length === 1} />)}
          {all > vehicles.length && more && <li class="rp-vcard rp-vcard--more"><div class="rp-stack rp-stack--s"><b>{t("n_more", { n: all - vehicles.length })}</b>
            <ActionButton action={more} deps={deps} look="rp-btn--plain" old={why !== ""} /></div></li>}
        </ul>
      </div>
    );
  }
}

function Vehicle({ vehicle, days, turn, deps, old, solo }: { vehicle: VehicleFacts; days: number; turn: Props["turn"]; deps: Deps; old: boolean; solo: boolean }) {
  const choose = findAction(turn, "select_vehicle", vehicle.ref);
  return (
    <li class={`rp-vcard ${solo ? "rp-vcard--solo" : ""}`}>
      <Picture vehicle={vehicle}>
        {!vehicle.available ? <span class="rp-flag rp-flag--off">{t("not_free")}</span> : vehicle.is_cheapest && <span class="rp-flag">{t("cheapest")}</span>}
      </Picture>
      <div class="rp-vcard__b">
        <h4><bdi>{vehicle.name}</bdi></h4>
        <Facts vehicle={vehicle} />
        {vehicle.also_free ? <p class="rp-sub">{t("n_free", { n: vehicle.also_free + 1 })}</p> : null}
        {vehicle.total && <p class="rp-vprice"><Price money={vehicle.total} /> <span class="rp-sub">{t("for_days", { n: days })}</span>
          {vehicle.per_day && <span class="rp-vprice__d"><Price money={vehicle.per_day} /> {t("a_day")}</span>}</p>}
        <ActionButton action={choose} deps={deps} look="rp-btn--primary rp-btn--wide" old={old}>{t("select_vehicle")}<span class="rp-vh"> {vehicle.name}</span></ActionButton>
      </div>
    </li>
  );
}
