import fc from "fast-check";
import { host, istio, portNumber } from "./interacting-values.ts";

const mtls = fc.constantFrom("DISABLE", "PERMISSIVE", "STRICT").map((mode) => ({ mode }));
export const peerAuthentication = istio(
  "PeerAuthentication",
  fc.constant("default"),
  fc
    .record({ mtls, own: fc.option(mtls) })
    .map((each) =>
      each.own === null
        ? { mtls: each.mtls }
        : { mtls: each.mtls, selector: { matchLabels: { app: "x" } }, portLevelMtls: { 8080: each.own } },
    ),
);

/** Sidecars that name hosts one by one, whether they are there or not. */
const importedHost = fc.oneof(
  fc.record({ from: fc.constantFrom("*", ".", "a", "b"), to: host }).map(({ from, to }) => `${from}/${to}`),
  fc.constantFrom("*/*", "./*", "a/*", "*/*.a.svc.cluster.local"),
);
/** The proxy binds the last by itself, at an address where it may listen for the headless Service already. */
const ingress = fc.constantFrom<object>(
  { port: { number: 80, protocol: "HTTP", name: "in" } },
  { port: { number: 8080, protocol: "HTTP", name: "in" } },
  { port: { number: 82, protocol: "TCP", name: "in" }, bind: "10.0.7.1", captureMode: "NONE" },
);
export const sidecar = istio(
  "Sidecar",
  fc.constantFrom("one", "two"),
  fc
    .record({
      hosts: fc.uniqueArray(importedHost, { minLength: 1, maxLength: 2 }),
      port: fc.option(fc.record({ number: portNumber, host: importedHost }), { freq: 1 }),
      selecting: fc.boolean(),
      ingress: fc.option(ingress),
    })
    .map(({ hosts, port, selecting, ingress: inbound }) => ({
      ...(selecting && { workloadSelector: { labels: { app: "x" } } }),
      egress: [
        ...(port === null
          ? []
          : [{ hosts: [port.host], port: { number: port.number, protocol: "HTTP", name: "own" } }]),
        { hosts },
      ],
      ...(inbound !== null && { ingress: [{ ...inbound, defaultEndpoint: "127.0.0.1:7000" }] }),
    })),
);
