import type { HistoryMoment } from "../../../src/desk/api/model/history.ts";
import { counted } from "../../parts/quantity.ts";

/** `VirtualService shop/reviews updated, and 2 more objects`. */
export function momentTitle({ cause, objects: { items, total } }: HistoryMoment): string {
  const [first] = items;
  const start = cause === "start" ? "Server started" : cause === "gap" ? "Changes were lost" : "";
  if (first === undefined) return start || "Nothing that you may see";
  const { kind, namespace, name, operation } = first;
  const place = namespace === "" ? name : `${namespace}/${name}`;
  const rest = total > 1 ? `, and ${counted(total - 1, "more object", "more objects")}` : "";
  return `${start === "" ? "" : `${start}: `}${kind} ${place} ${operation}${rest}`;
}
