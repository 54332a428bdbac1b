import { memoize } from "../../../lib/memo.ts";
import type { Port, Service } from "./service.ts";

/**
 * The service with only these ports; undefined when it has none of them. Equal arguments return the same object, so
 * that memos find their results again.
 */
export function trimService(service: Service, wanted: ReadonlySet<number>): Service | undefined {
  const ports = service.ports.filter(({ number }) => wanted.has(number));
  if (ports.length === 0) return undefined;
  if (ports.length === service.ports.length) return service;
  return keepPorts([service], { numbers: ports.map(({ number }) => number) });
}

const keepPorts = memoize(
  ([service]: readonly [Service], { numbers }: { readonly numbers: readonly number[] }): Service => ({
    ...service,
    ports: service.ports.filter(({ number }) => numbers.includes(number)),
  }),
);

/** Joins the ports of two views of one service. */
export function joinService(first: Service, second: Service): Service {
  return addedPorts(first, second).length === 0 ? first : joinPorts([first, second]);
}

const joinPorts = memoize(
  ([first, second]: readonly [Service, Service]): Service => ({
    ...first,
    ports: [...first.ports, ...addedPorts(first, second)],
  }),
);

function addedPorts(first: Service, second: Service): readonly Port[] {
  const known = new Set(first.ports.map(({ number }) => number));
  return second.ports.filter(({ number }) => !known.has(number));
}
