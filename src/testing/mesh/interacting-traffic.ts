import fc from "fast-check";
import { credentialTls } from "./credential-edits.ts";
import { exportTo, host, istio, namespace, portNumber, ruledHost } from "./interacting-values.ts";
import type { WrittenObject } from "./written-objects.ts";

const hash = fc.constantFrom<object>(
  { consistentHash: { httpHeaderName: "x-user" } },
  { consistentHash: { httpHeaderName: "x-other" } },
  { consistentHash: { useSourceIp: true } },
  { simple: "RANDOM" },
);
/** Of clusters and endpoints alone. */
const treatment = fc.constantFrom<object>(
  {},
  {},
  {},
  { tls: { mode: "ISTIO_MUTUAL" } },
  { tls: { mode: "DISABLE" } },
  { connectionPool: { tcp: { maxConnections: 7 } } },
  { loadBalancer: { localityLbSetting: { failoverPriority: ["version"] } }, outlierDetection: {} },
);
const policy = fc
  .record({
    whole: fc.option(hash),
    port: fc.option(fc.record({ number: portNumber, loadBalancer: hash })),
    treated: treatment,
  })
  .map(({ whole, port, treated }) => ({
    ...treated,
    ...(whole !== null && { loadBalancer: whole }),
    ...(port !== null && { portLevelSettings: [{ port: { number: port.number }, loadBalancer: port.loadBalancer }] }),
  }));

/** Hashes at every level. */
export const rule = istio(
  "DestinationRule",
  fc.constantFrom("one", "two"),
  fc
    .record({ host: ruledHost, exportTo, whole: policy, subset: fc.option(policy), selecting: fc.nat(4) })
    .map(({ whole, subset, selecting, ...spec }) => ({
      ...spec,
      trafficPolicy: whole,
      ...(subset !== null && { subsets: [{ name: "v1", labels: { version: "v1" }, trafficPolicy: subset }] }),
      ...(selecting === 0 && { workloadSelector: { matchLabels: { app: "x" } } }),
    })),
);

const destination = fc.record(
  { host, subset: fc.constant("v1"), port: portNumber.map((number) => ({ number })) },
  { requiredKeys: ["host"] },
);
const forward = fc.record({ destination }).map((each) => ({ route: [each] }));
const delegating = namespace.map((each) => ({ delegate: { name: "delegate", namespace: each } }));
const gateways = fc.constantFrom(["mesh"], ["a/x"], ["a/x", "mesh"], ["a/x", "mesh"]);

/** Routes from one host to another, directly or by a delegate. */
export const routes = istio(
  "VirtualService",
  fc.constantFrom("one", "two"),
  fc.record({
    hosts: ruledHost.map((each) => [each]),
    gateways,
    exportTo,
    http: fc.array(fc.oneof({ weight: 3, arbitrary: forward }, { weight: 1, arbitrary: delegating }), {
      minLength: 1,
      maxLength: 1,
    }),
    tcp: fc.option(
      fc
        .record({ host })
        .map((to) => [{ match: [{ port: 82 }], route: [{ destination: { ...to, port: { number: 82 } } }] }]),
      { nil: [], freq: 1 },
    ),
  }),
);
export const delegate = istio(
  "VirtualService",
  fc.constant("delegate"),
  fc.record({ exportTo, http: forward.map((each) => [each]) }),
);

/** A gateway for requests, connections, and TLS that is passed on as it comes. */
export const gateway = fc
  .uniqueArray(
    fc.constantFrom<{
      readonly port: { readonly number: number; readonly name: string; readonly protocol: string };
      readonly [field: string]: unknown;
    }>(
      { port: { number: 8080, name: "http", protocol: "HTTP" }, hosts: ["*"] },
      { port: { number: 8081, name: "more", protocol: "HTTP" }, hosts: ["*.a.svc.cluster.local"] },
      { port: { number: 8443, name: "https", protocol: "HTTPS" }, hosts: ["*"], tls: credentialTls[0] },
      { port: { number: 8444, name: "mutual", protocol: "HTTPS" }, hosts: ["*"], tls: credentialTls[1] },
      { port: { number: 82, name: "tcp", protocol: "TCP" }, hosts: ["*"] },
      { port: { number: 15443, name: "auto", protocol: "TLS" }, hosts: ["*.local"], tls: { mode: "AUTO_PASSTHROUGH" } },
    ),
    { minLength: 1, maxLength: 4, selector: ({ port }) => port.number },
  )
  .map((servers): WrittenObject => {
    const metadata = { namespace: "a", name: "x" };
    return {
      apiVersion: "networking.istio.io/v1",
      kind: "Gateway",
      metadata,
      spec: { selector: { app: "edge" }, servers },
    };
  });
