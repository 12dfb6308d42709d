import { REQUIRED } from "../required.gen";
import type { Turn } from "../types";

/** Whether the payload has what its card needs: `unknown` for a type of the future, `defect` for a wrong one. */
export function judge(turn: Turn): "ok" | "unknown" | "defect" {
  if (turn.type === "text") return "ok";
  const needed = Object.hasOwn(REQUIRED, turn.type) ? REQUIRED[turn.type] : undefined;
  if (!needed || Number.parseInt(turn.contract ?? "1", 10) > 1) return "unknown";
  const payload = turn.payload as unknown as Record<string, unknown> | null;
  if (typeof payload !== "object" || payload === null) return "defect";
  return Object.entries(needed).every(([key, kind]) => kindOf(payload[key]) === kind) ? "ok" : "defect";
}

const kindOf = (value: unknown): string => (Array.isArray(value) ? "a" : value === null ? "" : (typeof value)[0] ?? "");
