import { fieldPath } from "../field-path.ts";
import { errorUnless, type Finding } from "../finding.ts";

/** Linux limits in bytes: of a whole path without the terminating byte, and of each name in it. */
const maxPath = 4095;
const maxName = 255;

/** Files that proxies read. For an impossible path, Envoy refuses the resource that names it. May be absent. */
export function filePaths<Field extends string>(
  holder: Readonly<Record<Field, string>>,
  fields: readonly Field[],
  path: string,
): readonly Finding[] {
  return fields.flatMap((field) =>
    errorUnless(canExist(holder[field]), fieldPath(path, field), {
      code: "bad-value",
      message: `the path is invalid: it may have ${maxPath} bytes, and each name in it ${maxName}, without zero bytes`,
    }),
  );
}

function canExist(file: string): boolean {
  const names = file.split("/");
  return (
    !file.includes("\0") &&
    Buffer.byteLength(file) <= maxPath &&
    names.every((name) => Buffer.byteLength(name) <= maxName)
  );
}
