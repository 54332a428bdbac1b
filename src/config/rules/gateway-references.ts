import { fieldPath } from "../field-path.ts";
import { errorUnless, type Finding } from "../finding.ts";
import { isGatewayReference, meshGateway } from "../grammar/gateway-reference.ts";

export function gatewayReferences(references: readonly string[], path: string): readonly Finding[] {
  return references.flatMap((reference, index) =>
    errorUnless(reference === meshGateway || isGatewayReference(reference), fieldPath(path, index), {
      code: "bad-gateway",
      message: `"${reference}" does not refer to a gateway`,
      hint: 'write "namespace/name", "name" or "mesh"',
    }),
  );
}
