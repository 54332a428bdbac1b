import type { Issue } from "../../../config/issue.ts";
import { KubeError } from "../../../kube/kube-error.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import { Debouncer } from "../../../lib/time/debouncer.ts";
import { Freshness } from "../freshness.ts";
import type { SourceEvent } from "../source.ts";

/** A resource of the API server, by its `kubectl` name and namespace. */
export interface KubeResource {
  readonly group: string;
  readonly plural: string;
  /** Undefined for all namespaces, and for cluster-scoped resources. */
  readonly namespace: string | undefined;
}

interface ResourceFailure {
  readonly resource: KubeResource;
  readonly error: Error;
}

/** All kinds fail and recover together, so one message reports them. */
const settleMs = 200;
const maxSettleMs = 1000;
/** The most reasons, and names, in one message. */
const maxReasons = 5;
const maxNames = 10;

/** The resources that cannot be followed now, with reasons. The source is stale while there are any. */
export class UnreadableResources {
  readonly #emit: (events: readonly SourceEvent[]) => void;
  readonly #debouncer: Debouncer;
  readonly #current = new Map<string, ResourceFailure>();
  readonly #freshness = new Freshness();

  constructor(clock: Clock, emit: (events: readonly SourceEvent[]) => void) {
    this.#emit = emit;
    this.#debouncer = new Debouncer({
      clock,
      quietMs: settleMs,
      maxWaitMs: maxSettleMs,
      run: () => this.#report(),
    });
  }

  failed(resource: KubeResource, error: Error): void {
    this.#current.set(kubeResourceName(resource), { resource, error });
    this.#debouncer.trigger();
  }

  recovered(resource: KubeResource): void {
    if (this.#current.delete(kubeResourceName(resource))) this.#debouncer.trigger();
  }

  close(): void {
    this.#debouncer.cancel();
  }

  #report(): void {
    const reason = reasonFor([...this.#current.values()]);
    this.#emit(reason === undefined ? this.#freshness.fresh() : this.#freshness.stale(reason));
  }
}

/** The issue for a forbidden resource, with the change that the cluster administrator must make. */
export function forbiddenIssue(resource: KubeResource, error: Error, severity: Issue["severity"]): Issue {
  const { group, plural, namespace } = resource;
  const role = namespace === undefined ? "a ClusterRole" : `a Role in ${namespace}`;
  const rule = `{apiGroups: ["${group}"], resources: ["${plural}"], verbs: ["list", "watch"]}`;
  return {
    severity,
    code: "forbidden",
    object: "",
    path: "",
    message: error.message,
    place: undefined,
    hint: `bind ${role} with the rule ${rule}, or leave the kind out with --exclude`,
  };
}

export function isForbidden(error: Error): boolean {
  return error instanceof KubeError && error.code === 403;
}

/** `gateways.networking.istio.io`, or `gateways.networking.istio.io in shop`. */
export function kubeResourceName({ group, plural, namespace }: KubeResource): string {
  return `${group === "" ? plural : `${plural}.${group}`}${namespace === undefined ? "" : ` in ${namespace}`}`;
}

function reasonFor(failures: readonly ResourceFailure[]): string | undefined {
  if (failures.length === 0) return undefined;
  const byProblem = Map.groupBy(failures, problemOf);
  const reasons = Array.from(byProblem, ([problem, these]) => {
    const names = these.map(({ resource }) => kubeResourceName(resource)).toSorted();
    return `${problem} (${short(names, maxNames).join(", ")})`;
  });
  return short(reasons, maxReasons).join("; ");
}

function short(texts: readonly string[], max: number): readonly string[] {
  return texts.length <= max ? texts : [...texts.slice(0, max), `and ${texts.length - max} more`];
}

/** The issues have the details of forbidden resources. */
function problemOf({ error }: ResourceFailure): string {
  return isForbidden(error) ? "not allowed to list and watch" : error.message;
}
