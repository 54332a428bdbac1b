import { parseAllDocuments } from "yaml";

/** The objects of a text, right or not, each with its name and as it was written. */
export function writtenDocuments(yaml: string) {
  return parseAllDocuments(yaml).map((document) => ({
    kind: String(document.getIn(["kind"])),
    namespace: String(document.getIn(["metadata", "namespace"])),
    name: String(document.getIn(["metadata", "name"])),
    text: String(document),
  }));
}
