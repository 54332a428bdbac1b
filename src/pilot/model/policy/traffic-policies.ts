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
  /** The providers that these policies and the mesh name. */
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
    authorization: attachedKeys(listsFor(push.authorizationPoliciesByNamespace, workload, push), workload),
    authentication: attachedKeys(listsFor(push.requestAuthenticationsByNamespace, workload, push), workload),
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
  const { rootNamespace } = push.mesh;
  return {
    ...noPolicyRefs,
    telemetry: telemetryKeys(listsFor(push.telemetriesByNamespace, workload, push), { workload, rootNamespace }),
    extensions: extensionIds(listsFor(push.extensionsByNamespace, workload, push), workload),
  };
}

/** The policies of the root namespace, and of the workload's own if it is another one. */
type Lists<P> = readonly [ofRoot: readonly P[] | undefined, own: readonly P[] | undefined];

function listsFor<P>(byNamespace: View<readonly P[]>, { namespace }: PolicyWorkload, { mesh }: PushContext): Lists<P> {
  const own = namespace === mesh.rootNamespace ? undefined : byNamespace.get(namespace);
  return [byNamespace.get(mesh.rootNamespace), own];
}

// Remembered by the lists of two namespaces, so that a policy elsewhere costs nothing here.
const attachedKeys = memoize((lists: Lists<WorkloadPolicy>, workload: PolicyWorkload): readonly string[] =>
  attachedPolicies(lists, workload).map(configKey),
);

const telemetryKeys = memoize(
  (
    lists: Lists<Telemetry>,
    { workload, rootNamespace }: { readonly workload: PolicyWorkload; readonly rootNamespace: string },
  ): readonly string[] => {
    const { namespace } = workload;
    return attachedTelemetries(attachedPolicies(lists, workload), { namespace, rootNamespace }).map(configKey);
  },
);

const extensionIds = memoize((lists: Lists<Extension>, workload: PolicyWorkload): readonly ConfigId[] =>
  attachedPolicies(lists, workload).map(({ owner }) => owner),
);

/** The policies with these keys. */
export function trafficPoliciesOf(refs: PolicyRefs, push: PushContext): TrafficPolicies {
  const authorization = found(refs.authorization, push.authorizationPolicies);
  const telemetry = found(refs.telemetry, push.telemetries);
  return collect([
    authorizationList([lists, ...authorization]),
    authenticationList([lists, ...found(refs.authentication, push.requestAuthentications)]),
    telemetryList([lists, ...telemetry]),
    extensionList([lists, ...found(refs.extensions, push.extensions)]),
    providerList([lists, ...providersNamedBy(authorization, telemetry, push)]),
  ]);
}

/** Other providers are left out, so that a change of them does not change these policies. */
function providersNamedBy(
  authorization: readonly AuthorizationPolicy[],
  telemetries: readonly Telemetry[],
  { extensionProviders, mesh: { defaultProviders } }: PushContext,
): readonly ExtensionProvider[] {
  const rules = telemetries.flatMap(({ accessLogs, traces, metrics }) => [...accessLogs, ...traces, ...metrics]);
  const names = [
    ...authorization.flatMap(({ provider }) => provider ?? []),
    ...rules.flatMap(({ providers }) => providers),
    ...Object.values(defaultProviders).flat(),
  ];
  // Telemetry names providers in upper or lower case.
  const named = new Set(names.map((name) => name.toLowerCase()));
  return named.size === 0 ? [] : [...extensionProviders.values()].filter(({ name }) => named.has(name.toLowerCase()));
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
