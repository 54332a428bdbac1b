import type { Kind } from "../kind.ts";
import type { KindEffects } from "./effect-table.ts";
import { extensionEffects } from "./extension-effects.ts";
import { envoyFilterEffects } from "./envoy-filter-effects.ts";
import { legacyEffects } from "./legacy-effects.ts";
import { meshEffects } from "./mesh-effects.ts";
import { networkingEffects } from "./networking-effects.ts";
import { securityEffects } from "./security-effects.ts";
import { tokenEffects } from "./token-effects.ts";
import { telemetryEffects } from "./telemetry-effects.ts";
import { wholeKinds } from "./whole-kinds.ts";

/**
 * Everything that is read without effect, by kind. The test `test/scenarios/effects.test.ts` compares bytes. A field in
 * this table changes no byte for a proxy, and every other field of Istio's kinds changes one. Kinds of Kubernetes are
 * not listed, because they do not configure the mesh.
 */
export const effects: readonly KindEffects[] = [
  ...meshEffects,
  ...networkingEffects,
  ...securityEffects,
  ...extensionEffects,
  envoyFilterEffects,
  ...tokenEffects,
  ...telemetryEffects,
  ...legacyEffects,
  ...wholeKinds,
];

const byCollection = new Map(effects.map((row) => [row.kind.collection, row]));

/** The parts of a kind without effect; undefined if the whole kind has an effect. */
export function effectsOf({ collection }: Pick<Kind, "collection">): KindEffects | undefined {
  return byCollection.get(collection);
}
