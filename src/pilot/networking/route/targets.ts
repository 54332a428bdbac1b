import type { Backend, Destination, Forward, HttpAction, Mirror } from "../../model/virtual-service.ts";

/** A destination, and a mirror, whose port is decided. */
export type Target = Destination & { readonly port: number };
export type MirrorTarget = Mirror & { readonly port: number };

/** An action of which all ports are decided. */
export type TargetedAction = Exclude<HttpAction, Forward> | TargetedForward;

export interface TargetedForward extends Forward {
  readonly destinations: readonly Target[];
  readonly mirrors: readonly MirrorTarget[];
}

/** @param portOf the port that a backend names, else the one it means */
export function decidePorts(action: HttpAction, portOf: (backend: Backend) => number): TargetedAction {
  if (action.type !== "forward") return action;
  const decided = <B extends Backend>(backend: B) => ({ ...backend, port: portOf(backend) });
  return { ...action, destinations: action.destinations.map(decided), mirrors: action.mirrors.map(decided) };
}

/** In a fixed order: of an action with its ports undecided, equal lists make equal actions. */
export function portsIn(action: TargetedAction): readonly number[] {
  return action.type === "forward" ? [...action.destinations, ...action.mirrors].map(({ port }) => port) : [];
}
