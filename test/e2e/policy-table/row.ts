import type { JsonObject } from "@bufbuild/protobuf";
import type { ExplainContext } from "../../../src/explain/explain.ts";
import type { EnvoyProcess } from "../support/envoy/envoy.ts";

/*
 * How to add rows
 *
 * A file in `rows/` exports one `Area`; `rows.ts` lists the files. An area has groups. A group is a workload with a
 * proxy and objects of its own; its rows are requests to it. Every row is proved twice. A real Envoy answers a real
 * request as expected. `explain` predicts the same, and names the objects that decided, with file and line.
 * `row("rejects the path", { path: "/admin" }, 403, "AuthorizationPolicy deny-admin rule 0")` is a row of the group
 * `DENY by path`.
 *
 * The namespace of a group is its name with hyphens (`deny-by-path`). The workload has the label `app: deny-by-path`
 * and the service account `deny-by-path`. It takes HTTP on port 8080 and TCP on port 9000 of its own loopback address,
 * so policies may name these ports.
 *
 * Cost: all sidecars of a mesh share one Envoy, and so do all routers. A group that changes clusters, or that needs
 * anything else of its proxy (secrets over SDS, access logs), sets `alone`. It gets an Envoy that is connected to
 * Binnacle itself. Another MeshConfig is another mesh: one more server and one more Envoy. Keep them few.
 */

/** The rows of one subject, and what they need. */
export interface Area {
  readonly groups: readonly Group[];
  /** Servers of the test, by name. They start first. Objects refer to them by `place.ports[NAME]` or as services. */
  readonly peers?: Readonly<Record<string, () => Promise<TablePeer>>>;
  /** Extension providers that the MeshConfig of every mesh has. */
  readonly providers?: (ports: Ports) => readonly JsonObject[];
}

export interface TablePeer extends AsyncDisposable {
  readonly port: number;
}

/**
 * Ports on 127.0.0.1 by name: `app` (HTTP), `tcp`, and those of all peers. In the mesh each of them is the service
 * `NAME.peers.svc.cluster.local`. Its port is 17071 for TCP, and 17070 for HTTP and gRPC. Names of gRPC peers begin
 * with `grpc-`.
 */
export type Ports = Readonly<Record<string, number>>;

/** A workload and the requests to it. */
export interface Group {
  /** The subject. Begins the titles of its rows, and names the namespace and the workload. */
  readonly about: string;
  /** Where requests arrive. Default: at a sidecar. A router has a Gateway for every host, unless `objects` has one. */
  readonly at?: "sidecar" | "router";
  /** An Envoy for this group only. */
  readonly alone?: boolean;
  readonly mesh?: TableMesh;
  readonly objects: readonly MeshObject[] | ((place: Place) => readonly MeshObject[]);
  /** The trust domain in the certificate of its proxy. Default: `cluster.local`. */
  readonly trustDomain?: string;
  /** Metadata of the node, over the usual. */
  readonly metadata?: JsonObject;
  readonly rows: readonly Row[];
}

/** A MeshConfig. Groups with equally named meshes share a server. */
export interface TableMesh {
  readonly name: string;
  readonly config: JsonObject;
  /** The trust domain in the certificate of the client's sidecar. Default: `cluster.local`. */
  readonly clientTrustDomain?: string;
}

/** The names and addresses of a group, for objects that need them. */
export interface Place {
  readonly namespace: string;
  readonly app: string;
  /** Its loopback address. */
  readonly address: string;
  readonly ports: Ports;
}

/** An object of the mesh. Its namespace is the group's unless `metadata` has another. */
export interface MeshObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly annotations?: JsonObject };
  readonly spec?: JsonObject;
  /** Of Endpoints. */
  readonly subsets?: readonly JsonObject[];
  /** Of Secrets, as text or in base64. */
  readonly stringData?: Readonly<Record<string, string>>;
  readonly data?: Readonly<Record<string, string>>;
}

