import type { View } from "../../../collection/collection.ts";
import { type ConfigId, configKey } from "../../../config/config.ts";
import { memoize } from "../../../lib/memo.ts";
import type { PushContext } from "../push-context.ts";
import { attachedTelemetries } from "../telemetry/attached-telemetries.ts";
import { attachedPolicies, type PolicyWorkload } from "./attached-policies.ts";
import type { AuthorizationPolicy } from "./authorization-policy.ts";
import type { Extension } from "./extension.ts";
import type { ExtensionProvider } from "./extension-provider.ts";
import type { RequestAuthentication } from "./request-authentication.ts";
import type { Telemetry } from "./telemetry.ts";
import type { PolicyTarget, WorkloadPolicy } from "./workload-policy.ts";

/** The policies that the filters of some listeners are built from. Equal lists of the same objects are one object. */
export interface TrafficPolicies {
  readonly authorization: readonly AuthorizationPolicy[];
  readonly authentication: readonly RequestAuthentication[];
  readonly telemetry: readonly Telemetry[];
  readonly extensions: readonly Extension[];
  /** Every provider that policies may name. */
  readonly providers: readonly ExtensionProvider[];
}

/** The keys of the policies of some listeners: inputs of parts, so that proxies with the same policies share a part. */
export interface PolicyRefs {
  readonly authorization: readonly string[];
  readonly authentication: readonly string[];
  readonly telemetry: readonly string[];
  readonly extensions: readonly string[];
}

export const noPolicyRefs: PolicyRefs = { authorization: [], authentication: [], telemetry: [], extensions: [] };

/** The policies of traffic that arrives at a workload, or that passes a gateway. */
export function policyRefsFor(workload: PolicyWorkload, push: PushContext): PolicyRefs {
  return {
    ...outboundPolicyRefsFor(workload, push),
    authorization: keysOf(push.authorizationPoliciesByNamespace, workload, push),
    authentication: keysOf(push.requestAuthenticationsByNamespace, workload, push),
  };
}

/**
 * The same for a router. Its own services are targets of policies about requests, at the ports of these services. They
 * are not targets of telemetry and extensions.
 */
export function routerPolicyRefsFor(
  workload: PolicyWorkload,
  services: readonly PolicyTarget[],
  push: PushContext,
): PolicyRefs {
  const { authorization, authentication } = policyRefsFor({ ...workload, services }, push);
  return { ...outboundPolicyRefsFor(workload, push), authorization, authentication };
}

/** The policies of traffic that a workload sends. Authorization and authentication are up to the other side. */
export function outboundPolicyRefsFor(workload: PolicyWorkload, push: PushContext): PolicyRefs {
  return {
    ...noPolicyRefs,
    telemetry: attachedTelemetries(attachedPolicies(push.telemetriesByNamespace, workload, push.mesh.rootNamespace), {
      namespace: workload.namespace,
      rootNamespace: push.mesh.rootNamespace,
    }).map(configKey),
    extensions: attachedPolicies(push.extensionsByNamespace, workload, push.mesh.rootNamespace).map(
      ({ owner }) => owner,
    ),
  };
}

function keysOf<P extends WorkloadPolicy>(
  byNamespace: View<readonly P[]>,
  workload: PolicyWorkload,
  { mesh: { rootNamespace } }: PushContext,
): readonly string[] {
  return attachedPolicies(byNamespace, workload, rootNamespace).map(configKey);
}

/** The policies with these keys. */
export function trafficPoliciesOf(refs: PolicyRefs, push: PushContext): TrafficPolicies {
  return collect([
    authorizationList([lists, ...found(refs.authorization, push.authorizationPolicies)]),
    authenticationList([lists, ...found(refs.authentication, push.requestAuthentications)]),
    telemetryList([lists, ...found(refs.telemetry, push.telemetries)]),
    extensionList([lists, ...found(refs.extensions, push.extensions)]),
    providerList([lists, ...push.extensionProviders.values()]),
  ]);
}

/** The policies among the user's objects that a listener is built from. */
export function ownersOf({
  authorization,
  authentication,
  telemetry,
  extensions,
}: TrafficPolicies): readonly ConfigId[] {
  return [authorization, authentication, telemetry, extensions].flat().map(({ owner }) => owner);
}

function found<P>(keys: readonly string[], view: View<P>): readonly P[] {
  return keys.flatMap((key) => view.get(key) ?? []);
}

/** An empty list has an object in its key too. */
const lists = {};

type Listed<P> = readonly [typeof lists, ...P[]];

// One list for equal lists of the same objects, so that the policies as a whole can be compared by identity.
const authorizationList = memoize(([, ...list]: Listed<AuthorizationPolicy>): readonly AuthorizationPolicy[] => list);
const authenticationList = memoize(
  ([, ...list]: Listed<RequestAuthentication>): readonly RequestAuthentication[] => list,
);
const telemetryList = memoize(([, ...list]: Listed<Telemetry>): readonly Telemetry[] => list);
const extensionList = memoize(([, ...list]: Listed<Extension>): readonly Extension[] => list);
const providerList = memoize(([, ...list]: Listed<ExtensionProvider>): readonly ExtensionProvider[] => list);

const collect = memoize(
  ([authorization, authentication, telemetry, extensions, providers]: readonly [
    TrafficPolicies["authorization"],
    TrafficPolicies["authentication"],
    TrafficPolicies["telemetry"],
    TrafficPolicies["extensions"],
    TrafficPolicies["providers"],
  ]): TrafficPolicies => ({ authorization, authentication, telemetry, extensions, providers }),
);
