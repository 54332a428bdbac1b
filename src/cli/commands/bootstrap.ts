import { resolve } from "node:path";
import { isIpAddress } from "../../config/grammar/address.ts";
import { MeshError } from "../../lib/errors.ts";
import { bootstrapPatchesFor, patchBootstrap } from "../../pilot/networking/patch/patch-bootstrap.ts";
import type { Certificates } from "../../pilot/model/proxy/certificates.ts";
import { parseAddress } from "../../transport/listen-address.ts";
import { type Command, type DocumentedFlag, ExitCode, type Terminal } from "../command.ts";
import { switchFlag, valueFlag } from "../flags/flag.ts";
import { meshFlags, readMeshFlags } from "../flags/mesh-flags.ts";
import { nodeFlags, readNodeFlags } from "../flags/node-flags.ts";
import { inNotation, outputFlag } from "../flags/notation.ts";
import { type ReadFlags, readFlags } from "../flags/read-flags.ts";
import { complainOfIssues, type OpenedMesh, openMesh } from "../mesh/open-mesh.ts";
import type { SocketAddress } from "../nodes/bootstrap-cluster.ts";
import { bootstrapSettings } from "../nodes/bootstrap-settings.ts";
import { configuredNode } from "../nodes/configured-node.ts";
import { envoyBootstrap } from "../nodes/envoy-bootstrap.ts";
import { grpcBootstrap } from "../nodes/grpc-bootstrap.ts";
import { addressIn, launchNote, type ProxyConfigJson } from "../nodes/proxy-config.ts";
import type { XdsTls } from "../nodes/tls-socket.ts";

const notations = ["json", "yaml"] as const;
const interceptions = ["NONE", "REDIRECT", "TPROXY"] as const;

const certificateFlags = [
  valueFlag("cert", "FILE", "Certificate chain of the proxy. With --key and --ca, the proxy can use mTLS."),
  valueFlag("key", "FILE", "Private key of --cert."),
  valueFlag("ca", "FILE", "CA certificates that the proxy trusts."),
];

const envoyFlags: readonly DocumentedFlag[] = [
  valueFlag(
    "xds-ca",
    "FILE",
    "Connects to the control plane over TLS and trusts these CA certificates. Presents --cert if it is given.",
  ),
  valueFlag("admin", "ADDR", "Address of Envoy's admin interface.", "127.0.0.1:15000"),
  switchFlag("delta", "Uses delta xDS instead of SotW."),
  valueFlag(
    "interception",
    interceptions.join("|"),
    "How traffic reaches a sidecar. NONE needs no root privileges.",
    "NONE",
  ),
  valueFlag(
    "sds",
    "none|agent",
    "Source of certificates if no files are given. agent is an SDS agent beside the proxy.",
    "none",
  ),
  valueFlag("sds-socket", "PATH", "Socket of the SDS agent.", "./var/run/secrets/workload-spiffe-uds/socket"),
];

const flags: readonly DocumentedFlag[] = [
  ...nodeFlags("node"),
  ...meshFlags,
  valueFlag("xds", "ADDR", "Address of the control plane.", "127.0.0.1:15010"),
  ...certificateFlags,
  ...envoyFlags.map((flag) => ({ ...flag, doc: `${flag.doc} Envoy only.` })),
  outputFlag(notations),
];

export const command: Command = {
  usage: "envoy|grpc [DIR…] --node ID [flags]",
  flags,
  words: ["envoy", "grpc"],
  examples: [
    "bootstrap envoy --node router~gw-0.istio-system > envoy.json",
    "bootstrap envoy --node sidecar~127.0.0.9~web-0.default~default.svc.cluster.local --delta -o yaml",
    "bootstrap envoy --node sidecar~web-0.default --cert cert.pem --key key.pem --ca ca.pem",
    "bootstrap envoy --node router~gw-0.shop --xds 127.0.0.1:15012 --xds-ca ca.pem --cert cert.pem --key key.pem --ca ca.pem",
    "bootstrap envoy ./mesh --mesh mesh.yaml --node sidecar~web-0.default",
    "bootstrap grpc --node sidecar~client-0.default > xds.json",
  ],
  problem: "the mesh in DIR has errors; the bootstrap is still printed",
  async run(args, terminal) {
    const given = readFlags(args, flags, { expected: "envoy or grpc, and then DIR…", atLeast: 1, atMost: Infinity });
    const notation = given.choice("output", notations);
    const [, ...paths] = given.positionals;
    const settings = readMeshFlags(given, terminal);
    const isWithMesh = paths.length > 0 || settings.mesh !== undefined;
    const mesh = isWithMesh ? await openMesh(paths, settings, terminal) : undefined;
    terminal.printData(inNotation(bootstrapFor(given, terminal, mesh), notation));
    return mesh === undefined ? ExitCode.ok : complainOfIssues(mesh, terminal);
  },
};

