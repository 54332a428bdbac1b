import type { CallVerdict, NamespaceCalls } from "../../../src/desk/api/model/mesh.ts";
import { count } from "../../parts/quantity.ts";
import type { Tone } from "../../parts/status.tsx";

export const verdictTones: Readonly<Record<CallVerdict, Tone>> = { allowed: "ok", depends: "wait", denied: "error" };

export const verdictWords: Readonly<Record<CallVerdict, string>> = {
  allowed: "allowed",
  depends: "depends",
  denied: "denied",
};

/** The verdict about all services of a namespace; `depends` if they differ. */
export function verdictOf({ allowed, depends, denied }: NamespaceCalls): CallVerdict {
  if (depends === 0 && denied === 0) return "allowed";
  return depends === 0 && allowed === 0 ? "denied" : "depends";
}

/** `12 of 40 services allowed, 3 depend on the request, 25 denied`. */
export function callWords({ allowed, depends, denied }: NamespaceCalls): string {
  const total = allowed + depends + denied;
  if (total === 0) return "no services";
  if (allowed === total) return `all ${count(total)} services allowed`;
  if (denied === total) return `all ${count(total)} services denied`;
  return [
    `${count(allowed)} of ${count(total)} services allowed`,
    ...(depends > 0 ? [`${count(depends)} depend on the request`] : []),
    ...(denied > 0 ? [`${count(denied)} denied`] : []),
  ].join(", ");
}
