import type { Analyzer } from "./analyzer.ts";
import { k8s } from "./analyzers/annotations/k8s.ts";
import { blockedCidrs } from "./analyzers/authn/blocked-cidrs.ts";
import { authorizationPolicies } from "./analyzers/authz/authorization-policies.ts";
import { condition } from "./analyzers/conditions/condition.ts";
import { applicationUid } from "./analyzers/deployment/application-uid.ts";
import { serviceAssociation } from "./analyzers/deployment/service-association.ts";
import { deprecation } from "./analyzers/deprecation/deprecation.ts";
import { caCertificate } from "./analyzers/destinationrule/ca-certificate.ts";
import { podNotSelected } from "./analyzers/destinationrule/pod-not-selected.ts";
import { envoyPatch } from "./analyzers/envoyfilter/envoy-patch.ts";
import { externalControlPlane } from "./analyzers/externalcontrolplane/external-control-plane.ts";
import { certificate } from "./analyzers/gateway/certificate.ts";
import { conflictingGateway } from "./analyzers/gateway/conflicting-gateway.ts";
import { ingressGatewayPort } from "./analyzers/gateway/ingress-gateway-port.ts";
import { secret } from "./analyzers/gateway/secret.ts";
import { image } from "./analyzers/injection/image.ts";
import { imageAuto } from "./analyzers/injection/image-auto.ts";
import { injection } from "./analyzers/injection/injection.ts";
import { crdVersion } from "./analyzers/k8sgateway/crd-version.ts";
import { selector as gatewaySelector } from "./analyzers/k8sgateway/selector.ts";
import { meshNetworks } from "./analyzers/multicluster/mesh-networks.ts";
import { deprecated } from "./analyzers/policy/deprecated.ts";
import { jwt } from "./analyzers/policy/jwt.ts";
import { mtls } from "./analyzers/policy/mtls.ts";
import { serviceRoleBinding } from "./analyzers/rbac/service-role-binding.ts";
import { serviceRoleServices } from "./analyzers/rbac/service-role-services.ts";
import { credentials } from "./analyzers/references/credentials.ts";
import { delegates } from "./analyzers/references/delegates.ts";
import { egressHosts } from "./analyzers/references/egress-hosts.ts";
import { namespaces } from "./analyzers/references/namespaces.ts";
import { networks } from "./analyzers/references/networks.ts";
import { providers } from "./analyzers/references/providers.ts";
import { selectors } from "./analyzers/references/selectors.ts";
import { portName } from "./analyzers/service/port-name.ts";
import { conflictingProtocol } from "./analyzers/serviceentry/conflicting-protocol.ts";
import { protocolAddresses } from "./analyzers/serviceentry/protocol-addresses.ts";
import { selector as sidecarSelector } from "./analyzers/sidecar/selector.ts";
import { lightstep } from "./analyzers/telemetry/lightstep.ts";
import { provider } from "./analyzers/telemetry/provider.ts";
import {
  defaultSelector as telemetryDefaultSelector,
  selector as telemetrySelector,
} from "./analyzers/telemetry/selector.ts";
import { conflictingMeshGatewayHosts } from "./analyzers/virtualservice/conflicting-mesh-gateway-hosts.ts";
import { destinationHost } from "./analyzers/virtualservice/destination-host.ts";
import { destinationRule } from "./analyzers/virtualservice/destination-rule.ts";
import { gateway } from "./analyzers/virtualservice/gateway.ts";
import { jwtClaimRoute } from "./analyzers/virtualservice/jwt-claim-route.ts";
import { unreachableRule } from "./analyzers/virtualservice/unreachable-rule.ts";
import { webhook } from "./analyzers/webhook/webhook.ts";

/** Every analyzer. To add one, add a file to a folder beside this one, and a line here. */
export const analyzers: readonly Analyzer[] = [
  k8s,
  blockedCidrs,
  authorizationPolicies,
  deprecated,
  jwt,
  mtls,
  serviceRoleBinding,
  serviceRoleServices,
  condition,
  applicationUid,
  serviceAssociation,
  deprecation,
  caCertificate,
  podNotSelected,
  envoyPatch,
  externalControlPlane,
  certificate,
  conflictingGateway,
  ingressGatewayPort,
  secret,
  image,
  imageAuto,
  injection,
  crdVersion,
  gatewaySelector,
  meshNetworks,
  portName,
  conflictingProtocol,
  protocolAddresses,
  sidecarSelector,
  lightstep,
  provider,
  telemetrySelector,
  telemetryDefaultSelector,
  conflictingMeshGatewayHosts,
  destinationHost,
  destinationRule,
  gateway,
  jwtClaimRoute,
  unreachableRule,
  webhook,
  credentials,
  delegates,
  egressHosts,
  namespaces,
  networks,
  providers,
  selectors,
];
