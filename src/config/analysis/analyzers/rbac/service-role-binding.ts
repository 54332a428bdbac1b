import { serviceRole } from "../../../kinds/legacy/service-role.ts";
import { serviceRoleBinding as bindingKind } from "../../../kinds/legacy/service-role-binding.ts";
import type { Analyzer } from "../../analyzer.ts";
import { messages } from "../../messages.ts";

export const serviceRoleBinding: Analyzer = {
  name: "auth.ServiceRoleBindingAnalyzer",
  description: "Bindings of roles that are not there",
  inputs: [serviceRole, bindingKind],
  analyze(context) {
    for (const config of context.all(bindingKind)) {
      const { roleRef, role } = config.spec;
      const name = roleRef?.name || role;
      if (name === "" || context.find(serviceRole, `${config.namespace}/${name}`) !== undefined) continue;
      const about = { config, path: roleRef === undefined ? "spec.role" : "spec.roleRef.name" };
      context.report(messages.referencedResourceNotFound, about, { what: "service role", reference: name });
    }
  },
};
