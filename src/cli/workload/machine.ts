import type { MachineGroup } from "../../config/mesh/machine-group.ts";
import type { MachineSettings } from "../../config/mesh/machine-settings.ts";

/** Everything that the files of a machine are made from. */
export interface Machine {
  readonly group: MachineGroup;
  readonly settings: MachineSettings;
  readonly clusterId: string;
  /** The certificates by which the machine trusts the control plane, PEM. */
  readonly rootCertificates: string;
  readonly token: string;
  /** The address at which the machine reaches the control plane; undefined if it is not known. */
  readonly ingressIp: string | undefined;
  /** Of the control plane. */
  readonly istioNamespace: string;
  /** Empty for the default revision. */
  readonly revision: string;
  /** Whether the machine registers itself. */
  readonly autoRegister: boolean;
  /** Whether the agent answers the DNS requests of the machine. */
  readonly captureDns: boolean;
  readonly address: { readonly type: "internal" | "external"; readonly ip: string } | undefined;
}

/** The service account of a machine. */
export function accountOf({ spec }: MachineGroup): string {
  return spec.template?.serviceAccount || "default";
}

/** The name of the control plane in its certificate. */
export function controlPlaneHost({ istioNamespace, revision }: Pick<Machine, "istioNamespace" | "revision">): string {
  return `istiod${revision === "" ? "" : `-${revision}`}.${istioNamespace}.svc`;
}
