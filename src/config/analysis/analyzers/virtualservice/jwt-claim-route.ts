import type { HTTPRoute } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { oncePer } from "../../../../lib/memo.ts";
import type { Config } from "../../../config.ts";
import { fieldPath } from "../../../field-path.ts";
import { meshGateway, resolveGateway } from "../../../grammar/gateway-reference.ts";
import { gateway } from "../../../kinds/gateway.ts";
import { pod } from "../../../kinds/kubernetes.ts";
import { meshConfig } from "../../../kinds/mesh-config.ts";
import { requestAuthentication } from "../../../kinds/request-authentication.ts";
import { virtualService } from "../../../kinds/virtual-service.ts";
import type { Analyzer } from "../../analyzer.ts";
import { currentMeshConfig } from "../../facts/current-mesh-config.ts";
import { LabelIndex } from "../../facts/label-index.ts";
import { listedGroups } from "../../facts/listed-names.ts";
import { SelectorIndex } from "../../facts/selector-index.ts";
import { messages } from "../../messages.ts";

export const jwtClaimRouteAnalyzer: Analyzer = {
  name: "virtualservice.JWTClaimRouteAnalyzer",
  description: "Routes by claims of tokens without a RequestAuthentication",
  inputs: [virtualService, requestAuthentication, gateway, pod, meshConfig],
  analyze(context) {
    const { rootNamespace } = currentMeshConfig(context);
    const requests = Map.groupBy(context.all(requestAuthentication), ({ namespace }) => namespace);
    const validators = new Map(
      Array.from(requests, ([namespace, all]) => {
        return [namespace, new SelectorIndex(all, ({ spec }) => spec.selector?.matchLabels ?? {})];
      }),
    );
    const isValidated = ({ namespace, labels }: Config) =>
      [rootNamespace, namespace].some((each) => validators.get(each)?.first(labels) !== undefined);
    const pods = new LabelIndex(context.all(pod));
    const unvalidatedIn = oncePer((selected: readonly Config[]) => selected.filter((each) => !isValidated(each)));
    for (const config of context.all(virtualService)) {
      const claim = config.spec.http.flatMap(claimsOf)[0];
      if (claim === undefined) continue;
      for (const reference of config.spec.gateways.filter((name) => name !== meshGateway)) {
        const key = resolveGateway(reference, config.namespace);
        const selector = context.find(gateway, key)?.spec.selector;
        if (selector === undefined) continue;
        const unvalidated = unvalidatedIn(pods.select(selector));
        if (unvalidated.length === 0) continue;
        const parameters = { claim: claim.key, gateway: key, pod: listedGroups([unvalidated]) };
        context.report(messages.jwtClaimWithoutAuthentication, { config, path: claim.path }, parameters);
      }
    }
  },
};

/** Not a real header: the gateway fills in claims after it has validated the token. */
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
