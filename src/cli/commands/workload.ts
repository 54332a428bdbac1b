import { periodMs } from "../../app/options/option-values.ts";
import { optionTable } from "../../app/options/options.ts";
import { isIpAddress } from "../../config/grammar/address.ts";
import { machineSettings, proxyConfigAnnotation } from "../../config/mesh/machine-settings.ts";
import { MeshError } from "../../lib/errors.ts";
import { type Command, type DocumentedFlag, ExitCode, type Terminal } from "../command.ts";
import { switchFlag, valueFlag } from "../flags/flag.ts";
import { readOptionFlags } from "../flags/mesh-flags.ts";
import { optionFlag } from "../flags/option-flag.ts";
import { type ReadFlags, readFlags } from "../flags/read-flags.ts";
import { serverFlag } from "../flags/server-flag.ts";
import { namespaceFlag } from "../objects/store-flags.ts";
import { accountOf, controlPlaneHost, type Machine } from "../workload/machine.ts";
import { type MachineFacts, machineFacts } from "../workload/machine-facts.ts";
import { machineFileNames, machineFiles } from "../workload/machine-files.ts";
import { writeMachineFiles } from "../workload/write-machine-files.ts";

const kubeconfigFlag = optionFlag(optionTable.kubeconfig);

const flags: readonly DocumentedFlag[] = [
  {
    ...valueFlag(
      "output",
      "DIR",
      "Directory for the files. It must be new or empty, or have files of an earlier call.",
    ),
    short: "o",
  },
  { ...namespaceFlag, doc: "Namespace of the WorkloadGroup." },
  { ...serverFlag, doc: "The --http address of a server that has the WorkloadGroup.", default: "" },
  kubeconfigFlag,
  valueFlag("istio-namespace", "NAME", "Namespace of the control plane.", "istio-system"),
  { ...optionFlag(optionTable.mesh), doc: "MeshConfig file (YAML), instead of the one of the cluster or server." },
  valueFlag("token", "FILE", "Token (JWT) of the machine's service account. Without it, Kubernetes creates one."),
  valueFlag("token-duration", "DURATION", "How long a token that Kubernetes creates is valid.", "1h"),
  valueFlag(
    "root-cert",
    "FILE",
    "Root certificates of the control plane (PEM), instead of those of the cluster or server.",
  ),
  valueFlag(
    "cluster-id",
    "ID",
    "Cluster of the machine. Without it, the name in Istio's values for injection, or Kubernetes.",
  ),
  valueFlag("ingress-ip", "IP", "Address at which the machine reaches the control plane."),
  valueFlag(
    "ingress-service",
    "NAME",
    "Service whose external address is used without --ingress-ip: NAME or NAME.NAMESPACE.",
    "istio-eastwestgateway",
  ),
  valueFlag("internal-ip", "IP", "Address of the machine, if it has several."),
  valueFlag("external-ip", "IP", "Address at which others reach the machine, if it does not have that address itself."),
  switchFlag("autoregister", "The machine registers itself when it connects."),
  valueFlag("capture-dns", "on|off", "Redirects the DNS requests of the machine to its agent.", "on"),
  { ...valueFlag("revision", "NAME", "Revision of the control plane.", "default"), short: "r" },
];

export const command: Command = {
  usage: "configure GROUP [DIR…|kube:] --output DIR [flags]",
  flags,
  words: ["configure"],
  examples: [
    "workload configure vm -n shop kube: -o vm-files --autoregister",
    "workload configure vm -n shop group.yaml kube: -o vm-files --ingress-ip 203.0.113.7",
    "workload configure vm -n shop ./mesh -o vm-files --token vm.jwt --root-cert root.pem --ingress-ip 203.0.113.7",
    "workload configure vm -n shop --server 127.0.0.1:8080 -o vm-files --token vm.jwt --ingress-ip 203.0.113.7",
  ],
  problem: "the WorkloadGroup, its service account or a part of the mesh is missing; then nothing is written",
  async run(args, terminal) {
    const expected = "configure, GROUP, and then DIR… or kube:";
    const given = readFlags(args, flags, { expected, atLeast: 2, atMost: Infinity });
    const [word = "", name = "", ...named] = given.positionals;
    if (word !== "configure") throw new MeshError("bad-option", `${word}: expected configure`);
    const directory = given.value("output");
    if (directory === "") throw new MeshError("bad-option", "--output is missing: the directory for the files");
    const machine = await machineOf(given, { name, named }, terminal);
    await writeMachineFiles(directory, machineFiles(machine));
    terminal.print(`${directory}: ${machineFileNames.join(", ")}`);
    return ExitCode.ok;
  },
};

