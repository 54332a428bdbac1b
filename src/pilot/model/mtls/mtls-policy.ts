import type { ConfigId } from "../../../config/config.ts";
import { selects } from "../../../config/selector.ts";
import { Memo } from "../../../lib/memo.ts";
import { compareAge } from "../compare-age.ts";
import type { Labels } from "../labels.ts";
import { labelsId } from "../labels.ts";
import type { PushContext } from "../push-context.ts";
import type { MtlsMode, PeerAuthentication } from "./peer-authentication.ts";

/** Which connections a workload accepts, all policies taken together. */
export interface MtlsPolicy {
  readonly mode: MtlsMode;
  /** The ports that differ from the rest, or are named as if they did. */
  readonly ports: ReadonlyMap<number, MtlsMode>;
  /** The policies that had a say. */
  readonly owners: readonly ConfigId[];
}

/** What of the mesh decides about it. */
export type MtlsContext = Pick<PushContext, "peerAuthenticationsByNamespace" | "mesh">;

const policies = new Memo<MtlsPolicy>();
const nobody: Labels = {};

/**
 * What holds for a workload. The oldest policy of each level counts, and the closer one before the wider: those that
 * select it in its namespace, that of its namespace, that of the mesh; plain text and mTLS where nobody says anything.
 */
export function mtlsPolicyFor(workload: { namespace: string; labels: Labels }, push: MtlsContext): MtlsPolicy {
  const { namespace, labels } = workload;
  const policiesIn = push.peerAuthenticationsByNamespace;
  return policies.get([policiesIn, push.mesh], `${namespace} ${labelsId(labels)}`, () => {
    const { rootNamespace } = push.mesh;
    const mesh = oldest(policiesIn.get(rootNamespace) ?? [], ({ selector }) => selector === undefined);
    const own = namespace === rootNamespace ? [] : (policiesIn.get(namespace) ?? []);
    const wide = oldest(own, ({ selector }) => selector === undefined);
    const close = oldest(own, ({ selector }) => selector !== undefined && selects(selector, labels));
    return merged([mesh, wide, close].filter((policy) => policy !== undefined));
  });
}

/** What holds for the workloads of a namespace that no policy selects: all that clients know of a whole service. */
export function namespaceMtlsMode(namespace: string, push: MtlsContext): MtlsMode {
  return mtlsPolicyFor({ namespace, labels: nobody }, push).mode;
}

/** What holds for one port of a workload. */
export function mtlsModeOf({ mode, ports }: MtlsPolicy, port: number): MtlsMode {
  return ports.get(port) ?? mode;
}

function oldest(list: readonly PeerAuthentication[], applies: (policy: PeerAuthentication) => boolean) {
  return list.filter(applies).toSorted(compareAge)[0];
}

/** From the widest to the closest; ports are those of the closest alone. */
function merged(levels: readonly PeerAuthentication[]): MtlsPolicy {
  const mode = levels.reduce<MtlsMode>((wider, level) => (level.mode === "unset" ? wider : level.mode), "permissive");
  const asked = [...(levels.at(-1)?.ports ?? [])].toSorted(([a], [b]) => a - b);
  return {
    mode,
    ports: new Map(asked.map(([port, own]) => [port, own === "unset" ? mode : own])),
    owners: levels.map(({ owner }) => owner),
  };
}
