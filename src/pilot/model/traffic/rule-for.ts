import type { Labels } from "../../../config/config.ts";
import { coveringPatterns } from "../../../config/grammar/hostname.ts";
import { selects } from "../../../config/selector.ts";
import { oncePer } from "../../../lib/memo.ts";
import type { PushContext } from "../push-context.ts";
import type { Service } from "../service/service.ts";
import type { Visibility } from "../service/visibility.ts";
import { visibilityFrom } from "../service/visibility.ts";
import type { DestinationRule, HostRules } from "./destination-rule.ts";

/**
 * The rule for a service that a namespace calls. The caller's namespace comes first, then the service's, then the root
 * namespace. Within a namespace the most specific host applies. Rules of different namespaces are never merged. A rule
 * with a selector in the caller's namespace goes before a rule for all workloads. A caller without labels matches no
 * selector.
 */
export function ruleFor(
  service: Pick<Service, "hostname" | "namespace">,
  namespace: string,
  push: Pick<PushContext, "hostRules" | "mesh">,
  labels: Labels = {},
): DestinationRule | undefined {
  const { rootNamespace } = push.mesh;
  // In the root namespace only private rules count as the caller's own. The other rules apply to all callers and come
  // last.
  const own = namespace === rootNamespace ? onlyPrivate : anyVisible;
  const rules =
    rulesIn(namespace, service.hostname, { from: namespace, accepts: own, push }) ??
    rulesIn(service.namespace, service.hostname, { from: namespace, accepts: anyVisible, push }) ??
    rulesIn(rootNamespace, service.hostname, { from: namespace, accepts: anyVisible, push });
  return (
    rules?.find(({ selector, namespace: owner }) => {
      return selector !== undefined && owner === namespace && selects(selector, labels);
    }) ?? rules?.find(({ selector }) => selector === undefined)
  );
}

interface Lookup {
  readonly from: string;
  readonly accepts: (visibility: Visibility) => boolean;
  readonly push: Pick<PushContext, "hostRules" | "mesh">;
}

function onlyPrivate(visibility: Visibility): boolean {
  return visibility === "private";
}

function anyVisible(visibility: Visibility): boolean {
  return visibility !== "hidden";
}

/** Undefined when there are none, so that the next namespace is searched. */
function rulesIn(
  namespace: string,
  hostname: string,
  { from, accepts, push }: Lookup,
): readonly DestinationRule[] | undefined {
  const own = rulesByNamespace(push.hostRules).get(namespace);
  if (own === undefined) return undefined;
  for (const pattern of own.hasWildcards ? coveringPatterns(hostname) : [hostname]) {
    const found = own.byHost.get(pattern)?.rules ?? [];
    const accepted = found.filter((candidate) => accepts(visibilityFrom(from, candidate)));
    if (accepted.length > 0) return accepted;
  }
  return undefined;
}

interface NamespaceRules {
  readonly byHost: ReadonlyMap<string, HostRules>;
  readonly hasWildcards: boolean;
}

/** Every service of every scope is looked up in three namespaces, and most namespaces have few rules or no wildcard. */
const rulesByNamespace = oncePer(
  (hostRules: PushContext["hostRules"]): ReadonlyMap<string, NamespaceRules> =>
    new Map(
      Array.from(
        Map.groupBy(hostRules.values(), ({ namespace }) => namespace),
        ([namespace, rules]) => [
          namespace,
          {
            byHost: new Map(rules.map((each) => [each.host, each])),
            hasWildcards: rules.some(({ host }) => host.startsWith("*")),
          },
        ],
      ),
    ),
);
