import type { ConfigId } from "../../config/config.ts";
import { distributionOf } from "../../pilot/xds/status/distribution.ts";
import { json, type Route, text } from "../route.ts";
import type { PilotState } from "../state.ts";
import { proxiesOf } from "./find-proxy.ts";

type DistributionState = Pick<PilotState, "connections" | "originOf" | "published" | "settled">;

export function distributionPage(state: DistributionState): Route {
  return {
    path: "/debug/config_distribution",
    doc: "proxies that acknowledged the current version of an object; ?resource=KIND/NAMESPACE/NAME&proxy_namespace=NAME",
    answer(query) {
      const resource = query.get("resource") ?? "";
      if (!/^[^/]+\/[^/]*\/[^/]+$/u.test(resource)) {
        return text("missing parameter: add ?resource=KIND/NAMESPACE/NAME", 400);
      }
      const namespace = query.get("proxy_namespace");
      const asked = proxiesOf(state).filter(({ client }) => namespace === null || client.namespace === namespace);
      const { proxies, upToDate } = distributionOf(resource as ConfigId, asked);
      return json({
        resource,
        reference: state.originOf(resource as ConfigId)?.reference ?? "",
        // These figures do not include a change that waits for its push.
        settled: state.settled(),
        message: `${upToDate}/${proxies.length} proxies up to date.`,
        upToDate,
        total: proxies.length,
        proxies,
      });
    },
  };
}
