import { coveringPatterns } from "../../../config/grammar/hostname.ts";
import { selects } from "../../../config/selector.ts";
import type { Labels } from "../labels.ts";
import type { PushContext } from "../push-context.ts";
import type { Service } from "../service/service.ts";
import type { Visibility } from "../service/visibility.ts";
import { visibilityFrom } from "../service/visibility.ts";
import type { DestinationRule } from "./destination-rule.ts";

/**
 * The rule that holds for a service when it is called from a namespace: of the caller's namespace, else of the
 * service's, else of the root namespace; there the one with the most specific host. Rules of different namespaces
 * are never merged. A rule for selected workloads of the caller's namespace goes before one for all of them; whoever
 * is asked about without labels is nobody's selected workload.
 */
export function ruleFor(
  service: Pick<Service, "hostname" | "namespace">,
  namespace: string,
  push: PushContext,
  labels: Labels = {},
): DestinationRule | undefined {
  const { rootNamespace } = push.mesh;
  // In the root namespace only private rules are the caller's own: the others are everybody's and come last.
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
  readonly push: PushContext;
}

function onlyPrivate(visibility: Visibility): boolean {
  return visibility === "private";
}

function anyVisible(visibility: Visibility): boolean {
  return visibility !== "hidden";
}

/** Undefined when there are none, so that others may be asked. */
function rulesIn(
  namespace: string,
  hostname: string,
  { from, accepts, push }: Lookup,
): readonly DestinationRule[] | undefined {
  for (const pattern of coveringPatterns(hostname)) {
    const found = push.hostRules.get(`${namespace}/${pattern}`)?.rules ?? [];
    const accepted = found.filter((candidate) => accepts(visibilityFrom(from, candidate)));
    if (accepted.length > 0) return accepted;
  }
  return undefined;
}
