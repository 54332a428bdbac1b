import type { Bound } from "../../../../src/testing/eventually.ts";
import type { BreakableWay } from "./breakable-way.ts";
import type { Origin, OriginFault } from "./origin.ts";

const holdMs = 100;

/** An origin that begins anew to answer, and answers slowly. The next generation arrives while it does. */
export function answersSlowly<O extends Origin & { readonly way: BreakableWay }>(bound: Bound): OriginFault<O> {
  return {
    name: `answers slowly (${holdMs} ms per piece of data)`,
    effect: "The source reads everything again and stays in sync. Changes arrive late.",
    bound,
    form: "whole",
    said: /^(?:stale|synced): /u,
    begin: ({ way }) => way.slowDown(holdMs),
    end: (_origin, next) => next(),
  };
}
