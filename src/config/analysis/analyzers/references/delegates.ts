import { virtualService } from "../../../kinds/virtual-service.ts";
import type { Analyzer } from "../../analyzer.ts";
import { messages } from "../../messages.ts";

export const delegates: Analyzer = {
  name: "references.DelegateAnalyzer",
  description: "Routes that are left to virtual services that are not there",
  inputs: [virtualService],
  analyze(context) {
    for (const config of context.all(virtualService)) {
      for (const [index, { delegate }] of config.spec.http.entries()) {
        if (delegate === undefined) continue;
        const key = `${delegate.namespace || config.namespace}/${delegate.name}`;
        if (context.find(virtualService, key) !== undefined) continue;
        const about = { config, path: `spec.http[${index}].delegate.name` };
        const instead = "the route is left out";
        context.report(messages.danglingReference, about, { what: "delegate", reference: key, instead });
      }
    }
  },
};
