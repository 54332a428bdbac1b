import { type SecretStatus, secretStatusesOf } from "../../pilot/xds/status/secret-status.ts";
import type { Route } from "../route.ts";
import type { PilotState } from "../state.ts";
import { proxyPage } from "./find-proxy.ts";

type SecretsState = Pick<PilotState, "connections" | "published" | "originOf">;

/** One secret of a proxy, as the page shows it. */
export type ShownSecret = SecretStatus & { readonly reference: string };

export function secretsPage(state: SecretsState): Route {
  const doc = "secrets that one proxy asks for: served, missing or refused, and why; never their content";
  return proxyPage({ path: "/debug/secretz", doc }, state, (connection) => ({
    node: connection.client.nodeId,
    secrets: secretStatusesOf(connection, state.published()).map(
      (status): ShownSecret => ({
        ...status,
        reference: status.state === "served" ? (state.originOf(status.object)?.reference ?? "") : "",
      }),
    ),
  }));
}