interface Asked {
  readonly name: string;
  readonly named: readonly string[];
}

async function machineOf(given: ReadFlags, { name, named }: Asked, terminal: Terminal): Promise<Machine> {
  const captureDns = given.choice("capture-dns", ["on", "off"]) === "on";
  const [ingressIp, address] = [ipIn(given, "ingress-ip"), addressIn(given)];
  const istioNamespace = given.value("istio-namespace");
  const revision = given.value("revision") === "default" ? "" : given.value("revision");
  const places = {
    named,
    wanted: { namespace: given.value("namespace"), name },
    istioNamespace,
    suffix: revision === "" ? "" : `-${revision}`,
    tokenSeconds: secondsIn(given, "token-duration"),
    kubeconfig: readOptionFlags(given, [kubeconfigFlag], terminal).kubeconfig,
  };
  const facts = await machineFacts(places, given, terminal);
  const machine: Machine = {
    group: facts.group,
    settings: settingsOf(facts),
    clusterId: given.value("cluster-id") || (facts.clusterId ?? "Kubernetes"),
    rootCertificates: facts.rootCertificates,
    token: facts.token.token,
    ingressIp: ingressIp ?? facts.ingressIp,
    istioNamespace,
    revision,
    autoRegister: given.has("autoregister"),
    captureDns,
    address,
  };
  warnOf(machine, facts, terminal);
  return machine;
}

function settingsOf({ mesh, group }: MachineFacts): Machine["settings"] {
  const annotations = [group.annotations, group.spec.metadata?.annotations ?? {}];
  const read = machineSettings(
    mesh,
    annotations.flatMap((each) => each[proxyConfigAnnotation] ?? []),
  );
  if ("problem" in read) throw new MeshError("bad-config", `${read.problem}; nothing was written`);
  return read.settings;
}

function warnOf(machine: Machine, { group, token }: MachineFacts, { complain }: Terminal): void {
  const until = token.expires === undefined ? "" : `, until ${token.expires}`;
  complain(`note: istio-token is a credential of the service account ${group.namespace}/${accountOf(group)}${until}`);
  if (machine.ingressIp !== undefined) return;
  const sentence = `no address of ${controlPlaneHost(machine)} is known, so hosts is empty: set --ingress-ip`;
  complain(`warning: ${sentence}, or let the machine resolve that name`);
}

function addressIn(given: ReadFlags): Machine["address"] {
  const [internal, external] = [ipIn(given, "internal-ip"), ipIn(given, "external-ip")];
  if (internal !== undefined && external !== undefined) {
    throw new MeshError("bad-option", "--internal-ip and --external-ip exclude each other");
  }
  if (internal !== undefined) return { type: "internal", ip: internal };
  return external === undefined ? undefined : { type: "external", ip: external };
}

function secondsIn(given: ReadFlags, flag: string): number {
  const ms = periodMs.parse([given.value(flag)]);
  if (ms !== undefined) return Math.ceil(ms / 1000);
  throw new MeshError("bad-option", `--${flag}: expected ${periodMs.expected}, found ${given.value(flag)}`);
}

function ipIn(given: ReadFlags, flag: string): string | undefined {
  if (!given.has(flag)) return undefined;
  const ip = given.value(flag);
  if (isIpAddress(ip)) return ip;
  throw new MeshError("bad-option", `--${flag}: expected an IP address, found ${JSON.stringify(ip)}`);
}
