import { describe, expect, test } from "vitest";
import {
  HttpConnectionManager_ForwardClientCertDetails as Forward,
  HttpConnectionManager_ServerHeaderTransformation as ServerHeader,
} from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import {
  defaultProxySettings,
  type GatewayTopology,
  type HeaderSettings,
} from "../../../model/proxy/proxy-settings.ts";
import type { Direction } from "../../filters/filter.ts";
import { headerOptions } from "./header-options.ts";

const everywhere: readonly Direction[] = ["outbound", "inbound", "gateway"];

function optionsFor(
  direction: Direction,
  headers: Partial<HeaderSettings> = {},
  topology: Partial<GatewayTopology> = {},
) {
  return headerOptions(direction, {
    ...defaultProxySettings,
    headers: { ...defaultProxySettings.headers, ...headers },
    topology: { ...defaultProxySettings.topology, ...topology },
  });
}

describe("the server header", () => {
  test("names the proxy where it answers for its workload or its mesh", () => {
    expect(everywhere.map((direction) => optionsFor(direction).serverName)).toEqual(["", "istio-envoy", "istio-envoy"]);
  });

  test("says what the proxies' owners say", () => {
    expect(everywhere.map((direction) => optionsFor(direction, { serverName: "shop" }).serverName)).toEqual([
      "shop",
      "shop",
      "shop",
    ]);
  });

  test("is left to the workload where they want that", () => {
    expect(optionsFor("inbound", { passesServer: true })).toMatchObject({
      serverName: "",
      serverHeaderTransformation: ServerHeader.PASS_THROUGH,
    });
  });
});

describe("the client's certificate", () => {
  test("is told to a workload beside what others told, and by a gateway in place of it", () => {
    expect(optionsFor("inbound")).toMatchObject({
      forwardClientCertDetails: Forward.APPEND_FORWARD,
      setCurrentClientCertDetails: { subject: true, cert: false, chain: false, dns: true, uri: true },
    });
    expect(optionsFor("gateway")).toMatchObject({
      forwardClientCertDetails: Forward.SANITIZE_SET,
      setCurrentClientCertDetails: { subject: true, cert: true, chain: false, dns: true, uri: true },
    });
    expect(optionsFor("outbound")).toMatchObject({
      forwardClientCertDetails: Forward.SANITIZE,
      setCurrentClientCertDetails: undefined,
    });
  });

  test("is treated at a gateway as what stands in front of it asks, with details only where they are told", () => {
    const topology = { forwardedClientCert: "forward-only" } as const;
    expect(optionsFor("gateway", {}, topology)).toMatchObject({
      forwardClientCertDetails: Forward.FORWARD_ONLY,
      setCurrentClientCertDetails: undefined,
    });
    expect(optionsFor("inbound", {}, topology).forwardClientCertDetails).toBe(Forward.APPEND_FORWARD);
  });

  test("is treated at a workload as the proxies' owners ask, and told in the parts they choose", () => {
    const headers = { forwardedClientCert: "sanitize-set", clientCertDetails: { cert: true, dns: false } } as const;
    expect(optionsFor("inbound", headers)).toMatchObject({
      forwardClientCertDetails: Forward.SANITIZE_SET,
      setCurrentClientCertDetails: { subject: true, cert: true, chain: false, dns: false, uri: true },
    });
  });
});

test("only a gateway believes addresses that others saw, and only those of so many proxies", () => {
  const topology = { trustedProxies: 2 };
  expect(everywhere.map((direction) => optionsFor(direction, {}, topology).xffNumTrustedHops)).toEqual([0, 0, 2]);
  expect(everywhere.map((direction) => optionsFor(direction).useRemoteAddress)).toEqual([false, false, true]);
});

test("request ids and forwarded ports are as the proxies' owners ask", () => {
  const headers = { generatesRequestId: false, appendsForwardedPort: true };
  expect(optionsFor("outbound", headers)).toMatchObject({ generateRequestId: false, appendXForwardedPort: true });
  expect(optionsFor("outbound")).toMatchObject({ generateRequestId: undefined, appendXForwardedPort: false });
});
