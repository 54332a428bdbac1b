import type { Level, MessageType } from "./message.ts";

const error = ofLevel("Error");
const warning = ofLevel("Warning");
const info = ofLevel("Info");

/**
 * Every message, by code. Codes, names and levels are those of today's Istio; the texts are ours. `BIN` codes are for
 * mistakes that Istio does not check.
 */
export const messages = {
  danglingReference: warning("BIN0001", "DanglingReference", 'the {what} "{reference}" was not found: {instead}'),
  unenforced: error("BIN0002", "Unenforced", "{detail}"),
  noEffect: warning("BIN0003", "NoEffect", "{detail}"),
  patchRefused: error("BIN0004", "PatchRefused", "the patch has no effect: {detail}"),
  patchIgnored: warning("BIN0005", "PatchIgnored", "a part of the patch has no effect: {detail}"),
  keySetMissing: error(
    "BIN0006",
    "KeySetMissing",
    "the keys from {place} were never fetched, so proxies reject the tokens of this issuer: {detail}",
  ),
  keySetStale: warning(
    "BIN0007",
    "KeySetStale",
    "the keys from {place} cannot be fetched, so proxies use the last good ones: {detail}",
  ),
  noTokens: warning(
    "BIN0008",
    "NoTokens",
    "the rule reads tokens, but no RequestAuthentication applies here: every request counts as one without a token",
  ),
  httpRuleOnTcp: warning(
    "BIN0009",
    "HttpRuleOnTcpPort",
    "the rule reads fields of HTTP, but services declare these ports as TCP: {ports}. There {effect}",
  ),
  internalError: error("IST0001", "InternalError", "{where} failed, which is a bug in Binnacle: {detail}"),
  deprecated: warning("IST0002", "Deprecated", "{what}"),
  referencedResourceNotFound: error("IST0101", "ReferencedResourceNotFound", 'the {what} "{reference}" was not found'),
  namespaceNotInjected: info(
    "IST0102",
    "NamespaceNotInjected",
    "sidecars are not injected here: label the namespace istio-injection=enabled if they should be, or =disabled if not",
  ),
  podMissingProxy: warning(
    "IST0103",
    "PodMissingProxy",
    "the pod has no sidecar, though its namespace has injection enabled: it was probably made before, so restart it",
  ),
  schemaValidationError: error("IST0106", "SchemaValidationError", "{detail}"),
  misplacedAnnotation: warning(
    "IST0107",
    "MisplacedAnnotation",
    "the annotation {annotation} has no effect here: it belongs on {kinds}",
  ),
  unknownAnnotation: warning("IST0108", "UnknownAnnotation", "Istio has no annotation {annotation}{hint}"),
  conflictingMeshGatewayHosts: error(
    "IST0109",
    "ConflictingMeshGatewayVirtualServiceHosts",
    "several VirtualServices claim the host {host} for sidecars, and it is not defined which one wins: {objects}",
  ),
  conflictingSidecarSelectors: error(
    "IST0110",
    "ConflictingSidecarWorkloadSelectors",
    "several Sidecars select the workload {workload}, and it is not defined which one wins: {objects}",
  ),
  multipleSidecarsWithoutSelector: error(
    "IST0111",
    "MultipleSidecarsWithoutWorkloadSelectors",
    "several Sidecars of the namespace have no workload selector, and it is not defined which one wins: {objects}",
  ),
  destinationPortRequired: error(
    "IST0112",
    "VirtualServiceDestinationPortSelectorRequired",
    "the service {host} has several ports ({ports}): the destination has to choose one",
  ),
  mtlsConflict: error(
    "IST0113",
    "MTLSPolicyConflict",
    "the policy and the clients of {host} disagree: its mode is {server}, and clients use {client}",
  ),
  unknownPolicyPort: warning(
    "IST0114",
    "PolicySpecifiesPortNameThatDoesntExist",
    "the service {service} has no port {port}",
  ),
  mtlsWithoutSidecar: error(
    "IST0115",
    "DestinationRuleUsesMTLSForWorkloadWithoutSidecar",
    "clients use mutual TLS for {host}, but its workloads have no sidecar",
  ),
  multipleServices: warning(
    "IST0116",
    "DeploymentAssociatedToMultipleServices",
    "services disagree about the protocol of port {port} of this deployment: {services}",
  ),
  portNameConvention: info(
    "IST0118",
    "PortNameIsNotUnderNamingConvention",
    "port {port} ({name}) does not declare its protocol: name it <protocol>[-<suffix>], or set appProtocol",
  ),
  jwtWithoutHttp: warning(
    "IST0119",
    "JwtFailureDueToInvalidServicePortPrefix",
    "tokens need HTTP, but port {port} ({name}) of {service} is not declared as HTTP",
  ),
  policyDeprecated: info(
    "IST0120",
    "PolicyResourceIsDeprecated",
    "Policy is ignored in clusters that have PeerAuthentication and RequestAuthentication",
  ),
  meshPolicyDeprecated: info(
    "IST0121",
    "MeshPolicyResourceIsDeprecated",
    "MeshPolicy is ignored in clusters that have PeerAuthentication: write one in the root namespace",
  ),
  multipleInjectionLabels: warning(
    "IST0123",
    "NamespaceMultipleInjectionLabels",
    "the labels {labels} contradict each other: keep one",
  ),
  invalidAnnotation: warning(
    "IST0125",
    "InvalidAnnotation",
    "the annotation {annotation} has a value that Istio does not accept: {detail}",
  ),
  unknownRegistry: error(
    "IST0126",
    "UnknownMeshNetworksServiceRegistry",
    "the network {network} refers to the unknown registry {registry}",
  ),
  noMatchingWorkloads: warning(
    "IST0127",
    "NoMatchingWorkloadsFound",
    "the selector {selector} matches no workload of the mesh",
  ),
  noVerificationAtDestination: warning(
    "IST0128",
    "NoServerCertificateVerificationDestinationLevel",
    "TLS mode {mode} for {host} without caCertificates: clients do not verify the server",
  ),
  noVerificationAtPort: warning(
    "IST0129",
    "NoServerCertificateVerificationPortLevel",
    "TLS mode {mode} for port {port} of {host} without caCertificates: clients do not verify the server",
  ),
  unreachableRule: warning("IST0130", "VirtualServiceUnreachableRule", "the rule {rule} is never used: {reason}"),
  ineffectiveMatch: info(
    "IST0131",
    "VirtualServiceIneffectiveMatch",
    "the match {match} of the rule {rule} is never used: the rule {earlier} has it already",
  ),
  hostNotFoundInGateway: warning(
    "IST0132",
    "VirtualServiceHostNotFoundInGateway",
    "the gateway {gateway} serves none of the hosts {hosts}",
  ),
  schemaWarning: warning("IST0133", "SchemaWarning", "{detail}"),
  addressesRequired: warning(
    "IST0134",
    "ServiceEntryAddressesRequired",
    "port {port} is TCP and the entry has no addresses: every connection to that port, wherever it goes, would match",
  ),
  deprecatedAnnotation: info("IST0135", "DeprecatedAnnotation", "the annotation {annotation} is deprecated{hint}"),
  conflictingPorts: warning(
    "IST0137",
    "DeploymentConflictingPorts",
    "services reach port {target} of this deployment under several ports ({ports}): {services}",
  ),
  duplicateCertificate: warning(
    "IST0138",
    "GatewayDuplicateCertificate",
    "the same certificate is served by several gateways, which breaks clients that reuse HTTP/2 connections: {gateways}",
  ),
  invalidWebhook: error("IST0139", "InvalidWebhook", "{detail}"),
  ingressRoutesNotAffected: warning(
    "IST0140",
    "IngressRouteRulesNotAffected",
    "the subsets in {other} do not apply here: requests through a gateway use only the routes of the gateway",
  ),
  invalidApplicationUid: warning(
    "IST0144",
    "InvalidApplicationUID",
    "user 1337 belongs to the sidecar: the traffic of this user bypasses the mesh",
  ),
  conflictingGateways: error(
    "IST0145",
    "ConflictingGateways",
    "{gateways} serve hosts of {hosts} on port {port} for the same workloads ({selector})",
  ),
  imageAutoWarning: warning(
    "IST0146",
    "ImageAutoWithoutInjectionWarning",
    'the image of the proxy is "auto", but nothing injects the real image',
  ),
  imageAutoError: error(
    "IST0147",
    "ImageAutoWithoutInjectionError",
    'the image of the proxy is "auto", and nothing injected the real image',
  ),
  injectedByDefault: info(
    "IST0148",
    "NamespaceInjectionEnabledByDefault",
    "sidecars are injected here because the injector does so by default",
  ),
  jwtClaimWithoutAuthentication: error(
    "IST0149",
    "JwtClaimBasedRoutingWithoutRequestAuthN",
    "the route matches {claim}, but no RequestAuthentication applies to the pod {pod} of the gateway {gateway}",
  ),
  externalNamePort: warning(
    "IST0150",
    "ExternalNameServiceTypeInvalidPortName",
    "port {port} of an ExternalName service should declare its protocol: with plain TCP, all traffic on that port would match",
  ),
  relativeOperation: warning(
    "IST0151",
    "EnvoyFilterUsesRelativeOperation",
    "{operation} depends on the order of filters, and no priority is set: the patch may have no effect",
  ),
  replaceIncorrectly: error(
    "IST0152",
    "EnvoyFilterUsesReplaceOperationIncorrectly",
    "REPLACE works only for HTTP_FILTER, NETWORK_FILTER and VIRTUAL_HOST, not for {target}",
  ),
  addIncorrectly: error("IST0153", "EnvoyFilterUsesAddOperationIncorrectly", "ADD has no effect for {target}"),
  removeIncorrectly: error("IST0154", "EnvoyFilterUsesRemoveOperationIncorrectly", "REMOVE has no effect for {target}"),
  relativeWithProxyVersion: warning(
    "IST0155",
    "EnvoyFilterUsesRelativeOperationWithProxyVersion",
    "{operation} depends on the order of filters, no priority is set, and another patch of the same filter applies only to certain proxy versions",
  ),
  invalidTelemetryProvider: warning(
    "IST0157",
    "InvalidTelemetryProvider",
    "access logs name no provider, and the mesh has no default one: nothing is logged",
  ),
  imageMismatch: warning(
    "IST0158",
    "PodsIstioProxyImageMismatchInNamespace",
    "the sidecars of these pods differ from the version that is injected now: {pods}",
  ),
  conflictingTelemetrySelectors: error(
    "IST0159",
    "ConflictingTelemetryWorkloadSelectors",
    "several Telemetries select the workload {workload}, and it is not defined which one wins: {objects}",
  ),
  multipleTelemetriesWithoutSelector: error(
    "IST0160",
    "MultipleTelemetriesWithoutWorkloadSelectors",
    "several Telemetries of the namespace have no workload selector, and it is not defined which one wins: {objects}",
  ),
  invalidGatewayCredential: error(
    "IST0161",
    "InvalidGatewayCredential",
    "the secret {secret} cannot be used here: {detail}",
  ),
  gatewayPortNotOnService: warning(
    "IST0162",
    "GatewayPortNotDefinedOnService",
    "no service of the selected workloads ({selector}) has port {port}",
  ),
  invalidExternalControlPlane: warning(
    "IST0163",
    "InvalidExternalControlPlaneConfig",
    "the webhook {webhook} does not point to an external control plane: {detail}",
  ),
  controlPlaneAddress: info(
    "IST0164",
    "ExternalControlPlaneAddressIsNotAHostname",
    "the webhook {webhook} uses the address {address} of the control plane: use a host name",
  ),
  internalGateway: warning(
    "IST0165",
    "ReferencedInternalGateway",
    "{gateway} is made by Istio for a Kubernetes gateway and may change: name the Kubernetes gateway instead",
  ),
  ineffectiveSelector: warning(
    "IST0166",
    "IneffectiveSelector",
    "the selector matches the Kubernetes gateway {gateway}, where selectors have no effect: use targetRefs",
  ),
  ineffectivePolicy: warning("IST0167", "IneffectivePolicy", "{detail}"),
  negativeCondition: warning(
    "IST0171",
    "NegativeConditionStatus",
    "the control plane rejects a part of it ({condition}, {reason}): {detail}",
  ),
  subsetWithoutPods: error("IST0173", "DestinationRuleSubsetNotSelectPods", "the subset {subset} selects no workload"),
  unknownDestinationRuleHost: warning(
    "IST0174",
    "UnknownDestinationRuleHost",
    "the host {host} is not a service that is visible here",
  ),
  jwksUnrestricted: warning(
    "IST0175",
    "JwksUriFetchUnrestricted",
    "the control plane fetches keys from any address in {count} RequestAuthentications ({objects}): set BLOCKED_CIDRS_IN_JWKS_URIS",
  ),
  crdBelowMinimum: warning(
    "IST0176",
    "GatewayAPICRDVersionBelowMinimum",
    "{crd} has version {installed} of the Gateway API, but Istio needs {minimum}",
  ),
  conflictingServiceEntryProtocol: warning(
    "IST0177",
    "ConflictingServiceEntryProtocol",
    "several ServiceEntries disagree about the protocol ({protocols}) of {host}:{port}: {objects}",
  ),
} as const;

/** In the order of their codes. */
export const messageTypes: readonly MessageType[] = Object.values(messages);

function ofLevel(level: Level) {
  return <Template extends string>(code: string, name: string, template: Template): MessageType<Template> => {
    return { code, name, level, template };
  };
}
