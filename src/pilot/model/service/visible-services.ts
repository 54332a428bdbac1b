import { Memo } from "../../../lib/memo.ts";
import { compareServiceAge } from "../compare-age.ts";
import type { PushContext } from "../push-context.ts";
import type { Service } from "./service.ts";
import { visibilityFrom } from "./visibility.ts";

const visible = new Memo<readonly Service[]>();

/** Every service exported to a namespace; of those that share a hostname, the one that owns it comes first. */
export function visibleServices(namespace: string, push: PushContext): readonly Service[] {
  return visible.get([push.services], namespace, () =>
    [...push.services.values()]
      .filter((service) => visibilityFrom(namespace, service) !== "hidden")
      .toSorted((a, b) => comparePrecedence(namespace, a, b)),
  );
}

/**
 * Who owns a hostname that several namespaces declare: a Kubernetes service, so that nobody squats on its name; then
 * what was exported to this namespace by name before what is public; then the oldest.
 */
function comparePrecedence(namespace: string, a: Service, b: Service): number {
  return (
    Number(a.registry !== "Kubernetes") - Number(b.registry !== "Kubernetes") ||
    Number(visibilityFrom(namespace, a) === "public") - Number(visibilityFrom(namespace, b) === "public") ||
    compareServiceAge(a, b)
  );
}
