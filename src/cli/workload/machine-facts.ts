import type { WorkloadGroupReport } from "../../admin/galley/workload-group.ts";
import { isClusterUrl } from "../../app/offline/read-cluster.ts";
import { inputTexts } from "../../app/store/input-texts.ts";
import { MachineCluster } from "../../app/workloads/machine-cluster.ts";
import type { MachineGroup } from "../../config/mesh/machine-group.ts";
import { parseOnly } from "../../config/yaml/yaml.ts";
import { MeshError } from "../../lib/errors.ts";
import type { Terminal } from "../command.ts";
import { readFlagFile } from "../flags/read-flag-file.ts";
import type { ReadFlags } from "../flags/read-flags.ts";
import { fetchPage } from "../mesh/fetch-page.ts";
import { openInputs } from "../mesh/open-inputs.ts";
import { withServerProgress } from "../mesh/with-server-progress.ts";
import { findGroup, type GroupName } from "./find-group.ts";
import { accountOf } from "./machine.ts";
import { type GivenToken, isSubjectOf, readToken } from "./read-token.ts";

/** The facts about a machine, from the places that a user names. */
export interface MachineFacts {
  readonly group: MachineGroup;
  /** The MeshConfig, as parsed YAML or JSON. */
  readonly mesh: unknown;
  readonly rootCertificates: string;
  readonly token: Pick<GivenToken, "token" | "expires">;
  readonly clusterId: string | undefined;
  readonly ingressIp: string | undefined;
}

export interface FactPlaces {
  /** Files, directories, and at most one `kube:` or `kube:CONTEXT`. */
  readonly named: readonly string[];
  readonly wanted: GroupName;
  readonly istioNamespace: string;
  /** `-REVISION`, or empty: the end of the names of Istio's ConfigMaps. */
  readonly suffix: string;
  readonly tokenSeconds: number;
  readonly kubeconfig: string | undefined;
}

/** Reads everything, from a cluster, a server or files. Throws `bad-option`, `not-found`, `unavailable`. */
export async function machineFacts(places: FactPlaces, given: ReadFlags, terminal: Terminal): Promise<MachineFacts> {
  const cluster = places.named.find(isClusterUrl);
  const paths = places.named.filter((each) => !isClusterUrl(each));
  const byServer = given.has("server");
  if (byServer && places.named.length > 0) throw new MeshError("bad-option", "--server: not with DIR or kube:");
  if (cluster !== undefined) return await factsOfCluster(cluster, paths, { places, given, terminal });
  if (byServer) return await factsOfServer(places, given, terminal);
  if (paths.length === 0) throw new MeshError("bad-option", "expected DIR…, kube: or --server ADDR, found none");
  const group = await groupIn(paths, places.wanted, terminal);
  return {
    group,
    mesh: given.has("mesh") ? meshIn(given.value("mesh")) : {},
    rootCertificates: rootsIn(given),
    token: tokenIn(given, group, terminal),
    clusterId: undefined,
    ingressIp: undefined,
  };
}

interface Asked {
  readonly places: FactPlaces;
  readonly given: ReadFlags;
  readonly terminal: Terminal;
}

/** The group may be in files, as `istioctl` takes it. */
async function factsOfCluster(url: string, paths: readonly string[], asked: Asked): Promise<MachineFacts> {
  const { places, given, terminal } = asked;
  const { wanted, istioNamespace, suffix, kubeconfig, tokenSeconds } = places;
  using cluster = new MachineCluster({ kubeconfig, context: url.slice("kube:".length) || undefined });
  const group = await (paths.length > 0 ? groupIn(paths, wanted, terminal) : groupOf(cluster, wanted, terminal));
  const [service = "", serviceNamespace = istioNamespace] = given.value("ingress-service").split(".");
  const mesh = given.has("mesh")
    ? meshIn(given.value("mesh"))
    : await meshOf(cluster, { namespace: istioNamespace, name: `istio${suffix}` }, terminal);
  const rootCertificates = given.has("root-cert")
    ? rootsIn(given)
    : await cluster.configMap(group.namespace, "istio-ca-root-cert", "root-cert.pem");
  return {
    group,
    mesh,
    rootCertificates,
    clusterId: await cluster.clusterName(istioNamespace, `istio-sidecar-injector${suffix}`),
    ingressIp: given.has("ingress-ip") ? undefined : await cluster.externalAddress(serviceNamespace, service),
    // Last, so that no credential is created before an error.
    token: given.has("token")
      ? tokenIn(given, group, terminal)
      : await cluster.token(group.namespace, accountOf(group), tokenSeconds),
  };
}

async function factsOfServer({ wanted }: FactPlaces, given: ReadFlags, terminal: Terminal): Promise<MachineFacts> {
  const server = given.value("server");
  const path = `/debug/workload_group?name=${encodeURIComponent(`${wanted.namespace}/${wanted.name}`)}`;
  // Our own page, which names its format.
  const page = (await withServerProgress(server, terminal, () => fetchPage(server, path))) as WorkloadGroupReport;
  return {
    group: page.group,
    mesh: given.has("mesh") ? meshIn(given.value("mesh")) : page.mesh,
    rootCertificates: given.has("root-cert") || page.rootCertificates === "" ? rootsIn(given) : page.rootCertificates,
    token: tokenIn(given, page.group, terminal),
    clusterId: undefined,
    ingressIp: undefined,
  };
}

async function groupIn(paths: readonly string[], wanted: GroupName, terminal: Terminal): Promise<MachineGroup> {
  const { inputs } = await openInputs(paths, terminal);
  return findGroup(await inputTexts(inputs), wanted, terminal);
}

async function groupOf(cluster: MachineCluster, wanted: GroupName, terminal: Terminal): Promise<MachineGroup> {
  const fields = await cluster.group(wanted.namespace, wanted.name);
  const texts = fields === undefined ? [] : [{ file: "the cluster", text: JSON.stringify(fields) }];
  return findGroup(texts, wanted, terminal);
}

/** A mesh without istiod has no such ConfigMap. */
async function meshOf(cluster: MachineCluster, { namespace, name }: GroupName, { complain }: Terminal) {
  const text = await cluster.optionalConfigMap(namespace, name, "mesh");
  if (text !== undefined) return parseOnly(text, `ConfigMap ${namespace}/${name}`);
  complain(`note: there is no ConfigMap ${namespace}/${name} with a MeshConfig: its defaults are used`);
  return {};
}

function meshIn(file: string): unknown {
  return parseOnly(readFlagFile("mesh", file), file);
}

function rootsIn(given: ReadFlags): string {
  if (given.has("root-cert")) return readFlagFile("root-cert", given.value("root-cert"));
  const sentence = "--root-cert is missing: the file with the root certificates of the control plane";
  throw new MeshError("bad-option", sentence);
}

/** A token for another account is used, with a warning: the server may map its subject. */
function tokenIn(given: ReadFlags, group: MachineGroup, { complain }: Terminal): GivenToken {
  if (!given.has("token")) {
    const sentence =
      "--token is missing: without Kubernetes, your issuer (--jwt-issuer of the server) creates the token";
    throw new MeshError("bad-option", sentence);
  }
  const read = readToken(given.value("token"), Date.now());
  const account = accountOf(group);
  if (!isSubjectOf(read.subject, group.namespace, account)) {
    complain(
      `warning: the token is for ${read.subject || "nobody"}, not for the account ${group.namespace}/${account}`,
    );
  }
  return read;
}
