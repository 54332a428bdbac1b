import type { PushContext } from "../../pilot/model/push-context.ts";
import type { SidecarScope } from "../../pilot/model/scope/sidecar-scope.ts";
import type { Service } from "../../pilot/model/service/service.ts";
import { ruleFor } from "../../pilot/model/traffic/rule-for.ts";
import { type Callee, decideCall } from "./call-decision.ts";
import { scopesOf, sightOf } from "./caller-scopes.ts";
import { type ServedWorkload, servedWorkloads } from "./served-workloads.ts";
import type { Decision } from "./verdict.ts";

/** A namespace that calls. */
export interface Caller {
  readonly namespace: string;
  readonly scopes: readonly SidecarScope[];
  /** Decisions so far, by class. */
  readonly decisions: Map<string, Decision>;
}

/**
 * Decides about many calls. Services with equal rules are one class, of which a namespace asks once: of ten thousand
 * services most have the rules of their namespace.
 */
export class CallClasses {
  readonly #push: PushContext;
  readonly #ids = new Map<string, number>();
  /** Whether a DestinationRule can change the transport of a call. */
  readonly #rulesSetTls: boolean;

  constructor(push: PushContext) {
    this.#push = push;
    this.#rulesSetTls = [...push.destinationRules.values()].some(
      ({ trafficPolicy }) =>
        trafficPolicy?.tls !== undefined || [...(trafficPolicy?.ports.values() ?? [])].some(({ tls }) => tls),
    );
  }

  caller(namespace: string): Caller {
    return { namespace, scopes: scopesOf(namespace, this.#push), decisions: new Map() };
  }

  /** `access` is equal for services whose side of a call is equal. */
  callee(service: Service): Callee & { readonly access: number } {
    const workloads = servedWorkloads(service, this.#push);
    const text = JSON.stringify([service.meshExternal, workloads.map(plainWorkload)]);
    const access = this.#ids.get(text) ?? this.#ids.size;
    this.#ids.set(text, access);
    return { service, workloads, access };
  }

  /** The decision of a class: the objects in its reasons may be those of another service of the class. */
  decide(caller: Caller, callee: ReturnType<CallClasses["callee"]>): Decision & { readonly key: string } {
    const { service, access } = callee;
    const sights = caller.scopes.map((scope) => sightOf(service, scope).type);
    const rule = this.#rulesSetTls ? ruleFor(service, caller.namespace, this.#push)?.owners.join() : "";
    const key = JSON.stringify([access, sights, rule]);
    const decision = caller.decisions.get(key) ?? decideCall(caller.namespace, caller.scopes, callee, this.#push);
    caller.decisions.set(key, decision);
    return { ...decision, key };
  }
}

function plainWorkload({ policies, ...rest }: ServedWorkload) {
  return [policies.map(({ owner }) => owner), rest];
}
