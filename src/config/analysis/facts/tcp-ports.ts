import type { ServicePort } from "#gen/k8s/core/v1/service_pb.js";
import type { Labels } from "../../config.ts";
import { deployment, pod, service } from "../../kinds/kubernetes.ts";
import type { AnalysisInput } from "../analyzer.ts";
import { LabelIndex } from "./label-index.ts";

/** The ports of some workloads. */
interface PortsByProtocol {
  /** Ports that services declare as TCP, in order. */
  readonly tcp: readonly number[];
  /** Whether there are ports of other protocols. */
  readonly hasOthers: boolean;
}

interface Workload {
  readonly namespace: string;
  readonly labels: Labels;
}

/** The ports of workloads that Kubernetes services select, by protocol. Reads Service, Pod and Deployment. */
export class TcpPorts {
  readonly #workloads: LabelIndex<Workload>;
  /** The ports of each service that selects the workload. */
  readonly #portsOf = new Map<Workload, (readonly ServicePort[])[]>();
  /** Equal selectors get the same list of workloads. */
  readonly #known = new Map<readonly Workload[], PortsByProtocol>();

  constructor(input: AnalysisInput) {
    const workloads = [
      ...input.all(pod).map(({ namespace, labels }) => ({ namespace, labels })),
      ...input.all(deployment).map(({ namespace, spec }) => {
        return { namespace, labels: spec.spec?.template?.metadata?.labels ?? {} };
      }),
    ];
    this.#workloads = new LabelIndex(workloads);
    for (const { namespace, spec } of input.all(service)) {
      if (Object.keys(spec.selector).length === 0) continue;
      for (const workload of this.#workloads.select(spec.selector, namespace)) {
        const known = this.#portsOf.get(workload) ?? [];
        known.push(spec.ports);
        this.#portsOf.set(workload, known);
      }
    }
  }

  of(selector: Labels, namespace: string): PortsByProtocol {
    const workloads = this.#workloads.select(selector, namespace);
    const known = this.#known.get(workloads) ?? this.#sort(workloads);
    this.#known.set(workloads, known);
    return known;
  }

  #sort(workloads: readonly Workload[]): PortsByProtocol {
    const ports = workloads.flatMap((workload) => this.#portsOf.get(workload) ?? []).flat();
    const tcp = new Set(ports.filter(isTcp).map(({ port, targetPort }) => targetPort?.intVal || port));
    return { tcp: [...tcp].toSorted((a, b) => a - b), hasOthers: ports.some((port) => !isTcp(port)) };
  }
}

/** Protocols of which a proxy reads no request. */
const tcpProtocols = new Set(["tcp", "tls", "mongo", "mysql", "redis"]);

/** A port that does not declare its protocol may carry HTTP. */
function isTcp({ name, appProtocol }: ServicePort): boolean {
  return tcpProtocols.has((appProtocol || (name.split("-")[0] ?? "")).toLowerCase());
}
