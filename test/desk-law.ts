import { posix } from "node:path";

const imports = /^(?:import|export)\s(?<what>[^;="]*)\sfrom\s"(?<from>[^"]+)";/gmu;
const model = "src/desk/api/model/";
/** Styles of elements and code in attributes would break the content security policy of the pages. */
const inlineCode = /\bstyle="|\bdangerouslySetInnerHTML\b|\binnerHTML\b|\beval\(|new Function\(/u;

/** Broken rules of a file of the pages, as sentences. Its path begins with `desk/`. */
export function deskLaw(path: string, text: string): string[] {
  const problems = Array.from(text.matchAll(imports)).flatMap(({ groups }) => {
    const { what = "", from = "" } = groups ?? {};
    if (!from.startsWith(".")) return from.split("/")[0] === "preact" ? [] : [`must not import ${from}`];
    const target = posix.join(posix.dirname(path), from);
    if (target.startsWith("desk/")) return [];
    if (!target.startsWith(model)) return [`must not import ${target}`];
    return what.startsWith("type ") ? [] : [`may import only types from ${target}`];
  });
  return inlineCode.test(text) ? [...problems, "must not have inline code"] : problems;
}
