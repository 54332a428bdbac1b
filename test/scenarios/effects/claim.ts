import { effectsOf } from "../../../src/config/effect/effects.ts";
import type { Kind } from "../../../src/config/kind.ts";
import type { FieldEffect } from "./proof.ts";

/** The claim of the table about a field: from its own row, or from the row of an enclosing message. */
export function claimOf(kind: Kind, path: string): FieldEffect {
  const effects = effectsOf(kind) ?? { kind };
  const { whole, fields = {}, serverFields = {}, bootstrapFields = [], podFields = [], refused = [] } = effects;
  if (whole !== undefined) return "unchanged";
  const isWithin = (row: string) => path === row || path.startsWith(`${row}.`);
  if (refused.some(isWithin)) return "refused";
  if ([...Object.keys(serverFields), ...bootstrapFields, ...podFields].some(isWithin)) return "unchanged";
  return Object.keys(fields).some(isWithin) ? "unchanged" : "changes";
}
