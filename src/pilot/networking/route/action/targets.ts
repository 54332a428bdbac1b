import type { ConfigId } from "../../../../config/config.ts";
import { assert } from "../../../../lib/assert.ts";
import type { AppliedHash } from "../../../model/traffic/applied-hash.ts";
import type { Backend, Destination, Forward, HttpAction, Mirror } from "../../../model/traffic/virtual-service.ts";

/** A backend, resolved for a listener. */
export interface ResolvedBackend {
  /** Of the service; for an alias, of the service behind it. */
  readonly hostname: string;
  /** The port that it names, or the default port. */
  readonly port: number;
  readonly hash: AppliedHash | undefined;
}

/** Must depend on the backend alone. */
export type Resolve = (backend: Backend) => ResolvedBackend;

/** A resolved destination or mirror. */
export type RouteTarget = Destination & ResolvedBackend;
export type MirrorTarget = Mirror & ResolvedBackend;

/** A resolved action. */
export type TargetedAction = Exclude<HttpAction, Forward> | TargetedForward;

/** A resolved forward. */
export interface TargetedForward extends Forward {
  readonly destinations: readonly RouteTarget[];
  readonly mirrors: readonly MirrorTarget[];
  /** Retries go to the same endpoint, if the hash still chooses it. */
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

function targetsIn(action: TargetedAction): readonly (RouteTarget | MirrorTarget)[] {
  return action.type === "forward" ? [...action.destinations, ...action.mirrors] : [];
}
