import type { ConfigId } from "../../../../config/config.ts";
import { assert } from "../../../../lib/assert.ts";
import type { AppliedHash } from "../../../model/traffic/applied-hash.ts";
import type { Backend, Destination, Forward, HttpAction, Mirror } from "../../../model/traffic/virtual-service.ts";

/** A backend, resolved for a listener. */
export interface ResolvedBackend {
  /** Of the service: that of an alias is not its own. */
  readonly hostname: string;
  /** The one it names, or the one it means. */
  readonly port: number;
  readonly hash: AppliedHash | undefined;
}

/** Must depend on the backend alone. */
export type Resolve = (backend: Backend) => ResolvedBackend;

/** A destination, and a mirror, of which all is decided. */
export type Target = Destination & ResolvedBackend;
export type MirrorTarget = Mirror & ResolvedBackend;

/** An action of which all is decided. */
export type TargetedAction = Exclude<HttpAction, Forward> | TargetedForward;

/** A forward of which all is decided. */
export interface TargetedForward extends Forward {
  readonly destinations: readonly Target[];
  readonly mirrors: readonly MirrorTarget[];
  /** Retries are for the endpoint that was tried before, if it is still the one that a hash chooses. */
  readonly sticky: boolean;
}

/** Resolves the backends of an action, destinations first; none for an action that does not forward. */
export function resolveBackends(action: HttpAction, resolve: Resolve): readonly ResolvedBackend[] {
  return action.type === "forward" ? [...action.destinations, ...action.mirrors].map(resolve) : [];
}

/** The action with what {@link resolveBackends} found for it. */
export function withTargets(action: HttpAction, backends: readonly ResolvedBackend[]): TargetedAction {
  if (action.type !== "forward") return action;
  const decided = <B extends Backend>(list: readonly B[], first: number) =>
    list.map((backend, index) => ({ ...backend, ...resolvedAt(backends, first + index) }));
  const destinations = decided(action.destinations, 0);
  const mirrors = decided(action.mirrors, destinations.length);
  const [only] = destinations.length === 1 ? destinations : [];
  return { ...action, destinations, mirrors, sticky: only?.hash !== undefined };
}

function resolvedAt(backends: readonly ResolvedBackend[], index: number): ResolvedBackend {
  const resolved = backends[index];
  assert(resolved !== undefined, "every backend of an action is resolved");
  return resolved;
}

/** The rules that the hashes of an action come from. */
export function ruleOwnersOf(action: TargetedAction): readonly ConfigId[] {
  return targetsIn(action).flatMap(({ hash }) => hash?.owners ?? []);
}

function targetsIn(action: TargetedAction): readonly (Target | MirrorTarget)[] {
  return action.type === "forward" ? [...action.destinations, ...action.mirrors] : [];
}
