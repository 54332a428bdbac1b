import type { HTTPRoute } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { configKey } from "../../../config.ts";
import { fieldPath } from "../../../field-path.ts";
import { meshGateway, resolveGateway } from "../../../grammar/gateway-reference.ts";
import { gateway } from "../../../kinds/gateway.ts";
import { pod } from "../../../kinds/kubernetes.ts";
import { meshConfig } from "../../../kinds/mesh-config.ts";
import { requestAuthentication } from "../../../kinds/request-authentication.ts";
import { virtualService } from "../../../kinds/virtual-service.ts";
import { selects } from "../../../selector.ts";
import type { Analyzer } from "../../analyzer.ts";
import { LabelIndex } from "../../facts/label-index.ts";
import { meshSettings } from "../../facts/mesh-settings.ts";
import { messages } from "../../messages.ts";

export const jwtClaimRoute: Analyzer = {
  name: "virtualservice.JWTClaimRouteAnalyzer",
  description: "Routes by the claims of tokens that nobody validates",
  inputs: [virtualService, requestAuthentication, gateway, pod, meshConfig],
  analyze(context) {
    const { rootNamespace } = meshSettings(context);
    const requests = context.all(requestAuthentication);
    const pods = new LabelIndex(context.all(pod));
    for (const config of context.all(virtualService)) {
      const claim = config.spec.http.flatMap(claimsOf)[0];
      if (claim === undefined) continue;
      for (const reference of config.spec.gateways.filter((name) => name !== meshGateway)) {
        const key = resolveGateway(reference, config.namespace);
        const selector = context.find(gateway, key)?.spec.selector;
        if (selector === undefined) continue;
        for (const each of pods.select(selector)) {
          const isValidated = requests.some(
            ({ namespace, spec }) =>
              (namespace === rootNamespace || namespace === each.namespace) &&
              selects(spec.selector?.matchLabels ?? {}, each.labels),
          );
          if (isValidated) continue;
          const parameters = { claim: claim.key, gateway: key, pod: configKey(each) };
          context.report(messages.jwtClaimWithoutAuthentication, { config, path: claim.path }, parameters);
        }
      }
    }
  },
};

/** Not a header at all: the gateway fills it in once the token is validated. */
const claimPrefix = "@request.auth.claims";

function claimsOf({ match }: HTTPRoute, index: number) {
  return match.flatMap(({ headers, withoutHeaders }, at) => {
    const path = `spec.http[${index}].match[${at}]`;
    const keys = [
      ...Object.keys(headers).map((key) => ({ key, path: fieldPath(`${path}.headers`, key) })),
      ...Object.keys(withoutHeaders).map((key) => ({ key, path: fieldPath(`${path}.withoutHeaders`, key) })),
    ];
    return keys.filter(({ key }) => key.startsWith(claimPrefix));
  });
}
