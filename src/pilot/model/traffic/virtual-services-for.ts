import { memoize } from "../../../lib/memo.ts";
import { compareAge } from "../compare-age.ts";
import type { PushContext } from "../push-context.ts";
import type { Visibility } from "../service/visibility.ts";
import { visibilityFrom } from "../service/visibility.ts";
import type { VirtualService } from "./virtual-service.ts";

const orderOf: Readonly<Record<Exclude<Visibility, "hidden">, number>> = { private: 0, named: 1, public: 2 };
const none: readonly VirtualService[] = [];

/**
 * The virtual services of a gateway (`mesh` or `namespace/name`) that a namespace sees, in the order in which they
 * apply. Private ones of the namespace come first, then those exported to it by name, then public ones. The oldest
 * comes first in each group.
 */
export function virtualServicesFor(gateway: string, namespace: string, push: PushContext): readonly VirtualService[] {
  const bound = push.virtualServicesByGateway.get(gateway);
  return bound === undefined ? none : sortVisible([bound], { namespace });
}

/**
 * The same, but only those with a match on labels of clients. It does not read the others, so an edit of one of them
 * does not change the facts that are taken from the labels of a proxy.
 */
export function labelledVirtualServicesFor(
  gateway: string,
  namespace: string,
  push: PushContext,
): readonly VirtualService[] {
  const bound = push.labelledVirtualServices.get(gateway);
  return bound === undefined ? none : sortVisible([bound], { namespace });
}

const sortVisible = memoize(
  (
    [bound]: readonly [readonly VirtualService[]],
    { namespace }: { readonly namespace: string },
  ): readonly VirtualService[] => {
    const ranked: { readonly rank: number; readonly service: VirtualService }[] = [];
    for (const service of bound) {
      const visibility = visibilityFrom(namespace, service);
      if (visibility !== "hidden") ranked.push({ rank: orderOf[visibility], service });
    }
    return ranked.toSorted((a, b) => a.rank - b.rank || compareAge(a.service, b.service)).map(({ service }) => service);
  },
);
