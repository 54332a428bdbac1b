import type { ConfigId, Labels } from "../../../config/config.ts";
import { selects } from "../../../config/selector.ts";
import { memoize } from "../../../lib/memo.ts";
import { compareAge } from "../compare-age.ts";
import type { PushContext } from "../push-context.ts";
import type { MtlsMode, PeerAuthentication } from "./peer-authentication.ts";

/** The connections that a workload accepts, after all policies are merged. */
export interface MtlsPolicy {
  readonly mode: MtlsMode;
  /** Ports that a policy lists. Their mode usually differs from `mode`. */
  readonly ports: ReadonlyMap<number, MtlsMode>;
  /** The policies that contributed. */
  readonly owners: readonly ConfigId[];
}

/** The part of the push context that decides about mTLS. */
export type MtlsContext = Pick<PushContext, "peerAuthenticationsByNamespace" | "mesh">;

const noLabels: Labels = {};

/**
 * Merges the policies of a workload. The oldest policy of each level counts, and a converted
 * one only without others. A closer level overrides a wider one:
 * workload selector, namespace, mesh. A substitute that may have selected the workload overrides all. Without any policy the workload accepts plain text and mTLS.
 */
export function mtlsPolicyFor(workload: { namespace: string; labels: Labels }, push: MtlsContext): MtlsPolicy {
  const { namespace, labels } = workload;
  return findPolicy([push.peerAuthenticationsByNamespace, push.mesh], { namespace, labels });
}

const findPolicy = memoize(
  (
    [policiesIn, { rootNamespace }]: readonly [MtlsContext["peerAuthenticationsByNamespace"], MtlsContext["mesh"]],
    { namespace, labels }: { readonly namespace: string; readonly labels: Labels },
  ): MtlsPolicy => {
    const mesh = first(policiesIn.get(rootNamespace) ?? [], ({ selector }) => selector === undefined);
    const own = namespace === rootNamespace ? [] : (policiesIn.get(namespace) ?? []);
    const wide = first(own, ({ selector }) => selector === undefined);
    const close =
      first(own, ({ prevails }) => prevails) ??
      first(own, ({ selector }) => selector !== undefined && selects(selector, labels));
    return merged(
      [...new Set([mesh, wide, close])].filter((policy) => policy !== undefined),
      close?.ports ?? new Map(),
    );
  },
);

/** The mode of workloads that no policy selects. Clients know only this mode for a service as a whole. */
export function namespaceMtlsMode(namespace: string, push: MtlsContext): MtlsMode {
  return mtlsPolicyFor({ namespace, labels: noLabels }, push).mode;
}

/** The mode of one port of a workload. */
export function mtlsModeOf({ mode, ports }: MtlsPolicy, port: number): MtlsMode {
  return ports.get(port) ?? mode;
}

function first(list: readonly PeerAuthentication[], applies: (policy: PeerAuthentication) => boolean) {
  return list.filter(applies).toSorted(comparePrecedence)[0];
}

/** Those of users first, then the strict ones among the converted; then by age. Times are not always known. */
function comparePrecedence(a: PeerAuthentication, b: PeerAuthentication): number {
  return rankOf(a) - rankOf(b) || compareAge(a, b);
}

function rankOf({ converted, mode }: PeerAuthentication): number {
  if (!converted) return 0;
  return mode === "strict" ? 1 : 2;
}

/** Merges levels from the widest to the closest. Ports come from the policy that selects the workload only. */
function merged(levels: readonly PeerAuthentication[], ports: PeerAuthentication["ports"]): MtlsPolicy {
  const mode = levels.reduce<MtlsMode>((wider, level) => (level.mode === "unset" ? wider : level.mode), "permissive");
  const asked = [...ports].toSorted(([a], [b]) => a - b);
  return {
    mode,
    ports: new Map(asked.map(([port, own]) => [port, own === "unset" ? mode : own])),
    owners: levels.map(({ owner }) => owner),
  };
}