/** A request and its result. */
export interface Row {
  /** The rest of a sentence that begins with the group's name. */
  readonly name: string;
  readonly call: Call;
  readonly outcome: Outcome;
  /**
   * The objects that decided: `KIND NAME` or `KIND NAMESPACE/NAME`, for rules of AuthorizationPolicies with
   * ` rule INDEX`, for patches of EnvoyFilters with ` configPatches[INDEX]`. Several if none of their rules matched.
   * None if no object of the group mattered.
   */
  readonly by: readonly (string | Converted)[];
  /** A text that the answer contains. */
  readonly answer?: string;
  /** Headers that the application received. Undefined requires that the header is absent. */
  readonly received?: Readonly<Record<string, string | undefined>>;
  /** More evidence, after the request: what a peer of the area saw. */
  readonly check?: (evidence: Evidence) => void | Promise<void>;
}

/** A decider that Binnacle made from an object of the group. Its place is that of the object. */
export interface Converted {
  readonly name: string;
  /** `KIND NAME` of the object. */
  readonly at: string;
  /** The group whose file has the object. Default: the row's own. */
  readonly of?: () => Group;
}

export interface Evidence {
  readonly peer: (name: string) => TablePeer;
  /** The Envoy that took the request. Its log has the access logs to /dev/stdout. */
  readonly envoy: EnvoyProcess;
}

/** An HTTP status. For TCP: the application answers. `closed`: no answer, the connection fails or ends. */
export type Outcome = number | "answered" | "closed";

export interface Call {
  /** Default: `http`. */
  readonly protocol?: "http" | "tcp";
  /** Default: 8080 for HTTP, 9000 for TCP. */
  readonly port?: number;
  readonly method?: string;
  /** Sent as it is, with the query. Default: `/`. */
  readonly path?: string;
  /** Default: `APP.NAMESPACE.svc.cluster.local`. */
  readonly host?: string;
  /** As a list of pairs, names may repeat. */
  readonly headers?: Readonly<Record<string, string>> | readonly (readonly [string, string])[];
  /** Mesh mTLS with a certificate for `NAMESPACE/ACCOUNT` in cluster.local, or for a whole `spiffe://` id. */
  readonly as?: string;
  /** TLS without a mesh certificate, or other details of TLS. */
  readonly tls?: { readonly sni?: string; readonly alpn?: readonly string[]; readonly certificate?: boolean };
  /** The loopback address of the client. Default: 127.0.0.1. */
  readonly from?: string;
  /** The caller is a second Envoy: the sidecar of `client/client`. It does auto mTLS. */
  readonly through?: "client";
  /** The facts beside the configuration that explain gets. */
  readonly told?: Partial<ExplainContext>;
}

/** Whether headers are pairs. */
export function isList(headers: NonNullable<Call["headers"]>): headers is readonly (readonly [string, string])[] {
  return Array.isArray(headers);
}

/** A workload with its objects and requests. */
export function group(
  about: string,
  objects: Group["objects"],
  rows: readonly Row[],
  more: Partial<Group> = {},
): Group {
  return { about, objects, rows, ...more };
}

export function row(
  name: string,
  call: Call,
  outcome: Outcome,
  by: string | Converted | readonly (string | Converted)[] = [],
  more: Partial<Row> = {},
): Row {
  return { name, call, outcome, by: typeof by === "string" || "name" in by ? [by] : by, ...more };
}

const groups: Readonly<Record<string, string>> = {
  AuthorizationPolicy: "security.istio.io/v1",
  RequestAuthentication: "security.istio.io/v1",
  PeerAuthentication: "security.istio.io/v1",
  Telemetry: "telemetry.istio.io/v1",
  WasmPlugin: "extensions.istio.io/v1alpha1",
  EnvoyFilter: "networking.istio.io/v1alpha3",
  ProxyConfig: "networking.istio.io/v1beta1",
};

/** An object of one of Istio's kinds. */
export function object(
  kind: string,
  name: string,
  spec: JsonObject,
  metadata: Omit<MeshObject["metadata"], "name"> = {},
): MeshObject {
  return { apiVersion: groups[kind] ?? "networking.istio.io/v1", kind, metadata: { name, ...metadata }, spec };
}

/** An AuthorizationPolicy. Its namespace is the group's unless told otherwise. */
export function policy(name: string, spec: JsonObject, metadata?: Omit<MeshObject["metadata"], "name">): MeshObject {
  return object("AuthorizationPolicy", name, spec, metadata);
}
