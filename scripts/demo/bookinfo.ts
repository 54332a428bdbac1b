import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Gateway } from "#gen/istio/networking/v1alpha3/gateway_pb.js";
import type { ServiceEntry } from "#gen/istio/networking/v1alpha3/service_entry_pb.js";
import type { WorkloadEntry } from "#gen/istio/networking/v1alpha3/workload_entry_pb.js";
import type { Config } from "../../src/config/config.ts";
import { kinds } from "../../src/config/kinds.ts";
import { parseConfigs } from "../../src/config/parse/parse.ts";
import { MeshError } from "../../src/index.ts";

/** A process of the example. */
export interface DemoWorkload {
  readonly name: string;
  readonly app: string;
  readonly port: number;
}

/** The facts of `examples/bookinfo` that the demo needs: the processes to start, and the ports to call. */
export interface Bookinfo {
  readonly workloads: readonly DemoWorkload[];
  /** The port of the service reviews. */
  readonly servicePort: number;
  readonly gatewayPort: number;
}

/** Reads the current files. Only the control plane follows later edits. Throws `source-unavailable`. */
export function readBookinfo(directory: string): Bookinfo {
  const configs = configsIn(directory);
  const workloads = specsOf<WorkloadEntry>(configs, "WorkloadEntry").flatMap(({ name, spec }) => {
    const { app = "" } = spec.labels;
    return Object.values(spec.ports).map((port) => ({ name, app, port }));
  });
  const services = specsOf<ServiceEntry>(configs, "ServiceEntry").filter(({ name }) => name === "reviews");
  const [servicePort] = services.flatMap(({ spec }) => spec.ports.map((port) => port.number));
  const gateways = specsOf<Gateway>(configs, "Gateway");
  const [gatewayPort] = gateways.flatMap(({ spec }) => spec.servers.flatMap(({ port }) => port?.number ?? []));
  if (workloads.length === 0 || servicePort === undefined || gatewayPort === undefined) {
    const wanted = "WorkloadEntries, the ServiceEntry reviews and a Gateway, as examples/bookinfo has them";
    throw new MeshError("source-unavailable", `${directory} lacks what the demo plays with: ${wanted}`);
  }
  return { workloads, servicePort, gatewayPort };
}

function configsIn(directory: string): readonly Config[] {
  try {
    const files = readdirSync(directory).filter((name) => name.endsWith(".yaml"));
    return files.flatMap((name) => {
      const file = join(directory, name);
      const text = readFileSync(file, "utf8");
      return parseConfigs({ text, file, source: directory, kinds, defaultNamespace: "default" }).configs;
    });
  } catch (cause) {
    const sentence = `${directory} cannot be read: ${MeshError.from(cause).message}`;
    throw new MeshError("source-unavailable", sentence, { cause });
  }
}

/** The table of kinds defines the message of each kind's spec. */
function specsOf<S>(configs: readonly Config[], kind: string): readonly Config<S>[] {
  return configs.filter((config) => config.kind === kind) as readonly Config<S>[];
}
