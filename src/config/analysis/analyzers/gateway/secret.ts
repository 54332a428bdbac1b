import type { Secret } from "#gen/k8s/core/v1/data_pb.js";
import { oncePer } from "../../../../lib/memo.ts";
import { gateway } from "../../../kinds/gateway.ts";
import { secret as secretKind } from "../../../kinds/kubernetes.ts";
import type { AnalysisContext, Analyzer } from "../../analyzer.ts";
import { selectorText } from "../../facts/labels.ts";
import { type Workload, workloadKinds, workloads } from "../../facts/workloads.ts";
import { messages } from "../../messages.ts";
import { credentialsOf } from "./credentials.ts";
import { secretProblem } from "./secret-problem.ts";

export const secret: Analyzer = {
  name: "gateway.SecretAnalyzer",
  description: "Credentials of gateways that are missing where the workloads run, or hold no certificate",
  inputs: [gateway, secretKind, ...workloadKinds],
  needs: [secretKind, ...workloadKinds],
  analyze(context) {
    const candidates = workloads(context);
    const namespacesOf = oncePer((all: readonly Workload[]) => [...new Set(all.map(({ namespace }) => namespace))]);
    for (const config of context.all(gateway)) {
      const { selector } = config.spec;
      const namespaces = namespacesOf(candidates.select(selector));
      if (namespaces.length === 0) {
        const about = { config, path: "spec.selector" };
        context.report(messages.referencedResourceNotFound, about, {
          what: "selector",
          reference: selectorText(selector),
        });
        continue;
      }
      for (const credential of credentialsOf(config.spec)) {
        const about = { config, path: credential.path };
        const found = findSecret(credential.name, namespaces, context);
        const detail = found && secretProblem(found, credential.holds, context.now);
        if (found === undefined) {
          const reference = credential.name;
          context.report(messages.referencedResourceNotFound, about, { what: "credentialName", reference });
        } else if (detail !== undefined) {
          context.report(messages.invalidGatewayCredential, about, { secret: credential.name, detail });
        }
      }
    }
  },
};

function findSecret(name: string, namespaces: readonly string[], context: AnalysisContext): Secret | undefined {
  const keys = namespaces.map((namespace) => `${namespace}/${name}`);
  return keys.map((key) => context.find(secretKind, key)?.spec).find((found) => found !== undefined);
}
