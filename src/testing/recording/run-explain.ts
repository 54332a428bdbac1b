import type { Decider, RequestOutcome } from "../../explain/explanation.ts";
import { type CommandContext, runCommand } from "./run-command.ts";

/** The result of `binnacle explain`. */
export interface ExplainRun {
  readonly code: number;
  readonly stderr: string;
  readonly outcome: RequestOutcome;
  readonly decidedBy: readonly (Omit<Decider, "object"> & { readonly id: string; readonly reference: string })[];
}

/** Runs `binnacle explain` in this process. Outcome and deciders are undefined after a wrong usage. */
export async function runExplain(args: readonly string[], context?: CommandContext): Promise<ExplainRun> {
  const { code, stdout, stderr } = await runCommand(["explain", ...args, "-o", "json"], context);
  const { outcome, decidedBy } = JSON.parse(stdout || "{}") as Pick<ExplainRun, "outcome" | "decidedBy">;
  return { code, stderr, outcome, decidedBy };
}

/** A service of namespace `shop` with one workload, which has a sidecar. */
export function meshService(name: string, port: number): string {
  return `apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: ${name}, namespace: shop}
spec:
  hosts: [${name}.shop.svc.cluster.local]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: ${port}, name: http, protocol: HTTP}]
  endpoints: [{address: 10.0.0.1, labels: {app: ${name}}, serviceAccount: ${name}}]
`;
}
