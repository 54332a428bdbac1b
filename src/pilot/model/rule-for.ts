import type { DestinationRule, HostRules } from "./destination-rule.ts";
import { coveringPatterns } from "./hostname.ts";
import type { PushContext } from "./push-context.ts";
import type { Service } from "./service.ts";
import type { Visibility } from "./visibility.ts";
import { visibilityFrom } from "./visibility.ts";

/**
 * The rule that holds for a service when it is called from a namespace: of the caller's namespace, else of the
 * service's, else of the root namespace; there the one with the most specific host. Rules of different namespaces
 * are never merged.
 */
export function ruleFor(
  service: Pick<Service, "hostname" | "namespace">,
  namespace: string,
  push: PushContext,
): DestinationRule | undefined {
  const { rootNamespace } = push.mesh;
  // In the root namespace only private rules are the caller's own: the others are everybody's and come last.
  const own = namespace === rootNamespace ? onlyPrivate : anyVisible;
  return (
    ruleIn(namespace, service.hostname, { from: namespace, accepts: own, push }) ??
    ruleIn(service.namespace, service.hostname, { from: namespace, accepts: anyVisible, push }) ??
    ruleIn(rootNamespace, service.hostname, { from: namespace, accepts: anyVisible, push })
  );
}

interface Lookup {
  readonly from: string;
  readonly accepts: (visibility: Visibility) => boolean;
  readonly push: PushContext;
}

function onlyPrivate(visibility: Visibility): boolean {
  return visibility === "private";
}

function anyVisible(visibility: Visibility): boolean {
  return visibility !== "hidden";
}

function ruleIn(namespace: string, hostname: string, { from, accepts, push }: Lookup): DestinationRule | undefined {
  for (const pattern of coveringPatterns(hostname)) {
    const found: HostRules | undefined = push.hostRules.get(`${namespace}/${pattern}`);
    const rule = found?.rules.find((candidate) => accepts(visibilityFrom(from, candidate)));
    if (rule !== undefined) return rule;
  }
  return undefined;
}
