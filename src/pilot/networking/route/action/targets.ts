import type { ConfigId } from "../../../../config/config.ts";
import type { AppliedHash } from "../../../model/traffic/applied-hash.ts";
import type { Backend, Destination, Forward, HttpAction, Mirror } from "../../../model/traffic/virtual-service.ts";

/** What a backend means in a listener. */
interface Resolved {
  /** Of the service: that of an alias is not its own. */
  readonly hostname: string;
  /** The one it names, or the one it means. */
  readonly port: number;
  readonly hash: AppliedHash | undefined;
}

/** Must depend on the backend alone. */
export type Resolve = (backend: Backend) => Resolved;

/** A destination, and a mirror, of which all is decided. */
export type Target = Destination & Resolved;
export type MirrorTarget = Mirror & Resolved;

/** An action of which all is decided. */
export type TargetedAction = Exclude<HttpAction, Forward> | TargetedForward;

/** A forward of which all is decided. */
export interface TargetedForward extends Forward {
  readonly destinations: readonly Target[];
  readonly mirrors: readonly MirrorTarget[];
  /** Retries are for the endpoint that was tried before, if it is still the one that a hash chooses. */
  readonly sticky: boolean;
}

export function decideTargets(action: HttpAction, resolve: Resolve): TargetedAction {
  if (action.type !== "forward") return action;
  const decided = <B extends Backend>(backend: B) => ({ ...backend, ...resolve(backend) });
  const destinations = action.destinations.map(decided);
  const [only] = destinations.length === 1 ? destinations : [];
  return { ...action, destinations, mirrors: action.mirrors.map(decided), sticky: only?.hash !== undefined };
}

/** Equal texts for one undecided action mean equal decisions. */
export function decisionsIn(action: TargetedAction): string {
  return targetsIn(action)
    .map(({ hostname, port, hash }) => `${hostname} ${port}${hash === undefined ? "" : ` ${hashId(hash)}`}`)
    .join("+");
}

/** The rules that the hashes of an action come from. */
export function ruleOwnersOf(action: TargetedAction): readonly ConfigId[] {
  return targetsIn(action).flatMap(({ hash }) => hash?.owners ?? []);
}

function targetsIn(action: TargetedAction): readonly (Target | MirrorTarget)[] {
  return action.type === "forward" ? [...action.destinations, ...action.mirrors] : [];
}

/** Seconds are bigints, which JSON does not know. */
export function hashId(hash: AppliedHash): string {
  return JSON.stringify(hash, (_, value: unknown) => (typeof value === "bigint" ? `${value}` : value));
}
