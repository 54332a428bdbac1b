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
  test("names the proxy in inbound and gateway responses", () => {
    expect(everywhere.map((direction) => optionsFor(direction).serverName)).toEqual(["", "istio-envoy", "istio-envoy"]);
  });

  test("has the name of the proxy settings", () => {
    expect(everywhere.map((direction) => optionsFor(direction, { serverName: "shop" }).serverName)).toEqual([
      "shop",
      "shop",
      "shop",
    ]);
  });

  test("passes through if the proxy settings enable this", () => {
    expect(optionsFor("inbound", { passesServer: true })).toMatchObject({
      serverName: "",
      serverHeaderTransformation: ServerHeader.PASS_THROUGH,
    });
  });
});

describe("the forwarded client certificate", () => {
  test("is appended for a workload, and replaced by a gateway", () => {
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

  test("follows the gateway topology at a gateway, with details only in modes that set them", () => {
    const topology = { forwardedClientCert: "forward-only" } as const;
    expect(optionsFor("gateway", {}, topology)).toMatchObject({
      forwardClientCertDetails: Forward.FORWARD_ONLY,
      setCurrentClientCertDetails: undefined,
    });
    expect(optionsFor("inbound", {}, topology).forwardClientCertDetails).toBe(Forward.APPEND_FORWARD);
  });

  test("follows the proxy settings at a workload, with the chosen details", () => {
    const headers = { forwardedClientCert: "sanitize-set", clientCertDetails: { cert: true, dns: false } } as const;
    expect(optionsFor("inbound", headers)).toMatchObject({
      forwardClientCertDetails: Forward.SANITIZE_SET,
      setCurrentClientCertDetails: { subject: true, cert: true, chain: false, dns: false, uri: true },
    });
  });
});

test("only a gateway trusts forwarded addresses, as far as its number of trusted proxies allows", () => {
  const topology = { trustedProxies: 2 };
  expect(everywhere.map((direction) => optionsFor(direction, {}, topology).xffNumTrustedHops)).toEqual([0, 0, 2]);
  expect(everywhere.map((direction) => optionsFor(direction).useRemoteAddress)).toEqual([false, false, true]);
});

test("request ids and forwarded ports follow the proxy settings", () => {
  const headers = { generatesRequestId: false, appendsForwardedPort: true };
  expect(optionsFor("outbound", headers)).toMatchObject({ generateRequestId: false, appendXForwardedPort: true });
  expect(optionsFor("outbound")).toMatchObject({ generateRequestId: undefined, appendXForwardedPort: false });
});
