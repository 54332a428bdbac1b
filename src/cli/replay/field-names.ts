import type { DescMessage } from "@bufbuild/protobuf";
import { allTypes } from "../../admin/resource/all-types.ts";

/** The path `3:0.2:4` of a field of this type in words: `virtual_hosts[0].routes[4]`. Unknown parts stay numbers. */
export function fieldName(typeUrl: string, path: string): string {
  let message: DescMessage | undefined = allTypes().getMessage(typeUrl.slice(typeUrl.lastIndexOf("/") + 1));
  const names = path.split(".").map((part) => {
    const [number = "", index = ""] = part.split(":");
    const field = message?.fields.find((each) => each.number === Number(number));
    message = field?.message;
    const name = field?.name ?? number;
    return field === undefined || field.fieldKind === "list" || field.fieldKind === "map" ? `${name}[${index}]` : name;
  });
  return names.join(".");
}