function bootstrapFor(given: ReadFlags, terminal: Terminal, mesh: OpenedMesh | undefined): object {
  const [client = ""] = given.positionals;
  if (client === "envoy") return forEnvoy(given, terminal, mesh);
  if (client === "grpc" && mesh !== undefined)
    throw new MeshError("bad-option", "DIR and --mesh: only for envoy, because nothing in a mesh changes the other");
  if (client === "grpc") return forGrpc(given, terminal);
  throw new MeshError("bad-option", `expected envoy or grpc, found ${client}`);
}

function forEnvoy(given: ReadFlags, terminal: Terminal, mesh: OpenedMesh | undefined): object {
  const interception = given.choice("interception", interceptions);
  const certificates = readCertificates(given, given.choice("sds", ["none", "agent"]));
  const metadata = given.has("interception") ? { INTERCEPTION_MODE: interception } : {};
  const { node, proxy } = readNodeFlags(given, "node", { ...readMeshFlags(given, terminal), certificates, metadata });
  if (proxy.type === "router" && given.has("interception")) {
    throw new MeshError("bad-option", `--interception: only for sidecars, and ${node.id} is a router`);
  }
  const json = mesh?.proxyConfigOf(proxy) ?? {};
  // Validation of the mesh has checked the types of all fields.
  const config = json as ProxyConfigJson;
  const configured = mesh === undefined ? node : configuredNode(node, json, writtenMetadata(given, metadata));
  const bootstrap = envoyBootstrap({
    node: configured,
    xds: xdsAddress(given, config, terminal),
    admin: adminAddress(given, config),
    mode: given.has("delta") ? "delta" : "sotw",
    settings: bootstrapSettings(config, configured.cluster, terminal.env),
    ...(given.has("xds-ca") && { xdsTls: xdsTlsOf(given.value("xds-ca"), certificates) }),
    ...(certificates.type === "agent" && { sdsSocket: given.value("sds-socket") }),
  });
  const note = launchNote(config);
  if (note !== undefined) terminal.complain(note);
  return mesh === undefined ? bootstrap : patchBootstrap(bootstrap, bootstrapPatchesFor(proxy, mesh.push));
}

/** The names of the metadata that flags set. */
function writtenMetadata(given: ReadFlags, metadata: object): ReadonlySet<string> {
  return new Set([...given.values("meta").map((text) => text.split("=", 1)[0] ?? ""), ...Object.keys(metadata)]);
}

function xdsAddress(given: ReadFlags, { discoveryAddress }: ProxyConfigJson, { env }: Terminal): SocketAddress {
  if (given.has("xds") || discoveryAddress === undefined) return socketAddress("xds", given.value("xds"));
  return addressIn("discoveryAddress", discoveryAddress, env);
}

function adminAddress(given: ReadFlags, { proxyAdminPort: port }: ProxyConfigJson): SocketAddress {
  const address = readAdmin(given.value("admin"));
  return given.has("admin") || port === undefined ? address : { ...address, port };
}

function forGrpc(given: ReadFlags, terminal: Terminal): object {
  const stray = envoyFlags.find(({ name }) => given.has(name));
  if (stray !== undefined) throw new MeshError("bad-option", `--${stray.name}: only for envoy`);
  const certificates = readCertificates(given, "none");
  const metadata = { GENERATOR: "grpc" };
  const { node, proxy } = readNodeFlags(given, "node", { ...readMeshFlags(given, terminal), certificates, metadata });
  if (proxy.type === "router")
    throw new MeshError("bad-option", "--node: expected a sidecar, because every gRPC client is one");
  return grpcBootstrap({ node, xds: socketAddress("xds", given.value("xds")), certificates });
}

/** Paths become absolute, because the reader of the bootstrap file may have another working directory. */
function readCertificates(given: ReadFlags, otherwise: "none" | "agent"): Certificates {
  const missing = certificateFlags.find(({ name }) => !given.has(name));
  const present = certificateFlags.find(({ name }) => given.has(name));
  if (present === undefined) return { type: otherwise };
  if (missing !== undefined) {
    throw new MeshError("bad-option", `--${missing.name} is missing: --cert, --key and --ca belong together`);
  }
  if (otherwise === "agent") throw new MeshError("bad-option", "--sds agent: not with --cert, --key and --ca");
  return {
    type: "files",
    certificateChain: resolve(given.value("cert")),
    privateKey: resolve(given.value("key")),
    rootCertificates: resolve(given.value("ca")),
  };
}

/** A proxy presents the same certificate to the control plane as to other proxies. */
function xdsTlsOf(ca: string, certificates: Certificates): XdsTls {
  return { rootCertificates: resolve(ca), ...(certificates.type === "files" && { client: certificates }) };
}

/** Envoy listens on this address itself. */
function readAdmin(text: string): SocketAddress {
  const address = socketAddress("admin", text);
  if (isIpAddress(address.host)) return address;
  throw new MeshError("bad-option", `--admin: expected IP:PORT, found ${JSON.stringify(text)}`);
}

function socketAddress(flag: string, text: string): SocketAddress {
  const address = parseAddress(text);
  if (address?.type !== "tcp" || address.host === "") {
    throw new MeshError("bad-option", `--${flag}: expected HOST:PORT, found ${JSON.stringify(text)}`);
  }
  return address;
}
