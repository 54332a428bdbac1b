import { HttpServer } from "../../admin/http-server.ts";
import { json } from "../../admin/route.ts";
import { RecordingLogger } from "../recording/recording-logger.ts";

const types = "type.googleapis.com/envoy.config";

/** The only proxy of {@link wordyServer}. */
export const wordyProxy = "gw-0.shop";

/** A server whose pages have this text in place of every name and sentence. `onAsked` runs for each request. */
export function wordyServer(text: string, onAsked: () => void = () => undefined): HttpServer {
  const pages = { ...objectPages(text), ...proxyPages(text) };
  const routes = Object.entries(pages).map(([path, page]) => ({
    path,
    doc: "",
    answer() {
      onAsked();
      return json(page);
    },
  }));
  return new HttpServer({ address: "127.0.0.1:0", routes, logger: new RecordingLogger(), onFailure: () => {} });
}

function objectPages(text: string) {
  const placed = { object: "ServiceEntry shop/a", reference: text };
  const said = { code: text, message: text, reference: text };
  const config = {
    key: "shop/a",
    kind: "ServiceEntry",
    apiVersion: text,
    version: text,
    reference: text,
    source: text,
  };
  const issue = { ...said, source: text, severity: "warning", object: placed.object, path: text };
  const clash = { collection: "istio/networking/v1alpha3/serviceentries", key: "shop/a", claimants: [text, text] };
  const source = { name: text, state: "stale", reason: text, optional: false, issues: [{ ...issue, object: text }] };
  const lost = { collection: text, key: text, winner: text };
  const message = { ...said, level: "Warning", origin: placed.object };
  const conflict = { about: text, winner: placed, losers: [placed], reason: text };
  const user = { node: text, upToDate: false, resources: [{ type: text, name: text }] };
  return {
    "/version": { name: text, version: text, commit: text },
    "/debug/configz": { "istio/networking/v1alpha3/serviceentries": [config] },
    "/debug/issues": { sources: [{ name: text, stale: text }], issues: [issue], clashes: [clash] },
    "/debug/sources": [{ ...source, collections: [{ collection: text, objects: 1, lost: 1 }], loses: [lost] }],
    "/debug/analysis": {
      pending: false,
      total: 1,
      messages: [message],
      skipped: [{ analyzer: text, unknown: [text] }],
    },
    "/debug/config_distribution": { proxies: [user] },
    "/debug/conflicts": { conflicts: [conflict], dangling: [{ ...placed, host: text }] },
  };
}

function proxyPages(text: string) {
  const node = `router~10.0.0.1~${wordyProxy}~${text}`;
  const owners = [{ id: "VirtualService/shop/a", reference: text }];
  const held = (type: string, name: string, fields: object) => ({
    type_url: `${types}.${type}`,
    state: "ERROR",
    missing: [text],
    resources: [{ name, state: "ERROR", owners, resource: { "@type": `${types}.${type}`, ...fields } }],
  });
  const address = { socket_address: { address: text, port_value: 80 } };
  const chains = [{ filter_chain_match: { server_names: [text], transport_protocol: text } }];
  const matched = { name: text, match: { path: text }, route: { cluster: text } };
  const hosts = [{ name: text, domains: [text, `*.${text}`], routes: [matched] }];
  const lb_endpoints = [{ endpoint: { address } }];
  const status = { type: text, state: "ERROR", lastError: text };
  return {
    "/debug/syncz": [
      {
        cluster_id: text,
        namespace: text,
        proxy: wordyProxy,
        node,
        connection: "gw-0-1",
        istio_version: text,
        resources: { [text]: status },
      },
      { cluster_id: "", namespace: "", proxy: text, node: text, connection: "", istio_version: "", resources: {} },
    ],
    "/debug/nacks": [
      {
        type: text,
        message: text,
        resources: [text, text],
        objects: [{ object: text, reference: text }],
        proxies: [node],
      },
    ],
    "/debug/resources": {
      node,
      types: [
        held("cluster.v3.Cluster", text, { name: `outbound|80|${text}|${text}` }),
        held("listener.v3.Listener", text, { name: text, address, filter_chains: chains }),
        held("route.v3.RouteConfiguration", text, { name: text, virtual_hosts: hosts }),
        held("endpoint.v3.ClusterLoadAssignment", text, { cluster_name: text, endpoints: [{ lb_endpoints }] }),
      ],
    },
    "/debug/quarantine": quarantinePage(text),
    "/debug/near_misses": [{ object: "Gateway/shop/a", why: text, reference: text }],
  };
}

function quarantinePage(text: string) {
  const refusal = {
    object: "VirtualService/shop/a",
    reference: text,
    version: text,
    class: text,
    proxies: 1,
    since: text,
    node: text,
    confirmedBy: text,
    probes: 1,
    reason: text,
    rejected: [{ type: text, resources: [text] }],
    instead: { type: "earlier version", version: text },
    state: { type: "being tried", node: text },
  };
  const released = { object: "VirtualService/shop/b", reference: text, version: text, class: text };
  const search = { class: text, node: text, suspects: 1, probes: 1 };
  return {
    enabled: true,
    objects: [refusal],
    released: [released],
    search,
    untrusted: [{ node: text, reason: text, until: text }],
  };
}
