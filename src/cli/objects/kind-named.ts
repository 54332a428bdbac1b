import type { Kind } from "../../config/kind.ts";
import { kinds } from "../../config/kinds.ts";
import { didYouMean } from "../../lib/did-you-mean.ts";
import { MeshError } from "../../lib/errors.ts";

/** As kubectl abbreviates them. */
const short: Readonly<Record<string, string>> = {
  ap: "AuthorizationPolicy",
  dr: "DestinationRule",
  gw: "Gateway",
  pa: "PeerAuthentication",
  ra: "RequestAuthentication",
  se: "ServiceEntry",
  svc: "Service",
  vs: "VirtualService",
  we: "WorkloadEntry",
  wg: "WorkloadGroup",
};

/** Every kind once, for shells to complete. */
export const completableKinds: readonly string[] = [...new Set(kinds.map(({ kind }) => kind))];

/**
 * The kind that is meant by `VirtualService`, `virtualservices`, `vs`, or with its group where two have the name:
 * `ingresses.extensions`. Letters may be of either case. Throws `bad-option`.
 */
export function kindNamed(word: string): Kind {
  const wanted = (Object.hasOwn(short, word) ? (short[word] ?? word) : word).toLowerCase();
  const found = kinds.find((kind) => namesOf(kind).includes(wanted));
  if (found !== undefined) return found;
  const near = didYouMean(
    word,
    kinds.map(({ kind }) => kind),
  );
  throw new MeshError(
    "bad-option",
    `${word} is not a known kind${near === undefined ? "" : `; did you mean ${near}?`}`,
  );
}

function namesOf({ kind, plural, group }: Kind): readonly string[] {
  const names = [kind.toLowerCase(), plural];
  return [...names, ...names.map((name) => `${name}.${group}`)];
}
