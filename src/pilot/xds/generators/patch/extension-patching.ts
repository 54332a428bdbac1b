import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import { addedExtension } from "../../../networking/patch/added-resource.ts";
import type { PartInputs } from "../../generator.ts";
import { isAddition, nothingAdded, type Patching } from "./patched.ts";

/** Extension configurations, which patches can only add. As in istiod, the context of these patches does not count. */
export function extensionPatching(writer: ProtoWriter): Patching<PartInputs> {
  return {
    wants: (patch) => patch.target === "EXTENSION_CONFIG" && isAddition(patch),
    prepare: (_inputs, patches) => ({
      ...nothingAdded,
      patch: () => undefined,
      added: patches.map((patch) => ({ patch, added: addedExtension([patch, writer]) })),
    }),
  };
}
