import { memoize, oncePer } from "../../../lib/memo.ts";
import { compareServiceAge } from "../compare-age.ts";
import type { PushContext } from "../push-context.ts";
import type { Service } from "./service.ts";
import { visibilityFrom } from "./visibility.ts";

/** Every service exported to a namespace. The owner of a hostname comes before other services of that hostname. */
export function visibleServices(namespace: string, push: Pick<PushContext, "services">): readonly Service[] {
  const { services } = push;
  // Mostly all namespaces see the same: then they have the same list, and what is made from it.
  return findVisible([services], { namespace: areAllPublic(services) ? "" : namespace });
}

const areAllPublic = oncePer((services: PushContext["services"]): boolean =>
  [...services.values()].every(({ exportTo }) => exportTo.includes("*")),
);

const findVisible = memoize(
  ([services]: readonly [PushContext["services"]], { namespace }: { readonly namespace: string }): readonly Service[] =>
    [...services.values()]
      .filter((service) => visibilityFrom(namespace, service) !== "hidden")
      .toSorted((a, b) => comparePrecedence(namespace, a, b)),
);

/**
 * Decides which namespace owns a hostname. A Kubernetes service wins, so that nobody takes over its hostname. Then a
 * service exported to this namespace by name wins over a public one. Then the oldest wins.
 */
function comparePrecedence(namespace: string, a: Service, b: Service): number {
  return (
    Number(a.registry !== "Kubernetes") - Number(b.registry !== "Kubernetes") ||
    Number(visibilityFrom(namespace, a) === "public") - Number(visibilityFrom(namespace, b) === "public") ||
    compareServiceAge(a, b)
  );
}
