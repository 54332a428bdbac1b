import type { Analyzer } from "./analyzer.ts";
import { annotationAnalyzer } from "./analyzers/annotations.ts";
import { blockedCidrAnalyzer, deprecatedPolicyAnalyzer, jwtAnalyzer } from "./analyzers/authentication-policies.ts";
import {
  authorizationPolicyAnalyzer,
  serviceRoleBindingAnalyzer,
  serviceRoleServicesAnalyzer,
} from "./analyzers/authorization.ts";
import { authorizationRuleAnalyzer } from "./analyzers/authorization-rules.ts";
import { conditionAnalyzer } from "./analyzers/conditions.ts";
import { applicationUidAnalyzer, serviceAssociationAnalyzer } from "./analyzers/deployments.ts";
import { deprecationAnalyzer } from "./analyzers/deprecation.ts";
import { caCertificateAnalyzer, podNotSelectedAnalyzer } from "./analyzers/destination-rules.ts";
import { envoyPatchAnalyzer } from "./analyzers/envoy-filters.ts";
import { externalControlPlaneAnalyzer } from "./analyzers/external-control-plane.ts";
import { certificateAnalyzer } from "./analyzers/gateway/certificate.ts";
import { conflictingGatewayAnalyzer } from "./analyzers/gateway/conflicting-gateway.ts";
import { secretAnalyzer } from "./analyzers/gateway/gateway-credentials.ts";
import { ingressGatewayPortAnalyzer } from "./analyzers/gateway/ingress-gateway-port.ts";
import { crdVersionAnalyzer } from "./analyzers/gateway-api-version.ts";
import { imageAutoAnalyzer, injectionAnalyzer } from "./analyzers/injection.ts";
import { imageAnalyzer } from "./analyzers/injection-image.ts";
import { legacyRoleAnalyzer } from "./analyzers/legacy-roles.ts";
import { mtlsAnalyzer } from "./analyzers/mtls.ts";
import { meshNetworksAnalyzer, networkAnalyzer } from "./analyzers/networks.ts";
import { credentialAnalyzer, delegateAnalyzer, egressHostAnalyzer, namespaceAnalyzer } from "./analyzers/references.ts";
import {
  gatewaySelectorAnalyzer,
  selectorAnalyzer,
  sidecarSelectorAnalyzer,
  telemetryDefaultSelectorAnalyzer,
  telemetrySelectorAnalyzer,
} from "./analyzers/selectors.ts";
import { conflictingProtocolAnalyzer, portNameAnalyzer, protocolAddressesAnalyzer } from "./analyzers/services.ts";
import {
  lightstepAnalyzer,
  providerReferenceAnalyzer,
  telemetryProviderAnalyzer,
} from "./analyzers/telemetry-providers.ts";
import { jwtClaimRouteAnalyzer } from "./analyzers/virtualservice/jwt-claim-route.ts";
import { destinationHostAnalyzer, destinationRuleAnalyzer } from "./analyzers/virtualservice/route-destinations.ts";
import { unreachableRuleAnalyzer } from "./analyzers/virtualservice/unreachable-rule.ts";
import {
  conflictingMeshGatewayHostsAnalyzer,
  gatewayAnalyzer,
} from "./analyzers/virtualservice/virtual-service-gateways.ts";
import { webhookAnalyzer } from "./analyzers/webhooks.ts";

/** Every analyzer. To add one, write it in the file of its subject (`analyzers`), and add a line here. */
export const analyzers: readonly Analyzer[] = [
  annotationAnalyzer,
  blockedCidrAnalyzer,
  authorizationPolicyAnalyzer,
  deprecatedPolicyAnalyzer,
  jwtAnalyzer,
  mtlsAnalyzer,
  serviceRoleBindingAnalyzer,
  serviceRoleServicesAnalyzer,
  conditionAnalyzer,
  applicationUidAnalyzer,
  serviceAssociationAnalyzer,
  deprecationAnalyzer,
  caCertificateAnalyzer,
  podNotSelectedAnalyzer,
  envoyPatchAnalyzer,
  externalControlPlaneAnalyzer,
  certificateAnalyzer,
  conflictingGatewayAnalyzer,
  ingressGatewayPortAnalyzer,
  secretAnalyzer,
  imageAnalyzer,
  imageAutoAnalyzer,
  injectionAnalyzer,
  crdVersionAnalyzer,
  gatewaySelectorAnalyzer,
  meshNetworksAnalyzer,
  portNameAnalyzer,
  conflictingProtocolAnalyzer,
  protocolAddressesAnalyzer,
  sidecarSelectorAnalyzer,
  lightstepAnalyzer,
  telemetryProviderAnalyzer,
  telemetrySelectorAnalyzer,
  telemetryDefaultSelectorAnalyzer,
  conflictingMeshGatewayHostsAnalyzer,
  destinationHostAnalyzer,
  destinationRuleAnalyzer,
  gatewayAnalyzer,
  jwtClaimRouteAnalyzer,
  unreachableRuleAnalyzer,
  webhookAnalyzer,
  credentialAnalyzer,
  delegateAnalyzer,
  egressHostAnalyzer,
  namespaceAnalyzer,
  networkAnalyzer,
  providerReferenceAnalyzer,
  selectorAnalyzer,
  authorizationRuleAnalyzer,
  legacyRoleAnalyzer,
];
