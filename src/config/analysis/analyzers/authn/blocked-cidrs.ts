import { deployment } from "../../../kinds/kubernetes.ts";
import { requestAuthentication } from "../../../kinds/request-authentication.ts";
import type { Analyzer } from "../../analyzer.ts";
import { listed } from "../../facts/names.ts";
import { messages } from "../../messages.ts";

const variable = "BLOCKED_CIDRS_IN_JWKS_URIS";

export const blockedCidrs: Analyzer = {
  name: "authn.BlockedCIDRsAnalyzer",
  description: "A control plane that fetches the keys of tokens from any address that a user writes down",
  inputs: [requestAuthentication, deployment],
  analyze(context) {
    const requests = context.all(requestAuthentication);
    if (requests.length === 0) return;
    const objects = listed(requests);
    for (const config of context.all(deployment)) {
      if (config.labels["app"] !== "istiod") continue;
      const containers = config.spec.spec?.template?.spec?.containers ?? [];
      if (containers.some(({ env }) => env.some(({ name, value }) => name === variable && value !== ""))) continue;
      const about = { config, path: "spec.template.spec.containers" };
      context.report(messages.jwksUnrestricted, about, { count: requests.length, objects });
    }
  },
};
