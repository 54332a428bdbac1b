import { Memo } from "../../../lib/memo.ts";
import type { Service } from "./service.ts";

const trimmed = new Memo<Service>();

/**
 * The service with only these of its ports; undefined when it has none of them. Equal questions have the same answer
 * object, so that what was built from it is found again.
 */
export function trimService(service: Service, wanted: ReadonlySet<number>): Service | undefined {
  const ports = service.ports.filter(({ number }) => wanted.has(number));
  if (ports.length === 0) return undefined;
  if (ports.length === service.ports.length) return service;
  const id = ports.map(({ number }) => number).join();
  return trimmed.get([service], id, () => ({ ...service, ports }));
}

/** The ports of two views of one service together. */
export function joinService(first: Service, second: Service): Service {
  const known = new Set(first.ports.map(({ number }) => number));
  const more = second.ports.filter(({ number }) => !known.has(number));
  if (more.length === 0) return first;
  return trimmed.get([first, second], "", () => ({ ...first, ports: [...first.ports, ...more] }));
}
